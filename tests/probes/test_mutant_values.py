"""Mutants of single values: numbers, words, keys, rows, order, case."""

from __future__ import annotations

import csv
import io
import json

import pytest
from edit_support import REFERENCE, REPORT, causes, naming, put_to, said, solved, state, with_program
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
        judgement = put_to(probe, env, lambda files: report(files).get("total") == 4812)
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
    judgement = put_to(KeyDropped(), said(text, "total"), lambda files: report(files).get("total") == 4812, files)
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


VISITS = (
    "Compute the sessions of every visitor; at most 300 seconds lie between two events.\n\nWrite `/app/visits.json`, it"
    " maps each `client` to an object with `sessions` and `longest`.\n\nExample with fictitious values:\n\n"
    '```json\n{"nobody": {"sessions": 9, "longest": 99}}\n```\n'
)
VISITED = {
    "/app/visits.json": b'{"ada": {"sessions": 4, "longest": 31}, "bo": {"sessions": 2, "longest": 57},'
    b' "cleo": {"sessions": 7, "longest": 12}, "dov": {"sessions": 3, "longest": 44}}\n'
}
WHOLE = json.loads(VISITED["/app/visits.json"])


def visits(files):
    return json.loads(files["/app/visits.json"])


def test_an_entry_that_no_test_names_is_asked_first():
    tests = 'data["ada"] == {"sessions": 4, "longest": 31}; data["bo"]; data["dov"]'
    sampled = lambda files: all(visits(files).get(key) == WHOLE[key] for key in ("ada", "bo", "dov"))  # noqa: E731
    for probe in (NumberOff(), RowEdits()):
        judgement = put_to(probe, said(VISITS, tests), sampled, VISITED)
        assert causes(judgement) == ["unchecked-requirement"]
        strictly = put_to(probe, said(VISITS, tests), lambda files: visits(files) == WHOLE, VISITED)
        assert strictly.status is ProbeStatus.SURVIVED
    free = said(VISITS.replace("at most 300", "about 300"), tests)
    assert causes(put_to(RowEdits(), free, sampled, VISITED)) == []


def test_a_data_file_that_no_test_reads_names_nothing():
    env = with_program(said(VISITS, 'data["ada"]; data["bo"]; data["dov"]'), "expected.json", b'{"cleo": 1}')
    attempts = NumberOff().plan(env, solved(VISITED))
    assert b'"cleo": {"sessions": 8' in state(attempts[0], VISITED)["/app/visits.json"]


def test_a_data_file_whose_stem_is_only_a_variable_names_nothing():
    body = 'data = load(); data["ada"]; data["bo"]; data["dov"]'
    env = with_program(said(VISITS, body), "data.json", b'{"cleo": 1}')
    sampled = lambda files: all(visits(files).get(key) == WHOLE[key] for key in ("ada", "bo", "dov"))  # noqa: E731
    assert causes(put_to(RowEdits(), env, sampled, VISITED)) == ["unchecked-requirement"]
    assert put_to(RowEdits(), env, lambda files: visits(files) == WHOLE, VISITED).status is ProbeStatus.SURVIVED


TEAMS = "Compute the usage of every team.\n\nOutput: `/app/usage.env`, key=value lines; per team `TEAM_bytes`{end}.\n"
USED = {"/app/usage.env": b"oslo_bytes=12\nriga_bytes=904\nbari_bytes=77\n"}


def test_a_key_with_a_blank_to_fill_in_is_stated():
    first = lambda files: files["/app/usage.env"].startswith(b"oslo_bytes=12\n")  # noqa: E731
    env = said(TEAMS.format(end=" (the sum)"), "oslo_bytes")
    assert causes(put_to(KeyDropped(), env, first, USED)) == ["unchecked-requirement"]
    assert causes(put_to(KeyDropped(), env, lambda files: files == USED, USED)) == []
    for end in (", which may be left out", ""):
        free = TEAMS.format(end=end).replace("per team", "for some" if not end else "per team")
        assert causes(put_to(KeyDropped(), said(free, "oslo_bytes"), first, USED)) == []


