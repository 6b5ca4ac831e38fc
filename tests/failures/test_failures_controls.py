"""Reported failures about what a verifier accepts and rejects: cases 10, 12, 13, 20, 22 and 23, on real namespaces.

| case | also asserted in detail by |
|---|---|
| 10 | tests/probes/test_image_leaks_real.py (every kind of leak beside a healthy look-alike) |
| 12 | tests/probes/test_hidden_requirement.py (where it must be silent) |
| 13 | tests/probes/test_steadiness.py (each condition, and programs that do not see it) |
| 22 | tests/scoring/test_survivors.py (many mutants narrow the interval, few leave it wide) |
"""

from __future__ import annotations

import json
import os
import time

import pytest
from failures.failure_tasks import ASK, PYTEST, RECIPE, RIGHT, SOLVE, Audited, harbor, interval, pays
from typer.testing import CliRunner

from river_cli.main import build_app
from river_envs.probes.registry import probes

pytestmark = pytest.mark.sandbox

COMMIT = "git -c user.name=a -c user.email=a@b.invalid commit -q"
FUTURE = RECIPE + (
    f"RUN cd /app && git init -q . && git add . && {COMMIT} -m start && echo 4812 >total.txt && git add ."
    f" && {COMMIT} -m 'add the sum' && git tag later && git reset -q --hard HEAD~1\n"
)
COMPILED = RECIPE + (
    "RUN mkdir /app/checks && printf 'EXPECTED = \"4812\"\\n\\ndef check(text):\\n    return text == EXPECTED\\n'"
    " >/app/checks/test_total.py && python3 -m compileall -q /app/checks && rm /app/checks/test_total.py\n"
)
FIX = RECIPE + "RUN mkdir /app/solution && echo 4812 >/app/solution/total.txt\n"
PUBLIC = {
    "tests/test_form.py": "def test_form():\n    assert open('/app/total.txt').read().strip().isdigit()\n",
    "tests/README.md": "These check the form only. Run them as often as you like.\n",
}
STATE = "import os\ndef test_sum():\n    assert open('/app/total.txt').read().strip() == '4812'\n"
LEDGER = STATE + "def test_ledger():\n    assert os.path.exists('/app/ledger.idx'), 'ledger.idx'\n"
WORKERS = ASK + "Write the number of workers, one for each processor, to `/app/workers.txt`.\n"
MEMORY = "python3 -c 'import os, sys; sys.exit(os.sysconf(\"SC_PHYS_PAGES\") < 1 << 18)'"


@pytest.fixture(scope="module")
def told(tmp_path_factory, audited) -> Audited:
    """All cases in one catalog, audited together at the standard effort."""
    folder = tmp_path_factory.mktemp("controls")
    harbor(folder, "future-commit", recipe=FUTURE)
    harbor(folder, "compiled-tests", recipe=COMPILED)
    harbor(folder, "left-fix", recipe=FIX)
    harbor(folder, "public-tests", files=PUBLIC, recipe=RECIPE + "COPY tests /app/tests\n")
    harbor(folder, "one-hunk", solve="echo 4812 >/app/total.txt\n", test=pays("grep -q 48 /app/total.txt"))
    tests = {"test_state.py": LEDGER}
    harbor(folder, "unstated", test=pays(PYTEST), tests=tests, solve=SOLVE + "touch /app/ledger.idx\n")
    harbor(folder, "unstated-unproved", test=pays(PYTEST), tests=tests, solve=None)
    return audited(folder, effort="standard")


@pytest.fixture(scope="module")
def varied(tmp_path_factory, audited) -> Audited:
    """Verifiers that look at the machine: more attempts than the other cases."""
    folder, later = tmp_path_factory.mktemp("machines"), int(time.time()) + 200 * 86400
    cores = '[ "$(cat /app/workers.txt 2>/dev/null)" = "$(nproc)" ]'
    solve = SOLVE + f"echo {os.cpu_count()} >/app/workers.txt\n"
    harbor(folder, "counts-processors", ask=WORKERS, test=pays(f"{RIGHT} && {cores}"), solve=solve)
    harbor(folder, "reads-the-clock", test=pays(f"{RIGHT} && [ $(date +%s) -lt {later} ]"))
    harbor(folder, "wants-memory", test=pays(f"{RIGHT} && {MEMORY}"))
    return audited(folder, effort="standard")


