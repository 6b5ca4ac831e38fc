"""Words instead of answers: the quoted words, the question itself, a program of comments."""

from __future__ import annotations

import ast
import json

import pytest
from probe_support import FIND_TOTAL, ask, controls, environment, survey, written

from river_envs.probes.all_literals import AllLiterals
from river_envs.probes.base import Attempt, Judgement, NotApplicable, Probe, ProbeStatus, Run
from river_envs.probes.comment_source import CommentSource
from river_envs.probes.instruction_echo import InstructionEcho
from river_envs.probes.keywords import commented, literals, words_only

SEEN = survey("/app/auth.log")
REPORT = """Analyse /app/auth.log and find the account that was broken into. Write a report to `/app/report.txt` that
names the `username`, the `source_ip` and whether "password reuse" played a part. For example: `username=carol`."""


def causes(judgement: Judgement | NotApplicable) -> list[str]:
    assert isinstance(judgement, Judgement), judgement
    return [finding.cause for finding in judgement.findings]


def text_of(attempt: Attempt, path: str = "/app/report.txt") -> str:
    return written(attempt).get(path, b"").decode().lower()


@pytest.mark.parametrize("probe", [AllLiterals(), InstructionEcho()], ids=lambda probe: probe.id)
class TestWords:
    def test_catches_a_search_for_words(self, probe: Probe):
        judgement = ask(
            probe, environment(REPORT), SEEN, lambda a: "username" in text_of(a) and "source_ip" in text_of(a)
        )
        assert causes(judgement) == ["keyword-only"]

    def test_arbitrary_words_that_pay_as_well_are_another_cause(self, probe: Probe):
        judgement = ask(probe, environment(REPORT), SEEN, lambda a: len(text_of(a).split()) > 3)
        assert causes(judgement) == ["existence-only"]
        env = environment(REPORT.replace("report.txt", "report.json"))
        judgement = ask(probe, env, SEEN, lambda a: bool(json.loads(text_of(a, "/app/report.json"))))
        assert causes(judgement) == ["shape-only"]

    def test_passes_a_comparison_of_values(self, probe: Probe):
        judgement = ask(probe, environment(REPORT), SEEN, lambda a: "username=mallory" in text_of(a).split())
        assert isinstance(judgement, Judgement)
        assert judgement.status is ProbeStatus.SURVIVED

    def test_holds_no_value_of_the_example(self, probe: Probe):
        assert ask(probe, environment(REPORT), SEEN, lambda a: "carol" in text_of(a)).status is ProbeStatus.SURVIVED

    def test_wraps_words_in_valid_json_at_no_key_of_their_own(self, probe: Probe):
        def verifier(attempt: Attempt) -> bool:
            data = json.loads(written(attempt)["/app/total.json"])
            return "total" in str(data) and "total" not in data

        assert causes(ask(probe, environment(FIND_TOTAL), survey("/app/orders.csv"), verifier)) == ["keyword-only"]

    @pytest.mark.parametrize(
        "instruction",
        [
            "Create /app/motd.txt containing the line `hello world` and the line `bye`.",
            "Find a name of your choice for /app/auth.log and write it to /app/report.txt with `user` and `ip`.",
            "Count the users of /app/auth.log. Write /app/report.txt with exactly this content:\n\n```\nuser ip\n```\n",
            "Repair /app/auth.log, find the fault. Append a line `STATUS: OK` with the `count` to /app/status.txt.",
        ],
    )
    def test_is_silent_where_the_words_may_be_right(self, probe: Probe, instruction: str):
        assert isinstance(ask(probe, environment(instruction), SEEN, lambda _: True), NotApplicable)

    def test_never_counts_when_the_control_was_rewarded(self, probe: Probe):
        env = environment(REPORT)
        assert ask(probe, env, SEEN, lambda _: True, controls(env, passed=True)).findings == ()


class TestCommentSource:
    probe = CommentSource()
    task = "Write `/app/tool.py`, with `argparse` and a function `parse_line`: it counts the words of `sys.stdin`."

    def test_catches_a_search_in_the_source(self):
        judgement = ask(
            self.probe, environment(self.task), survey(), lambda a: "parse_line" in text_of(a, "/app/tool.py")
        )
        assert causes(judgement) == ["keyword-only"]

    @pytest.mark.parametrize("word", ["PARSE", "Sys", "counts", "COUNTS"])
    def test_words_are_there_in_each_case(self, word: str):
        env = environment(self.task)
        holds = lambda a, wanted: wanted.encode() in written(a)["/app/tool.py"]  # noqa: E731
        assert causes(ask(self.probe, env, survey(), lambda a: holds(a, word))) == ["keyword-only"]
        assert causes(ask(self.probe, env, survey(), lambda a: holds(a, "Splitlines"))) == []

    def test_a_program_needs_no_suffix(self):
        env = environment("Write `/app/decide`: executable, reads packets from standard input and prints verdicts.")
        assert causes(ask(self.probe, env, SEEN, lambda a: "verdicts" in text_of(a, "/app/decide"))) == ["keyword-only"]

    def test_passes_a_look_at_the_syntax(self):
        def defines(attempt: Attempt) -> bool:
            tree = ast.parse(text_of(attempt, "/app/tool.py"))
            return any(isinstance(node, ast.FunctionDef) for node in ast.walk(tree))

        assert ask(self.probe, environment(self.task), survey(), defines).status is ProbeStatus.SURVIVED

    def test_comments_out_a_program_that_is_to_be_repaired(self):
        env = environment("`/app/run.sh` prints nonsense. Fix it so that `total` is right.")
        judgement = ask(self.probe, env, survey("/app/run.sh"), lambda a: isinstance(a.actions[0], Run))
        assert causes(judgement) == ["keyword-only"]

    @pytest.mark.parametrize(
        "instruction", ["Run /app/check.sh and write what it prints to /app/out.txt.", "Count the lines of /app/a.txt."]
    )
    def test_is_silent_without_a_program_to_write(self, instruction: str):
        assert isinstance(
            ask(self.probe, environment(instruction), survey("/app/check.sh"), lambda _: True), NotApplicable
        )


def test_literals_are_words_without_sample_values():
    found = literals(
        'Use `alpha`, "two words", MAX_SIZE, snake_case. For example `n=17`.\n\n```json\n{"key": 3}\n```\n'
    )
    assert set(found) == {"alpha", "two words", "MAX_SIZE", "snake_case", "key"}
    assert "17" not in words_only("Count it. For example `n=17`.")


@pytest.mark.parametrize("name", ["a.py", "a.sh", "a.c", "a.rs", "a.go", "A.java", "a.js", "a.rb", "a.lua"])
def test_commented_programs_hold_the_words_in_comments(name: str):
    content = commented(f"/app/{name}", "one\ntwo").content.decode()
    assert "one" in content
    assert not any(line.startswith(("one", "two")) for line in content.splitlines())
