"""Equivalents: rejected though they mean the same, and only where the form is open."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest
from edit_support import REFERENCE, causes, modes_of, put_to, said, solved, state
from probe_support import ask

from river_envs.probes.base import NotApplicable, ProbeStatus
from river_envs.probes.bind_address import BindAddress
from river_envs.probes.by_product import ByProduct
from river_envs.probes.code_comments import CodeComments
from river_envs.probes.csv_quoting import CsvQuoting
from river_envs.probes.extra_files import ExtraFiles
from river_envs.probes.file_mode import FileMode
from river_envs.probes.free_order import FreeOrder
from river_envs.probes.free_space import FreeSpace
from river_envs.probes.json_form import JsonForm
from river_envs.probes.number_form import NumberForm
from river_envs.probes.reference_twice import ReferenceTwice
from river_envs.probes.trailing_newline import TrailingNewline

OVER = ["over-specific-form"]
ANSWER = {"/app/answer.txt": b"3.75\n"}
ASK = "Find the mean of the numbers in `/app/sales.csv`. Write it to `/app/answer.txt`.\n"
JSON = {"/app/report.json": b'{"total": 4812, "mean": 1.5}\n'}
ASK_JSON = "Find the sum. Write `/app/report.json`, a JSON object with the keys `total` and `mean`.\n"
TABLE = {"/app/regions.csv": REFERENCE["/app/regions.csv"]}
ASK_TABLE = "Find the sums. Write the CSV `/app/regions.csv` with a row for every region.\n"
SURVIVED = ProbeStatus.SURVIVED


def text_of(files):
    return files["/app/answer.txt"].decode()


def test_a_line_break_too_few_or_too_many_is_found():
    assert causes(put_to(TrailingNewline(), said(ASK), lambda f: text_of(f) == "3.75\n", ANSWER)) == OVER
    bare = {"/app/answer.txt": b"3.75"}
    assert causes(put_to(TrailingNewline(), said(ASK), lambda f: text_of(f) == "3.75", bare)) == OVER
    assert put_to(TrailingNewline(), said(ASK), lambda f: text_of(f).strip() == "3.75", ANSWER).status is SURVIVED


@pytest.mark.parametrize(
    "more",
    [
        "It must hold exactly `3.75`, byte for byte.",
        "End the file with a newline.",
        "No trailing whitespace.",
        "The file contains only the number.",
        "Its MD5 is checked.",
    ],
)
def test_where_the_end_may_be_fixed_nobody_asks(more):
    judgement = put_to(TrailingNewline(), said(ASK + more), lambda f: text_of(f) == "3.75\n", ANSWER)
    assert isinstance(judgement, NotApplicable)


def test_an_input_that_is_to_stay_fixes_no_form():
    env = said(ASK + "Leave the input unchanged.\n")
    assert causes(put_to(TrailingNewline(), env, lambda f: text_of(f) == "3.75\n", ANSWER)) == OVER


def test_cells_that_stay_fix_no_end():
    env = said(ASK + "Fixed cells unchanged.\n")
    assert causes(put_to(TrailingNewline(), env, lambda f: text_of(f) == "3.75\n", ANSWER)) == OVER
    whole = said(ASK + "All else is unchanged.\n")
    assert isinstance(put_to(TrailingNewline(), whole, lambda f: text_of(f) == "3.75\n", ANSWER), NotApplicable)


def test_the_order_of_an_array_is_none_of_its_keys():
    keys = lambda f: list(json.loads(f["/app/report.json"])) == ["total", "mean"]  # noqa: E731
    env = said(ASK_JSON + "Each value may be an array of the predictions in order.\n")
    assert causes(put_to(JsonForm(), env, keys, JSON)) == OVER
    for more in ("The keys are in order, each with a list.\n", "An array; the keys stand in order.\n"):
        assert put_to(JsonForm(), said(ASK_JSON + more), keys, JSON).status is SURVIVED


def test_one_layout_of_json_is_found_and_a_parsed_value_is_not():
    exact = lambda f: f["/app/report.json"] == JSON["/app/report.json"]  # noqa: E731
    assert causes(put_to(JsonForm(), said(ASK_JSON), exact, JSON)) == OVER
    parsed = lambda f: json.loads(f["/app/report.json"])["total"] == 4812  # noqa: E731
    assert put_to(JsonForm(), said(ASK_JSON), parsed, JSON).status is SURVIVED
    for more in ("Indent it by two spaces.", "Pretty-print it.", "One line.", "Compare byte for byte."):
        assert isinstance(put_to(JsonForm(), said(ASK_JSON + more), exact, JSON), NotApplicable)


def test_keys_stay_in_place_where_order_is_spoken_of():
    keys = lambda f: list(json.loads(f["/app/report.json"])) == ["total", "mean"]  # noqa: E731
    assert causes(put_to(JsonForm(), said(ASK_JSON), keys, JSON)) == OVER
    assert put_to(JsonForm(), said(ASK_JSON + "Mind the order.\n"), keys, JSON).status is SURVIVED


def test_a_csv_that_is_split_at_commas_is_found():
    read = lambda f: list(csv.reader(io.StringIO(f["/app/regions.csv"].decode(), newline="")))  # noqa: E731
    expected = read(TABLE)
    split = lambda f: [x.split(",") for x in f["/app/regions.csv"].decode().splitlines()] == expected  # noqa: E731
    assert causes(put_to(CsvQuoting(), said(ASK_TABLE), split, TABLE)) == OVER
    judgement = put_to(CsvQuoting(), said(ASK_TABLE), lambda f: read(f) == expected, TABLE)
    assert (judgement.status, causes(judgement)) == (SURVIVED, [])
    for more in ("Write lines like `name,amount`.", "Comma-separated, no quotes.", "Exactly this header."):
        assert isinstance(put_to(CsvQuoting(), said(ASK_TABLE + more), split, TABLE), NotApplicable)


def test_a_number_that_is_compared_as_text_is_found():
    assert causes(put_to(NumberForm(), said(ASK), lambda f: text_of(f).strip() == "3.75", ANSWER)) == OVER
    assert put_to(NumberForm(), said(ASK), lambda f: float(text_of(f)) == 3.75, ANSWER).status is SURVIVED
    rounded = said(ASK + "Round to two decimals.\n")
    assert isinstance(put_to(NumberForm(), rounded, lambda f: text_of(f).strip() == "3.75", ANSWER), NotApplicable)


def test_an_order_that_is_free_is_found_only_where_it_is_the_outputs():
    free = said(ASK_TABLE + "The rows may stand in any order.\n")
    exact = lambda f: f["/app/regions.csv"] == TABLE["/app/regions.csv"]  # noqa: E731
    assert causes(put_to(FreeOrder(), free, exact, TABLE)) == OVER
    unordered = lambda f: sorted(f["/app/regions.csv"].splitlines()) == sorted(TABLE["/app/regions.csv"].splitlines())  # noqa: E731
    assert put_to(FreeOrder(), free, unordered, TABLE).status is SURVIVED
    inputs = said("The rows of `/app/sales.csv` stand in any order. " + ASK_TABLE)
    assert isinstance(put_to(FreeOrder(), inputs, exact, TABLE), NotApplicable)
    assert isinstance(put_to(FreeOrder(), said(ASK_TABLE), exact, TABLE), NotApplicable)


MERGED = {"/app/merged.jsonl": b'{"key": "A"}\n{"key": "B"}\n{"key": "C"}\n'}
ASK_MERGED = "Merge the feeds. Write one JSON object per line to `/app/merged.jsonl`, {}. One feed has {}."


def test_a_free_order_of_fields_or_of_an_input_frees_no_rows():
    exact = lambda f: f["/app/merged.jsonl"] == MERGED["/app/merged.jsonl"]  # noqa: E731
    for how, feed in (
        ("ascending by `key`", "blocks of lines, fields in any order"),
        ("the keys of an object in any order", "lines"),
        ("newest first", "lines; the order of lines does not matter"),
    ):
        env = said(ASK_MERGED.format(how, feed))
        assert isinstance(put_to(FreeOrder(), env, exact, MERGED), NotApplicable)
    env = said(ASK_MERGED.format("in any order", "lines"))
    assert causes(put_to(FreeOrder(), env, exact, MERGED)) == OVER


ACCOUNTS = {
    "/app/etc/passwd": b"a:x:1:100::/h/a:/bin/sh\nb:x:2:100::/h/b:/bin/sh\nc:x:3:100::/h/c:/bin/sh\n",
    "/app/etc/group": b"one:x:1:a\ntwo:x:2:b\n",
}


def test_an_order_that_is_free_in_all_files_of_a_directory_is_found():
    text = "Apply the changes of `/app/sales.csv` to the files in `/app/etc`; the shell becomes `/bin/sh`.\n{}"
    exact = lambda f: f["/app/etc/passwd"] == ACCOUNTS["/app/etc/passwd"]  # noqa: E731
    present = ("/app/etc/passwd", "/app/etc/group")
    free = said(text.format("The order of lines is free."))
    assert causes(put_to(FreeOrder(), free, exact, ACCOUNTS, *present)) == OVER
    kept = said(text.format("The order of members is free. New accounts go last, sorted by name."))
    assert isinstance(put_to(FreeOrder(), kept, exact, ACCOUNTS, *present), NotApplicable)


def test_the_form_of_an_input_closes_no_output_and_a_table_may_lose_its_last_break():
    text = "In `/app/sales.csv` blank lines and comments count for nothing.\n" + ASK_TABLE
    exact = lambda f: f["/app/regions.csv"].endswith(b"3534\n")  # noqa: E731
    assert causes(put_to(TrailingNewline(), said(text), exact, TABLE)) == OVER
    parsed = lambda f: f["/app/regions.csv"].split() == TABLE["/app/regions.csv"].split()  # noqa: E731
    assert put_to(TrailingNewline(), said(text), parsed, TABLE).status is SURVIVED
    fixed = said(ASK_TABLE + "No blank lines; the file ends with a line break.\n")
    assert isinstance(put_to(TrailingNewline(), fixed, exact, TABLE), NotApplicable)


def test_a_file_that_nobody_asked_for_may_end_as_it_likes():
    files = {**ANSWER, "/app/server.pid": b"17\n"}
    env = said(ASK, 'os.stat("/app/server.pid").st_size == 3')
    assert causes(put_to(ByProduct(), env, lambda f: len(f["/app/server.pid"]) == 3, files)) == OVER
    assert put_to(ByProduct(), env, lambda f: int(f["/app/server.pid"]) == 17, files).status is SURVIVED
    for more in ("All goes to `/app/run/`.", "The file `HOST.pid` is kept."):
        below = {**ANSWER, "/app/run/server.pid": b"17\n"}
        listed = said(ASK + more, 'os.stat("/app/run/server.pid").st_size == 3')
        assert isinstance(ByProduct().plan(listed, solved(below)), NotApplicable)
    named = said(ASK + "Its number goes to `server.pid`.\n", 'os.stat("/app/server.pid").st_size == 3')
    assert isinstance(put_to(ByProduct(), named, lambda f: len(f["/app/server.pid"]) == 3, files), NotApplicable)


def test_decimals_that_are_free_are_asked_for_their_column_only():
    text = "Write the CSV `/app/r.csv` with `city` and `revenue`; `revenue` is given to two decimals or more, `m` too."
    table = {"/app/r.csv": b"city,revenue,m\nOslo,7.50,1.25\nBodo,8.25,2.50\n"}
    exact = lambda f: b"7.50," in f["/app/r.csv"]  # noqa: E731
    assert causes(put_to(NumberForm(), said(text), exact, table)) == OVER
    parsed = lambda f: float(f["/app/r.csv"].split(b",")[3]) == 7.5  # noqa: E731
    assert put_to(NumberForm(), said(text), parsed, table).status is SURVIVED
    fixed = said(text.replace("two decimals or more", "two decimals"))
    assert isinstance(put_to(NumberForm(), fixed, exact, table), NotApplicable)


def test_blanks_are_asked_only_where_they_are_free():
    exact = lambda f: text_of(f) == "3.75\n"  # noqa: E731
    free = said(ASK + "Trailing spaces do not matter.\n")
    assert causes(put_to(FreeSpace(), free, exact, ANSWER)) == OVER
    assert put_to(FreeSpace(), free, lambda f: text_of(f).strip() == "3.75", ANSWER).status is SURVIVED
    assert isinstance(put_to(FreeSpace(), said(ASK), exact, ANSWER), NotApplicable)


def test_a_mode_that_nobody_stated_is_found():
    strict = ask(FileMode(), said(ASK), solved(ANSWER), lambda a: modes_of(a).get("/app/answer.txt", 0o644) == 0o644)
    assert causes(strict) == OVER
    assert causes(ask(FileMode(), said(ASK), solved(ANSWER), lambda _: True)) == []
    stated = said(ASK + "Set its mode to 644.\n")
    assert isinstance(FileMode().plan(stated, solved(ANSWER)), NotApplicable)


def test_one_more_file_is_found_and_its_absence_never_asked_for():
    alone = lambda f: set(f) == set(ANSWER)  # noqa: E731
    assert causes(put_to(ExtraFiles(), said(ASK), alone, ANSWER)) == OVER
    assert put_to(ExtraFiles(), said(ASK), lambda f: "/app/answer.txt" in f, ANSWER).status is SURVIVED
    for more in ("Leave nothing else behind.", "Commit it to git.", "The directory `/app` is archived."):
        assert isinstance(put_to(ExtraFiles(), said(ASK + more), alone, ANSWER), NotApplicable)


PROGRAM = {
    "/app/mean.py": b'''import sys


def mean(path):
    """The mean."""
    total = count = 0
    for line in open(path):
        total, count = total + float(line), count + 1
    return total / count


print(mean(sys.argv[1]))
'''
}
ASK_PROGRAM = "Write `/app/mean.py`. It prints the mean of the numbers in the file that it is given.\n"


def test_a_verifier_that_reads_the_source_is_found():
    source = lambda f: f["/app/mean.py"].decode()  # noqa: E731
    judgement = put_to(CodeComments(), said(ASK_PROGRAM), lambda f: "total / count" in source(f), PROGRAM)
    assert causes(judgement) == OVER
    assert "names of local variables" in judgement.findings[0].message
    assert put_to(CodeComments(), said(ASK_PROGRAM), lambda f: "def mean" in source(f), PROGRAM).status is SURVIVED
    styled = said(ASK_PROGRAM + "No comments, please.\n")
    assert isinstance(put_to(CodeComments(), styled, lambda f: True, PROGRAM), NotApplicable)


def test_a_renamed_program_does_the_same():
    attempts = CodeComments().plan(said(ASK_PROGRAM), solved(PROGRAM))
    renamed = state(attempts[1], PROGRAM)["/app/mean.py"].decode()
    assert "total_here / count_here" in renamed
    compile(renamed, "mean.py", "exec")


@pytest.mark.parametrize(
    "odd",
    [
        "x = 1\ndef f():\n    global x\n    x = 2\n",
        "def f(a):\n    a = 1\n    return a\n",
        "def f():\n    b = 1\n    return locals()\n",
        "def f():\n    b = 1\n    return lambda: b\n",
    ],
)
def test_what_cannot_be_renamed_with_proof_is_left_alone(odd):
    attempts = CodeComments().plan(said(ASK_PROGRAM), solved({"/app/mean.py": odd.encode()}))
    assert len(attempts) == 1


SERVER = {"/app/serve.py": b'import http.server as h\nh.HTTPServer(("127.0.0.1", 8080), None).serve_forever()\n'}


def test_an_address_that_nobody_stated_is_found():
    env = said("Write `/app/serve.py`, a web service with port 8080.\n", "import subprocess")
    strict = put_to(BindAddress(), env, lambda f: b"127.0.0.1" in f["/app/serve.py"], SERVER)
    assert causes(strict) == OVER
    assert put_to(BindAddress(), env, lambda f: b"8080" in f["/app/serve.py"], SERVER).status is SURVIVED
    stated = said("Write `/app/serve.py`, a service that listens on 127.0.0.1 only.\n", "import subprocess")
    assert isinstance(put_to(BindAddress(), stated, lambda f: True, SERVER), NotApplicable)


def test_a_second_run_is_a_lead_at_most():
    judgement = ask(ReferenceTwice(), said(ASK), solved(ANSWER), lambda _: False)
    assert (judgement.status, causes(judgement)) == (SURVIVED, [])
    assert judgement.reason.startswith("lead")


def test_a_rejection_that_is_not_repeated_or_has_no_control_accuses_nobody():
    for arms in ({"again", "benign"}, set()):
        judgement = ask(TrailingNewline(), said(ASK), solved(ANSWER), lambda a, arms=arms: a.arm in arms)
        assert (judgement.status, causes(judgement)) == (SURVIVED, [])


def test_without_a_reference_nothing_is_rewritten():
    seen = replace(solved(ANSWER), reference=None)
    assert isinstance(TrailingNewline().plan(said(ASK), seen), NotApplicable)