@pytest.mark.parametrize(
    ("name", "probe", "path"),
    [
        ("future-commit", "git-objects", "/app/.git"),
        ("compiled-tests", "bytecode-answer", "/app/checks/__pycache__/test_total."),
        ("left-fix", "answer-files", "/app/solution/total.txt"),
    ],
)
def test_what_the_image_gives_away_is_named_with_its_path(told: Audited, name: str, probe: str, path: str):
    """Case 10: a future commit, compiled tests, a left-over fix: leaks-answer, proved, with the place."""
    assert told.verdict(name) == ("defective", ["image-answer"])
    (finding,) = told.findings(name)
    assert (finding["claim"], finding["probe"]) == ("leaks-answer", probe)
    assert path in finding["message"]
    assert {row["passed"] for row in told.attempts(name, probe)} == {True, False}, "rewarded, and altered not"


def test_asserted_but_unstated_is_proved_with_a_reference(told: Audited):
    """Case 12: a file that only the tests know of: rejects-right, and the message says which name nobody stated."""
    assert told.verdict("unstated") == ("defective", ["hidden-requirement"])
    (finding,) = told.findings("unstated")
    assert finding["claim"] == "rejects-right"
    assert "the tests ask for 'ledger.idx'" in finding["message"]
    assert "neither the instruction nor any file of the image names it" in finding["message"]


def test_asserted_but_unstated_is_a_lead_without_one(told: Audited):
    """Case 12: without a reference it is a lead towards hidden-requirement, shown, and accuses nobody."""
    assert told.verdict("unstated-unproved") == ("resisted", [])
    assert told.findings("unstated-unproved") == []
    found = [lead for lead in told.leads("unstated-unproved") if "hidden-requirement" in lead["causes"]]
    assert [(lead["rule"], lead["path"]) for lead in found] == [("unstated-path", "tests/test_state.py")]
    assert "ledger.idx" in found[0]["message"]
    shown = CliRunner().invoke(build_app(), ["show", "failures/unstated-unproved", "-c", str(told.catalog.path)]).stdout
    assert "unstated-path" in shown
    assert "ledger.idx" in shown


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "cause", "variable"),
    [
        ("counts-processors", "machine-dependent", ["processors", "1"]),
        ("reads-the-clock", "time-dependent", ["clock", "34603200"]),
        ("wants-memory", "machine-dependent", ["memory", "512"]),
    ],
)
def test_the_variable_that_changed_the_grade_is_named(varied: Audited, name: str, cause: str, variable: list[str]):
    """Case 13: unstable, with the one condition under which right work is rejected."""
    assert varied.verdict(name) == ("defective", [cause])
    (finding,) = varied.findings(name)
    assert finding["claim"] == "unstable"
    assert "=".join(variable) in finding["message"]
    assert json.loads(finding["evidence"])["conditions"] == [variable]


def test_what_does_not_apply_is_listed_and_never_counts_as_resisted(told: Audited):
    """Case 20: every probe has a line; a skipped one has its reason and is in no count of survivors."""
    found = told.probes("public-tests")
    assert set(found) == {probe.id for probe in probes()}
    skipped = {probe: reason for probe, (status, reason) in found.items() if status == "not-applicable"}
    asked = {row["probe"] for row in told.attempts("public-tests")}
    assert skipped
    assert all(skipped.values())
    survived = {probe for probe, (status, _) in found.items() if status == "survived"}
    assert survived == asked - set(skipped)  # some were asked, and no program could be shown their condition
    beyond = survived - {"untouched", "reference"}
    assert f"survived {len(beyond)} probes ({len(skipped)} do not apply, " in told.reasons("public-tests")
    shown = CliRunner().invoke(build_app(), ["show", "failures/public-tests", "--json", "-c", str(told.catalog.path)])
    listed = {row["probe"]: row for row in json.loads(shown.stdout)["probes"]}
    assert {probe for probe, row in listed.items() if row["status"] == "not-applicable"} == set(skipped)
    assert all(listed[probe]["reason"] == reason for probe, reason in skipped.items())


def test_a_one_hunk_reference_meets_several_kinds_of_mutants(told: Audited):
    """Case 22: a reference of one line is mutated in more than one way, and the weak verifier pays for it in its score.

    Few mutants prove little: the interval stays wide, and a strict twin with the same reference ranks above it.
    """
    kinds = {probe.id for probe in probes() if probe.family == "mutant"}
    tried = {row["probe"] for row in told.attempts("one-hunk") if row["probe"] in kinds and row["arm"] == "probe"}
    assert len(tried) >= 2
    assert any(row["passed"] for row in told.attempts("one-hunk") if row["probe"] in tried)
    weak, strict = told.score("one-hunk"), told.score("public-tests")
    low, value, high = interval(weak, "quality")
    assert high - low > 0.5
    assert value < strict["quality"]
    assert weak["p_accepts_wrong"] > strict["p_accepts_wrong"]


def test_a_public_tests_folder_is_no_finding(told: Audited):
    """Case 23: tests that check the form only may lie in the image: nothing ranks, nothing is reported."""
    assert told.verdict("public-tests") == ("sound", [])
    assert told.findings("public-tests") == []
