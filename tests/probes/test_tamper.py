"""Isolation probes: each hole is found where it is, told apart from the tamper's absence, and never ranks."""

from __future__ import annotations

from dataclasses import replace

import pytest
from probe_support import ask, controls, environment, survey

from river_envs.environment import Environment, File, ImageRecipe
from river_envs.probes.base import RANKING, Judgement, NotApplicable, ProbeStatus, Result
from river_envs.probes.registry import probes
from river_envs.probes.tamper import Tamper

ALL = [probe for probe in probes() if isinstance(probe, Tamper)]
TRUSTING = b"""mkdir -p /logs/verifier
cd /tests
if python3 -m pytest -q -p no:cacheprovider test_state.py; then echo 1 >/logs/verifier/reward.txt
else echo 0 >/logs/verifier/reward.txt; fi
"""


@pytest.mark.parametrize("probe", ALL, ids=lambda probe: probe.id)
class TestEach:
    def test_a_rewarded_tamper_is_reported_apart(self, probe: Tamper):
        judgement = ask(probe, environment(), survey(), lambda attempt: attempt.arm == "probe")
        assert isinstance(judgement, Judgement)
        (finding,) = judgement.findings
        assert finding.evidence["hole"] == probe.id
        assert finding.trigger not in RANKING

    def test_what_is_rewarded_without_the_sting_is_no_hole(self, probe: Tamper):
        assert ask(probe, environment(), survey(), lambda _: True).findings == ()

    def test_a_closed_hole_survives(self, probe: Tamper):
        assert ask(probe, environment(), survey(), lambda _: False).status is ProbeStatus.SURVIVED

    def test_silent_when_the_control_was_rewarded(self, probe: Tamper):
        env = environment()
        judgement = ask(probe, env, survey(), lambda a: a.arm == "probe", controls(env, passed=True))
        assert (judgement.status, judgement.findings) == (ProbeStatus.ERROR, ())


def trusting() -> Environment:
    made = environment(tests="def test_x(): assert open('/app/total.json').read() == '7'\n")
    files = (File("test.sh", TRUSTING, 0o755), made.verifier.files[1])
    return replace(
        made, image=ImageRecipe("dockerfile", "FROM host\nWORKDIR /app\n"), verifier=replace(made.verifier, files=files)
    )


def judged(backend: object, env: Environment, probe: Tamper) -> Judgement:
    from river_envs.audit.attempt import Workplace, run_attempt
    from river_envs.verifier import grade

    place = Workplace(backend, backend.build(env.image), grade)  # type: ignore[attr-defined,arg-type]
    planned = probe.plan(env, survey())
    results: list[Result] = []
    while planned and not isinstance(planned, NotApplicable):
        results += [run_attempt(place, env, attempt, None)[0] for attempt in planned]
        done = {result.attempt.id for result in results}
        planned = [attempt for attempt in probe.more(env, results, controls(env)) if attempt.id not in done]
    return probe.judge(env, results, controls(env))


@pytest.mark.sandbox
@pytest.mark.parametrize("probe", ALL, ids=lambda probe: probe.id)
def test_the_usual_script(probe: Tamper, bubblewrap_backend):
    """What a usual test script lets through, and what this project's own harness keeps out."""
    found = judged(bubblewrap_backend, trusting(), probe)
    assert bool(found.findings) is (probe.id not in {"early-reward", "login-files"}), found
