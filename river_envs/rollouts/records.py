"""A rollout and its turns: the models that every reader returns, the catalog keeps and every behavior is measured on.

**A turn** is one response of the model: the command that it gave (several, joined by newlines, when one response gave
several) and what the agent was shown for it. Both are kept as the agent saw them, with whatever its harness wrote
around an output: a rule that a trainer applies sees the same text. A response without a command that the harness would
accept is a turn too, an invalid one.

**An infrastructure failure is not a reward.** ``reward`` is set only where ``status`` is ``graded``; every other status
says why there is none (:class:`~river_envs.outcome.Status`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from river_envs.environment import digest
from river_envs.outcome import Status

PROBLEMS: dict[str, str] = {
    "no-trajectory": "there is no record of the turns",
    "broken-trajectory": "the record of the turns is truncated or malformed; its turns were left out",
    "unknown-version": "the record of the turns is of a version not known to this release; its turns were left out",
    "too-large": "the record of the turns is larger than a reader takes; its turns were left out",
    "turns-cut": "there are more turns than are kept; the later ones were left out",
    "text-cut": "a command or an observation was longer than is kept; its middle was cut out",
    "binary-text": "a command or an observation holds bytes that are no text; they are written out",
    "no-result": "there is no record of how the trial ended; it has no reward",
    "broken-result": "the record of how the trial ended is malformed; it has no reward",
}
"""What can be wrong with a rollout that is kept all the same."""


@dataclass(frozen=True)
class Turn:
    """One response of the model and what came back.

    ``command`` is None for an invalid action, ``observation`` where nothing came back. ``seconds`` is the time that the
    command took, ``tokens`` the length of the response. ``submits`` says that the turn declares the task done.
    ``cut`` counts the characters that were left out of the middle of command and observation.
    """

    number: int
    command: str | None
    observation: str | None = None
    exit_code: int | None = None
    seconds: float | None = None
    tokens: int | None = None
    submits: bool = False
    cut: int = 0


@dataclass(frozen=True)
class Rollout:
    """One trial of one task by one model.

    ``trial`` names it; together with ``task`` it is unique where Harbor made the name. ``environment_id`` is set by
    writers that know it; the catalog fills it in for the others. ``source`` is the job or corpus it came from and no
    part of the identity. ``submitted`` is None where the format does not tell.
    """

    task: str
    trial: str
    model: str = ""
    turns: tuple[Turn, ...] = ()
    status: Status = Status.GRADED
    reward: float | None = None
    agent: str = ""
    source: str = ""
    environment_id: str | None = None
    task_checksum: str | None = None
    exception: str | None = None
    submitted: bool | None = None
    seconds: float | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    problems: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if (self.reward is None) == (self.status is Status.GRADED):
            raise ValueError(f"status={self.status.value!r} and reward={self.reward!r} contradict each other")
        unknown = set(self.problems) - set(PROBLEMS)
        if unknown:
            raise ValueError(f"unknown problems: {', '.join(sorted(unknown))}")

    @cached_property
    def id(self) -> str:
        """16 hexadecimal digits over what was tried, done and paid: the same wherever it was read from."""
        turns = [(turn.command, turn.observation, turn.exit_code, turn.submits) for turn in self.turns]
        return digest(self.task, self.trial, self.model, self.status.value, self.reward, turns)[:16]


def status_without_reward(exception: str | None) -> Status:
    """Why a trial has no reward, told by the name of the exception that its harness recorded.

    Harbor's names; those of its sandbox providers (``DaytonaError``, ``ModalError``, ...) are told by their endings. An
    agent that ran out of time is no reason by itself: Harbor grades what it left.
    """
    name = exception or ""
    if name == "VerifierTimeoutError":
        return Status.VERIFIER_TIMEOUT
    if name in {"RewardFileParseError", "VerifierOutputParseError"}:
        return Status.MALFORMED_REWARD
    if "Build" in name:
        return Status.BUILD_FAILED
    if name.startswith(("Agent", "RewardFile", "NonZeroAgentExitCode")) or not name:
        return Status.NO_REWARD_FILE
    return Status.SANDBOX_ERROR
