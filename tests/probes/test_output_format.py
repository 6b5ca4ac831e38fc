"""Reading the stated form of an output, and filling it in."""

from __future__ import annotations

import csv
import json
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from probe_support import environment, survey

from river_envs.probes import instruction as text
from river_envs.probes import wording
from river_envs.probes.asked import accounts, asked
from river_envs.probes.filling import fill, impossible, plausible
from river_envs.probes.output_format import Format, stated_format


def form(instruction: str, path: str, inputs: tuple[str, ...] = ()) -> Format:
    found = stated_format(instruction, path, (), inputs)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("instruction", "names"),
    [
        ("Write /a/o.json with these keys:\n\n- `n`: number of rows\n- `who`: a name\n", ["n", "who"]),
        ("Write /a/o.json with the keys `n` and `who`.", ["n", "who"]),
        ('Save a JSON object to /a/o.json, fields "n" (integer), "who" (string).', ["n", "who"]),
        (
            "Write /a/o.json:\n\n| key | meaning |\n|---|---|\n| `n` | number of rows |\n| `who` | a name |\n",
            ["n", "who"],
        ),
        ("Write /a/o.json containing keys: n, who", ["n", "who"]),
        ("Produce /a/o.json with\n\n* **`n`** – how many rows\n* **`who`** – the name\n", ["n", "who"]),
    ],
)
def test_keys_from_lists_tables_and_sentences(instruction: str, names: list[str]):
    found = form(instruction, "/a/o.json")
    assert [field.name for field in found.fields] == names
    assert set(json.loads(fill(found, impossible))) == set(names)


@pytest.mark.parametrize(
    "instruction",
    [
        "Read /a/i.csv with columns `x,y`. Write /a/o.csv with the header `town,refunded`.",
        "Write /a/o.csv: header `town,refunded`, one row per town.",
        "Write /a/o.csv with columns `town` and `refunded`.",
        "Save it as /a/o.csv. The header is town,refunded",
    ],
)
def test_columns_of_the_output_not_of_the_input(instruction: str):
    table = list(csv.reader(StringIO(fill(form(instruction, "/a/o.csv"), plausible(1)))))
    assert table[0] == ["town", "refunded"]
    assert len(table) > 1


def test_nested_lists_of_objects():
    found = form(
        "Write /a/o.json, an object with the key `items`, a list of objects with the keys `a` and `b`.", "/a/o.json"
    )
    assert (found.below, found.listed) == ("items", True)
    assert set(json.loads(fill(found, plausible(1)))["items"][0]) == {"a", "b"}


@pytest.mark.parametrize(
    ("instruction", "first"),
    [
        ("Save `total=<N>` in /a/o.txt.", "total=17\n"),
        ("Write /a/o.txt with exactly two lines:\n- `users=<count>`\n- `ok={count}`\n", "users=17\nok=17\n"),
        ("Write /a/o.txt in this form:\n\n    STATUS: OK deleted=<n> kept=<m>\n", "STATUS: OK deleted=17 kept=17\n"),
        ("Write the number of users to /a/o.txt, nothing else.", "17\n"),
    ],
)
def test_templates(instruction: str, first: str):
    assert fill(form(instruction, "/a/o.txt"), plausible(1)) == first


def test_a_line_for_each():
    found = form("Write one line per user to /a/o.txt: `name: count`.", "/a/o.txt")
    assert (found.kind, found.template) == ("lines", "{name}: {count}")
    per = form("Write /a/o.csv, header `id,label`, a row for every id of /a/i.csv.", "/a/o.csv", ("/a/i.csv",))
    assert per.per == "/a/i.csv"


def test_two_fillings_differ_in_every_place():
    found = form(
        "Write /a/o.json with the keys `n`, `who`, `paid` (true or false), `when` (date), `sum_sha256`.", "/a/o.json"
    )
    one, two = (json.loads(fill(found, plausible(salt))) for salt in (1, 2))
    assert all(one[key] != two[key] for key in one)


def test_a_block_with_placeholders_is_a_form_and_markup_is_an_example():
    env = environment(
        "Count it into /a/o.txt:\n\n```\nn: <count>\n```\n\nand into /a/o.xml:\n\n```xml\n<n>3</n>\n```\n"
    )
    found = {output.path: output for output in asked(env, survey())}
    assert found["/a/o.txt"].form is not None
    assert found["/a/o.xml"].example == "<n>3</n>\n"


def test_patterns_routes_and_forbidden_paths_are_no_outputs():
    found = text.outputs(
        "Serve GET /items and the endpoint /health. Split into /a/months/YYYY-MM.tsv and /a/out/<name>.txt. "
        "Do not create /a/tmp.txt. Save the list to /a/list.txt.",
        (),
    )
    assert found == ("/a/list.txt",)


def test_a_file_of_the_image_that_is_to_be_written_is_an_output():
    seen = survey("/a/in.csv", "/a/out.csv")
    instruction = "Read /a/in.csv and save the totals to /a/out.csv (it holds last week's)."
    assert text.outputs(instruction, seen.listing) == ("/a/out.csv",)


def test_a_name_in_a_directory_named_behind_it():
    assert "/srv/x/sum.txt" in text.paths("Look at /app/in.csv and /data/b.csv; create sum.txt in /srv/x with the sum.")


def test_words_of_form_leave_no_value_free():
    assert not wording.leaves_free("Indentation and key order are up to you. Any method is welcome.")
    assert wording.leaves_free("The title is up to you.")
    assert not wording.leaves_free("Count them.\n\nExample with fictitious values:\n\n```\nx=1\n```\n")
    assert wording.leaves_free("Create three users, for example with fictitious data.")


def test_empty_is_read_with_care():
    assert not wording.asks_for_empty("Don't touch anything else. Empty files are duplicates, too.")
    assert wording.asks_for_empty("Then touch `/a/done`.")
    assert wording.asks_for_empty("Leave an empty file /a/done.")


def test_accounts_need_work_elsewhere():
    work = environment("Repair /app/db.conf. When done, append `OK` to /app/status.log.")
    plain = environment("Count the keys of /app/db.conf and write the number to /app/status.txt.")
    assert accounts(work, survey("/app/db.conf")) == ("/app/status.log",)
    assert accounts(plain, survey("/app/db.conf")) == ()


@given(st.text(max_size=300))
def test_reading_never_fails(instruction: str):
    for path in ("/a/o.json", "/a/o.csv", "/a/o.txt"):
        found = stated_format(f"Write {path} {instruction}", path)
        if found is not None:
            assert isinstance(fill(found, impossible), str)


def test_a_hostile_instruction_is_cut():
    assert text.paths("a`b " * 300_000 + " /a/late.txt") == ()
    assert len(text.paths("".join(f"/a/{n}.txt " for n in range(2_000)))) <= 200
    assert max(len(sentence) for sentence in wording.sentences("word " * 100_000)) <= 2_000
