"""Plant a whole corpus: audit the originals, make variants, prove them, write Harbor directories with labels.

The folder that comes out is a corpus like any other: ``environments/`` holds every sound original and every variant as
a Harbor task, ``labels.csv`` says what each is. Folder names and task names tell nothing about causes.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from river_envs.causes import CAUSES
from river_envs.environment import Environment, RiverError, digest
from river_envs.formats import harbor
from river_envs.formats.base import Bounds, RejectedInput
from river_envs.formats.tree import DirectoryTree
from river_envs.formats.writer import harbor_name, write_harbor
from river_envs.plant.base import CannotCarry, Planted, plant, shuffled
from river_envs.plant.workshop import Sound, Workshop

COLUMNS = (
    "path",
    "name",
    "format",
    "domain",
    "verifier_kind",
    "sound",
    "cause",
    "claim",
    "has_reference",
    "family",
    "twin",
    "form",
    "note",
)
TRIES = 3
"""How many seeds are tried for one cause before a variant whose defect does not show is given up."""


@dataclass(frozen=True)
class Original:
    """An environment believed sound, and the family that its variants will belong to."""

    environment: Environment
    family: str


@dataclass(frozen=True)
class PlantOptions:
    """``causes`` to plant; ``per_environment`` at most so many variants of one original, of the causes that are rarest
    so far; ``seed`` varies forms and choices.
    """

    causes: Sequence[str] = tuple(CAUSES)
    seed: int = 0
    per_environment: int | None = None

    def __post_init__(self) -> None:
        """Refuse causes that are not in the table."""
        for cause in self.causes:
            if cause not in CAUSES:
                raise RiverError(f"there is no cause {cause!r}: use one of {', '.join(CAUSES)}")


@dataclass
class Tally:
    """What a run made and what it left out, with the reasons. ``dropped`` are variants whose defect did not show."""

    originals: int = 0
    planted: Counter[str] = field(default_factory=Counter)
    unsound: list[tuple[str, str]] = field(default_factory=list)
    cannot: list[tuple[str, str, str]] = field(default_factory=list)
    dropped: list[tuple[str, str, str]] = field(default_factory=list)
    attempts: int = 0


Show = Callable[[str, Tally], None]


def plant_corpus(
    originals: Iterable[Original],
    workshop: Workshop,
    options: PlantOptions,
    output: Path,
    show: Show = lambda name, tally: None,
) -> Tally:
    """Write the originals that proved sound and their variants below ``output``, which must be new or empty.

    The labels are appended as they are made, so that a killed run leaves a corpus that holds what it had finished.
    """
    output.mkdir(parents=True, exist_ok=True)
    if any(output.iterdir()):
        raise RiverError(f"{output} is not empty: name a new folder for the planted corpus")
    tally = Tally()
    with open(output / "labels.csv", "w", newline="", encoding="utf-8") as handle:
        labels = csv.DictWriter(handle, COLUMNS, lineterminator="\n")
        labels.writeheader()
        for original in originals:
            for environment, row in _family(original, workshop, options, tally):
                folder = output / row["path"]
                write_harbor(environment, folder)
                labels.writerow(row)
                handle.flush()
            tally.attempts = workshop.attempts
            show(original.environment.name, tally)
    return tally


def _family(
    original: Original, workshop: Workshop, options: PlantOptions, tally: Tally
) -> Iterable[tuple[Environment, dict[str, str]]]:
    """The original and its variants, each with its row of the labels; nothing when the original is not sound."""
    name = original.environment.name
    try:
        environment = as_harbor(original.environment)
    except RiverError as problem:
        tally.unsound.append((name, str(problem)))
        return
    sound = workshop.audit(environment)
    if isinstance(sound, str):
        tally.unsound.append((name, sound))
        return
    tally.originals += 1
    yield environment, _row(environment, original.family, _slug(environment), None, "")
    made = 0
    for cause in _order(options, environment, tally):
        if options.per_environment is not None and made >= options.per_environment:
            return
        variant = _variant(sound, cause, options.seed, workshop, tally)
        if variant is None:
            continue
        made += 1
        tally.planted[cause] += 1
        mark = digest(environment.id, cause, options.seed)[:6]
        named = replace(variant.environment, name=f"{harbor_name(environment)}-{mark}")
        yield named, _row(named, original.family, f"{_slug(environment)}-{mark}", variant, harbor_name(environment))


def _order(options: PlantOptions, environment: Environment, tally: Tally) -> list[str]:
    """The causes to try, the rarest so far first when not all are wanted."""
    names = shuffled(options.seed, options.causes, environment.id)
    return names if options.per_environment is None else sorted(names, key=lambda cause: tally.planted[cause])


def _variant(sound: Sound, cause: str, seed: int, workshop: Workshop, tally: Tally) -> Planted | None:
    """A variant whose defect was shown, or None with the reason in the tally."""
    name, reason = sound.environment.name, ""
    for turn in range(TRIES):
        planted = plant(sound.environment, sound.state, cause, seed * TRIES + turn, sound.observed)
        if isinstance(planted, CannotCarry):
            if turn == 0:
                tally.cannot.append((name, cause, planted.reason))
                return None
            break
        disproved = workshop.disprove(sound, planted)
        if disproved is None:
            return planted
        reason = f"{planted.form}: {disproved}"
    tally.dropped.append((name, cause, reason))
    return None


def as_harbor(environment: Environment) -> Environment:
    """The environment as it comes back from its Harbor directory, whatever format it came from.

    Raises RiverError for what Harbor cannot hold.
    """
    import tempfile

    with tempfile.TemporaryDirectory() as scratch:
        folder = write_harbor(environment, Path(scratch) / "task")
        try:
            back = harbor.read(DirectoryTree(str(folder), environment.source, Bounds()))
        except RejectedInput as problem:
            raise RiverError(f"{environment.name!r} does not come back from a Harbor directory: {problem}") from problem
    return replace(back, name=environment.name)


def _slug(environment: Environment) -> str:
    return harbor_name(environment).replace("/", "-")


def _row(environment: Environment, family: str, slug: str, variant: Planted | None, twin: str) -> dict[str, str]:
    return {
        "path": f"environments/{slug}",
        "name": harbor_name(environment),
        "format": "harbor",
        "domain": environment.metadata.domain or "",
        "verifier_kind": environment.metadata.verifier_kind or "",
        "sound": "0" if variant else "1",
        "cause": variant.cause if variant else "",
        "claim": CAUSES[variant.cause].claim if variant else "",
        "has_reference": str(int(environment.reference is not None)),
        "family": family,
        "twin": twin,
        "form": variant.form if variant else "",
        "note": variant.note if variant else "",
    }
