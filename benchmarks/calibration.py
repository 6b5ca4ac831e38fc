"""The default calibration model: fitted to planted worlds, and measured on families that it has not seen.

    python -m benchmarks.calibration --corpus WORK/with.duckdb WORK/labels.csv with \\
                                     --corpus WORK/without.duckdb WORK/labels.csv without

Takes catalogs that ``benchmarks.planted`` audited (each is copied first and scored anew), with their labels and whether
references were there. Prints the figures of ``river-envs calibrate``, also for each kind of corpus and for the families
kept out of all work on the probes, and writes benchmarks/results/calibration.json, the model that the package ships
(river_envs/scoring/default_model.json) and its data card (docs/default-model.md). ``--dry-run`` writes the figures
only.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.worlds import held_out
from river_envs.catalog.merge import open_catalog_any
from river_envs.report.calibration import figure_tables, model_table
from river_envs.scoring.calibrate import Row, calibrate
from river_envs.scoring.features import FEATURES
from river_envs.scoring.labelled import labelled
from river_envs.scoring.model import Model
from river_envs.scoring.run import score_catalog

ROOT = Path(__file__).resolve().parent.parent
HELD_OUT = "families held out of all work on the probes"


def rows_of(catalog: Path, labels: Path, kind: str) -> Iterator[Row]:
    """The labelled environments of one corpus; the catalog itself is not touched."""
    with tempfile.TemporaryDirectory() as folder:
        for part in catalog.parent.glob(f"{catalog.name}*"):
            copy = shutil.copytree if part.is_dir() else shutil.copy2
            copy(part, Path(folder) / part.name)
        opened = open_catalog_any(Path(folder) / catalog.name)
        score_catalog(opened, "attempts > 0")
        for row in labelled(opened, [labels]).rows:
            groups = [f"{kind} references", f"{kind} references, {row.evidence.verdict}"]
            groups += [HELD_OUT] if row.family in held_out() else []
            yield replace(row, groups=tuple(groups))


def card(model: Model, figures: Mapping[str, Mapping[str, Any]]) -> str:
    """The data card of the default model, in Markdown."""
    whole = figures["all"]
    lines = [
        "# The default calibration model",
        "Written by `benchmarks/calibration.py`, together with `river_envs/scoring/default_model.json`. What its"
        " numbers mean, and how to fit one to labels of your own: [calibration.md](calibration.md).",
        "## What it was fitted to",
        f"{whole['rows']:,} audited environments in {whole['families']} families of generated tasks, of which"
        f" {whole['share_sound']:.1%} are sound. They are planted worlds: every defect was put in on purpose and proved"
        " by running it. The same tasks with and without their references count as two.",
        "**Its probabilities hold for that mix**: for corpora in which as many environments are sound, and whose"
        " defects look like planted ones. `river-envs calibrate --prior P` corrects the first; only labels of your own"
        " (`--labels`) correct the second. Tasks, defects and probes have the same authors.",
        "## How good it is on families that it has not seen",
        "Five-fold cross-validation by family; intervals (95 %) by drawing families again.",
        "\n".join(_table(figures)),
        "## What it reads",
        "\n".join(_terms(model)),
    ]
    return "\n\n".join(lines) + "\n"


def _table(figures: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    yield "| rows | environments | sound | Brier | skill | slope | intercept | calibration error |"
    yield "|---|---|---|---|---|---|---|---|"
    for name, row in figures.items():
        numbers = ("–" if row[part] is None else f"{row[part]:.3f}" for part in
                   ("brier", "brier_skill", "slope", "intercept"))  # fmt: skip
        error = "{calibration_error:.3f} [{calibration_error_low:.3f}, {calibration_error_high:.3f}]".format_map(row)
        yield f"| {name} | {row['rows']:,} | {row['share_sound']:.1%} | {' | '.join(numbers)} | {error} |"


def _terms(model: Model) -> Iterator[str]:
    yield "| feature | coefficient of one standard deviation | meaning |"
    yield "|---|---|---|"
    weights = {term.name: f"{term.coefficient:+.3f}" for term in model.terms}
    for feature in FEATURES:
        shown = weights.get(feature.name) or f"left out: {model.dropped[feature.name]}"
        yield f"| `{feature.name}` | {shown} | {feature.meaning} |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--corpus", nargs=3, action="append", required=True, metavar=("CATALOG", "LABELS", "KIND"),
                        help="a catalog, its labels, and with or without (references); can be repeated")  # fmt: skip
    parser.add_argument("--dry-run", action="store_true", help="write the figures, neither model nor card")
    parser.add_argument("--output", type=Path, default=ROOT / "benchmarks" / "results" / "calibration.json")
    parser.add_argument("--model", type=Path, default=ROOT / "river_envs" / "scoring" / "default_model.json")
    parser.add_argument("--card", type=Path, default=ROOT / "docs" / "default-model.md")
    options = parser.parse_args(arguments)
    if wrong := [kind for _, _, kind in options.corpus if kind not in {"with", "without"}]:
        parser.error(f"KIND is with or without, not {wrong[0]}")
    rows = [row for catalog, labels, kind in options.corpus for row in rows_of(Path(catalog), Path(labels), kind)]
    made = calibrate(rows, {"labels": ["planted worlds"]})
    console = Console(highlight=False)
    for table in (*figure_tables(made.figures), model_table(made.model)):
        console.print(table)
    options.output.parent.mkdir(parents=True, exist_ok=True)
    figures = {"figures": made.figures, "model": made.model.as_json()}
    options.output.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
    if not options.dry_run:
        options.model.write_text(json.dumps(made.model.as_json(), indent=1) + "\n", encoding="utf-8")
        options.card.write_text(card(made.model, made.figures), encoding="utf-8")


if __name__ == "__main__":
    main()
