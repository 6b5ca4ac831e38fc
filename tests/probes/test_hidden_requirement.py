"""What the tests ask for and nobody states: found when the failure names it, silent wherever it could be known."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from edit_support import causes, said, solved, state
from probe_support import controls, graded

from river_envs.outcome import Outcome, Status, TestResult
from river_envs.probes.base import NotApplicable, Peek, ProbeStatus, Run, Survey
from river_envs.probes.hidden_requirement import HiddenRequirement

ASK = "Find the sum of the numbers in `/app/sales.csv`. Write it to `/app/report.json` under the key `total`.\n"
TESTS = 'assert "provenance" in data\nassert Path("/app/ledger.idx").exists()\n'
REFERENCE = {"/app/report.json": b'{"total": 3, "provenance": "sales"}\n', "/app/ledger.idx": b"3\n"}


def put_to(env, needed, *, names=True, found=False, seen=None, files=REFERENCE):
    """Ask about a verifier that fails, naming the thing, when one of ``needed`` is missing."""
    probe, seen = HiddenRequirement(), seen or solved(files)
    planned = probe.plan(env, seen)
    if isinstance(planned, NotApplicable):
        return planned
    results = []
    while planned:
        results += [answer(attempt, needed, names, found, files) for attempt in planned]
        done = {result.attempt.id for result in results}
        planned = [a for a in probe.more(env, results, controls(env)) if a.id not in done]
    return probe.judge(env, sorted(results, key=lambda r: (r.attempt.repeat, r.attempt.arm)), controls(env))


def answer(attempt, needed, names, found, files):
    if any(isinstance(action, Run) for action in attempt.actions):
        done = graded(attempt, False)
        return replace(done, receipt=tuple(replace(step, done=not found) for step in done.receipt))
    left = state(attempt, files)
    missing = [name for name in needed if not has(left, name)]
    message = f"assert {missing[0]!r} in data" if missing and names else "assert False"
    tests = (TestResult("test_all", "failed", message),) if missing else ()
    outcome = Outcome(Status.GRADED, float(not missing), not missing, tests=tests)
    return replace(graded(attempt, not missing), outcome=outcome)


def has(files, name):
    return f"/app/{name}" in files or name in json.loads(files["/app/report.json"])


@pytest.mark.parametrize("needed", ["provenance", "ledger.idx"])
def test_an_unstated_thing_is_found(needed):
    judgement = put_to(said(ASK, TESTS), [needed])
    assert causes(judgement) == ["hidden-requirement"]
    assert needed in judgement.findings[0].message
    assert len(judgement.findings[0].attempts) == 4


def test_what_is_not_needed_is_no_requirement():
    judgement = put_to(said(ASK, TESTS), [])
    assert (judgement.status, causes(judgement)) == (ProbeStatus.SURVIVED, [])


def test_a_failure_that_does_not_name_it_is_a_lead():
    judgement = put_to(said(ASK, TESTS), ["ledger.idx"], names=False)
    assert causes(judgement) == []
    assert judgement.reason.startswith("lead")


def test_a_name_that_the_image_holds_is_no_secret():
    assert causes(put_to(said(ASK, TESTS), ["ledger.idx"], found=True)) == []
    seen = solved(REFERENCE)
    peeked = Survey(seen.listing, "/app", seen.reference, peeks=(Peek("/app/a.txt", "ledger.idx and provenance"),))
    assert isinstance(put_to(said(ASK, TESTS), ["ledger.idx"], seen=peeked), NotApplicable)


@pytest.mark.parametrize(
    "instruction",
    [
        ASK + "Follow the specification in `/app/SPEC.md`.\n",
        ASK + "Keep a ledger, and the provenance.\n",
        ASK + "Write one file for each region.\n",
        ASK + "For each input file write a summary file.\n",
        ASK + "Every region gets its own file.\n",
        ASK + "Make `/app/<name>.idx`.\n",
        ASK + "Fields as in the template.\n",
    ],
)
def test_what_could_be_known_is_not_asked(instruction):
    assert isinstance(put_to(said(instruction, TESTS), ["ledger.idx", "provenance"]), NotApplicable)


@pytest.mark.parametrize("more", ["Afterwards every file is UTF-8.", "Record one line per file."])
def test_words_about_files_that_are_there_name_no_others(more):
    assert causes(put_to(said(f"{ASK}{more}\n", TESTS), ["ledger.idx"])) == ["hidden-requirement"]
    several = {**REFERENCE, "/app/journal.idx": b"4\n"}
    probe = HiddenRequirement()
    planned = probe.plan(said(f"{ASK}{more}\n", TESTS), solved(several))
    assert [attempt.facts["name"] for attempt in planned] == ["provenance"]


def test_what_other_work_needs_is_not_asked():
    files = {**REFERENCE, "/app/run.py": b"open('ledger.idx'); data['provenance']\n"}
    assert isinstance(put_to(said(ASK, TESTS + "import subprocess"), ["ledger.idx"], files=files), NotApplicable)


def test_names_that_the_tests_do_not_spell_out_are_not_asked():
    assert isinstance(put_to(said(ASK, "assert data == expected"), ["provenance"]), NotApplicable)


FILTER = "Write the filter `/app/mask`, which replaces tokens by `<secret>`; a token is `sess_` followed by digits.\n"
MASK = {"/app/mask": b"#!/usr/bin/env python3\nimport sys\nprint(sys.stdin.read())\n", "/app/ledger.idx": b"3\n"}
RUNS = 'subprocess.run(["/app/mask"])\nassert os.path.isfile("/app/ledger.idx")\n'


def test_a_file_beside_a_program_that_does_not_read_it_is_found():
    probe = HiddenRequirement()
    assert len(probe.plan(said(FILTER, RUNS), solved(MASK))) == 1
    lister = {**MASK, "/app/mask": b"#!/usr/bin/env python3\nimport os\nprint(os.listdir('/app'))\n"}
    assert isinstance(probe.plan(said(FILTER, RUNS), solved(lister)), NotApplicable)
    several = FILTER + "It writes `/app/<name>.idx`.\n"
    assert isinstance(probe.plan(said(several, RUNS), solved(MASK)), NotApplicable)


@pytest.mark.parametrize(
    "more",
    [
        "\n## Specification\n\nThe numbers are integers.\n",
        "Print the expanded template of each line.\n",
        "Each piece is a text file of two lines.\n",
        "Use the standard library only, and standard input.\n",
    ],
)
def test_words_that_refer_to_nothing_elsewhere_close_nothing(more):
    assert causes(put_to(said(ASK + more, TESTS), ["ledger.idx"])) == ["hidden-requirement"]


def test_a_document_that_the_image_holds_is_read_first():
    env = said(ASK + "A template tells the rest.\n", TESTS)
    assert causes(put_to(env, ["ledger.idx"])) == ["hidden-requirement"]
    there = solved(REFERENCE, "/app/sales.csv", "/app/template.txt")
    assert isinstance(put_to(env, ["ledger.idx"], seen=there), NotApplicable)


def test_a_log_that_nobody_asked_for():
    files = {"/app/report.json": b'{"total": 3}\n', "/app/run.log": b"ok\n"}
    tests = 'assert Path("/app/run.log").is_file()\n'
    needs = put_to(said(ASK, tests), ["run.log"], files=files)
    assert causes(needs) == ["hidden-requirement"]
    assert isinstance(put_to(said(ASK + "Keep a run log.\n", tests), ["run.log"], files=files), NotApplicable)


def test_files_that_may_be_called_after_the_data():
    files = {"/app/report.json": b'{"total": 3}\n', "/app/ops.csv": b"1\n", "/app/hrx.csv": b"2\n"}
    tests = 'assert Path("/app/ops.csv").exists() and Path("/app/hrx.csv").exists()\n'
    assert isinstance(put_to(said(ASK, tests), ["ops.csv"], files=files), NotApplicable)
    one = {name: content for name, content in files.items() if "hrx" not in name}
    seen = replace(solved(one), peeks=(Peek("/app/sales.csv", "region,amount\nops,3\n"),))
    assert isinstance(put_to(said(ASK, tests), ["ops.csv"], files=one, seen=seen), NotApplicable)


@pytest.mark.parametrize("more", ["Follow PEP 621.", "Put it in the usual place.", "Follow Helm's own layout."])
def test_rules_from_outside_close_it(more):
    assert isinstance(put_to(said(f"{ASK}{more}\n", TESTS), ["ledger.idx"]), NotApplicable)


def test_a_document_in_a_directory_of_documents_is_read_first():
    env = said(ASK + "Read the docs first.\n", TESTS)
    there = solved(REFERENCE, "/app/sales.csv", "/app/docs/rules.txt")
    assert isinstance(put_to(env, ["ledger.idx"], seen=there), NotApplicable)
