"""Write worlds as Harbor directories with their labels.

    python -m benchmarks.worlds.build -o DIR --per-family 3 --seed 0 [--no-reference] [--held-out only|without]

DIR must be new or empty. Each instance becomes ``DIR/<family>-<seed>``, and ``DIR/labels.csv`` says of each where it
is, what it asks for, and that it is sound.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Collection
from pathlib import Path

from river_envs.environment import RiverError
from river_envs.formats.writer import write_harbor

from . import families, held_out

COLUMNS = ("path", "name", "format", "domain", "verifier_kind", "sound", "cause", "has_reference", "family")


def build(
    directory: Path,
    *,
    per_family: int = 3,
    seed: int = 0,
    reference: bool = True,
    held: str | None = None,
    names: Collection[str] | None = None,
) -> list[dict[str, object]]:
    """Write ``per_family`` instances of each family, from ``seed`` on; returns the rows of labels.csv.

    ``held`` is ``only`` or ``without`` to choose by :func:`held_out`, None for all; ``names`` leaves other families
    out. Raises RiverError when the directory is not empty.
    """
    if directory.exists() and any(directory.iterdir()):
        raise RiverError(f"{directory} is not empty: name a new directory for the worlds")
    directory.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, object]] = []
    for family in families():
        if held and (family.name in held_out()) != (held == "only"):
            continue
        if names is not None and family.name not in names:
            continue
        for number in range(seed, seed + per_family):
            environment = family.make(number, reference=reference)
            path = f"{family.name}-{number}"
            write_harbor(environment, directory / path)
            values = (path, environment.name, "harbor", family.domain, family.kind, 1, "", int(reference), family.name)
            rows.append(dict(zip(COLUMNS, values, strict=True)))
    with open(directory / "labels.csv", "w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return rows


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(description="Write sound tasks as Harbor directories, with labels.csv.")
    parser.add_argument("-o", "--output", type=Path, required=True, help="a new or empty directory")
    parser.add_argument("--per-family", type=int, default=3, help="instances of each family (default 3)")
    parser.add_argument("--seed", type=int, default=0, help="the seed of the first instance (default 0)")
    parser.add_argument("--no-reference", action="store_true", help="leave the solutions out")
    parser.add_argument("--held-out", choices=("only", "without"), help="only the held-out families, or all others")
    chosen = parser.parse_args(arguments)
    try:
        rows = build(
            chosen.output, per_family=chosen.per_family, seed=chosen.seed, reference=not chosen.no_reference,
            held=chosen.held_out,
        )
    except RiverError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{len(rows)} environments of {len({row['family'] for row in rows})} families in {chosen.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
