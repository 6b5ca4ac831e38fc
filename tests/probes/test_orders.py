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
    assert stated.tolerance("Tolerances are 0.5 Hz and 3.") == 3.0
    assert stated.tolerance("It is right to within 1e-3 of the value.") == 0.001
    assert stated.tolerance("There are 40 rows.") == 0.0
