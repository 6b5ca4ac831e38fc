"""The figures of probabilities, against cases that can be told by hand."""

from __future__ import annotations

import numpy as np
import pytest

from river_envs.scoring.figures import calibration_error, expected_loss, figures, reliability, slope_and_intercept


def drawn(predicted, seed=1):
    return (np.random.default_rng(seed).random(len(predicted)) < predicted).astype(float)


@pytest.fixture(scope="module")
def honest():
    predicted = np.random.default_rng(0).beta(1, 1, 20_000)
    return predicted, drawn(predicted)


def test_honest_probabilities_have_no_error(honest):
    assert calibration_error(*honest) < 0.01
    slope, intercept = slope_and_intercept(*honest)
    assert (slope, intercept) == (pytest.approx(1, abs=0.05), pytest.approx(0, abs=0.05))


def test_a_shift_is_the_error():
    predicted = np.full(5000, 0.7)
    assert calibration_error(predicted, drawn(np.full(5000, 0.5))) == pytest.approx(0.2, abs=0.02)


def test_noise_is_taken_off():
    """With few rows to a bin the plain error of honest probabilities is near 0.2; half of the time noise is all."""
    errors = []
    for seed in range(200):
        predicted = np.random.default_rng(seed).random(60)
        errors.append(calibration_error(predicted, drawn(predicted, seed + 1000)))
    assert np.mean([error**2 for error in errors]) < 0.01
    assert np.mean([error == 0 for error in errors]) > 0.3


def test_overconfidence_is_a_slope_below_one(honest):
    predicted, sound = honest
    bold = predicted**2 / (predicted**2 + (1 - predicted) ** 2)
    assert slope_and_intercept(bold, sound)[0] == pytest.approx(0.5, abs=0.05)


def test_the_loss_of_each_way_to_decide():
    predicted, sound = np.array([0.9, 0.9, 0.2, 0.6]), np.array([1.0, 0.0, 0.0, 1.0])
    once, five = expected_loss(predicted, sound)
    assert (once["cost"], once["dropped"]) == (1, 0.25)
    assert (once["model"], once["flag_all"], once["flag_none"], once["random"]) == (0.25, 0.5, 0.5, 0.5)
    assert (five["dropped"], five["model"]) == (0.5, pytest.approx((5 + 1) / 4))  # below 5/6: the last two
    assert (five["flag_all"], five["flag_none"]) == (0.5, 2.5)
    assert five["random"] == pytest.approx(0.5 * 0.5 + 0.5 * 2.5)


def test_the_reliability_curve_counts_every_row_once(honest):
    curve = reliability(*honest)
    assert sum(row["rows"] for row in curve) == 20_000
    assert [row["predicted"] for row in curve] == sorted(row["predicted"] for row in curve)
    assert all(row["low"] <= row["sound"] <= row["high"] for row in curve)


def test_one_kind_of_rows_alone_has_no_skill_and_no_slope():
    found = figures(np.array([0.9, 0.8, 0.7]), np.ones(3), ["a", "b", "c"])
    assert (found["brier_skill"], found["slope"]) == (None, None)
    assert found["brier"] == pytest.approx((0.01 + 0.04 + 0.09) / 3)


def test_the_interval_takes_families_as_a_whole():
    predicted = np.full(400, 0.5)
    sound = np.repeat([1.0, 0.0], 200)
    alike = figures(predicted, sound, [str(number // 40) for number in range(400)])
    apart = figures(predicted, sound, [str(number) for number in range(400)])
    assert alike["calibration_error_high"] > apart["calibration_error_high"]
    assert figures(predicted, sound, [str(number) for number in range(400)]) == apart
