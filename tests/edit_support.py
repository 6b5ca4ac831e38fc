"""States made by hand: a reference's delta, and verifiers as functions of the files that an attempt leaves."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from probe_support import ask, environment, survey

from river_envs.environment import Environment, File, Verifier
from river_envs.probes.base import Attempt, Judgement, NotApplicable, Probe, Put, Remove, Restore, Solve, Survey
from river_envs.sandbox.base import Change, Delta

REPORT = """The sales of last week are in `/app/sales.csv` (`region,amount`). Compute the totals.

Write `/app/report.json`, a JSON object with the keys `total` (the sum of all amounts), `average`, and `top` (the name
of the region that sold most).

Write `/app/regions.csv` with the header `region,amount` and one row for every region, sorted by `region`.
"""
REFERENCE = {
    "/app/report.json": b'{"total": 4812, "average": 37.25, "top": "Oslo"}\n',
    "/app/regions.csv": b"region,amount\nBergen,1201\nMolde,77\nOslo,3534\n",
}
Files = dict[str, bytes]


def naming(*words: str, **more: object) -> Environment:
    """The report's environment with tests that name these words."""
    tests = "\n".join(f'check("{word}")' for word in words)
    return environment(REPORT, tests=tests, **more)


def said(instruction: str, tests: str = "", **more: object) -> Environment:
    """An environment with an instruction and the text of its tests."""
    return environment(instruction, tests=tests, **more)


def solved(files: Mapping[str, bytes] = REFERENCE, *present: str, modes: Mapping[str, int] = {}) -> Survey:
    """A survey of an image whose reference left ``files``."""
    changes = [Change(path.strip("/"), "file", modes.get(path, 0o644), content=files[path]) for path in sorted(files)]
    seen = survey("/app/sales.csv", *present)
    return Survey(seen.listing, seen.workdir, Delta(tuple(changes)))


def state(attempt: Attempt, reference: Mapping[str, bytes], image: Mapping[str, bytes] = {}) -> Files:
    """The files that an attempt's actions leave."""
    files: Files = dict(image)
    for action in attempt.actions:
        match action:
            case Restore(without):
                files.update({path: content for path, content in reference.items() if path not in without})
            case Solve():
                files.update(reference)
            case Put(put, root):
                files.update({f"{root.rstrip('/')}/{file.path}": file.content for file in put})
            case Remove(paths):
                for path in paths:
                    del files[path]
    return files


def modes_of(attempt: Attempt) -> dict[str, int]:
    """The modes of the files that the attempt puts."""
    puts = [action for action in attempt.actions if isinstance(action, Put)]
    return {"/" + file.path: file.mode for put in puts for file in put.files}


def put_to(
    probe: Probe,
    env: Environment,
    check: Callable[[Files], bool],
    files: Mapping[str, bytes] = REFERENCE,
    *present: str,
    seen: Survey | None = None,
    image: Mapping[str, bytes] = {},
) -> Judgement | NotApplicable:
    """Ask ``probe`` about a verifier that looks at the files only; it must reward the reference's state."""
    assert check({**image, **files}), "the verifier must reward the reference"
    return ask(probe, env, seen or solved(files, *present), lambda attempt: check(state(attempt, files, image)))


def causes(judgement: Judgement | NotApplicable) -> list[str]:
    """The causes of the findings; none where the probe does not apply."""
    return [finding.cause for finding in getattr(judgement, "findings", ())]


def with_program(env: Environment, name: str, content: bytes) -> Environment:
    """The environment with one more file among its tests."""
    from dataclasses import replace

    files = (*env.verifier.files, File(name, content))
    return replace(env, verifier=Verifier("harbor", files, "test.sh"))