ALIGNED = {"/app/aligned.txt": b"3\nAC\nA-\n5\nGT\nGT\n"}


def test_a_row_for_each_of_something_is_asked_whatever_it_says():
    text = "Align them. For each pair put three lines into `/app/aligned.txt`; any best one is accepted.\n"
    some = lambda files: files["/app/aligned.txt"].startswith(b"3\n")  # noqa: E731
    assert causes(put_to(RowEdits(), said(text, "aligned"), some, ALIGNED)) == ["unchecked-requirement"]
    few = said(text.replace("For each pair", "For each suspected pair"), "aligned")
    assert causes(put_to(RowEdits(), few, some, ALIGNED)) == []


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
    assert sum(len(plan) for plan in plans if not isinstance(plan, NotApplicable)) <= 10


def test_the_same_value_in_another_form_is_no_mutant():
    judgement = ask(KeyDropped(), said("Write `/app/a.json`."), solved({"/app/a.json": b"[1, 2]\n"}), lambda _: False)
    assert isinstance(judgement, NotApplicable)


TOLERANT = (
    "Find the strongest frequencies of `/app/signal.txt`.\n"
    "`/app/peak.csv`: CSV, header `frequency,power`, 2 rows by power; tolerances are 0.01.\n"
)
PEAK = {"/app/peak.csv": b"frequency,power\n12.25,4.10\n51.20,3.10\n"}


def test_a_number_far_beyond_a_stated_tolerance_is_found():
    power = lambda files: abs(float(list(csv.reader(io.StringIO(files["/app/peak.csv"].decode())))[2][1]) - 3.1) < 0.02  # noqa: E731
    judgement = put_to(NumberOff(), said(TOLERANT, "power"), power, PEAK)
    assert causes(judgement) == ["unchecked-requirement"]
    assert "frequency" in judgement.findings[0].evidence["what"]
    both = lambda files: all(  # noqa: E731
        abs(float(cell) - right) <= 1.0
        for cell, right in zip(files["/app/peak.csv"].decode().splitlines()[2].split(","), (51.2, 3.1), strict=True)
    )
    assert causes(put_to(NumberOff(), said(TOLERANT, "power"), both, PEAK)) == []


def test_a_column_without_a_name_is_found():
    text = "Which files differ? Write `/app/found.tsv` without a header: one line per path, `path`, tab, `status`.\n"
    files = {"/app/found.tsv": b"a.bin\tmissing\nb.bin\tmodified\n"}
    second = lambda files: [line.split("\t")[1] for line in files["/app/found.tsv"].decode().splitlines()] == [  # noqa: E731
        "missing", "modified",
    ]
    assert causes(put_to(ValueOff(), said(text, "status"), second, files)) == ["unchecked-requirement"]
    whole = lambda files: files["/app/found.tsv"] == b"a.bin\tmissing\nb.bin\tmodified\n"  # noqa: E731
    assert causes(put_to(ValueOff(), said(text, "status"), whole, files)) == []
    free = said(text.replace("`status`", "the reason"), "status")
    assert causes(put_to(ValueOff(), free, second, files)) == []


def test_a_key_of_one_letter_counts():
    text = "Compute the mean and Welch's t of `/app/a.csv`. `/app/report.json` has the keys `mean` and `t`.\n"
    files = {"/app/report.json": b'{"mean": 3.5, "t": 1.25}\n'}
    judgement = put_to(KeyDropped(), said(text, "mean"), lambda files: report(files).get("mean") == 3.5, files)
    assert causes(judgement) == ["unchecked-requirement"]
    assert causes(put_to(KeyDropped(), said(text, "mean"), lambda files: len(report(files)) == 2, files)) == []


def test_no_number_within_a_stated_tolerance_is_called_wrong():
    text = "Compute the size of `/app/a.bin`. `/app/report.json` has the key `size`; the tolerance is 100 bytes.\n"
    files = {"/app/report.json": b'{"size": 3}\n'}
    fair = lambda files: abs(report(files)["size"] - 3) <= 100  # noqa: E731
    assert causes(put_to(NumberOff(), said(text, "other"), fair, files)) == []
