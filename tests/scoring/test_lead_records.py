"""Leads at score time: from a reading of the tests, and from attempts that fell short of a proof; never findings."""

from __future__ import annotations

from dataclasses import replace

import pytest
from probe_support import environment, graded

from river_envs.causes import CAUSES
from river_envs.probes.base import Attempt, Judgement, ProbeStatus
from river_envs.probes.documentation import causes
from river_envs.probes.registry import probe, probes
from river_envs.scoring.leads import LONGEST, lead_records

SLEEPS = "import time\n\n\ndef test_x():\n    time.sleep(1)\n    assert open('/app/total.json').read() == '17'\n"


def taken(name: str, *, passed: bool, arm: str = "probe", conditions=(), **facts: object):
    attempt = Attempt("e", name, probe(name).version, arm, 0, (), "", dict(facts), conditions)
    return graded(attempt, passed)


def found(name: str, judgement: Judgement, *results):
    return lead_records(environment(), {name: (probe(name), judgement)}, {name: results})


def test_a_reading_of_the_tests_gives_leads_with_their_place():
    env = environment(tests=SLEEPS)
    lead = next(lead for lead in lead_records(env, {}, {}) if lead.rule == "sleep")
    assert (lead.environment_id, lead.path, lead.line) == (env.id, "tests/test_state.py", 5)
    assert lead.causes == ("flaky", "time-dependent")
    assert "time.sleep(1)" in lead.message


def test_calm_tests_give_none():
    calm = "def test_x():\n    assert open('/app/total.json').read() == '17'\n"
    assert lead_records(environment(tests=calm), {}, {}) == ()


def test_a_mutant_that_survived_is_a_lead_and_one_that_was_rejected_is_none():
    facts = {"path": "/app/total.json", "what": "17 became 18", "distance": 0.05}
    survived = Judgement(ProbeStatus.SURVIVED, "0 of 1 mutants were rejected")
    (lead,) = found("number-off", survived, taken("number-off", passed=True, **facts))
    assert (lead.rule, lead.path, lead.causes) == ("number-off", "/app/total.json", ("unchecked-requirement",))
    assert "17 became 18" in lead.message
    assert found("number-off", survived, taken("number-off", passed=False, **facts)) == ()


def test_an_equivalent_that_was_refused_once_is_a_lead():
    survived = Judgement(ProbeStatus.SURVIVED, "1 equivalent states were graded; a rejection was not repeated")
    refused = taken("json-form", passed=False, what="other white space", paths=["/app/total.json"])
    (lead,) = found("json-form", survived, refused)
    assert (lead.path, lead.causes) == ("/app/total.json", ("over-specific-form",))


@pytest.mark.parametrize("reason", ["lead: rejected with a; b", "1 of 1 graded; lead: rejected with a; b"])
def test_what_a_probe_calls_a_lead_is_one_and_counts_once(reason: str):
    refused = taken("hidden-requirement", passed=False, what="a; b", paths=["/app/a"])
    (lead,) = found("hidden-requirement", Judgement(ProbeStatus.SURVIVED, reason), refused)
    assert (lead.message, lead.causes) == ("rejected with a; b", ("hidden-requirement",))


def test_a_grade_that_differed_once_is_a_lead():
    survived = Judgement(ProbeStatus.SURVIVED, "failed once")
    once = taken("hash-seed", passed=False, arm="under", conditions=(("hash-seed", "7"),))
    (lead,) = found("hash-seed", survived, once)
    assert lead.causes == causes(probe("hash-seed")) == ("machine-dependent",)
    assert "hash-seed=7" in lead.message


def test_what_was_proved_or_could_not_be_read_is_no_lead():
    facts = {"path": "/app/total.json", "what": "17 became 18", "distance": 0.05}
    alive = taken("number-off", passed=True, **facts)
    assert found("number-off", Judgement(ProbeStatus.ERROR, "the untouched image did not score 0"), alive) == ()
    other = replace(alive, attempt=replace(alive.attempt, version=99))
    assert found("number-off", Judgement(ProbeStatus.SURVIVED), other) == ()


def test_texts_are_bounded():
    long = taken("number-off", passed=True, path="/app/x", what="y" * 10_000, distance=1.0)
    (lead,) = found("number-off", Judgement(ProbeStatus.SURVIVED), long)
    assert len(lead.message) <= LONGEST


def test_every_cause_that_a_probe_documents_is_in_the_table():
    assert all(set(causes(probe)) <= set(CAUSES) for probe in probes())
    assert causes(probe("untouched"))[0] == "pays-for-nothing"
