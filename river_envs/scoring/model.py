"""How likely an environment is sound: a logistic model of what was counted about it, kept as JSON.

Verdicts stay rule-based and explainable; the model only ranks. Its probabilities hold for corpora in which as many
environments are sound as ``prior`` says and in which defects look like those of the labels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from math import exp, log, sqrt
from typing import TYPE_CHECKING, Any

from river_envs.catalog.records import Estimate
from river_envs.environment import RiverError
from river_envs.scoring.evidence import Evidence
from river_envs.scoring.features import FEATURES, readable

if TYPE_CHECKING:
    from river_envs.catalog import Catalog

SCHEMA = "river-envs/calibration/1"
PROVED = 0.05
"""The most that a defective environment gets, whatever else is known of it."""
_WIDTH = 1.645
"""Standard errors on each side of a 90 % interval."""


@dataclass(frozen=True)
class Term:
    """One feature in the model: logit += ``coefficient`` · (value − ``mean``) / ``scale``."""

    name: str
    mean: float
    scale: float
    coefficient: float


@dataclass(frozen=True)
class Model:
    """A fitted model. ``base_rate`` is the share of sound environments among the labels, ``prior`` the one that the
    probabilities are for. ``covariance`` is that of (intercept, coefficients). ``dropped`` says by feature why it is
    not in the model; ``about`` what it was trained on and how well it did on families it had not seen.
    """

    intercept: float
    terms: tuple[Term, ...]
    covariance: tuple[tuple[float, ...], ...]
    base_rate: float
    prior: float
    dropped: Mapping[str, str] = field(default_factory=dict)
    about: Mapping[str, Any] = field(default_factory=dict)

    def p_sound(self, evidence: Evidence) -> Estimate:
        """The probability with the interval that the labels leave (families drawn anew); unknown where nothing was
        answered. It says nothing of defects unlike those of the labels.
        """
        if not readable(evidence):
            return Estimate()
        read = {feature.name: feature.read for feature in FEATURES}
        row = [1.0] + [(read[term.name](evidence) - term.mean) / term.scale for term in self.terms]
        weights = [self.intercept, *(term.coefficient for term in self.terms)]
        middle = sum(weight * value for weight, value in zip(weights, row, strict=True)) + self._shift()
        spread = _WIDTH * sqrt(max(0.0, sum(a * b * c for a, line in zip(row, self.covariance, strict=True)
                                            for b, c in zip(row, line, strict=True))))  # fmt: skip
        most = PROVED if evidence.verdict == "defective" else 1.0
        return Estimate(*(min(most, logistic(part)) for part in (middle, middle - spread, middle + spread)))

    @property
    def said(self) -> str:
        """In words what it rests on."""
        labels = ", ".join(self.about.get("labels", ())) or "labels"
        return (
            f"logistic model of {self.about.get('rows', '?')} environments in {self.about.get('families', '?')}"
            f" families ({labels}); holds where {self.prior:.0%} are sound"
        )

    def _shift(self) -> float:
        """From the base rate of the labels to the prior (Elkan 2001; Saerens, Latinne and Decaestecker 2002): what
        environments of each kind look like stays, how many there are of each changes.
        """
        return logit(self.prior) - logit(self.base_rate)

    def as_json(self) -> dict[str, Any]:
        """As it is kept: plain JSON values."""
        terms, covariance = [asdict(term) for term in self.terms], [list(row) for row in self.covariance]
        return {"schema": SCHEMA, **asdict(self), "terms": terms, "covariance": covariance}


def from_json(data: Mapping[str, Any]) -> Model:
    """The model that ``as_json`` wrote. Raises RiverError for one that this release does not understand."""
    known = {feature.name for feature in FEATURES}
    try:
        values = {part.name: data[part.name] for part in fields(Model)}
        terms = tuple(Term(**term) for term in values.pop("terms"))
        covariance = tuple(tuple(row) for row in values.pop("covariance"))
        understood = data["schema"] == SCHEMA and {term.name for term in terms} <= known
    except (KeyError, TypeError, AttributeError):
        understood = False
    if not understood:
        raise RiverError("the calibration model is not one of this release; make it again with: river-envs calibrate")
    return Model(**values, terms=terms, covariance=covariance)


def with_prior(model: Model, prior: float | None) -> Model:
    """The model for a corpus in which the share ``prior`` is sound; as it is for None. Raises RiverError outside of
    (0, 1).
    """
    if prior is None:
        return model
    if not 0 < prior < 1:
        raise RiverError(f"--prior is the share of sound environments that you expect, between 0 and 1; got {prior:g}")
    return replace(model, prior=prior)


def default_model() -> Model | None:
    """The model that this release ships, or None where it ships none."""
    import json
    from importlib import resources

    file = resources.files("river_envs.scoring").joinpath("default_model.json")
    return from_json(json.loads(file.read_text(encoding="utf-8"))) if file.is_file() else None


def model_of(catalog: Catalog) -> Model | None:
    """The model that a catalog's numbers are computed with: its own, else the default one."""
    own = catalog.calibration()
    return from_json(own) if own else default_model()


def logit(p: float) -> float:
    """log(p / (1 − p))."""
    return log(p / (1 - p))


def logistic(x: float) -> float:
    """The inverse of ``logit``, without overflow."""
    return 1 / (1 + exp(-x)) if x >= 0 else exp(x) / (1 + exp(x))
