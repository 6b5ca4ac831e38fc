"""Accounts of work that was never done."""

from __future__ import annotations

import re

import pytest
from probe_support import ask, controls, environment, survey, written

from river_envs.probes.base import Attempt, Judgement, NotApplicable, Probe, ProbeStatus, Run
from river_envs.probes.done_marker import DoneMarker
from river_envs.probes.fabricated_report import FabricatedReport

SEEN = survey("/app/db.conf")
LOG = """Please repair /app/db.conf and delete the stale keys. When done, append to `/app/repair.log` a line like this:

    STATUS: OK deleted=<n> kept=<m>
"""
MARK = "Repair /app/db.conf. Then write `finished` to /app/done.txt."


def causes(judgement: Judgement | NotApplicable) -> list[str]:
    assert isinstance(judgement, Judgement), judgement
    return [finding.cause for finding in judgement.findings]


def script(attempt: Attempt) -> str:
    action = attempt.actions[0]
    return action.script if isinstance(action, Run) else ""


class TestFabricatedReport:
    probe = FabricatedReport()

    def test_catches_a_verifier_that_believes_the_log(self):
        judgement = ask(
            self.probe, environment(LOG), SEEN, lambda a: bool(re.search(r"STATUS: OK deleted=\d+ kept=\d+", script(a)))
        )
        assert causes(judgement) == ["self-report"]

    def test_catches_a_word_of_success(self):
        assert causes(ask(self.probe, environment(LOG), SEEN, lambda a: "SUCCESS" in script(a))) == ["self-report"]

    def test_passes_a_verifier_that_looks_at_the_work(self):
        assert ask(self.probe, environment(LOG), SEEN, lambda a: "db.conf" in script(a)).status is ProbeStatus.SURVIVED

    def test_counts_follow_the_files_of_the_named_directory(self):
        from river_envs.probes.base import Survey
        from river_envs.sandbox.base import Listing

        entries = [Listing("/app/old", "directory", 0, 0o755)]
        entries += [Listing(f"/app/old/{n}", "file", 1, 0o644) for n in range(7)]
        env = environment(
            "Delete what is stale below /app/old. When done, append `deleted=<n> kept=<m>` to /app/clean.log."
        )
        attempts = self.probe.plan(env, Survey(tuple(entries), "/app"))
        assert not isinstance(attempts, NotApplicable)
        assert "deleted=4 kept=3" in script(attempts[0])

    @pytest.mark.parametrize(
        "instruction",
        [
            "Count the keys of /app/db.conf and write the number to /app/report.txt.",
            "Write a log of your thoughts to /app/status.log.",
        ],
    )
    def test_is_silent_where_the_report_is_the_task(self, instruction: str):
        assert isinstance(ask(self.probe, environment(instruction), SEEN, lambda _: True), NotApplicable)

    def test_never_counts_when_the_control_was_rewarded(self):
        env = environment(LOG)
        assert ask(self.probe, env, SEEN, lambda _: True, controls(env, passed=True)).findings == ()


class TestDoneMarker:
    probe: Probe = DoneMarker()

    def test_catches_a_verifier_that_believes_the_marker(self):
        judgement = ask(self.probe, environment(MARK), SEEN, lambda a: written(a).get("/app/done.txt") == b"finished\n")
        assert causes(judgement) == ["self-report"]

    def test_passes_a_verifier_that_looks_at_the_work(self):
        assert (
            ask(self.probe, environment(MARK), SEEN, lambda a: "/app/db.conf" in written(a)).status
            is ProbeStatus.SURVIVED
        )

    @pytest.mark.parametrize(
        "instruction",
        [
            "Create the file /app/done.txt with the word `finished`.",
            "Count the keys of /app/db.conf into /app/n.txt.",
            "Find out whether /app/db.conf can be removed and write `yes` or `no` to /app/status.txt.",
        ],
    )
    def test_is_silent_where_the_marker_is_all(self, instruction: str):
        assert isinstance(ask(self.probe, environment(instruction), SEEN, lambda _: True), NotApplicable)

    @pytest.mark.parametrize(
        ("said", "content"),
        [
            ('When finished, also write `/app/state.json` with the content `{"ok": true}`.', b'{"ok": true}\n'),
            ("After the last step, `/app/state.json` must contain the line `DONE`.", b"DONE\n"),
            ("A job reads `/app/state.json`, which says `DONE` after a successful run.", b"DONE\n"),
            ("On success `/app/state.json` holds `DONE`.", b"DONE\n"),
        ],
    )
    def test_a_marker_is_known_by_its_sentence(self, said: str, content: bytes):
        env = environment("Count the keys of /app/db.conf into /app/n.txt. " + said)
        judgement = ask(self.probe, env, SEEN, lambda a: written(a) == {"/app/state.json": content})
        assert causes(judgement) == ["self-report"]
        assert causes(ask(self.probe, env, SEEN, lambda a: "/app/n.txt" in written(a))) == []

    def test_a_marker_beside_work_on_what_is_there(self):
        env = environment("The keys of /app/db.conf are a mess. After a successful run /app/end.txt holds `DONE`.")
        assert causes(ask(self.probe, env, SEEN, lambda a: "/app/end.txt" in written(a))) == ["self-report"]
        assert causes(ask(self.probe, env, SEEN, lambda a: "/app/db.conf" in written(a))) == []

    def test_success_that_is_counted_is_no_marker(self):
        env = environment("Count the successful logins of /app/db.conf and write the number to /app/n.txt.")
        assert isinstance(ask(self.probe, env, SEEN, lambda _: True), NotApplicable)

    def test_an_outcome_to_be_found_is_no_marker(self):
        env = environment("Check /app/db.conf, write /app/n.txt. When done, write `ok` or `bad` to /app/state.json.")
        assert isinstance(ask(self.probe, env, SEEN, lambda _: True), NotApplicable)
