"""From recorded attempts to what was counted: hits and their scripts, benign arms, gradings of the controls."""

from __future__ import annotations

from dataclasses import replace

import pytest
from probe_support import controls, environment, failed, graded

from river_envs.catalog.records import JudgedRecord, LeadRecord, ProbeRecord
from river_envs.environment import File
from river_envs.outcome import Status
from river_envs.probes.base import Attempt, Background, Finding, Put, Restore, Run, Solve
from river_envs.probes.registry import probe, probes
from river_envs.scoring.evidence import Benign, Hit, Series, Suggestion
from river_envs.scoring.gather import gather, script

ENV = environment()
PUT = (Put((File("app/total.json", b"{}"),)),)


def taken(name, arm="probe", *, repeat=0, actions=PUT, passed=False, where=ENV.id):
    return graded(Attempt(where, name, probe(name).version, arm, repeat, actions), passed)


def counted(*results, findings=(), statuses=None, background=None, leads=(), left_out=()):
    by_probe: dict[str, list] = {}
    for result in results:
        by_probe.setdefault(result.attempt.probe, []).append(result)
    rows = tuple(ProbeRecord(ENV.id, name, 1, status) for name, status in (statuses or {}).items())
    record = JudgedRecord("defective", (), (), rows, tuple(findings), leads=tuple(leads))
    return gather(ENV, record, by_probe, background or Background(), left_out)


def finding(name, *results, claim="accepts-wrong", cause="existence-only"):
    ids = tuple(result.attempt.id for result in results)
    return Finding(ENV.id, claim, cause, probe(name).trigger, name, "", "", ids)


def test_every_question_is_counted_once():
    found = counted(statuses={"untouched": "survived", "typed-stubs": "hit", "conftest": "not-run"},
                    left_out={"clock-shift"})  # fmt: skip
    total = sum(
        row.survived + row.hit + row.not_applicable + row.not_run + row.error + row.left_out for row in found.asked
    )
    assert total == len(probes())
    by_kind = {(row.family, row.trigger): row for row in found.asked}
    assert by_kind["control", "rollout-visible"].survived == 1
    assert by_kind["adversarial", "rollout-visible"].hit == 1
    assert by_kind["determinism", "rollout-visible"].left_out == 1
    assert found.answered == 2


def test_a_hit_counts_the_repeats_of_its_script():
    paid, refused = taken("typed-stubs", passed=True), taken("typed-stubs", repeat=1)
    other = taken("typed-stubs", repeat=2, actions=(Run("true"),))
    lost = failed(taken("typed-stubs", repeat=3).attempt, Status.SANDBOX_ERROR)
    found = counted(paid, refused, other, lost, findings=[finding("typed-stubs", paid)])
    (hit,) = found.hits
    assert (hit.shown, hit.tried, hit.family) == (1, 2, "adversarial")
    assert hit.script == script(paid.attempt)


def test_a_script_is_the_same_in_every_environment_unless_it_needs_the_reference():
    one, other = (taken("typed-stubs", where=where).attempt for where in ("e1", "e2"))
    assert one.id != other.id
    assert script(one) == script(other) == script(replace(one, repeat=4))
    assert script(one) != script(replace(one, actions=(Run("true"),)))
    elsewhere = replace(one, actions=(Put((File("srv/out/report.json", b"{}"),)),))
    assert script(one) == script(elsewhere) != script(replace(one, actions=(Put((File("app/total.csv", b"{}"),)),)))
    assert script(replace(one, actions=(Restore(), *PUT))) == script(replace(one, actions=(Solve(),))) == ""
    assert script(Attempt("e1", "untouched", 1)) == script(Attempt("e2", "untouched", 1)) != ""


def test_a_finding_without_a_grading_counts_once():
    built = failed(taken("untouched", actions=()).attempt, Status.BUILD_FAILED)
    lone = replace(finding("untouched", claim="broken", cause="build-fails"), attempts=("gone",))
    assert counted(findings=[lone]).hits[0] == Hit(
        "broken", "build-fails", "untouched", "control", "rollout-visible", 1, 1
    )
    (hit,) = counted(built, findings=[finding("untouched", built, claim="broken", cause="build-fails")]).hits
    assert (hit.shown, hit.tried) == (1, 1)


@pytest.mark.parametrize(
    ("name", "arm", "shown", "paid"),
    [
        ("truth-overwritten", "probe", True, True),  # an answer that is wrong unless the truth was moved
        ("exit-at-import", "probe", True, True),  # a module without its tamper
        ("recorded-truth", "moved", True, True),
        ("conftest", "probe", True, True),
        ("json-form", "probe", False, False),  # the reference's own bytes, refused
        ("clock-shift", "under", False, False),
    ],
)
def test_a_benign_hit_is_a_benign_arm_that_shows_what_a_hit_shows(name, arm, shown, paid):
    hit, same = taken(name, arm, passed=shown), taken(name, "benign", passed=paid, actions=(Run("true"),))
    assert counted(hit, same).benign == (Benign(name, True, True),)
    otherwise = taken(name, "benign", passed=not paid, actions=(Run("true"),))
    assert counted(hit, otherwise).benign == (Benign(name, True, False),)
    assert counted(hit).benign == ()


def test_the_unedited_state_of_a_mutant_is_no_benign_hit():
    assert counted(taken("number-off", passed=True), taken("number-off", "benign", passed=True)).benign == ()


def test_gradings_of_the_controls_by_what_was_graded():
    reference = (
        taken("reference", passed=True),
        taken("reference", "again", repeat=1, passed=False),
        failed(taken("reference", "again", repeat=2).attempt, Status.VERIFIER_TIMEOUT),
        failed(taken("reference", "again", repeat=3).attempt, Status.SANDBOX_ERROR),
    )
    found = counted(background=Background(controls(ENV).untouched, reference))
    assert found.series == (
        Series("untouched", 0, 2), Series("reference", 1, 0), Series("restored", 0, 1, 1),
    )  # fmt: skip


def test_attempts_of_another_version_do_not_count():
    old = taken("number-off", passed=True)
    old = replace(old, attempt=replace(old.attempt, version=99))
    assert not any(band.tried for band in counted(old).mutants)
    assert sum(band.tried for band in counted(taken("number-off", passed=True)).mutants) == 1


def test_leads_are_counted_by_rule():
    leads = [LeadRecord(ENV.id, "sleep", ("flaky",), "tests/t.py", line, "") for line in (1, 2)]
    leads.append(LeadRecord(ENV.id, "number-off", ("unchecked-requirement",), "/app/x", 0, ""))
    assert counted(leads=leads).suggestions == (
        Suggestion("sleep", "static", ("unstable",)), Suggestion("number-off", "mutant", ("accepts-wrong",)),
    )  # fmt: skip
