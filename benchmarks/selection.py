"""What the filter keeps of planted worlds in which 64 % are defective, as in the public TMax corpus.

    python -m benchmarks.selection --corpus WORK/with.duckdb WORK/labels.csv with \\
                                   --corpus WORK/without.duckdb WORK/labels.csv without

Takes catalogs that ``benchmarks.planted`` audited; those of one kind are merged. For each of five seeds all sound
environments and so many defective ones, as many of each cause, that they are 64 % of the corpus are filtered with
``--keep 0.3``: by rank alone, and with ``--purity``. P(sound) comes from models that saw nothing of the environment's
family (five folds), corrected to the prior of 36 %. Printed: the share of the kept that is truly sound, with a
bootstrap over families, how many of the places are filled that could be (the smaller of the places and the sound ones
that are no near-duplicates of each other), and what the same number at random, stratified and by quality alone would
be. Labels are read here only, to compare, and in the folds, to fit. Writes benchmarks/results/selection.json.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pandas as pd

from river_envs.catalog import Catalog
from river_envs.catalog.merge import merge, open_catalog_any
from river_envs.scoring.calibrate import Row, predicted_unseen
from river_envs.scoring.features import readable
from river_envs.scoring.labels import families, read_labels
from river_envs.scoring.run import score_catalog
from river_envs.selection.candidates import candidates
from river_envs.selection.choose import choose, places
from river_envs.selection.compare import compare
from river_envs.selection.dedupe import duplicates
from river_envs.selection.gates import Candidate
from river_envs.selection.quotas import allot
from river_envs.selection.request import Request
from river_envs.signatures import ensure_signatures

ROOT = Path(__file__).resolve().parent.parent
SOUND = 0.36
DRAWS = 2000


def merged(folder: Path, sources: Sequence[Path]) -> Catalog:
    """One catalog of all ``sources``, which stay as they are, scored by this version."""
    copies = []
    for number, source in enumerate(sources):
        place = folder / str(number)
        place.mkdir()
        for part in source.parent.glob(f"{source.name}*"):
            (shutil.copytree if part.is_dir() else shutil.copy2)(part, place / part.name)
        copies.append(place / source.name)
    for other in copies[1:]:
        merge(copies[0], other)
    catalog = open_catalog_any(copies[0])
    score_catalog(catalog, "attempts > 0")
    ensure_signatures(catalog)
    return catalog


def interval(kept: Sequence[Candidate], truth: Mapping[str, bool], family: Mapping[str, str]) -> tuple[float, float]:
    """The 95 % interval of the share that is truly sound, whole families drawn again."""
    groups: dict[str, list[bool]] = defaultdict(list)
    for one in kept:
        groups[family[one.id]].append(truth[one.id])
    names, chance, found = sorted(groups), random.Random(0), []
    for _ in range(DRAWS):
        drawn = [value for name in chance.choices(names, k=len(names)) for value in groups[name]]
        found.append(sum(drawn) / len(drawn))
    found.sort()
    return found[int(0.025 * DRAWS)], found[int(0.975 * DRAWS) - 1]


def drawn(
    everyone: Sequence[Candidate], truth: Mapping[str, bool], causes: Mapping[str, str], seed: int
) -> list[Candidate]:
    """All sound ones, and so many defective ones that they are 64 % of all, as many of each cause as there are."""
    sound = [one for one in everyone if truth[one.id]]
    groups: dict[tuple[str, ...], list[Candidate]] = defaultdict(list)
    for one in everyone:
        if not truth[one.id]:
            groups[(causes[one.name],)].append(one)
    number = round(len(sound) * (1 - SOUND) / SOUND)
    counts = allot(number, dict.fromkeys(groups, 1), {cause: len(own) for cause, own in groups.items()})
    chance = random.Random(seed)
    return [*sound, *(one for cause in sorted(groups) for one in chance.sample(groups[cause], counts[cause]))]


def measure(
    catalog: Catalog,
    rows: Mapping[str, Row],
    truth: Mapping[str, bool],
    causes: Mapping[str, str],
    options: argparse.Namespace,
) -> Any:
    """The figures of one kind of corpus; ``rows`` by environment id."""
    family = {id: row.family for id, row in rows.items()}
    chances = dict(zip(rows, predicted_unseen(list(rows.values()), prior=SOUND), strict=True))
    signatures = catalog.signatures()
    place = {id: at for at, id in enumerate(signatures.ids)}
    everyone = [
        replace(one, p_sound=chances[one.id]) for one in candidates(catalog) if one.id in chances
    ]
    figures = []
    for seed in range(options.seeds):
        corpus = drawn(everyone, truth, causes, seed)
        sound = [place[one.id] for one in corpus if truth[one.id]]
        apart = len(sound) - len(duplicates(sound, signatures))
        fillable = min(places(options.keep, len(corpus)), apart)
        for name, purity in (("by rank", None), (f"purity {options.purity:g}", options.purity)):
            request = Request(options.keep, seed=seed, purity=purity)
            decisions = choose(corpus, request, signatures)
            kept = [one.candidate for one in decisions if one.kept]
            ways = compare(decisions, request, signatures, truth) if purity is None else ()
            figures.append({
                "seed": seed,
                "choice": name,
                "environments": len(corpus),
                "families": len({family[one.id] for one in corpus}),
                "truly_sound": sum(truth[one.id] for one in corpus) / len(corpus),
                "places": places(options.keep, len(corpus)),
                "sound_apart": apart,
                "kept": len(kept),
                "filled": len(kept) / fillable,
                "purity": sum(truth[one.id] for one in kept) / max(len(kept), 1),
                "purity_families": interval(kept, truth, family) if kept else None,
                "wrongly_kept": sorted(one.name for one in kept if not truth[one.id]),
                "compared": [asdict(one) for one in ways],
            })  # fmt: skip
    return figures


def main(arguments: Sequence[str] | None = None) -> None:
    """Merge, draw, filter, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--corpus", nargs=3, action="append", required=True, metavar=("CATALOG", "LABELS", "KIND"),
                        help="a catalog, its labels, and with or without (references); can be repeated")  # fmt: skip
    parser.add_argument("--keep", type=float, default=0.3)
    parser.add_argument("--purity", type=float, default=0.92)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--output", type=Path, default=ROOT / "benchmarks" / "results" / "selection.json")
    options = parser.parse_args(arguments)
    figures = {}
    for kind in dict.fromkeys(kind for _, _, kind in options.corpus):
        own = [(Path(catalog), Path(labels)) for catalog, labels, name in options.corpus if name == kind]
        with tempfile.TemporaryDirectory() as folder:
            catalog = merged(Path(folder), [source for source, _ in own])
            sources = [read_labels(path, catalog) for _, path in own]
            truth = {id: sound for source in sources for id, sound in source.sound.items()}
            counted = {id: seen for id, seen in catalog.evidence(truth).items() if readable(seen)}
            family = families(sources, catalog, sorted(counted))
            rows = {id: Row(seen, truth[id], family[id]) for id, seen in counted.items()}
            causes = pd.concat([pd.read_csv(path, keep_default_na=False) for _, path in own]).set_index("name")["cause"]
            figures[kind] = measure(catalog, rows, truth, causes.to_dict(), options)
        print(f"\n# {kind} references\n")
        for row in figures[kind]:
            low, high = row["purity_families"] or (0.0, 0.0)
            print(
                f"seed {row['seed']} {row['choice']:<12} of {row['environments']} ({row['families']} families, "
                f"{row['truly_sound']:.1%} sound) kept {row['kept']} of {row['places']} places, "
                f"{row['purity']:.1%} truly sound [{low:.1%}, {high:.1%}], filled {row['filled']:.2f}"
            )
            for one in row["compared"] if row["seed"] == 0 else ():
                print(f"    {one['name']:<18} {one['truly_sound']:.1%} truly sound, domain distance "
                      f"{one['distance']:.3f}, {one['duplicates']:.0f} duplicates")  # fmt: skip
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
