"""Fitting: it finds what is there, refuses coefficients that contradict their meaning, and is measured on families that
it has not seen."""

from __future__ import annotations

import numpy as np
import pytest
from scoring_support import WRONG, evidence, resisted

from river_envs.environment import RiverError
from river_envs.scoring.calibrate import FEWEST, Row, calibrate, fit
from river_envs.scoring.evidence import Evidence, Suggestion
from river_envs.scoring.features import FEATURES, features
from river_envs.scoring.model import logistic

NAMES = [feature.name for feature in FEATURES]


def labelled(count=400, families=40, seed=0):
    """Environments whose leads say how likely they are sound; every eighth defect is proved."""
    chance = np.random.default_rng(seed)
    rows = []
    for number in range(count):
        leads = int(chance.integers(0, 4))
        sound = bool(chance.random() < logistic(1.5 - 1.2 * leads))
        found = evidence() if number % 2 else resisted(evidence())
        changes = {"suggestions": tuple(Suggestion(f"rule-{n}", "static", ("accepts-wrong",)) for n in range(leads))}
        if not sound and number % 8 == 0:
            changes |= {"verdict": "defective", "hits": (WRONG,)}
        rows.append(Row(Evidence(**{**vars(found), **changes}), sound, f"family-{number % families}", ("planted",)))
    return rows


def test_it_learns_what_the_labels_say():
    made = calibrate(labelled(), {"labels": ["x.csv"]})
    weights = {term.name: term.coefficient for term in made.model.terms}
    assert weights["leads-wrong"] < -0.5
    assert weights["defective"] < 0
    assert made.model.dropped["privileged"] == "never varies"
    assert made.model.about["labels"] == ["x.csv"]
    assert (made.model.about["rows"], made.model.about["families"]) == (400, 40)
    assert made.figures["all"]["brier_skill"] > 0.1
    assert made.figures["all"]["calibration_error"] < 0.1
    assert set(made.figures) == {"all", "not called defective", "planted"}


def test_the_same_rows_give_the_same_model():
    assert calibrate(labelled()) == calibrate(labelled())


def test_no_coefficient_contradicts_its_meaning():
    """Labels turned round: everything that speaks against an environment seems to speak for it."""
    turned = [Row(row.evidence, not row.sound, row.family) for row in labelled()]
    made = calibrate(turned).model
    signs = {feature.name: feature.sign for feature in FEATURES}
    assert all(term.coefficient * signs[term.name] >= 0 for term in made.terms)
    assert "contradicts" in made.dropped["leads-wrong"]


def test_where_nothing_is_left_the_base_rate_is():
    values = np.zeros((40, len(FEATURES)))
    values[:, NAMES.index("leads-wrong")] = np.arange(40) % 2
    sound = values[:, NAMES.index("leads-wrong")] * (np.arange(40) % 4 > 0)
    made = fit(values, sound, [str(n) for n in range(40)])
    assert made.terms == ()
    assert made.p_sound(evidence()).value == pytest.approx(sound.mean())


def test_more_families_narrow_the_interval():
    def width(count):
        rows = labelled(count, count // 10)
        values = np.array([features(row.evidence) for row in rows])
        made = fit(values, np.array([float(row.sound) for row in rows]), [row.family for row in rows])
        estimate = made.p_sound(evidence())
        return estimate.high - estimate.low

    assert width(2000) < width(200)


def test_predictions_come_from_models_that_have_not_seen_the_family():
    """A family whose label only its own rows tell: a model that saw them would know it."""
    rows = [Row(evidence(), number % 20 < 10, f"family-{number % 20}") for number in range(200)]
    measured = calibrate(rows).figures["all"]
    assert measured["brier"] >= 0.25
    assert measured["families"] == 20


@pytest.mark.parametrize("rows", [[], labelled(15), labelled(400, families=FEWEST - 1),
                                  [Row(row.evidence, True, row.family) for row in labelled()]])  # fmt: skip
def test_too_few_labels_are_refused(rows):
    with pytest.raises(RiverError, match="calibration needs 10 audited environments of each kind in 10 families"):
        calibrate(rows)


def test_a_kind_that_one_family_holds_cannot_be_validated():
    rows = [Row(evidence(), number >= 20, "one" if number < 20 else f"f{number}") for number in range(60)]
    with pytest.raises(RiverError, match="label more families"):
        calibrate(rows)


def test_environments_without_any_answer_are_left_out():
    silent = [Row(Evidence("unverified"), False, "x")] * 50
    assert calibrate([*labelled(), *silent]).model.about["rows"] == 400
