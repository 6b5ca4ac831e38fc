"""Probes that hand in what the image provides: one way after another, and the first that pays once more, altered.

The altered arm tells a leak from an empty check: the image's answer is rewarded and the same with other values is not.
"""

from __future__ import annotations

import shlex
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from river_envs.environment import Environment
from river_envs.probes import altering
from river_envs.probes import instruction as text
from river_envs.probes.artefacts import stub
from river_envs.probes.base import (
    Action,
    Attempt,
    Background,
    Claim,
    Judgement,
    NotApplicable,
    Probe,
    ProbeStatus,
    Put,
    Result,
    Run,
    Survey,
)
from river_envs.probes.judging import hit, unproven
from river_envs.probes.leaks import is_code

Way = dict[str, Any]
"""One way to get at an answer, in plain values. ``targets`` names the files that it hands in, ``label`` says in words
where they come from, ``program`` whether they are programs."""

_ALTER = r"""
done=0
for file in {files}; do
  [ -f "$file" ] || continue
  if [ ! -r "$file" ]; then rm -f "$file"; echo altered >"$file"; done=1; continue; fi
  if [ ! -L "$file" ] && python3 -c {packed} "$file" {before} {after} 2>/dev/null; then done=1; continue; fi
  LC_ALL=C tr {before} {after} <"$file" >/tmp/.altered || exit 3
  if cmp -s "$file" /tmp/.altered; then LC_ALL=C tr a-z b-za <"$file" >/tmp/.altered; fi
  if cmp -s "$file" /tmp/.altered; then exit 4; fi
  runs=; [ -x "$file" ] && runs=1
  rm -f "$file"; cat /tmp/.altered >"$file"; rm -f /tmp/.altered; done=1
  [ -z "$runs" ] || chmod 755 "$file"
done
[ "$done" = 1 ] || exit 3
"""
_ARMS = (("altered", "123456789", "234567891"), ("altered-words", "a-z", "b-za"))


class Provided(Probe):
    """Hands in what ``ways`` finds, best first. Subclasses say what an accepted way proves (``cause``)."""

    cause: ClassVar[str] = "image-answer"
    claim: ClassVar[Any] = "leaks-answer"
    question: ClassVar[str]
    seen: ClassVar[str]
    """How a paid way is told; ``{label}`` and ``{targets}`` are filled in."""
    advice: ClassVar[str]

    @abstractmethod
    def ways(self, environment: Environment, survey: Survey) -> Sequence[Way] | NotApplicable:
        """The ways to try, best first."""

    @abstractmethod
    def actions(self, environment: Environment, way: Way) -> tuple[Action, ...]:
        """What carries out one way."""

    def cause_of(self, paid: Result) -> str:
        """What an accepted way proves, by what was seen when it ran. Default: ``cause``."""
        return self.cause

    def told(self, paid: Result) -> tuple[str, str]:
        """How an accepted way is told, and what to do about it. Default: ``seen`` and ``advice``."""
        return self.seen, self.advice

    def plan(self, environment: Environment, survey: Survey) -> Sequence[Attempt] | NotApplicable:
        """The best way; the others follow while none pays."""
        found = self.ways(environment, survey)
        if isinstance(found, NotApplicable):
            return found
        return [self._attempt(environment, list(found), 0)]

    def more(self, environment: Environment, results: Sequence[Result], background: Background) -> Sequence[Attempt]:
        """The next way, or the altered arms of the one that paid."""
        paid = _paid(results)
        ways = results[0].attempt.facts["ways"] if results else []
        if paid is None:
            tried = sum(result.attempt.arm == "probe" for result in results)
            return [self._attempt(environment, ways, tried)] if tried < len(ways) else ()
        arms = [result for result in results if result.attempt.arm != "probe"]
        if _is_program(paid.attempt.facts["way"]):
            return () if arms else [self._altered(environment, paid, "stub")]
        if len(arms) < len(_ARMS) and not any(_rejected(result) for result in arms):
            return [self._altered(environment, paid, _ARMS[len(arms)][0])]
        return ()

    def enough(self, results: Sequence[Result]) -> bool:
        """Never: the altered arm tells a leak from an empty check."""
        return False

    def _attempt(self, environment: Environment, ways: list[Way], index: int) -> Attempt:
        way = ways[index]
        return self.attempt(
            environment,
            *self.actions(environment, way),
            repeat=index,
            question=self.question,
            way=way,
            ways=ways,
        )

    def _altered(self, environment: Environment, paid: Result, arm: str) -> Attempt:
        way, ways = paid.attempt.facts["way"], paid.attempt.facts["ways"]
        actions: tuple[Action, ...]
        if arm == "stub":
            actions = (Put(tuple(stub(target, 1) for target in way["targets"])),)
        else:
            _, before, after = next(row for row in _ARMS if row[0] == arm)
            packed = shlex.quote(altering.PACKED)
            script = _ALTER.format(files=shlex.join(way["targets"]), before=before, after=after, packed=packed)
            actions = (*self.actions(environment, way), Run(script))
        return self.attempt(
            environment,
            *actions,
            arm=arm,
            repeat=paid.attempt.repeat,
            question="Is the same with other values rewarded too?",
            way=way,
            ways=ways,
        )

    def judge(self, environment: Environment, results: Sequence[Result], background: Background) -> Judgement:
        """Paid and altered rejected is the cause; altered accepted too is an empty check."""
        nothing = unproven(results, background)
        if nothing:
            return nothing
        paid = _paid(results)
        if paid is None:
            return Judgement(ProbeStatus.SURVIVED)
        way = paid.attempt.facts["way"]
        arms = [result for result in results if result.attempt.arm != "probe"]
        rejected = [result for result in arms if _rejected(result)]
        where = {"label": way["label"], "targets": ", ".join(way["targets"])}
        if rejected:
            message, advice = self.told(paid)
            proof, cause = [paid, rejected[0]], self.cause_of(paid)
            claim: Claim = "accepts-wrong" if cause == "unchecked-requirement" else self.claim
            return hit(self, environment, claim, cause, proof, message.format(**where), advice, **where)
        accepted = [result for result in arms if result.paid]
        if not accepted:
            return Judgement(ProbeStatus.ERROR, "what paid could not be graded with other values")
        if _is_program(way):
            return hit(
                self,
                environment,
                "accepts-wrong",
                "existence-only",
                accepted[:1],
                f"A program that does nothing is rewarded at {where['targets']}.",
                "Run the program and compare what it does.",
                **where,
            )
        if text.leaves_free(environment.instruction) or len(accepted) < len(_ARMS):
            return Judgement(ProbeStatus.SURVIVED, "what was accepted may be a free choice")
        return hit(
            self,
            environment,
            "accepts-wrong",
            "shape-only",
            [paid, accepted[0]],
            "Two answers that exclude each other are both rewarded: only the form is checked.",
            "Compare each value with the one that follows from the inputs.",
            **where,
        )


def _paid(results: Sequence[Result]) -> Result | None:
    return next((r for r in results if r.attempt.arm == "probe" and r.paid), None)


def _rejected(result: Result) -> bool:
    return result.graded and not result.paid


def _is_program(way: Way) -> bool:
    return bool(way.get("program")) or all(is_code(target) for target in way["targets"])
