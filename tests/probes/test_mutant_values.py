"""Mutants of single values: numbers, words, keys, rows, order, case."""

from __future__ import annotations

import csv
import io
import json

import pytest
from edit_support import REFERENCE, REPORT, causes, naming, put_to, said, solved
from probe_support import ask

from river_envs.probes.base import NotApplicable, Peek, ProbeStatus, Survey
from river_envs.probes.case_change import CaseChange
from river_envs.probes.key_dropped import KeyDropped
from river_envs.probes.number_off import NumberOff
from river_envs.probes.row_edits import RowEdits
from river_envs.probes.stale_input import StaleInput
from river_envs.probes.swap_lines import SwapLines
from river_envs.probes.swap_values import SwapValues
from river_envs.probes.value_off import ValueOff

RIGHT = json.loads(REFERENCE["/app/report.json"])
NAMED = naming("report.json", "regions.csv", "total", "average", "top", "region", "amount")


def report(files):
    return json.loads(files["/app/report.json"])


def rows(files):
    return list(csv.reader(io.StringIO(files["/app/regions.csv"].decode())))


EXPECTED = rows(REFERENCE)


def strict(files):
    return report(files) == RIGHT and rows(files) == EXPECTED


MUTANTS = [KeyDropped(), NumberOff(), ValueOff(), SwapValues(), RowEdits()]


@pytest.mark.parametrize("probe", MUTANTS, ids=lambda probe: probe.id)
def test_a_strict_verifier_is_never_accused(probe):
    judgement = put_to(probe, NAMED, strict)
    assert (judgement.status, causes(judgement)) == (ProbeStatus.SURVIVED, [])


def test_an_unread_key_is_found_by_a_lead():
    env = naming("report.json", "regions.csv", "total", "average", "region", "amount")
    for probe in (KeyDropped(), ValueOff()):
        judgement = put_to(probe, env, lambda files: report(files)["total"] == 4812)
        assert causes(judgement) == ["unchecked-requirement"], probe.id
        assert "top" in judgement.findings[0].evidence["what"]


def test_an_uncompared_number_is_found_near_and_far():
    env = naming("report.json", "regions.csv", "total", "4812", "top", "region", "amount")
    judgement = put_to(NumberOff(), env, lambda files: report(files)["total"] == 4812)
    assert causes(judgement) == ["unchecked-requirement"]
    assert judgement.findings[0].evidence["stated"].startswith("Write `/app/report.json`")


def test_a_tolerance_that_is_not_stated_is_a_score_only():
    files = {"/app/report.json": b'{"average": 37.25}\n'}
    check = lambda files: abs(report(files)["average"] - 37.25) < 0.1  # noqa: E731
    judgement = put_to(NumberOff(), NAMED, check, files)
    assert (judgement.status, causes(judgement)) == (ProbeStatus.SURVIVED, [])
    assert "rewarded" in judgement.reason


@pytest.mark.parametrize(
    "instruction",
    [
        REPORT.replace("Compute the totals.", "Estimate the totals."),
        REPORT + "Any value within 5 % will do.\n",
        REPORT + "Use names of your choice.\n",
        REPORT.replace("with the keys", "that might have the keys").replace("Write `/app/report.json`", "There may be"),
        REPORT.replace("`top`", "the best"),
    ],
)
def test_values_that_are_not_determined_accuse_nobody(instruction):
    files = {"/app/report.json": REFERENCE["/app/report.json"]}
    for probe in (NumberOff(), ValueOff()):
        judgement = put_to(probe, said(instruction, "total average"), lambda files: "total" in report(files), files)
        named = [finding.evidence["what"] for finding in getattr(judgement, "findings", ())]
        assert not named or ("the best" in instruction and "top" not in named[0])


def test_free_texts_and_clocks_accuse_nobody():
    text = "Compute the sum. Write `/app/report.json` with the keys `total`, `generated_at` and `comment`.\n"
    files = {"/app/report.json": b'{"total": 4812, "generated_at": 1712, "comment": "fine"}\n'}
    check = lambda files: report(files)["total"] == 4812  # noqa: E731
    for probe in (NumberOff(), ValueOff()):
        assert causes(put_to(probe, said(text, '"total" 4812'), check, files)) == []


def test_a_key_of_an_input_is_no_key_of_the_output():
    text = "`/app/sales.csv` has the columns `region` and `amount`. Compute the sum; write it to `/app/report.json`.\n"
    files = {"/app/report.json": b'{"total": 4812, "region": "Oslo"}\n'}
    judgement = put_to(KeyDropped(), said(text, "total"), lambda files: report(files)["total"] == 4812, files)
    assert (judgement.status, causes(judgement)) == (ProbeStatus.SURVIVED, [])


