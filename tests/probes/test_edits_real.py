"""Mutants and equivalents in real sandboxes: the reference runs once, its delta is edited, and the receipts hold."""

from __future__ import annotations

from dataclasses import replace

import pytest
from real_probe_support import real_environment

from river_envs.audit.attempt import Workplace, run_attempt
from river_envs.audit.survey import survey
from river_envs.probes.base import Attempt, Background, NotApplicable, Restore, Solve
from river_envs.probes.drop_output import DropOutput
from river_envs.probes.git_storage import GitStorage
from river_envs.probes.trailing_newline import TrailingNewline
from river_envs.probes.undo_change import UndoChange
from river_envs.verifier import grade

pytestmark = pytest.mark.sandbox

TEXT = """Find the sum of the numbers in `/app/numbers.txt`. Write it to `/app/sum.txt`.

Write the largest to `/app/largest.txt`. Change the unit in `/app/unit.conf` to metres.
"""
FILES = {"numbers.txt": "1\n2\n4\n", "unit.conf": "unit=feet\n"}
SOLVE = "cd /app; echo 7 > sum.txt; echo 4 > largest.txt; echo unit=metres > unit.conf\n"


def asked(probe, check, backend, solution=SOLVE, text=TEXT):
    """Solve once, then plan, run and judge as the audit does; gives the judgement and the results."""
    env = real_environment(text, check, FILES, solution=solution)
    place = Workplace(backend, backend.build(env.image), grade)
    with backend.start(place.image) as sandbox:
        seen = survey(sandbox, env)
    control, _ = run_attempt(place, env, Attempt(env.id, "untouched", 1), None)
    reference, delta = run_attempt(place, env, Attempt(env.id, "reference", 1, actions=(Solve(),)), None)
    assert reference.passed, reference.outcome.log
    again, _ = run_attempt(place, env, Attempt(env.id, "reference", 1, "again", actions=(Restore(),)), delta)
    background = Background((control,), (reference, again))
    planned, results = probe.plan(env, replace(seen, reference=delta, in_place=background.in_place)), []
    assert not isinstance(planned, NotApplicable), planned
    while planned:
        results += [run_attempt(place, env, attempt, delta)[0] for attempt in planned]
        done = {result.attempt.id for result in results}
        planned = [attempt for attempt in probe.more(env, results, background) if attempt.id not in done]
    results.sort(key=lambda result: (result.attempt.repeat, result.attempt.arm))
    return probe.judge(env, results, background), results


LOOSE = "grep -qx 7 /app/sum.txt && grep -q metres /app/unit.conf"


def test_a_missing_output_is_found_and_its_absence_lasts(bubblewrap_backend):
    judgement, results = asked(DropOutput(), LOOSE, bubblewrap_backend)
    assert [finding.evidence["path"] for finding in judgement.findings] == ["/app/largest.txt"]
    watched = [step for result in results for step in result.receipt if "watch" in step.action]
    assert watched
    assert all(step.output == "the same after grading" for step in watched)


def test_an_output_that_the_tests_make_anew_is_no_proof(bubblewrap_backend):
    check = "echo 4 > /app/largest.txt && grep -qx 7 /app/sum.txt"
    judgement, results = asked(DropOutput(), check, bubblewrap_backend)
    assert judgement.findings == ()
    assert any("changed while it was graded" in step.output for result in results for step in result.receipt)


def test_an_undone_change_stands_as_the_image_has_it(bubblewrap_backend):
    judgement, _ = asked(UndoChange(), "grep -qx 7 /app/sum.txt", bubblewrap_backend)
    assert [finding.evidence["path"] for finding in judgement.findings] == ["/app/unit.conf"]
    judgement, _ = asked(UndoChange(), LOOSE, bubblewrap_backend)
    assert judgement.findings == ()


def test_one_byte_too_few_is_found(bubblewrap_backend):
    exact = f"""{LOOSE} && [ "$(wc -c < /app/sum.txt)" = 2 ]"""
    judgement, _ = asked(TrailingNewline(), exact, bubblewrap_backend)
    assert [finding.cause for finding in judgement.findings] == ["over-specific-form"]
    judgement, _ = asked(TrailingNewline(), LOOSE, bubblewrap_backend)
    assert judgement.findings == ()


def test_where_a_process_matters_the_reference_runs_again_and_is_edited_in_place(bubblewrap_backend):
    check = 'kill -0 "$(cat /app/daemon.pid)" && grep -qx 7 /app/sum.txt'
    daemon = SOLVE + "setsid sleep 300 >/dev/null 2>&1 & echo $! > /app/daemon.pid\n"
    judgement, results = asked(DropOutput(), check, bubblewrap_backend, daemon)
    assert [finding.evidence["in_place"] for finding in judgement.findings] == [True]
    assert {result.attempt.facts["path"] for result in results if result.passed} == {"/app/largest.txt"}


BRANCH = """set -e
mkdir -p /app/code && cd /app/code
git init -q -b main . && git config user.email a@example.org && git config user.name A
echo 1 > f && git add f && git commit -q -m one && git tag v1 && git checkout -q -b stable v1
"""


@pytest.mark.parametrize(
    ("check", "found"),
    [
        ("grep -q . /app/code/.git/refs/heads/stable", ["over-specific-form"]),
        ("git -c safe.directory='*' -C /app/code rev-parse -q --verify stable >/dev/null", []),
    ],
)
def test_a_repository_stored_in_another_way(check, found, bubblewrap_backend):
    text = "Make the repository `/app/code` with one commit, the tag `v1` and the branch `stable`.\n"
    judgement, results = asked(GitStorage(), check, bubblewrap_backend, BRANCH, text)
    assert [finding.cause for finding in judgement.findings] == found
    assert all(result.effective for result in results)
