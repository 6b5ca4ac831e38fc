"""Execute what variants claim: audit the originals first, then show on both verifiers that a planted defect is real."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from river_envs.audit.attempt import Grade, Workplace, run_attempt
from river_envs.environment import Environment, File, digest
from river_envs.outcome import Outcome, Status
from river_envs.plant.base import Actions, Conditions, Demonstration, Planted
from river_envs.plant.record import calls_of, recorder
from river_envs.plant.subject import Observed, Subject
from river_envs.probes.base import Attempt, Put, Restore, Run, Solve, describe
from river_envs.sandbox.base import Backend, BuildFailed, Delta, Image, SandboxError

MOST_CANDIDATES = 14
PLAIN = Conditions()
_PINNED = (
    "exec python3 -c 'import os, sys; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}); "
    "os.execvp(sys.argv[1], sys.argv[1:])'"
)


@dataclass(frozen=True)
class Sound:
    """An original that was audited: untouched 0, reference 1, and 1 again from the state alone.

    ``in_place`` is true where the state alone is not paid because the reference leaves processes behind: a ``Restore``
    then means that the original's reference is run again.
    """

    environment: Environment
    state: Delta
    observed: Observed
    in_place: bool = False

    def actions(self, actions: Actions) -> Actions:
        """``actions`` as they have to be run for this original."""
        reference = self.environment.reference
        if not self.in_place or reference is None:
            return actions
        limit = self.environment.limits.agent_timeout_sec
        again = (Put(reference.files, "/solution"), Run(f"bash /solution/{reference.entry}", limit))
        return tuple(step for action in actions for step in (again if isinstance(action, Restore) else (action,)))


class Workshop:
    """Runs attempts on one backend. ``grading`` gives the grading of an image and an environment."""

    def __init__(self, backend: Backend, grading: Callable[[Image, Environment], Grade]) -> None:
        self.backend = backend
        self.grading = grading
        self.attempts = 0
        self._words: dict[str, str] = {}
        self._grades: dict[str, Grade] = {}

    def audit(self, environment: Environment) -> Sound | str:
        """The environment as a sound original, or why it cannot be one."""
        if environment.unsupported:
            return f"unsupported: {environment.unsupported[0]}"
        if environment.reference is None:
            return "it has no reference"
        word = self.word(environment, (), None)
        if word != "refuses":
            return f"the untouched image is not refused: {word}"
        outcome, state = self._attempt(environment, (Solve(),), None, PLAIN, repeat=0)
        if state is None or not outcome.passed:
            return f"the reference is not paid: {_word(outcome)}"
        if self.word(environment, (Restore(),), state) == "pays":
            return Sound(environment, state, self._observe(environment, state))
        sound = Sound(environment, state, self._observe(environment, state), in_place=True)
        word = self.word(environment, sound.actions((Restore(),)), state)
        return sound if word == "pays" else f"the reference is not paid again: {word}"

    def disprove(self, sound: Sound, planted: Planted) -> str | None:
        """Why the variant is not what it claims to be; None when every demonstration holds."""
        for claim in planted.proof:
            seen = self._holds(sound, planted.environment, claim)
            if seen is not None:
                return f"not shown: {claim.sentence} ({seen})"
        return None

    def _holds(self, sound: Sound, variant: Environment, claim: Demonstration) -> str | None:
        if claim.varies:
            words = set()
            for repeat in range(claim.grades):
                settings = claim.settings or (claim.conditions,)
                under_these = settings[repeat % len(settings)]
                actions = sound.actions(claim.candidates[0])
                words.add(self.word(variant, actions, sound.state, under_these, repeat))
                if words == {"pays", "refuses"}:
                    return None
            return f"{claim.grades} grades: {', '.join(sorted(words))}"
        seen = []
        for candidate in claim.candidates[:MOST_CANDIDATES]:
            actions = sound.actions(candidate)
            word = self.word(variant, actions, sound.state, claim.conditions)
            other = None
            if word in claim.planted:
                if claim.original is None:
                    return None
                other = self.word(sound.environment, actions, sound.state, claim.conditions)
                if other in claim.original:
                    return None
            seen.append(word if other is None else f"{word}, the original {other}")
        return "; ".join(dict.fromkeys(seen)) or "nothing to try"

    def word(
        self,
        environment: Environment,
        actions: Actions,
        state: Delta | None,
        conditions: Conditions = PLAIN,
        repeat: int = 0,
    ) -> str:
        """What the verifier says after ``actions``: pays, refuses, or the name of a status without a grade.

        ``not-done`` where an action took no effect. Equal questions are asked once.
        """
        described = [describe(action) for action in actions]
        key = digest(environment.id, state.digest if state else None, described, str(conditions), repeat)
        if key not in self._words:
            outcome, _ = self._attempt(environment, actions, state, conditions, repeat)
            self._words[key] = _word(outcome)
        return self._words[key]

    def _attempt(
        self, environment: Environment, actions: Actions, state: Delta | None, conditions: Conditions, repeat: int
    ) -> tuple[Outcome, Delta | None]:
        judged = under(environment, conditions)
        try:
            place = self._place(judged, conditions.network)
        except BuildFailed as error:
            return Outcome(Status.BUILD_FAILED, detail=str(error), log=error.log), None
        self.attempts += 1
        attempt = Attempt(judged.id, "plant", 1, repeat=repeat, actions=actions)
        result, left = run_attempt(place, judged, attempt, state)
        if any(
            not step.done
            for step, action in zip(result.receipt, actions, strict=False)
            if not isinstance(action, Solve)
        ):
            return Outcome(Status.SANDBOX_ERROR, detail="not-done"), None
        return result.outcome, left

    def _place(self, environment: Environment, network: bool) -> Workplace:
        image = self.backend.build(environment.image, timeout_sec=environment.limits.build_timeout_sec)
        key = f"{environment.image.digest}:{environment.verifier.digest}"
        if key not in self._grades:
            self._grades[key] = self.grading(image, environment)
        return Workplace(self.backend, image, self._grades[key], network)

    def _observe(self, environment: Environment, state: Delta) -> Observed:
        """Which outputs the untouched image has, and how the verifier calls the programs among them."""
        subject = Subject(environment, state, Observed())
        place = self._place(environment, network=False)
        existing = set()
        try:
            with place.backend.start(place.image, limits=place.limits(environment)) as sandbox:
                for output in subject.outputs:
                    try:
                        sandbox.get(output.path, limit=1)
                        existing.add(output.path)
                    except OSError:
                        continue
            calls = []
            if subject.programs:
                with place.backend.start(place.image, delta=state, limits=place.limits(environment)) as sandbox:
                    sandbox.put(recorder(subject.programs))
                    if place.grade(sandbox, environment).passed:
                        calls = calls_of(sandbox, subject.programs)
        except SandboxError:
            calls = []  # observations widen the choice of forms; without them some are left out
        return Observed(tuple(calls), frozenset(existing))


def under(environment: Environment, conditions: Conditions) -> Environment:
    """The environment whose verifier runs under ``conditions`` (the network apart, which belongs to the sandbox)."""
    if not conditions.prefix and not conditions.one_processor:
        return environment
    verifier = environment.verifier
    launcher = _PINNED if conditions.one_processor else "exec"
    script = f"#!/bin/bash\n{conditions.prefix}\n{launcher} bash /tests/{verifier.entry}\n"
    entry = File("under-conditions.sh", script.encode(), 0o755)
    return replace(environment, verifier=replace(verifier, files=(*verifier.files, entry), entry=entry.path))


def _word(outcome: Outcome) -> str:
    if outcome.status is Status.GRADED:
        return "pays" if outcome.passed else "refuses"
    return "not-done" if outcome.detail == "not-done" else outcome.status.value
