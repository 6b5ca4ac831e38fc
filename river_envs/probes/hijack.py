"""What the grading-runtime probes share: the asked-for Python module is handed in as one that attacks its importer.

They ask only where the tests run that module in their own process (``in_process.py``). A hit is told as
``self-report``: the process that reports the result is the one that the agent's code runs in, so the status that is
rewarded is one that the agent's code made up.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Final

from river_envs.environment import Environment, File
from river_envs.probes import in_process
from river_envs.probes.base import (
    Attempt,
    Background,
    Judgement,
    NotApplicable,
    Probe,
    ProbeStatus,
    Put,
    Result,
    Survey,
)
from river_envs.probes.judging import hit, unproven

ANY_NAME: Final = """
def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return {value}
"""
ADVICE: Final = (
    "Run the agent's code in a process of its own and compare what it prints, or write the reward from a process that"
    " the agent's code cannot reach."
)


class Hijack(Probe):
    """Hands in ``body``, with ``value`` for whatever the tests take from the module. Subclasses say what it does."""

    value: ClassVar[str]
    seen: ClassVar[str]
    """In words: what the module does and is rewarded for."""

    @property
    @abstractmethod
    def body(self) -> str:
        """The text that tampers; a class attribute."""

    def module(self, names: Sequence[str], *, tampered: bool) -> bytes:
        """The module's text; without the tamper it offers the same names, and they do nothing."""
        value = self.value if tampered else "(lambda *arguments, **options: None)"
        lines = [self.body] if tampered else []
        lines += [f"{name} = {value}" for name in names] + [ANY_NAME.format(value=value)]
        return "\n".join(lines).encode()

    def plan(self, environment: Environment, survey: Survey) -> Sequence[Attempt] | NotApplicable:
        """The tampered module in place of each that the tests import."""
        uses = in_process.found(environment, survey.listing, survey.workdir)
        if not uses:
            return NotApplicable("the tests do not run the agent's Python code in their own process")
        return [self._attempt(environment, [(use.target, use.names) for use in uses], tampered=True)]

    def _attempt(
        self, environment: Environment, uses: Sequence[tuple[str, Sequence[str]]], *, tampered: bool
    ) -> Attempt:
        files = tuple(File(path.lstrip("/"), self.module(names, tampered=tampered)) for path, names in uses)
        return self.attempt(
            environment,
            Put(files),
            arm="probe" if tampered else "benign",
            question=f"Is a module rewarded that {self.seen}?",
            uses=[[path, list(names)] for path, names in uses],
        )

    def enough(self, results: Sequence[Result]) -> bool:
        """Never: a rewarded tamper is tried again without it."""
        return False

    def more(self, environment: Environment, results: Sequence[Result], background: Background) -> Sequence[Attempt]:
        """The same module without the tamper, once the tamper paid."""
        paid = next((result for result in results if result.passed and result.attempt.arm == "probe"), None)
        if paid is None:
            return ()
        return [self._attempt(environment, paid.attempt.facts["uses"], tampered=False)]

    def judge(self, environment: Environment, results: Sequence[Result], background: Background) -> Judgement:
        """Rewarded with the tamper and not without it."""
        nothing = unproven(results, background)
        if nothing:
            return nothing
        paid = [result for result in results if result.paid and result.attempt.arm == "probe"]
        plain = [result for result in results if result.graded and result.attempt.arm == "benign"]
        if not paid:
            return Judgement(ProbeStatus.SURVIVED)
        if not plain or any(result.passed for result in plain):
            return Judgement(ProbeStatus.SURVIVED, "an empty module is rewarded as well: not the tamper's doing")
        path = str(paid[0].attempt.facts["uses"][0][0])
        return hit(
            self, environment, "accepts-wrong", "self-report", [paid[0], plain[0]],
            f"{path} {self.seen}, and is rewarded.", ADVICE, path=path,
        )
