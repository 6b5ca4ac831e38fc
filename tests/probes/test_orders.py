"""Which sentences order a file: the imperative, what a sentence says that a file is, and where the work goes."""

from __future__ import annotations

import pytest

from river_envs.probes import orders, stated

OUT = "/app/out.json"


@pytest.mark.parametrize(
    "sentence",
    [
        "Write the result to `/app/out.json`.",
        "`/app/out.json` is a JSON object with four keys.",
        "`/app/out.json`: JSON, one object per entry.",
        "The file `/app/out.json` lists the winners.",
        "Please consolidate the feeds in `/data` (`a.csv`, `b.csv`) into `/app/out.json`.",
        "Implement a normaliser for numbers, `/app/out.json`.",
    ],
)
def test_an_order_is_read(sentence):
    assert orders.asked(f"Some words first.\n\n{sentence}\n", OUT) == sentence


@pytest.mark.parametrize(
    "sentence",
    [
        "`/app/out.json` is not needed any more.",
        "`/app/out.json` is an example of the form.",
        "`/app/out.json` is read by the service.",
        "`/app/out.json`: scratch space.",
        "`/app/out.json` holds the log of the service.",
        "`/app/out.json` is written by the daemon.",
        "If it helps, merge the notes into `/app/out.json`.",
        "A daemon writes its numbers into `/app/out.json`.",
        "Optionally, `/app/out.json` has a summary.",
        "A tool made for `/app/out.json` is at hand.",
    ],
)
def test_what_leaves_doubt_is_no_order(sentence):
    assert orders.asked(f"Some words first.\n\n{sentence}\n", OUT) == ""


def test_an_order_about_all_files_of_a_directory():
    text = "Rewrite the `.txt` files of `/data/texts` as UTF-8. Leave `/data/logs` alone.\n"
    assert orders.changes_below(text, "/data/texts").startswith("Rewrite")
    assert orders.changes_below(text, "/data/logs") == ""
    assert orders.changes_below("Correct some of the files in `/data/texts`.", "/data/texts") == ""
    assert orders.changes_below("The files of `/data/texts` are the input.", "/data/texts") == ""


@pytest.mark.parametrize(
    "words",
    ["tolerances are 0.001 Hz and 0.0001", "the tolerance is 0.5", "accurate to 0.01", "an error of 2 % is fine"],
)
def test_a_stated_tolerance_frees_no_other_value(words):
    text = f"Compute the mean of `/app/a.csv`; {words}."
    assert not stated.determined(text)
    assert stated.determined(text, tolerant=True)


@pytest.mark.parametrize("words", ["with reasonable accuracy", "estimate the error", "any value may do", "roughly"])
def test_other_looseness_stays(words):
    assert not stated.determined(f"Compute the mean of `/app/a.csv` {words}.", tolerant=True)


def test_how_the_work_is_done_may_be_free():
    text = "Compute the mean of `/app/a.csv`. How you get there is up to you."
    assert stated.determined(text)
    assert not stated.determined(text.replace("How you get there", "The name of the column"))


def test_a_table_without_a_header():
    text = "Write `/app/x.tsv`, without a header: one line per path, `path`, tab, `status`."
    assert stated.headless(text, "/app/x.tsv")
    assert not stated.headless(text.replace("status", "reason"), "/app/x.tsv")
    assert not stated.headless(text.replace("without a header", "with a header"), "/app/x.tsv")


def test_the_largest_stated_tolerance():
    assert stated.tolerance("Tolerances are 0.5 and 3.") == 3.0
    assert stated.tolerance("It is right to within 1e-3 of the value.") == 0.001
    assert stated.tolerance("There are 40 rows.") == 0.0


@pytest.mark.parametrize(
    "sentence",
    [
        "`/app/out.json` is yours to fill with rows as you like.",
        "`/app/out.json` is an intermediate result.",
        "`/app/out.json`: nice to have.",
        "Workers append what they do into `/app/out.json`.",
        "First unpack the archive into `/app/out.json`, and count.",
        "Instead of merging the feeds into `/app/out.json`, print them.",
        "Cron dumps it into `/app/out.json` each night.",
    ],
)
def test_what_is_free_or_another_s_work_is_no_order(sentence):
    assert orders.asked(f"Some words first.\n\n{sentence}\n", OUT) == ""


@pytest.mark.parametrize(
    "sentence",
    [
        "Fix the loader `/app/load.py` so that it reads the files in `/app/conf`.",
        "Update the index of the files in `/app/conf`.",
        "Reformat every file in `/app/conf` except the generated ones.",
        "Apply the patch file in `/app/conf` to the program.",
        "Fix any of the files in `/app/conf`.",
    ],
)
def test_where_the_files_are_not_what_is_to_change(sentence):
    assert orders.changes_below(sentence, "/app/conf") == ""


def test_changes_that_are_applied_to_the_files_of_a_directory():
    text = "Apply the changes of `/app/staff.csv` to the account files in `/app/etc`."
    assert orders.changes_below(text, "/app/etc") == text


@pytest.mark.parametrize(
    "words",
    [
        "How you break ties is up to you.",
        "How you round is up to you.",
        "Which method you choose for smoothing, and therefore the values, is up to you.",
    ],
)
def test_freedom_that_reaches_the_values_stays(words):
    assert not stated.determined(f"Compute the ranks of `/app/a.csv`. {words}")


@pytest.mark.parametrize(
    ("words", "least"),
    [
        ("A tolerance of 1,000 applies", 1000),
        ("accurate to 1 km", 1000),
        ("within 2 hours", 7200),
        ("within 1e99", 1e12),
    ],
)
def test_a_tolerance_is_never_read_too_small(words, least):
    assert least <= stated.tolerance(f"Compute the mean. {words}.") <= 1e12


def test_a_header_of_another_file_and_named_columns():
    text = "`/app/in.csv` has no header; write the totals to `/app/out.csv` with the columns `id`, `total`."
    assert not stated.headless(text, "/app/out.csv")
    assert not stated.headless("Write `/app/o.csv` without a header: name, lines, seconds taken.", "/app/o.csv")


def test_the_mark_of_a_list_is_no_key():
    text = "`/app/out.json` holds an object: (a) the minimum under `low`, (b) the maximum under `b`."
    assert stated.key(text, "a", OUT) == ""
    assert stated.key(text, "b", OUT) == text
