"""The probability that an environment is sound: priors, bounds, and that bad news never raises it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scoring_support import WRONG, evidence, evidences, worsened

from river_envs.catalog.records import Estimate
from river_envs.environment import RiverError
from river_envs.scoring.evidence import Evidence
from river_envs.scoring.features import FEATURES, features
from river_envs.scoring.model import (
    PROVED,
    Model,
    Term,
    default_model,
    from_json,
    logistic,
    logit,
    with_prior,
)


def model(weights, intercept=0.0, **changes):
    """A model with the magnitudes ``weights``, each with the sign of its feature."""
    terms = tuple(
        Term(feature.name, 0.3, 0.7, feature.sign * weight) for feature, weight in zip(FEATURES, weights, strict=False)
    )
    size = len(terms) + 1
    covariance = tuple(tuple(0.01 * (row == column) for column in range(size)) for row in range(size))
    return Model(intercept, terms, covariance, 0.4, changes.pop("prior", 0.4), **changes)


models = st.builds(
    model,
    st.lists(st.floats(0, 3), min_size=len(FEATURES), max_size=len(FEATURES)),
    st.floats(-2, 4),
    prior=st.floats(0.01, 0.99),
)


@given(models, worsened())
def test_bad_news_never_raises_it(fitted, change):
    before, after = (fitted.p_sound(each).value for each in change)
    assert before is None or after <= before + 1e-12


@given(worsened())
def test_bad_news_moves_every_feature_against_the_environment_or_not_at_all(change):
    for feature, before, after in zip(FEATURES, *map(features, change), strict=True):
        assert feature.sign * (after - before) <= 1e-12, feature.name


@given(models, evidences)
def test_it_lies_in_its_interval_and_is_low_for_a_proven_defect(fitted, found):
    estimate = fitted.p_sound(found)
    if estimate.value is not None:
        assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1
        proved = fitted.p_sound(replace(found, verdict="defective", hits=(WRONG,)))
        assert proved.high <= PROVED


def test_where_nothing_was_answered_nothing_is_known():
    assert model([1.0]).p_sound(Evidence("unverified")) == Estimate()


def test_a_prior_shifts_the_odds_by_what_the_base_rates_differ():
    fitted = model([1.0, 0.5], 0.3)
    before, after = fitted.p_sound(evidence()).value, with_prior(fitted, 0.1).p_sound(evidence()).value
    odds = (0.1 / 0.9) / (0.4 / 0.6)
    assert after / (1 - after) == pytest.approx(odds * before / (1 - before))
    assert with_prior(fitted, 0.4).p_sound(evidence()).value == pytest.approx(before)
    assert with_prior(fitted, None) is fitted


@pytest.mark.parametrize("prior", [0, 1, -0.2, 1.5, float("nan")])
def test_a_prior_that_is_no_share(prior):
    with pytest.raises(RiverError, match="between 0 and 1"):
        with_prior(model([1.0]), prior)


def test_a_model_is_kept_as_json():
    fitted = model([1.0, 2.0], dropped={"forms": "never varies"}, about={"rows": 3})
    assert from_json(json.loads(json.dumps(fitted.as_json()))) == fitted


@pytest.mark.parametrize(
    "changes", [{"schema": "other/1"}, {"terms": [{"name": "colour", "mean": 0, "scale": 1, "coefficient": 1}]},
                {"terms": None}, {"covariance": 3}]
)  # fmt: skip
def test_a_model_of_another_release_is_refused(changes):
    with pytest.raises(RiverError, match="river-envs calibrate"):
        from_json({**model([1.0]).as_json(), **changes})


def test_the_default_model_can_be_read_where_there_is_one():
    shipped = default_model()
    assert shipped is None or 0 < shipped.p_sound(evidence()).value < 1


@given(st.floats(-700, 700))
def test_logistic_has_no_overflow(x):
    assert 0 <= logistic(x) <= 1
    if abs(x) < 30:
        assert logit(logistic(x)) == pytest.approx(x, abs=1e-2)