def test_swapped_values_are_found():
    files = {"/app/report.json": b'{"total": 4812, "lowest": 37}\n'}
    text = "Compute the totals. Write `/app/report.json` with the keys `total` and `lowest`.\n"
    loose = lambda files: sorted(report(files).values()) == [37, 4812]  # noqa: E731
    assert causes(put_to(SwapValues(), said(text), loose, files)) == ["unchecked-requirement"]
    assert causes(put_to(SwapValues(), said(text), lambda files: report(files)["total"] == 4812, files)) == []


def test_a_missing_row_and_a_broken_order_are_found():
    some = lambda files: ["Bergen", "1201"] in rows(files)  # noqa: E731
    judgement = put_to(RowEdits(), NAMED, some)
    assert causes(judgement) == ["unchecked-requirement"]
    unordered = lambda files: sorted(rows(files)) == sorted(EXPECTED)  # noqa: E731
    judgement = put_to(RowEdits(), NAMED, unordered)
    assert causes(judgement) == ["unchecked-requirement"]
    assert "reverse" in judgement.findings[0].evidence["what"]


def test_an_order_that_is_not_stated_is_not_asked():
    text = REPORT.replace(", sorted by `region`", "")
    unordered = lambda files: sorted(rows(files)) == sorted(EXPECTED)  # noqa: E731
    judgement = put_to(RowEdits(), said(text), unordered)
    assert judgement.reason == "1 of 1 mutants were rejected"


def test_an_order_of_the_input_is_none_of_the_output():
    text = REPORT.replace(", sorted by `region`", "").replace("are in", ", sorted by `region`, are in")
    unordered = lambda files: sorted(rows(files)) == sorted(EXPECTED)  # noqa: E731
    assert causes(put_to(RowEdits(), said(text), unordered)) == []


def test_a_twofold_row_is_found_only_where_it_is_forbidden():
    names = lambda files: {row[0]: row[1] for row in rows(files)} == {row[0]: row[1] for row in EXPECTED}  # noqa: E731
    text = REPORT.replace(", sorted by `region`", "")
    assert causes(put_to(RowEdits(), said(text), names)) == []
    text = text.replace("for every region", "for every region, no duplicates")
    assert causes(put_to(RowEdits(), said(text), names)) == ["unchecked-requirement"]


def test_settings_with_a_stated_value_are_found():
    text = "Edit `/app/web.conf`: set `port` to 8080 and `workers` to 12.\n"
    files, image = {"/app/web.conf": b"port = 8080\nworkers = 12\n"}, {"/app/web.conf": b"port = 80\nworkers = 4\n"}
    check = lambda files: b"port = 8080" in files["/app/web.conf"]  # noqa: E731
    judgement = put_to(NumberOff(), said(text, "port = 8080"), check, files, *image, image=image)
    assert causes(judgement) == ["unchecked-requirement"]
    assert "workers" in judgement.findings[0].evidence["what"]


def test_lines_case_and_inputs_count_and_accuse_nobody():
    assert put_to(SwapLines(), NAMED, strict).reason == "1 of 1 mutants were rejected"
    assert put_to(CaseChange(), NAMED, strict).reason == "1 of 1 mutants were rejected"
    silent = CaseChange().plan(said(REPORT + "Names are compared case-insensitively.\n"), solved())
    assert isinstance(silent, NotApplicable)
    seen = solved()
    peeked = Survey(seen.listing, "/app", seen.reference, peeks=(Peek("/app/sales.csv", "region,amount\nx,1\n"),))
    judgement = put_to(StaleInput(), NAMED, lambda files: b"region" in files["/app/regions.csv"], seen=peeked)
    assert (judgement.status, causes(judgement)) == (ProbeStatus.SURVIVED, [])


def test_the_standard_mutants_of_one_environment_are_few():
    plans = [probe.plan(NAMED, solved()) for probe in MUTANTS]
    assert sum(len(plan) for plan in plans if not isinstance(plan, NotApplicable)) <= 8


def test_the_same_value_in_another_form_is_no_mutant():
    judgement = ask(KeyDropped(), said("Write `/app/a.json`."), solved({"/app/a.json": b"[1, 2]\n"}), lambda _: False)
    assert isinstance(judgement, NotApplicable)
