"""Each adversarial probe: a defective verifier that it must catch, a healthy look-alike that it must pass."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from probe_support import FIND_TOTAL, ask, controls, environment, graded, survey, written

from river_envs.probes.answer_files import AnswerFiles
from river_envs.probes.base import Attempt, Copy, Judgement, NotApplicable, Peek, Probe, ProbeStatus
from river_envs.probes.example_block import ExampleBlock
from river_envs.probes.named_paths import NamedPaths
from river_envs.probes.typed_stubs import TypedStubs
from river_envs.sandbox.base import Change, Delta

SEEN = survey("/app/orders.csv")
OUT = "/app/total.json"


def total(attempt: Attempt) -> object:
    """The total that an attempt hands in, or None."""
    try:
        return json.loads(written(attempt)[OUT])["total"]
    except (KeyError, ValueError, TypeError):
        return None


def causes(judgement: Judgement | NotApplicable) -> list[str]:
    assert isinstance(judgement, Judgement), judgement
    return [finding.cause for finding in judgement.findings]


@pytest.mark.parametrize("probe", [NamedPaths(), TypedStubs()], ids=lambda probe: probe.id)
class TestExistence:
    def test_catches_a_check_for_names(self, probe: Probe):
        assert causes(ask(probe, environment(), SEEN, lambda attempt: OUT in written(attempt))) == ["existence-only"]

    def test_passes_a_check_for_content(self, probe: Probe):
        assert ask(probe, environment(), SEEN, lambda attempt: total(attempt) == 4812).status is ProbeStatus.SURVIVED

    def test_is_silent_where_empty_may_be_right(self, probe: Probe):
        env = environment("Create an empty file /app/done.txt when the check of /app/orders.csv is finished.")
        assert isinstance(ask(probe, env, SEEN, lambda _: True), NotApplicable)

    def test_never_counts_when_the_control_was_rewarded(self, probe: Probe):
        env = environment()
        judgement = ask(probe, env, SEEN, lambda _: True, controls(env, passed=True))
        assert (judgement.status, judgement.findings) == (ProbeStatus.ERROR, ())


def test_typed_stubs_fill_the_names_that_only_the_reference_tells():
    env = environment("Generate `/app/hosts.d/HOST.conf` for each host of /app/orders.csv; count the hosts.")
    left = Delta(tuple(Change(f"app/hosts.d/{name}.conf", "file", content=b"port = 80\n") for name in "ab"))
    seen = replace(SEEN, reference=left)
    there = lambda a: {"/app/hosts.d/a.conf", "/app/hosts.d/b.conf"} <= set(written(a))  # noqa: E731
    assert causes(ask(TypedStubs(), env, seen, there)) == ["existence-only"]
    right = lambda a: written(a).get("/app/hosts.d/a.conf") == b"port = 80\n"  # noqa: E731
    assert ask(TypedStubs(), env, seen, right).status is ProbeStatus.SURVIVED


def test_a_right_stub_is_not_handed_in_whatever_else_the_reference_leaves():
    env = environment("Count the failed jobs of /app/orders.csv and write the number to /app/count.txt.")
    made = {"app/count.txt": b"0\n", "root/.bash_history": b"ls\n"}
    left = Delta(tuple(Change(path, "file", content=content) for path, content in made.items()))
    judgement = ask(TypedStubs(), env, replace(SEEN, reference=left), lambda a: written(a)["/app/count.txt"] == b"0\n")
    assert isinstance(judgement, NotApplicable) or judgement.findings == ()


def test_typed_stubs_catch_valid_json():
    def valid(attempt: Attempt) -> bool:
        try:
            return isinstance(json.loads(written(attempt)[OUT]), dict)
        except (KeyError, ValueError):
            return False

    assert causes(ask(TypedStubs(), environment(), SEEN, valid)) == ["existence-only"]
    assert ask(NamedPaths(), environment(), SEEN, valid).status is ProbeStatus.SURVIVED


@pytest.mark.parametrize(("wide", "cause"), [(True, "shape-only"), (False, "existence-only")])
def test_a_stub_that_happens_to_be_a_table_is_a_form(wide: bool, cause: str):
    env = environment("Group the rows of /app/orders.csv. Write /app/groups.tsv with two columns.")

    def verifier(attempt: Attempt) -> bool:
        rows = written(attempt).get("/app/groups.tsv", b"").decode().splitlines()
        return bool(rows) and (not wide or all(len(row.split("\t")) == 2 for row in rows))

    assert causes(ask(TypedStubs(), env, SEEN, verifier)) == [cause]


class TestExample:
    probe = ExampleBlock()

    def test_two_answers_that_exclude_each_other_are_shape_only(self):
        judgement = ask(self.probe, environment(), SEEN, lambda attempt: isinstance(total(attempt), int))
        assert causes(judgement) == ["shape-only"]
        first, second = judgement.findings[0].evidence["answers"]
        assert first != second

    def test_an_example_that_is_the_answer_is_a_leak(self):
        assert causes(ask(self.probe, environment(), SEEN, lambda attempt: total(attempt) == 17)) == ["printed-answer"]

    def test_a_verifier_that_knows_the_answer_survives(self):
        assert (
            ask(self.probe, environment(), SEEN, lambda attempt: total(attempt) == 4812).status is ProbeStatus.SURVIVED
        )

    def test_a_fixed_word_beside_free_numbers_is_still_shape_only(self):
        def lax(attempt: Attempt) -> bool:
            return isinstance(total(attempt), int) and b'"EUR"' in written(attempt)[OUT]

        assert causes(ask(self.probe, environment(), SEEN, lax)) == ["shape-only"]

    def test_a_check_of_ranges_is_shape_only_and_no_leak(self):
        small = lambda a: total(a) in range(1, 25) and b"EUR" in written(a)[OUT]  # noqa: E731
        judgement = ask(self.probe, environment(), SEEN, small)
        assert causes(judgement) == ["shape-only"]

    @pytest.mark.parametrize(("answer", "found"), [(b"ann x4\n", ["printed-answer"]), (b"bob x5\n", [])])
    def test_an_alteration_of_nothing_is_no_alteration(self, answer: bytes, found: list[str]):
        task = "Find the last user in /app/a.log and write the name to /app/n.txt, which looks as follows:\n\n"
        env = environment(task + "```\nann x4\n```\n")
        judgement = ask(self.probe, env, survey("/app/a.log"), lambda a: written(a)["/app/n.txt"] == answer)
        assert causes(judgement) == found

    def test_dictated_content_is_no_leak(self):
        env = environment("Compute nothing. Create /app/motd.txt with exactly this content:\n\n```\nhello 17\n```\n")
        judgement = ask(self.probe, env, SEEN, lambda attempt: written(attempt).get("/app/motd.txt") == b"hello 17\n")
        assert isinstance(judgement, NotApplicable) or judgement.findings == ()

    def test_values_left_free_are_no_contradiction(self):
        env = environment(FIND_TOTAL + "\nThe currency may be any name of your choice.")
        assert isinstance(ask(self.probe, env, SEEN, lambda _: True), NotApplicable)

    def test_an_inline_example_counts(self):
        env = environment("Count the errors in /app/a.log and write the count to /app/n.txt, for example `errors=17`.")
        judgement = ask(self.probe, env, survey("/app/a.log"), lambda a: written(a)["/app/n.txt"] == b"errors=17\n")
        assert causes(judgement) == ["printed-answer"]


class TestAnswerFiles:
    probe = AnswerFiles()
    seen = survey("/app/orders.csv", "/app/.expected_total.json", "/app/readme.md")

    @staticmethod
    def copies(attempt: Attempt) -> set[str]:
        return {action.source for action in attempt.actions if isinstance(action, Copy)}

    def pays(self, attempt: Attempt) -> bool:
        """Whether the shipped answer is handed in as it is."""
        return attempt.arm == "probe" and "/app/.expected_total.json" in self.copies(attempt)

    def test_catches_a_shipped_answer(self):
        judgement = ask(self.probe, environment(), self.seen, self.pays)
        assert causes(judgement) == ["image-answer"]

    def test_a_decoy_is_no_leak(self):
        assert ask(self.probe, environment(), self.seen, lambda _: False).status is ProbeStatus.SURVIVED

    def test_nothing_that_looks_like_an_answer(self):
        assert isinstance(ask(self.probe, environment(), SEEN, lambda _: True), NotApplicable)

    def test_a_file_that_says_something_else_is_no_answer(self):
        text = b'{"total": 4812, "orders": 40, "largest": 37}'
        left = Delta((Change("app/total.json", "file", content=text),))
        indented = json.dumps(json.loads(text), indent=2)
        for shown, cause in ((indented, "image-answer"), ("1999 12 7 1 2 3", "unchecked-requirement")):
            peeks = (Peek("/app/.expected_total.json", shown),)
            judgement = ask(self.probe, environment(), replace(self.seen, reference=left, peeks=peeks), self.pays)
            assert causes(judgement) == [cause]
            assert judgement.findings[0].claim == ("leaks-answer" if cause == "image-answer" else "accepts-wrong")

    def test_copying_may_be_the_task(self):
        env = environment(
            "Restore /app/total.json by copying `/app/.expected_total.json` and find the total of orders.csv."
        )
        assert isinstance(ask(self.probe, env, self.seen, lambda _: True), NotApplicable)

    def test_a_copy_without_effect_proves_nothing(self):
        env = environment()
        planned = self.probe.plan(env, self.seen)
        assert not isinstance(planned, NotApplicable)
        results = [graded(attempt, passed=True) for attempt in planned]
        lame = [type(r)(r.attempt, r.outcome, tuple(type(s)(s.action, False) for s in r.receipt)) for r in results]
        assert self.probe.judge(env, lame, controls(env)).findings == ()
