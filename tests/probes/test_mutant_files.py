"""Mutants of whole files: missing, undone, empty, cut, with another mode; and references that stop early."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from edit_support import REFERENCE, REPORT, causes, modes_of, naming, put_to, said, solved, state
from probe_support import ask, controls, environment, failed

from river_envs.environment import File, Reference
from river_envs.outcome import Status
from river_envs.probes.base import NotApplicable, Peek, ProbeStatus, Solve
from river_envs.probes.drop_output import DropOutput
from river_envs.probes.empty_output import EmptyOutput
from river_envs.probes.last_command import LastCommand
from river_envs.probes.mode_lost import ModeLost
from river_envs.probes.solution_cut import SolutionCut, commands_of
from river_envs.probes.truncate_output import TruncateOutput
from river_envs.probes.undo_change import UndoChange

BOTH = naming("report.json", "regions.csv", "total")


def right(files):
    return all(files.get(path) == content for path, content in REFERENCE.items())


def only_report(files):
    return files.get("/app/report.json") == REFERENCE["/app/report.json"]


def test_an_output_that_no_test_asks_for_is_found():
    judgement = put_to(DropOutput(), naming("report.json"), only_report)
    assert causes(judgement) == ["unchecked-requirement"]
    finding = judgement.findings[0]
    assert finding.evidence["path"] == "/app/regions.csv"
    assert "regions.csv" in finding.evidence["stated"]
    assert len(finding.attempts) == 3


def test_outputs_that_are_compared_stay_silent():
    assert put_to(DropOutput(), BOTH, right).status is ProbeStatus.SURVIVED
    assert put_to(EmptyOutput(), BOTH, right).reason == "1 of 1 mutants were rejected"


@pytest.mark.parametrize(
    "sentence",
    [
        "You may also write `/app/regions.csv` with the rows.",
        "If you like, write `/app/regions.csv` as well.",
        "Optionally, write `/app/regions.csv`.",
        "The daemon writes `/app/regions.csv` on its own.",
        "Never write `/app/regions.csv` by hand.",
    ],
)
def test_what_is_not_ordered_is_a_score_only(sentence):
    env = said(f"Compute the sum. Write it to `/app/report.json`.\n\n{sentence}\n", "report.json")
    judgement = put_to(DropOutput(), env, only_report)
    assert judgement.status is ProbeStatus.SURVIVED
    assert "rewarded: /app/regions.csv" in judgement.reason


def test_an_output_that_a_delivered_program_makes_is_no_proof():
    text = "Write `/app/run.py`. It has to fill the table. Write `/app/regions.csv` with it.\n"
    files = {"/app/run.py": b"open('regions.csv', 'w')\n", "/app/regions.csv": b"a,b\n1,2\n3,4\n"}
    judgement = put_to(DropOutput(), said(text, "import subprocess"), lambda files: "/app/run.py" in files, files)
    assert causes(judgement) == []


def test_a_lone_output_is_not_dropped():
    judgement = put_to(DropOutput(), BOTH, only_report, {"/app/report.json": REFERENCE["/app/report.json"]})
    assert isinstance(judgement, NotApplicable)


def test_a_state_that_is_not_rewarded_again_accuses_nobody():
    env, seen = naming("report.json"), solved()
    judgement = ask(DropOutput(), env, seen, lambda attempt: attempt.arm in {"probe", "again"})
    assert causes(judgement) == []


def test_without_a_reference_there_is_nothing_to_edit():
    assert isinstance(DropOutput().plan(BOTH, replace(solved(), reference=None)), NotApplicable)


def test_where_processes_matter_the_reference_runs_again():
    seen = replace(solved(), in_place=True)
    attempts = DropOutput().plan(BOTH, seen)
    assert all(isinstance(attempt.actions[0], Solve) and attempt.facts["in_place"] for attempt in attempts)


def test_a_verifier_without_a_grade_is_no_evidence():
    attempts = DropOutput().plan(BOTH, solved())
    crashed = [failed(attempt, Status.VERIFIER_CRASHED) for attempt in attempts]
    assert DropOutput().judge(BOTH, crashed, controls(BOTH)).status is ProbeStatus.NOT_APPLICABLE
    lost = [failed(attempt, Status.SANDBOX_ERROR) for attempt in attempts]
    assert DropOutput().judge(BOTH, lost, controls(BOTH)).status is ProbeStatus.ERROR


def test_an_empty_output_is_found():
    judgement = put_to(
        EmptyOutput(), BOTH, lambda files: only_report(files) and "/app/regions.csv" in files
    )
    assert causes(judgement) == ["unchecked-requirement"]


def test_an_empty_marker_is_what_was_asked():
    env = said("Compute the sum into `/app/report.json`. Create an empty file `/app/done.marker`.\n")
    files = {"/app/report.json": b'{"total": 1}\n', "/app/done.marker": b"done\n"}
    assert causes(put_to(EmptyOutput(), env, lambda files: "/app/report.json" in files, files)) == []


CONFIGS = "The services fail. Fix the port in `/app/web.conf` and update `/app/db.conf` to match: both are 8080.\n"
FIXED = {"/app/web.conf": b"port = 8080\n", "/app/db.conf": b"port = 8080\n"}
IMAGE = {"/app/web.conf": b"port = 80\n", "/app/db.conf": b"port = 81\n"}


def test_a_change_that_no_test_asks_for_is_found():
    web = lambda files: files["/app/web.conf"] == b"port = 8080\n"  # noqa: E731
    judgement = put_to(UndoChange(), said(CONFIGS), web, FIXED, *IMAGE, image=IMAGE)
    assert causes(judgement) == ["unchecked-requirement"]
    assert judgement.findings[0].evidence["path"] == "/app/db.conf"


def test_changes_that_are_compared_stay_silent():
    check = lambda files: all(files[path] == content for path, content in FIXED.items())  # noqa: E731
    assert put_to(UndoChange(), said(CONFIGS), check, FIXED, *IMAGE, image=IMAGE).status is ProbeStatus.SURVIVED


TEXTS = "Rewrite the `.txt` files of `/app/texts` in upper case. Record their names in `/app/found.tsv`.\n"
DONE = {"/app/texts/a.txt": b"ONE", "/app/texts/b.txt": b"TWO", "/app/found.tsv": b"a.txt\nb.txt\n"}
LOWER = {"/app/texts/a.txt": b"one", "/app/texts/b.txt": b"two"}


def below(verifier, before):
    probe, env, seen = UndoChange(), said(TEXTS), solved(DONE, *LOWER)
    seen = replace(seen, peeks=tuple(Peek(path, text.decode()) for path, text in before.items()))
    return ask(probe, env, seen, lambda attempt: verifier(state(attempt, DONE, LOWER)))


def test_a_change_below_a_named_directory_that_no_test_asks_for_is_found():
    found = lambda files: "/app/found.tsv" in files  # noqa: E731
    assert causes(below(found, LOWER)) == ["unchecked-requirement"]
    every = lambda files: all(files[path] == content for path, content in DONE.items())  # noqa: E731
    assert causes(below(every, LOWER)) == []
    quoted = said("Clean the CSV files in `/app/raw`: drop duplicate rows. Record it in `/app/found.tsv`.\n")
    left = {"/app/raw/a.csv": b'"k","v"\n"a","1"\n', "/app/found.tsv": b"done\n"}
    seen = replace(solved(left, "/app/raw/a.csv"), peeks=(Peek("/app/raw/a.csv", "k,v\na,1\n"),))
    assert isinstance(UndoChange().plan(quoted, seen), NotApplicable), "the table says the same"
    spaced = {path: text + b"\n" for path, text in DONE.items() if path in LOWER}
    assert isinstance(below(found, spaced), NotApplicable), "nothing but the form was changed: nobody asked for that"


def test_a_file_that_is_only_read_is_not_undone():
    env = said("Read `/app/web.conf` and `/app/db.conf`; write the sum of the ports to `/app/sum.txt`.\n")
    files = {**FIXED, "/app/sum.txt": b"16160\n"}
    assert isinstance(put_to(UndoChange(), env, lambda files: True, files, *IMAGE, image=IMAGE), NotApplicable)


def test_half_a_text_counts_and_accuses_nobody():
    files = {"/app/notes.txt": b"first part\nsecond part\n"}
    env = said("Write a summary of the log to `/app/notes.txt`.\n")
    judgement = put_to(TruncateOutput(), env, lambda files: b"first" in files["/app/notes.txt"], files)
    assert (judgement.status, causes(judgement)) == (ProbeStatus.SURVIVED, [])
    assert "rewarded" in judgement.reason
    judgement = put_to(TruncateOutput(), env, lambda files: b"second" in files["/app/notes.txt"], files)
    assert judgement.reason == "1 of 1 mutants were rejected"


SCRIPT = "Write `/app/backup.sh` with the mode 755. It copies the data.\n"


def test_a_lost_mode_is_found_and_a_checked_one_is_not():
    files = {"/app/backup.sh": b"#!/bin/sh\ncp a b\n"}
    seen = solved(files, modes={"/app/backup.sh": 0o755})
    loose = ask(ModeLost(), said(SCRIPT), seen, lambda attempt: True)
    assert causes(loose) == ["unchecked-requirement"]
    strict = ask(ModeLost(), said(SCRIPT), seen, lambda a: modes_of(a).get("/app/backup.sh", 0o755) & 0o111 != 0)
    assert causes(strict) == []
    runs = said("Write `/app/backup.sh` and make it executable.\n")
    judgement = ask(ModeLost(), runs, seen, lambda attempt: True)
    assert (judgement.status, causes(judgement)) == (ProbeStatus.SURVIVED, [])
    silent = ModeLost().plan(said("Write `/app/backup.sh`. It copies the data.\n"), seen)
    assert isinstance(silent, NotApplicable)


def solving(script: str):
    return replace(environment(REPORT), reference=Reference("shipped", (File("solve.sh", script.encode(), 0o755),)))


def test_a_script_is_cut_between_commands():
    script = "#!/bin/bash\nset -e\ncat <<'EOF' > a\none; two\nEOF\nfor x in 1 2; do\n  echo $x\ndone\necho last\n"
    pieces = commands_of(solving(script).reference)
    assert "".join(pieces) == script
    assert len(pieces) == 4
    assert "one; two\nEOF\n" in pieces[1]


def test_early_ends_count_and_accuse_nobody():
    env = solving("echo 1\necho 2\necho 3\necho 4\n")
    judgement = ask(SolutionCut(), env, solved(), lambda attempt: attempt.facts["distance"] < 0.5)
    assert (judgement.status, causes(judgement)) == (ProbeStatus.SURVIVED, [])
    assert ask(LastCommand(), env, solved(), lambda _: False).reason == "1 of 1 mutants were rejected"
    assert isinstance(SolutionCut().plan(solving("python3 <<'EOF'\nx\nEOF\n"), solved()), NotApplicable)


def test_attempts_are_few_and_the_same_each_time():
    env, seen = naming("report.json"), solved()
    for probe in (DropOutput(), EmptyOutput()):
        first = [attempt.id for attempt in probe.plan(env, seen)]
        assert first == [attempt.id for attempt in probe.plan(env, seen)]
        assert len(first) <= 2
    assert json.loads(state(DropOutput().plan(env, seen)[0], REFERENCE)["/app/report.json"])["total"] == 4812
