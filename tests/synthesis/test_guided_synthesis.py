"""Tests in many styles: those that check the form alone are caught, those that know the values are never accused."""

from __future__ import annotations

from functools import partial

import pytest
from probe_support import ask, environment, survey
from synthesis.styles import DATA, STYLES, Style
from synthesis.tested import passes

from river_envs.probes.base import Attempt, NotApplicable, ProbeStatus
from river_envs.probes.guided_synthesis import GuidedSynthesis

SEEN = survey("/app/sales.csv", "/app/log.txt")
GIVEN = {"sales.csv": DATA, "log.txt": "2024-02-03 north\n"}


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.name)
def test_catches_tests_that_check_the_form_alone(style: Style, tmp_path):
    env = environment(style.instruction, tests=style.weak)
    judgement = ask(GuidedSynthesis(), env, SEEN, lambda attempt: passes(style.weak, attempt, tmp_path, GIVEN))
    assert not isinstance(judgement, NotApplicable), judgement.reason
    assert [finding.cause for finding in judgement.findings] == [style.cause], judgement
    assert len(judgement.findings[0].attempts) == 2


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.name)
def test_never_accuses_tests_that_know_the_values(style: Style, tmp_path):
    env = environment(style.instruction, tests=style.strong)
    verifier = partial(_strict, style, tmp_path)
    judgement = ask(GuidedSynthesis(), env, SEEN, verifier)
    if not isinstance(judgement, NotApplicable):
        assert judgement.status is ProbeStatus.SURVIVED
        assert judgement.findings == ()


def _strict(style: Style, folder, attempt: Attempt) -> bool:
    return passes(style.strong, attempt, folder, GIVEN)


FILLED = """
import json
def test_it():
    data = json.load(open("/app/out.json"))
    assert isinstance(data["totals"], dict)
    assert data["totals"]
    assert isinstance(data["days"], list) and data["days"]
"""


def test_a_map_that_must_not_be_empty_is_filled(tmp_path):
    said = "Find the total of each region and all days in /app/sales.csv. Write totals and days to /app/out.json."
    env = environment(said, tests=FILLED)
    judgement = ask(GuidedSynthesis(), env, SEEN, lambda attempt: passes(FILLED, attempt, tmp_path, GIVEN))
    assert [finding.cause for finding in judgement.findings] == ["shape-only"], judgement
