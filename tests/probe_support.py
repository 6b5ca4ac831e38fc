"""Environments and results made by hand, for tests that need exact control over what a verifier said."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from river_envs.environment import Environment, File, ImageRecipe, Reference, Verifier
from river_envs.outcome import Outcome, Status
from river_envs.probes.base import (
    Attempt,
    Background,
    Judgement,
    NotApplicable,
    Probe,
    Put,
    Result,
    Step,
    Survey,
    describe,
)
from river_envs.sandbox.base import Base, Listing

FIND_TOTAL = """Read /app/orders.csv and compute the total of the column amount.
Write it to /app/total.json in this format, for example:

```json
{"total": 17, "currency": "EUR"}
```
"""


def environment(
    instruction: str = FIND_TOTAL, *, reference: bool = True, tests: str = "def test_x(): pass\n", **changes: object
) -> Environment:
    """A small Harbor environment."""
    return Environment(
        name="sample",
        source="test",
        format="harbor",
        instruction=instruction,
        image=ImageRecipe("dockerfile", "FROM river-mini/base:1\n"),
        verifier=Verifier(
            "harbor", (File("test.sh", b"pytest\n", 0o755), File("test_state.py", tests.encode())), "test.sh"
        ),
        reference=Reference("shipped", (File("solve.sh", b"true\n", 0o755),)) if reference else None,
        **changes,  # type: ignore[arg-type]
    )


def survey(*present: str) -> Survey:
    """A survey of an image that holds the files ``present``."""
    return Survey(tuple(Listing(path, "file", 10, 0o644) for path in sorted(present)), "/app")


def graded(attempt: Attempt, passed: bool) -> Result:
    """The attempt, carried out and graded."""
    receipt = tuple(Step(describe(action), True, 0) for action in attempt.actions)
    return Result(attempt, Outcome(Status.GRADED, float(passed), passed), receipt)


def failed(attempt: Attempt, status: Status, detail: str = "", **step: object) -> Result:
    """The attempt, ended without a grade."""
    receipt = (Step(dict(step), False),) if step else ()
    return Result(attempt, Outcome(status, detail=detail), receipt)


def controls(env: Environment, *, passed: bool = False, bases: Sequence[Base] = ()) -> Background:
    """A background in which the untouched image scored 0 (or passed)."""
    attempts = [Attempt(env.id, "untouched", 1, repeat=repeat) for repeat in range(2)]
    return Background(tuple(graded(attempt, passed) for attempt in attempts), (), tuple(bases))


def written(attempt: Attempt) -> dict[str, bytes]:
    """What the attempt's puts leave: absolute path to content."""
    return {
        "/" + file.path: file.content for action in attempt.actions if isinstance(action, Put) for file in action.files
    }


def ask(
    probe: Probe,
    env: Environment,
    seen: Survey,
    verifier: Callable[[Attempt], bool],
    background: Background | None = None,
) -> Judgement | NotApplicable:
    """Put ``probe`` to a verifier given as a function from attempt to pass, as the audit would, and judge."""
    background = background or controls(env)
    planned = probe.plan(env, seen)
    if isinstance(planned, NotApplicable):
        return planned
    results: list[Result] = []
    while planned:
        results += [graded(attempt, verifier(attempt)) for attempt in planned]
        done = {result.attempt.id for result in results}
        planned = [attempt for attempt in probe.more(env, results, background) if attempt.id not in done]
    results.sort(key=lambda result: (result.attempt.repeat, result.attempt.arm))
    return probe.judge(env, results, background)
