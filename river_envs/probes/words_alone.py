"""What the probes that hand in words share: where they paid, the same file once more with arbitrary words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from river_envs.environment import Environment, File
from river_envs.probes.base import Attempt, Background, Judgement, Probe, ProbeStatus, Put, Result
from river_envs.probes.judging import accepted, hit
from river_envs.probes.keywords import wrapped

_ARBITRARY = ("zorvath", "quimble", "trasken", "olvidar", "menthrop", "yasquill")


class WordsAlone(Probe):
    """A reward for the looked-for words is keyword-only, unless arbitrary words in their place are rewarded as well."""

    message: str

    def more(self, environment: Environment, results: Sequence[Result], background: Background) -> Sequence[Attempt]:
        """The same files with arbitrary words, once the words of the instruction were rewarded."""
        paid = _paid(results)
        if paid is None or any(result.attempt.arm == "arbitrary" for result in results):
            return ()
        facts: dict[str, Any] = paid.attempt.facts
        files: list[File] = []
        for action in paid.attempt.actions:
            for file in action.files if isinstance(action, Put) else ():
                path = f"/{file.path}"
                files.append(_arbitrary(path, file) if path in facts["paths"] else file)
        question = "Are arbitrary words rewarded as well?"
        return [self.attempt(environment, Put(tuple(files)), arm="arbitrary", question=question, paths=facts["paths"])]

    def enough(self, results: Sequence[Result]) -> bool:
        """Never: the arbitrary words tell which cause it is."""
        return False

    def judge(self, environment: Environment, results: Sequence[Result], background: Background) -> Judgement:
        """A reward is keyword-only; where arbitrary words are rewarded too, only the form or the file is looked at."""
        advice = "Parse the output and compare the values in their places, not words anywhere in the text."
        own = [result for result in results if result.attempt.arm == "probe"]
        judged = accepted(self, environment, own, background, "accepts-wrong", "keyword-only", self.message, advice)
        other = next((r for r in results if r.attempt.arm == "arbitrary" and r.paid), None)
        paid = _paid(results)
        if judged.status is not ProbeStatus.HIT or other is None or paid is None:
            return judged
        formed = any(path.endswith(".json") for path in paid.attempt.facts["paths"])
        cause = "shape-only" if formed else "existence-only"
        message = "Arbitrary words in a file of the right type are rewarded."
        return hit(self, environment, "accepts-wrong", cause, [paid, other], message, advice)


def _paid(results: Sequence[Result]) -> Result | None:
    return next((r for r in results if r.attempt.arm == "probe" and r.paid), None)


def _arbitrary(path: str, file: File) -> File:
    """A file of the same type with as many arbitrary words."""
    number = max(len(file.content.split()), 1)
    words = tuple(f"{_ARBITRARY[at % len(_ARBITRARY)]}{at}" for at in range(number))
    lines = max(file.content.count(b"\n"), 1)
    step = max(number // lines, 1)
    body = "\n".join(" ".join(words[at : at + step]) for at in range(0, number, step)) + "\n"
    return wrapped(path, body, words[:50])
