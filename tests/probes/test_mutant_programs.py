"""Mutants of programs, labels and trees: found where nothing looks at them, silent where the wording leaves doubt."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest
from edit_support import causes, put_to, said, solved
from probe_support import ask

from river_envs.environment import File, Reference
from river_envs.probes.base import NotApplicable, ProbeStatus, Solve, Survey
from river_envs.probes.labels_shuffled import LabelsShuffled
from river_envs.probes.program_word import ProgramWord
from river_envs.probes.tree_part import TreePart
from river_envs.sandbox.base import Change, Delta, Listing

ASK = """Write the program `/app/phones`; it reads numbers from standard input.

Print the number with `+`, or `invalid` if anything is wrong with the line.

It is called without arguments.
"""
PROGRAM = b"""#!/usr/bin/env python3
import sys
for line in sys.stdin:
    print("+" + line.strip() if line.strip().isdigit() else "invalid")
"""
FILES = {"/app/phones": PROGRAM}
RUNS = 'subprocess.run(["/app/phones"])'


def says(files, line):
    command = [sys.executable, "-c", files["/app/phones"].decode()]
    return subprocess.run(command, input=line, capture_output=True, text=True).stdout.strip()


def test_a_word_that_no_test_provokes_is_found():
    good = lambda files: says(files, "49") == "+49"  # noqa: E731
    assert causes(put_to(ProgramWord(), said(ASK, RUNS), good, FILES)) == ["unchecked-requirement"]
    both = lambda files: good(files) and says(files, "x") == "invalid"  # noqa: E731
    assert put_to(ProgramWord(), said(ASK, RUNS), both, FILES).status is ProbeStatus.SURVIVED


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("or `invalid` if anything is wrong with the line", "and a message such as `invalid` otherwise"),
        ("or `invalid` if", "and log `invalid` to standard error if"),
        ("or `invalid` if", "or nothing if"),
    ],
)
def test_a_word_that_may_be_another_is_not_asked(old, new):
    env = said(ASK.replace(old, new), RUNS)
    assert isinstance(ProgramWord().plan(env, solved(FILES)), NotApplicable)


def test_programs_that_run_already_or_are_run_by_no_test_are_not_asked():
    seen = solved(FILES)
    assert isinstance(ProgramWord().plan(said(ASK, "read('phones')"), seen), NotApplicable)
    running = Survey(seen.listing, seen.workdir, seen.reference, in_place=True)
    assert isinstance(ProgramWord().plan(said(ASK, RUNS), running), NotApplicable)


SERVE = "A service on port 8080 answers `GET /sum` with a JSON object with `total` and `places`. It has to run.\n"
SERVER = {"/srv/serve.py": b'import json\nprint(json.dumps({"total": 3, "places": 2}))\n'}


def test_a_running_program_is_made_anew_in_other_words():
    script = b"cat > /srv/serve.py <<'END'\n" + SERVER["/srv/serve.py"] + b"END\npython3 /srv/serve.py &\n"
    env = replace(said(SERVE, "urllib.request"), reference=Reference("shipped", (File("solve.sh", script, 0o755),)))
    seen = replace(solved(SERVER), in_place=True)

    def total(attempt):
        return attempt.facts["key"] != "total" or attempt.actions == (Solve(),)

    judgement = ask(ProgramWord(), env, seen, total)
    assert causes(judgement) == ["unchecked-requirement"]
    assert "'places'" in judgement.findings[0].evidence["what"]
    checked = lambda attempt: attempt.actions == (Solve(),)  # noqa: E731
    assert ask(ProgramWord(), env, seen, checked).reason == "2 of 2 mutants were rejected"


def test_a_stated_exit_status_that_no_test_provokes_is_found():
    text = "Write the program `/app/check`. It exits with status 3 when the file is broken.\n"
    files = {"/app/check": b"#!/bin/sh\ngrep -q ok \"$1\" || exit 3\n"}
    env = said(text, 'subprocess.run(["/app/check"])')
    assert causes(put_to(ProgramWord(), env, lambda _: True, files)) == ["unchecked-requirement"]
    strict = lambda files: b"exit 3" in files["/app/check"]  # noqa: E731
    assert causes(put_to(ProgramWord(), env, strict, files)) == []


GROUPS = "Group the points of `/app/sales.csv`. Write `/app/groups.tsv`. The adjusted Rand index must be at least {}.\n"
LABELS = {"/app/groups.tsv": "".join(f"p{at}\tg{at % 3}\n" for at in range(30)).encode()}


def groups(files):
    return dict(line.split("\t") for line in files["/app/groups.tsv"].decode().splitlines())


def test_labels_that_nobody_compares_are_found():
    there = lambda files: len(groups(files)) == 30 and len(set(groups(files).values())) == 3  # noqa: E731
    assert causes(put_to(LabelsShuffled(), said(GROUPS.format("0.9")), there, LABELS)) == ["unchecked-requirement"]
    same = lambda files: sum(f"g{int(p[1:]) % 3}" == g for p, g in groups(files).items()) >= 27  # noqa: E731
    assert put_to(LabelsShuffled(), said(GROUPS.format("0.9")), same, LABELS).status is ProbeStatus.SURVIVED


def test_a_share_that_chance_reaches_accuses_nobody():
    assert causes(put_to(LabelsShuffled(), said(GROUPS.format("0.6")), lambda _: True, LABELS)) == []
    unstated = said("Group the points of `/app/sales.csv`. Write `/app/groups.tsv`.\n")
    assert isinstance(LabelsShuffled().plan(unstated, solved(LABELS)), NotApplicable)


RENDER = "Render the hosts of `/app/sales.csv`. `/app/etc` must contain exactly the files of {} hosts.\n"
TREE = {f"/app/etc/{name}.conf": name.encode() for name in ("ada", "bo", "cleo", "dov")}


def test_a_file_of_a_tree_that_no_test_reads_is_found():
    env = said(RENDER.format("all active"), 'read("ada.conf"); read("dov.conf")')
    some = lambda files: {"/app/etc/ada.conf", "/app/etc/dov.conf"} <= set(files)  # noqa: E731
    judgement = put_to(TreePart(), env, some, TREE)
    assert causes(judgement) == ["unchecked-requirement"]
    assert judgement.findings[0].evidence["path"] == "/app/etc/cleo.conf"
    assert put_to(TreePart(), env, lambda files: set(files) == set(TREE), TREE).status is ProbeStatus.SURVIVED
    doubt = said(RENDER.format("at least some"), 'read("ada.conf")')
    assert causes(put_to(TreePart(), doubt, some, TREE)) == []


def test_what_had_to_go_and_stayed_is_found():
    seen = solved({"/app/etc/ada.conf": b"ada"}, "/app/etc/old1", "/app/etc/old2")
    gone = tuple(Change(f"app/etc/old{number}", "deleted") for number in (1, 2))
    listing = (*seen.listing, Listing("/app/etc/ada.conf", "file", 3, 0o644))
    seen = Survey(listing, "/app", Delta((*seen.reference.changes, *gone)))
    env = said(RENDER.format("active"), "read('ada.conf')")
    assert causes(ask(TreePart(), env, seen, lambda _: True)) == ["unchecked-requirement"]
    strict = lambda attempt: not attempt.actions[0].without  # noqa: E731
    assert causes(ask(TreePart(), env, seen, strict)) == []
