"""Detection on planted worlds: many sound tasks, defects of every cause planted on them, with references and without.

    python -m benchmarks.planted WORK                          # 8 instances of each of the 52 families, 4 variants each
    python -m benchmarks.planted WORK --per-family 2 --held-out without     # while working on probes

Builds worlds, plants and proves defects (``river-envs plant``), audits the corpus as it is and stripped of its
references, replays every finding, and prints recall, false alarms and names with intervals (bootstrap over families).
Each stage is kept in WORK and not done again; delete ``with.duckdb`` and ``without.duckdb`` there to audit anew.
Writes benchmarks/results/planted.json.

**Held out.** Families (``benchmarks.worlds.held_out``) and forms of defects (``held_forms`` below: of each cause with
three forms or more the one whose name has the smallest SHA-256) stay out of all tuning and are reported apart.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks.detection import Row, per_cause, read, show, summary

ROOT = Path(__file__).resolve().parent.parent
TOOL = str(Path(sys.executable).with_name("river-envs"))
PARTS = 8
"""Groups of families that are planted apart, several at a time; within one, rare causes come first."""


@cache
def held_forms() -> frozenset[tuple[str, str]]:
    """The (cause, form) pairs kept out of all tuning (see the module docstring for the rule)."""
    from river_envs.plant.registry import defects

    def rank(cause: str, form: str) -> str:
        return hashlib.sha256(f"{cause}:{form}".encode()).hexdigest()

    return frozenset(
        (cause, min(defect.forms, key=lambda form: rank(cause, form)))
        for cause, defect in defects().items()
        if len(defect.forms) >= 3
    )


def every_family() -> list[str]:
    """The names of all families of worlds."""
    from benchmarks.worlds import families

    return [family.name for family in families()]


def make(work: Path, options: argparse.Namespace) -> Path:
    """The planted corpus below ``work``: ``corpus/<part>/environments`` and one ``labels.csv`` for all."""
    labels = work / "labels.csv"
    if labels.exists():
        return labels
    from benchmarks.worlds import held_out
    from river_envs.causes import CAUSES

    wanted = {None: lambda name: True, "only": held_out().__contains__, "without": lambda name: name not in held_out()}
    names = [name for name in options.only or every_family() if wanted[options.held_out](name)]
    parts = [names[start::PARTS] for start in range(min(PARTS, len(names)))]
    with ThreadPoolExecutor(options.jobs) as pool:
        made = pool.map(lambda item: _part(work, f"part-{item[0]}", item[1], options), enumerate(parts))
        rows = pd.concat([_labels(work, part) for part in made])
        counts = rows["cause"].value_counts()
        rare = [cause for cause in options.cause or CAUSES if counts.get(cause, 0) < options.at_least]
        if rare:
            made = pool.map(lambda item: _part(work, *item), list(_further(rows, rare, options)))
            rows = pd.concat([rows, *(_labels(work, part) for part in made)])
    rows.to_csv(labels, index=False)
    return labels


def _further(
    rows: pd.DataFrame, rare: Sequence[str], options: argparse.Namespace
) -> Iterator[tuple[str, list[str], argparse.Namespace]]:
    """For each rare cause as many further instances as should do, of the families that carry it, with seeds of their
    own.
    """
    seed = options.seed + options.per_family
    for cause in rare:
        own = rows[rows["cause"] == cause]
        if len(own):
            rounds = math.ceil(options.per_family * (options.at_least - len(own)) / len(own)) + 1
            changed = {"cause": [cause], "per_environment": 1, "per_family": rounds, "seed": seed}
            yield f"rare-{cause}", sorted(set(own["family"])), argparse.Namespace(**{**vars(options), **changed})
            seed += rounds


def _part(work: Path, part: str, names: Collection[str], options: argparse.Namespace) -> str:
    """Build and plant one group of families; done when its tally is there."""
    from benchmarks.worlds.build import build

    tally, corpus, worlds = (work / kind / part for kind in ("tally", "corpus", "worlds"))
    if tally.exists():
        return part
    for left in (corpus, worlds):
        shutil.rmtree(left, ignore_errors=True)
    build(worlds, per_family=options.per_family, seed=options.seed, names=names)
    command = [TOOL, "plant", str(worlds), "-o", str(corpus), "--json", "--seed", str(options.seed)]
    command += ["--per-environment", str(options.per_environment)]
    for cause in options.cause or ():
        command += ["--cause", cause]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    tally.parent.mkdir(parents=True, exist_ok=True)
    tally.write_text(done.stdout)
    return part


def _labels(work: Path, part: str) -> pd.DataFrame:
    rows = pd.read_csv(work / "corpus" / part / "labels.csv", keep_default_na=False)
    rows["path"] = f"corpus/{part}/" + rows["path"]
    return rows


def stripped(work: Path, labels: Path) -> Path:
    """The same corpus without references, by links."""
    folder = work / "bare"
    if not folder.exists():
        making = work / "bare.part"
        shutil.rmtree(making, ignore_errors=True)
        for path in pd.read_csv(labels, keep_default_na=False)["path"]:
            shutil.copytree(
                work / path, making / path, copy_function=os.link, ignore=_solution_of(work / path), symlinks=True
            )
        making.rename(folder)
    return folder


def _solution_of(task: Path) -> Any:
    return lambda folder, names: ["solution"] if Path(folder) == task else []


def audit(corpus: Path, catalog: Path, effort: str) -> Path:
    """Ingest, audit and score ``corpus`` into ``catalog``, taking up what an earlier run left."""
    from river_cli.commands.demo import ALIASES
    from river_cli.workshop import watched
    from river_envs.audit.options import AuditOptions
    from river_envs.catalog import open_catalog
    from river_envs.formats.ingest import ingest
    from river_envs.scoring.run import score_catalog

    opened = open_catalog(catalog, create=True)
    ingest(opened, sorted(corpus.glob("*/environments")))
    watched(opened, AuditOptions(effort=effort, network=True), "bubblewrap", "benchmark", aliases=ALIASES)
    score_catalog(opened)
    return catalog


def replayed(catalog: Path, most: int | None) -> dict[str, Any]:
    """Replay findings of a catalog (at most so many, spread evenly) in fresh sandboxes; which did not come again."""
    from river_cli.commands.demo import ALIASES
    from river_cli.workshop import workshop
    from river_envs.audit.options import AuditOptions
    from river_envs.audit.replay import replay
    from river_envs.catalog import open_catalog

    opened, options = open_catalog(catalog), AuditOptions(network=True)
    identifiers = list(opened.sql("SELECT id FROM finding ORDER BY id")["id"])
    chosen = identifiers[:: 1 if most is None else max(1, -(-len(identifiers) // most))]
    with workshop("bubblewrap", ALIASES) as (backend, grading), ThreadPoolExecutor(os.cpu_count()) as pool:

        def one(identifier: str) -> tuple[str, bool]:
            finding = opened.finding(identifier)
            environment = opened.environment(finding.environment_id)
            results = opened.results([environment.id])[environment.id]
            again = replay(finding, environment, results, backend, options, grading(backend, options), opened.delta)
            return f"{environment.name}: {finding.cause} by {finding.probe}", again.reproduced

        done = list(pool.map(one, chosen))
    return {
        "findings": len(identifiers),
        "replayed": len(done),
        "reproduced": sum(same for _, same in done),
        "not_reproduced": sorted(name for name, same in done if not same),
    }


def groups(rows: Sequence[Row], reference: bool) -> dict[str, list[Row]]:
    """The rows by what was kept out of tuning, and without references by what can be proved there."""
    from benchmarks.worlds import held_out
    from river_envs.causes import CAUSES

    def kept(row: Row) -> bool:
        return row.family in held_out()

    asked = [row for row in rows if reference or row.sound or CAUSES[row.cause].without_reference]
    found = {
        "all": asked,
        "families tuned on": [row for row in asked if not kept(row)],
        "families held out": [row for row in asked if kept(row)],
        "forms held out": [row for row in asked if row.sound or (row.cause, row.form) in held_forms()],
        "families and forms held out": [
            row for row in asked if kept(row) and (row.sound or (row.cause, row.form) in held_forms())
        ],
    }
    return {name: own for name, own in found.items() if own}


def unprovable(rows: Sequence[Row]) -> dict[str, Any]:
    """Without references: what became of defects that cannot be proved there. None may be accused."""
    from river_envs.causes import CAUSES

    own = [row for row in rows if not row.sound and not CAUSES[row.cause].without_reference]
    said = Counter(row.verdict + (" with a lead" if row.leads else "") for row in own)
    return {
        "environments": len(own),
        "said": dict(said.most_common()),
        "accused": {row.name: [row.cause, *row.causes] for row in own if row.verdict == "defective"},
        "by_cause": per_cause(own),
    }


def report(work: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Run what is missing, print and return every figure."""
    labels = make(work, options)
    tallies = [json.loads(path.read_text()) for path in sorted((work / "tally").iterdir())]
    figures: dict[str, Any] = {"planting": _planting(tallies), "held_forms": sorted(map(list, held_forms()))}
    for name, corpus in (("with reference", work / "corpus"), ("without reference", stripped(work, labels) / "corpus")):
        catalog = audit(corpus, work / f"{name.split()[0]}.duckdb", options.effort)
        rows = read(catalog, labels)
        own: dict[str, Any] = {key: summary(part) for key, part in groups(rows, name == "with reference").items()}
        causes = per_cause(groups(rows, name == "with reference")["all"])
        print(f"\n# {name}\n")
        show(own, causes)
        figures[name] = {"groups": own, "causes": causes}
        if name == "without reference":
            figures[name]["unprovable"] = unprovable(rows)
            print(f"\nnot provable without a reference: {figures[name]['unprovable']['said']}")
        if options.replay != 0:
            figures[name]["replay"] = replayed(catalog, None if options.replay < 0 else options.replay)
            print(f"replayed: {figures[name]['replay']}")
    return figures


