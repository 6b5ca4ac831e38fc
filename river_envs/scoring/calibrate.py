"""Fit the model that says how likely an environment is sound, and measure it on families that it has not seen.

Logistic regression (scikit-learn, L2, C = 1, on standardised features). A feature whose coefficient contradicts its
meaning is dropped and the rest fitted again: what is known to speak against an environment must never speak for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from river_envs.environment import RiverError
from river_envs.scoring.evidence import Evidence
from river_envs.scoring.features import FEATURES, features, readable
from river_envs.scoring.figures import figures
from river_envs.scoring.model import Model, Term, logit, with_prior

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

FOLDS = 5
FEWEST = 10
"""Environments of each kind, and families, below which nothing is fitted."""


@dataclass(frozen=True)
class Row:
    """One labelled environment. ``groups`` name parts of the rows that are also measured by themselves."""

    evidence: Evidence
    sound: bool
    family: str
    groups: tuple[str, ...] = ()


@dataclass(frozen=True)
class Calibrated:
    """The model of all rows, and the figures of the predictions for families that a fold did not see."""

    model: Model
    figures: Mapping[str, Mapping[str, Any]]


def calibrate(rows: Sequence[Row], about: Mapping[str, Any] | None = None) -> Calibrated:
    """Fit all rows, and cross-validate grouped by family. The same rows in the same order give the same model.

    Raises RiverError where there are too few rows of one kind, or too few families.
    """
    import numpy as np

    rows = [row for row in rows if readable(row.evidence)]
    _check(rows)
    values = np.array([features(row.evidence) for row in rows])
    sound = np.array([float(row.sound) for row in rows])
    families = [row.family for row in rows]
    predicted = _unseen(rows, values, sound, families)
    called = np.array([row.evidence.verdict == "defective" for row in rows])
    parts = {"all": np.ones(len(rows), bool), "not called defective": ~called}
    for group in dict.fromkeys(group for row in rows for group in row.groups):
        parts[group] = np.array([group in row.groups for row in rows])
    measured = {
        name: figures(predicted[part], sound[part], [families[place] for place in np.flatnonzero(part)])
        for name, part in parts.items() if part.any()
    }  # fmt: skip
    told = {"rows": len(rows), "families": len(set(families)), "unseen_families": measured["all"], **(about or {})}
    return Calibrated(fit(values, sound, families, told), measured)


def predicted_unseen(rows: Sequence[Row], prior: float | None = None) -> list[float]:
    """P(sound) of each row by a model that saw nothing of its family, for a corpus in which the share ``prior`` is
    sound (None: as in the rows). Raises RiverError as ``calibrate`` does.
    """
    import numpy as np

    _check(rows)
    values = np.array([features(row.evidence) for row in rows])
    sound = np.array([float(row.sound) for row in rows])
    return [float(chance) for chance in _unseen(rows, values, sound, [row.family for row in rows], prior)]


def fit(values: Numbers, sound: Numbers, families: Sequence[str], about: Mapping[str, Any] | None = None) -> Model:
    """The model of these rows; ``values`` is (rows, len(FEATURES))."""
    import numpy as np
    from sklearn.linear_model import LogisticRegression

    means, scales = values.mean(axis=0), values.std(axis=0)
    kept = [place for place in range(len(FEATURES)) if scales[place] > 1e-9]
    dropped = {FEATURES[place].name: "never varies" for place in range(len(FEATURES)) if place not in kept}
    rate = float(sound.mean())
    intercept, weights = logit(rate), np.zeros(0)
    while kept:
        scaled = (values[:, kept] - means[kept]) / scales[kept]
        fitted = LogisticRegression(C=1.0, solver="newton-cholesky", tol=1e-8).fit(scaled, sound)
        along = fitted.coef_[0] * [FEATURES[place].sign for place in kept]
        worst = int(np.argmin(along))
        if along[worst] >= 0:
            intercept, weights = float(fitted.intercept_[0]), fitted.coef_[0]
            break
        dropped[FEATURES[kept.pop(worst)].name] = f"its coefficient ({fitted.coef_[0][worst]:+.3f}) contradicts it"
    scaled = (values[:, kept] - means[kept]) / scales[kept]
    return Model(
        intercept,
        tuple(
            Term(FEATURES[place].name, float(means[place]), float(scales[place]), float(weight))
            for place, weight in zip(kept, weights, strict=True)
        ),
        _covariance(scaled, sound, families, intercept, weights),
        base_rate=rate,
        prior=rate,
        dropped=dropped,
        about=about or {},
    )


def _covariance(
    scaled: Numbers, sound: Numbers, families: Sequence[str], intercept: float, weights: Numbers
) -> tuple[tuple[float, ...], ...]:
    """Of (intercept, coefficients), families taken as the units that were drawn (the sandwich of Liang and Zeger 1986).
    """
    import numpy as np

    design = np.column_stack([np.ones(len(scaled)), scaled])
    expected = 1 / (1 + np.exp(-(intercept + scaled @ weights)))
    curvature = (design * (expected * (1 - expected))[:, None]).T @ design
    curvature += np.diag([1e-9, *np.ones(len(weights))])  # the penalty, which leaves the intercept alone
    names, codes = np.unique(np.asarray(families), return_inverse=True)
    pulls = np.zeros((len(names), design.shape[1]))
    np.add.at(pulls, codes, design * (sound - expected)[:, None])
    bread = np.linalg.inv(curvature)
    found = bread @ (pulls.T @ pulls) @ bread * len(names) / max(1, len(names) - 1)
    return tuple(tuple(float(value) for value in line) for line in found)


def _unseen(
    rows: Sequence[Row], values: Numbers, sound: Numbers, families: Sequence[str], prior: float | None = None
) -> Numbers:
    """For each row the prediction of a model that saw nothing of its family."""
    import numpy as np
    from sklearn.model_selection import GroupKFold

    predicted = np.zeros(len(rows))
    folds = GroupKFold(min(FOLDS, len(set(families))))
    for seen, unseen in folds.split(values, sound, families):
        if len(set(sound[seen])) < 2:
            raise RiverError("nearly all environments of one kind are of one family: label more families")
        model = with_prior(fit(values[seen], sound[seen], [families[place] for place in seen]), prior)
        for place in unseen:
            predicted[place] = model.p_sound(rows[place].evidence).value
    return predicted


def _check(rows: Sequence[Row]) -> None:
    kinds = {kind: sum(row.sound is kind for row in rows) for kind in (True, False)}
    if min(kinds.values()) < FEWEST or len({row.family for row in rows}) < FEWEST:
        raise RiverError(
            f"calibration needs {FEWEST} audited environments of each kind in {FEWEST} families; the labels give"
            f" {kinds[True]} sound and {kinds[False]} defective ones in {len({row.family for row in rows})} families"
        )
