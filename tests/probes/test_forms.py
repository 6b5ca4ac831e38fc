"""The asked form with values that are wrong by construction, that exclude each other, or that were never put in."""

from __future__ import annotations

import csv
import json
import re
from io import StringIO

import pytest
from probe_support import ask, controls, environment, survey, written

from river_envs.probes.base import Attempt, Judgement, NotApplicable, Peek, Probe, ProbeStatus, Survey
from river_envs.probes.contradiction import Contradiction
from river_envs.probes.degenerate_metric import DegenerateMetric
from river_envs.probes.impossible_values import ImpossibleValues
from river_envs.probes.input_as_answer import InputAsAnswer
from river_envs.probes.placeholder_template import PlaceholderTemplate
from river_envs.probes.proofs import kept, replayed

SEEN = survey("/app/orders.csv")
JSON = """Read /app/orders.csv and write /app/out.json with these keys:

- `orders`: the number of orders
- `largest`: the customer with the largest order
- `share_paid`: the share of paid orders, a number from 0 to 1
"""
CSV = (
    "Count the orders per town in /app/orders.csv. Write /app/towns.csv with the header `town,orders`, sorted by town."
)
TEMPLATE = "Count the orders in /app/orders.csv and save the numbers to /app/n.txt as `paid=<N> open=<M>`."


def causes(judgement: Judgement | NotApplicable) -> list[str]:
    assert isinstance(judgement, Judgement), judgement
    return [finding.cause for finding in judgement.findings]


def document(attempt: Attempt) -> dict:
    return json.loads(written(attempt)["/app/out.json"])


def rows(attempt: Attempt) -> list[list[str]]:
    return list(csv.reader(StringIO(written(attempt)["/app/towns.csv"].decode())))


def keys_and_types(attempt: Attempt) -> bool:
    data = document(attempt)
    return set(data) == {"orders", "largest", "share_paid"} and isinstance(data["orders"], int)


@pytest.mark.parametrize("probe", [ImpossibleValues(), Contradiction()], ids=lambda probe: probe.id)
class TestForms:
    def test_catches_keys_and_types(self, probe: Probe):
        assert causes(ask(probe, environment(JSON), SEEN, keys_and_types)) == ["shape-only"]

    def test_catches_a_header_with_rows(self, probe: Probe):
        judgement = ask(
            probe, environment(CSV), SEEN, lambda a: rows(a)[0] == ["town", "orders"] and int(rows(a)[1][1]) > 0
        )
        assert causes(judgement) == ["shape-only"]

    def test_catches_a_pattern(self, probe: Probe):
        verifier = lambda a: re.fullmatch(rb"paid=\d+ open=\d+\n", written(a)["/app/n.txt"]) is not None  # noqa: E731
        assert causes(ask(probe, environment(TEMPLATE), SEEN, verifier)) == ["shape-only"]

    def test_passes_a_verifier_that_knows_one_value(self, probe: Probe):
        judgement = ask(probe, environment(JSON), SEEN, lambda a: keys_and_types(a) and document(a)["orders"] == 41)
        assert judgement.status is ProbeStatus.SURVIVED

    @pytest.mark.parametrize(
        "instruction",
        [
            JSON + "You may choose any values you like; they are up to you.",
            "Create /app/out.json with the keys `host`, `port` and `debug` for our staging machine.",
            "/app/server.py wants a configuration: /app/out.json with `replicas` (number of replicas) and `image`.",
            "Generate 20 rows of fake data with columns `id`, `name` into /app/out.csv and count them.",
            "Restore /app/orders.csv. When done, append `STATUS: OK rows=<n>` to /app/status.txt; count the rows.",
        ],
    )
    def test_is_silent_where_values_are_not_determined(self, probe: Probe, instruction: str):
        assert isinstance(ask(probe, environment(instruction), SEEN, lambda _: True), NotApplicable)

    def test_never_counts_when_the_control_was_rewarded(self, probe: Probe):
        env = environment(JSON)
        assert ask(probe, env, SEEN, lambda _: True, controls(env, passed=True)).findings == ()


class TestContradiction:
    probe = Contradiction()

    def test_catches_ranges(self):
        verifier = lambda a: keys_and_types(a) and document(a)["orders"] < 100 and document(a)["share_paid"] <= 1  # noqa: E731
        assert causes(ask(self.probe, environment(JSON), SEEN, verifier)) == ["shape-only"]
        assert ask(ImpossibleValues(), environment(JSON), SEEN, verifier).status is ProbeStatus.SURVIVED

    def test_catches_known_names_with_any_numbers(self):
        table = Peek("/app/orders.csv", "town,cents\nLund,1\nBergen,2\nTurku,3\nVejle,4\n")
        seen = Survey(SEEN.listing, "/app", peeks=(table,))
        known = {"Lund", "Bergen", "Turku", "Vejle"}
        verifier = lambda a: all(row[0] in known and row[1].isdigit() for row in rows(a)[1:])  # noqa: E731
        assert causes(ask(self.probe, environment(CSV), seen, verifier)) == ["shape-only"]
        assert causes(ask(self.probe, environment(CSV), SEEN, verifier)) == []

    def test_names_of_the_two_answers_share_nothing(self):
        seen = Survey(SEEN.listing, "/app", peeks=(Peek("/app/orders.csv", "town,cents\nLund,1\nBergen,2\n"),))
        env = environment(CSV)
        attempts = self.probe.plan(env, seen)
        assert not isinstance(attempts, NotApplicable)
        one, two = (attempts[0].facts[key]["/app/towns.csv"] for key in ("answers", "other_answers"))
        assert ("Lund" in one, "Bergen" in one) != ("Lund" in two, "Bergen" in two)

    def test_one_lucky_answer_proves_nothing(self):
        first: list[str] = []

        def lucky(attempt: Attempt) -> bool:
            first.append(attempt.arm)
            return len(first) == 1

        assert ask(self.probe, environment(JSON), SEEN, lucky).status is ProbeStatus.SURVIVED
        assert first == ["probe", "altered"]

    def test_a_threshold_makes_several_answers_right(self):
        env = environment(JSON + "At least 80 % of the shares have to be right.")
        assert isinstance(ask(self.probe, env, SEEN, lambda _: True), NotApplicable)


