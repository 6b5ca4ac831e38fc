"""How good probabilities are, measured on rows that the model was not fitted to.

``predicted`` is the probability that an environment is sound, ``sound`` 1 or 0; rows of one family are alike, so that
intervals come from drawing whole families again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

BINS = 10
DRAWS = 500
COSTS = (1.0, 5.0)
"""What keeping a defective environment costs, where dropping a sound one costs 1."""


def figures(predicted: Numbers, sound: Numbers, families: Sequence[str], seed: int = 0) -> dict[str, Any]:
    """Every figure of one set of rows; those that need both kinds of rows are None where there is one only."""
    rate = float(sound.mean())
    brier = float(((predicted - sound) ** 2).mean())
    reference = rate * (1 - rate)
    slope, intercept = slope_and_intercept(predicted, sound) if 0 < rate < 1 else (None, None)
    error = calibration_error(predicted, sound)
    low, high = _over_families(predicted, sound, families, seed)
    return {
        "rows": len(sound),
        "families": len(set(families)),
        "share_sound": rate,
        "mean_predicted": float(predicted.mean()),
        "brier": brier,
        "brier_skill": 1 - brier / reference if reference else None,
        "slope": slope,
        "intercept": intercept,
        "calibration_error": error,
        "calibration_error_low": low,
        "calibration_error_high": high,
        "reliability": reliability(predicted, sound),
        "expected_loss": expected_loss(predicted, sound),
    }


def _bins(predicted: Numbers) -> list[NDArray[np.intp]]:
    """The rows in ``BINS`` groups of equal size by their prediction; fewer where there are too few rows for that."""
    import numpy as np

    count = max(1, min(BINS, len(predicted) // 2))
    return np.array_split(np.argsort(predicted, kind="stable"), count)


def calibration_error(predicted: Numbers, sound: Numbers) -> float:
    """The debiased root mean square distance of predicted and observed shares in bins of equal size (Kumar, Liang and
    Ma 2019): the noise ȳ(1 − ȳ)/(n − 1) of each observed share is taken off. 0 where it is all noise.
    """
    total = 0.0
    for rows in _bins(predicted):
        if len(rows) > 1:
            seen = float(sound[rows].mean())
            square = (float(predicted[rows].mean()) - seen) ** 2 - seen * (1 - seen) / (len(rows) - 1)
            total += len(rows) / len(sound) * square
    return float(max(0.0, total) ** 0.5)


def _over_families(predicted: Numbers, sound: Numbers, families: Sequence[str], seed: int) -> tuple[float, float]:
    """The 95 % interval of the calibration error when whole families are drawn again."""
    import numpy as np

    names, codes = np.unique(np.asarray(families), return_inverse=True)
    rows = [np.flatnonzero(codes == code) for code in range(len(names))]
    chance = np.random.default_rng(seed)
    found = []
    for _ in range(DRAWS):
        drawn = np.concatenate([rows[code] for code in chance.integers(len(names), size=len(names))])
        found.append(calibration_error(predicted[drawn], sound[drawn]))
    low, high = np.quantile(found, (0.025, 0.975))
    return float(low), float(high)


def slope_and_intercept(predicted: Numbers, sound: Numbers) -> tuple[float, float]:
    """Logistic regression of the truth on the predicted logit (Cox 1958): 1 and 0 are right; a slope below 1 means that
    the predictions are too far from the middle.
    """
    import numpy as np
    from sklearn.linear_model import LogisticRegression

    inside = np.clip(predicted, 1e-6, 1 - 1e-6)
    logits = np.log(inside / (1 - inside)).reshape(-1, 1)
    fitted = LogisticRegression(C=1e6, solver="newton-cholesky").fit(logits, sound)
    return float(fitted.coef_[0][0]), float(fitted.intercept_[0])


def reliability(predicted: Numbers, sound: Numbers) -> list[dict[str, float]]:
    """The curve: for each bin how many rows, what was predicted on average, and the share that was sound with its 90 %
    interval."""
    from river_envs.scoring.intervals import jeffreys

    found = []
    for rows in _bins(predicted):
        seen = jeffreys(int(sound[rows].sum()), len(rows))
        found.append({
            "rows": len(rows), "predicted": float(predicted[rows].mean()), "sound": float(sound[rows].mean()),
            "low": seen.low, "high": seen.high,
        })  # fmt: skip
    return found


def expected_loss(predicted: Numbers, sound: Numbers) -> list[dict[str, float]]:
    """The mean cost of an environment under each of ``COSTS``, when those are dropped whose prediction says that
    keeping them costs more; beside dropping all, dropping none, and dropping as many at random.
    """
    rate = float(sound.mean())
    found = []
    for cost in COSTS:
        dropped = predicted < cost / (1 + cost)
        share = float(dropped.mean())
        found.append({
            "cost": cost,
            "dropped": share,
            "model": float((dropped * sound + ~dropped * cost * (1 - sound)).mean()),
            "flag_all": rate,
            "flag_none": cost * (1 - rate),
            "random": share * rate + (1 - share) * cost * (1 - rate),
        })  # fmt: skip
    return found
