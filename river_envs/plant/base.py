"""What a planted defect is: a sound environment changed so that its verifier fails in one named way, with the proof.

``plant`` is pure: the same environment, state, observations, cause and seed give the same variant on any machine. It
claims nothing by itself. Every variant carries a :class:`Demonstration` or several: states on which the planted
verifier errs while the original one does not. ``workshop.py`` executes them, and a variant whose defect does not show
is dropped and counted.

Nothing here knows how defects are looked for: plants describe what people get wrong, not what a probe finds.
"""

from __future__ import annotations

import inspect
from abc import ABC
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import ClassVar

from river_envs.causes import CAUSES
from river_envs.environment import Environment, RiverError
from river_envs.plant.subject import Observed, Subject
from river_envs.probes.base import Action, Restore
from river_envs.sandbox.base import Delta

Actions = tuple[Action, ...]
PAYS = frozenset({"pays"})
REFUSES = frozenset({"refuses"})
UNGRADED = frozenset(
    {"build-failed", "verifier-timeout", "no-reward-file", "malformed-reward", "verifier-crashed", "needs-network"}
)


@dataclass(frozen=True)
class Conditions:
    """Under what a state is graded: ``prefix`` is shell code that runs before the verifier (``export TZ=...``),
    ``one_processor`` pins the verifier to one, ``network`` starts the sandbox with one.
    """

    prefix: str = ""
    one_processor: bool = False
    network: bool = False


@dataclass(frozen=True)
class Demonstration:
    """One claim about a variant that can be executed.

    ``candidates`` are alternative attempts (actions from ``probes/base.py``; ``Restore`` starts from the state that
    the original's reference left): the claim holds when one of them gets a word in ``planted`` from the planted
    verifier and a word in ``original`` from the sound one (None: the sound one is not asked). Words are ``pays``,
    ``refuses`` and the names of the statuses without a grade. ``varies`` grades the state up to ``grades`` times, in
    turn under each of ``settings`` where there are some, and wants both a pass and a refusal.
    """

    sentence: str
    candidates: tuple[Actions, ...]
    planted: frozenset[str]
    original: frozenset[str] | None = None
    conditions: Conditions = field(default_factory=Conditions)
    settings: tuple[Conditions, ...] = ()
    varies: bool = False
    grades: int = 1


@dataclass(frozen=True)
class Planted:
    """A defective variant: ``note`` says in a sentence what was planted; ``proof`` shows it when executed."""

    environment: Environment
    cause: str
    note: str
    proof: tuple[Demonstration, ...]
    form: str = ""


@dataclass(frozen=True)
class CannotCarry:
    """Why an environment cannot have a defect of this cause."""

    reason: str


Form = Callable[[Subject, Random], Planted | CannotCarry]

UNTOUCHED: tuple[Actions, ...] = ((),)
RESTORED: tuple[Actions, ...] = ((Restore(),),)


def still_refuses_untouched() -> Demonstration:
    """The variant pays nothing for the untouched image."""
    return Demonstration("the untouched image is still refused", UNTOUCHED, REFUSES)


def still_pays_reference() -> Demonstration:
    """The variant accepts the state that the original's reference left."""
    return Demonstration("the reference's state is still accepted", RESTORED, PAYS)


class Defect(ABC):
    """One cause and the forms in which people plant it. Subclasses live one to a module of ``defects``.

    Each method whose name starts with ``form_`` is one form. The class docstring says what is changed and how the
    variant differs from a sound environment; a cause that is not in the table fails at import.
    """

    cause: ClassVar[str]

    def __init_subclass__(cls, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        if inspect.isabstract(cls) or not hasattr(cls, "cause"):
            return
        if cls.cause not in CAUSES:
            raise TypeError(f"defect {cls.__name__} has the unknown cause {cls.cause!r}")
        if not (cls.__doc__ or "").strip():
            raise TypeError(f"defect {cls.__name__} has no docstring")

    @cached_property
    def forms(self) -> dict[str, Form]:
        """The forms by name, in alphabetical order."""
        return {name[5:]: getattr(self, name) for name in sorted(dir(self)) if name.startswith("form_")}

    def plant(self, subject: Subject, seed: int) -> Planted | CannotCarry:
        """The first form, in an order that depends on ``seed``, which this environment can carry."""
        rng = Random(f"{self.cause}:{subject.environment.id}:{seed}")
        names = list(self.forms)
        rng.shuffle(names)
        refused = []
        for name in names:
            made = self.forms[name](subject, Random(f"{self.cause}:{name}:{subject.environment.id}:{seed}"))
            if isinstance(made, Planted):
                return Planted(made.environment, made.cause, made.note, made.proof, name)
            refused.append(made.reason)
        return CannotCarry("; ".join(sorted(set(refused))))

    def made(self, environment: Environment, note: str, *proof: Demonstration) -> Planted:
        """A variant of this cause."""
        return Planted(environment, self.cause, note, proof)


def plant(
    environment: Environment, state: Delta, cause: str, seed: int, observed: Observed | None = None
) -> Planted | CannotCarry:
    """A variant of the sound ``environment`` with a defect of ``cause``.

    ``state`` is the delta that its reference left, ``observed`` what else was seen then (calls of its programs, which
    outputs the untouched image already has). Raises RiverError for a cause that is not in the table.
    """
    from river_envs.plant.registry import defects

    found = defects().get(cause)
    if found is None:
        raise RiverError(f"there is no cause {cause!r}: use one of {', '.join(CAUSES)}")
    return found.plant(Subject(environment, state, observed or Observed()), seed)


def shuffled(seed: int, names: Sequence[str], salt: str) -> list[str]:
    """``names`` in an order that depends on ``seed`` and ``salt`` only."""
    order = list(names)
    Random(f"{seed}:{salt}").shuffle(order)
    return order