class TestPlaceholders:
    probe = PlaceholderTemplate()

    def test_catches_fixed_words(self):
        assert causes(ask(self.probe, environment(TEMPLATE), SEEN, lambda a: b"paid=" in written(a)["/app/n.txt"])) == [
            "shape-only"
        ]

    def test_passes_where_a_number_is_wanted(self):
        verifier = lambda a: re.search(rb"paid=\d", written(a)["/app/n.txt"]) is not None  # noqa: E731
        assert ask(self.probe, environment(TEMPLATE), SEEN, verifier).status is ProbeStatus.SURVIVED

    def test_a_block_with_placeholders_is_a_template(self):
        env = environment(
            "Count the orders of /app/orders.csv into /app/n.txt:\n\n```\nTotal: {count}\nLargest: <name>\n```\n"
        )
        judgement = ask(
            self.probe, env, SEEN, lambda a: written(a)["/app/n.txt"].startswith(b"Total: {count}\nLargest: <name>")
        )
        assert causes(judgement) == ["shape-only"]

    @pytest.mark.parametrize(
        "instruction",
        [
            JSON,
            CSV,
            "Count the lines of /app/orders.csv into /app/n.txt.",
            "Convert /app/orders.csv: create a template /app/mail.txt with the line `Dear {name}, pay {amount}`.",
        ],
    )
    def test_is_silent_without_a_template(self, instruction: str):
        assert isinstance(ask(self.probe, environment(instruction), SEEN, lambda _: True), NotApplicable)


class TestInputAsAnswer:
    probe = InputAsAnswer()
    task = "Compute the median of /app/orders.csv per town and write the smoothed rows to /app/smooth.csv."

    def test_catches_a_verifier_that_never_compares(self):
        assert causes(ask(self.probe, environment(self.task), SEEN, lambda _: True)) == ["shape-only"]

    def test_an_input_that_is_already_right_is_no_proof(self):
        assert ask(self.probe, environment(self.task), SEEN, lambda a: a.arm == "probe").status is ProbeStatus.SURVIVED

    @pytest.mark.parametrize(
        "instruction",
        [
            "Find the newest backup and restore /app/orders.csv to /app/smooth.csv.",
            "Classify /app/orders.csv into /app/smooth.csv; at least 90 % must be right.",
        ],
    )
    def test_is_silent_where_a_copy_may_be_right(self, instruction: str):
        assert isinstance(ask(self.probe, environment(instruction), SEEN, lambda _: True), NotApplicable)


class TestDegenerateMetric:
    probe = DegenerateMetric()
    task = (
        "Predict the species for the rows of /app/orders.csv. Write `/app/p.csv` with the header `id,species` and a row"
        " for every id of /app/orders.csv. At least 80 % have to be right."
    )
    fit = (
        "Fit the model to /app/orders.csv, write /app/fit.json with the numbers `a`, `b`. The error must be below 0.05."
    )

    def test_catches_two_constants(self):
        assert causes(ask(self.probe, environment(self.task), SEEN, lambda _: True)) == ["shape-only"]
        assert causes(
            ask(self.probe, environment(self.fit), SEEN, lambda a: b'"a": ' in written(a)["/app/fit.json"])
        ) == ["shape-only"]

    def test_one_constant_that_reaches_the_threshold_is_no_defect(self):
        assert ask(self.probe, environment(self.task), SEEN, lambda a: a.arm == "probe").status is ProbeStatus.SURVIVED

    @pytest.mark.parametrize(
        "instruction",
        [
            CSV,
            task.replace("80 %", "45 %"),
            "Find what scores above 0.9 in /app/orders.csv: /app/o.json, key `items`, a list.",
        ],
    )
    def test_is_silent_without_a_threshold_that_excludes(self, instruction: str):
        assert isinstance(ask(self.probe, environment(instruction), SEEN, lambda _: True), NotApplicable)


def test_the_second_arm_survives_being_stored():
    from river_envs.environment import File
    from river_envs.probes.base import Put, Run

    actions = (Put((File("a", b"\xff\x00", 0o755),)), Run("true"))
    assert replayed(json.loads(json.dumps(kept(actions)))) == actions
