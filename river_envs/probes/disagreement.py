"""A state that is graded differently from time to time: is the grade a function of Python's hash seed?

Python draws that seed anew for each process, so that a test that relies on the order of a set looks as if it tossed a
coin. Graded with fixed seeds it does not: each seed has its own grade, every time. Pure, like the probes that use it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from river_envs.environment import Environment
from river_envs.probes.base import (
    Action,
    Attempt,
    Background,
    Judgement,
    Probe,
    Restore,
    Result,
    Solve,
)
from river_envs.probes.judging import hit

ARM: Final = "seeded"
VARIABLE: Final = "PYTHONHASHSEED"
SEEDS: Final = (0, 1, 2, 3, 4, 5, 6, 7)
"""Graded once each until both grades were seen: a grade of one in two hides from all of them once in 128 times."""
KEPT: Final = 2
"""Seeds of each grade that are graded again."""
EACH: Final = 3
"""Gradings of each of those: a coin gives four seeds three equal grades each once in 256 times."""


def seeded(results: Sequence[Result]) -> list[Result]:
    """The attempts that look for the seed among ``results``."""
    return [result for result in results if result.attempt.arm == ARM]


def due(plain: Sequence[Result], gradings: int) -> bool:
    """Whether a series of ``gradings`` is complete, all of it graded, and disagrees; where processes matter, whether
    the gradings in place do.
    """
    in_place = Background(reference=tuple(plain)).in_place
    grades = {result.passed for result in plain if result.in_place or not in_place}
    return len(plain) >= gradings and len(grades) > 1 and all(result.graded for result in plain)


def follow_up(probe: Probe, environment: Environment, results: Sequence[Result]) -> list[Attempt]:
    """The next attempts that tell; none once nothing more can be learnt."""
    start: Action = Solve() if Background(reference=tuple(results)).in_place else Restore()
    done = seeded(results)
    if any(not result.graded or not result.effective for result in done) or _contradicted(done):
        return []
    grades = _grades(done)
    fresh = [seed for seed in SEEDS if seed not in grades]
    if len({grade for found in grades.values() for grade in found}) < 2 and fresh:
        return [_attempt(probe, environment, start, seed, 0) for seed in fresh[: 2 * KEPT]]
    chosen = _chosen(grades)
    if len({grades[seed][0] for seed in chosen}) < 2:
        return []
    repeat = min(len(grades[seed]) for seed in chosen)
    return [_attempt(probe, environment, start, seed, repeat) for seed in chosen] if repeat < EACH else []


def attribute(
    probe: Probe, environment: Environment, results: Sequence[Result], plain: Sequence[Result]
) -> Judgement | None:
    """The hit that names the seed, or None where the grade is no function of it. ``plain`` are the gradings without
    a fixed seed.
    """
    done = seeded(results)
    grades = _grades(done)
    told = [seed for seed in _chosen(grades) if len(grades[seed]) >= EACH]
    paid, refused = ([seed for seed in told if grades[seed][0] is wanted] for wanted in (True, False))
    if not paid or not refused or _contradicted(done) or any(not r.graded or not r.effective for r in done):
        return None
    proof = [result for result in done if _seed(result) in told]
    shown = (
        f"with {VARIABLE}={paid[0]} it passed {len(grades[paid[0]])} of {len(grades[paid[0]])} times,"
        f" with {VARIABLE}={refused[0]} none of {len(grades[refused[0]])}"
    )
    return hit(
        probe,
        environment,
        "unstable",
        "machine-dependent",
        [*plain, *proof],
        f"The same solution passed {sum(r.passed for r in plain)} of {len(plain)} gradings, as {VARIABLE} falls:"
        f" {shown}.",
        "Sort before comparing; never rely on the order of a set or on hash().",
        variable=VARIABLE,
        passing=paid,
        failing=refused,
        passed=sum(r.passed for r in plain),
        graded=len(plain),
    )


def _attempt(probe: Probe, environment: Environment, start: Action, seed: int, repeat: int) -> Attempt:
    question = f"Is the same state graded in one way with {VARIABLE}={seed}?"
    setting = ((VARIABLE, str(seed)),)
    return Attempt(environment.id, probe.id, probe.version, ARM, repeat, (start,), question, {}, setting)


def _seed(result: Result) -> int:
    return int(dict(result.attempt.conditions)[VARIABLE])


def _grades(done: Sequence[Result]) -> dict[int, list[bool]]:
    """The grades that each seed was given, seeds in the order of ``SEEDS`` whatever the order of ``done``."""
    found: dict[int, list[bool]] = {}
    for result in sorted(done, key=_seed):
        found.setdefault(_seed(result), []).append(result.passed)
    return found


def _contradicted(done: Sequence[Result]) -> bool:
    """Whether one seed was given both grades."""
    return any(len(set(found)) > 1 for found in _grades(done).values())


def _chosen(grades: dict[int, list[bool]]) -> list[int]:
    """The first seeds of each grade."""
    return [
        seed
        for grade in (True, False)
        for seed in [seed for seed, found in grades.items() if found[0] is grade][:KEPT]
    ]