def _planting(tallies: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What was planted, what could not be carried, what was dropped because the defect did not show."""

    def counted(key: str, place: int) -> dict[str, int]:
        return dict(sorted(Counter(item[place] for tally in tallies for item in tally[key]).items()))

    planted: Counter[str] = Counter()
    for tally in tallies:
        planted.update(tally["planted"])
    return {
        "originals": sum(tally["originals"] for tally in tallies),
        "planted": dict(sorted(planted.items())),
        "cannot_carry": counted("cannot", 1),
        "dropped": counted("dropped", 1),
        "unsound_originals": [item for tally in tallies for item in tally["unsound"]],
    }


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("work", type=Path, help="a folder for everything that is made; taken up again when it exists")
    parser.add_argument("--per-family", type=int, default=8)
    parser.add_argument("--per-environment", type=int, default=4, help="variants of one original")
    parser.add_argument("--at-least", type=int, default=60, help="of a cause; more where they are rare")
    parser.add_argument("--seed", type=int, default=0, help="of the worlds and of the planting")
    parser.add_argument("--cause", action="append", help="plant this cause only; can be repeated")
    parser.add_argument("--only", action="append", help="this family only; can be repeated")
    parser.add_argument("--held-out", choices=("only", "without"), help="only the held-out families, or all others")
    parser.add_argument("--effort", default="standard")
    parser.add_argument("--replay", type=int, default=-1, help="how many findings of each catalog; -1 all, 0 none")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="groups of families planted at once")
    parser.add_argument("--output", type=Path, default=ROOT / "benchmarks" / "results" / "planted.json")
    options = parser.parse_args()
    figures = report(options.work, options)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
