"""Planting is pure and complete: every cause, every form, no sandbox."""

from __future__ import annotations

import ast
from random import Random

import pytest

from river_envs.causes import CAUSES
from river_envs.environment import RiverError
from river_envs.plant import CannotCarry, Planted, plant
from river_envs.plant.registry import defects
from river_envs.plant.suite import read_suite

REWORDED = {"printed-answer", "self-report"}
IN_THE_IMAGE = {
    "image-answer",
    "reachable-oracle",
    "derivable-answer",
    "fixed-inputs",
    "build-fails",
    "movable-truth",
}
UNCARRIED = {
    "report": {"fixed-inputs"},
    "mirror": {"movable-truth", "over-specific-form", "printed-answer", "derivable-answer"},
}


def every_form(subject):
    for cause, defect in defects().items():
        for name, form in defect.forms.items():
            for seed in range(4):
                yield cause, name, form(subject, Random(f"{name}{seed}"))


def test_every_cause_has_a_defect_in_several_forms():
    assert set(defects()) == set(CAUSES)
    assert {cause for cause, defect in defects().items() if len(defect.forms) < 2} == set()
    assert all(form.__doc__ for defect in defects().values() for form in defect.forms.values())


@pytest.mark.parametrize("name", ["report", "mirror"])
def test_each_cause_is_carried_or_refused_with_a_reason(name, request):
    subject = request.getfixturevalue(f"{name}_subject")
    planted = set()
    for seed in range(6):
        for cause in CAUSES:
            made = plant(subject.environment, subject.state, cause, seed, subject.observed)
            assert isinstance(made, Planted) or made.reason
            planted |= {cause} if isinstance(made, Planted) else set()
    assert set(CAUSES) - planted == UNCARRIED[name]


@pytest.mark.parametrize("name", ["report", "mirror"])
def test_a_variant_changes_what_its_cause_needs_and_proves_it(name, request):
    subject = request.getfixturevalue(f"{name}_subject")
    for cause, form, made in every_form(subject):
        if isinstance(made, CannotCarry):
            assert made.reason, (cause, form)
            continue
        assert made.cause == cause
        assert made.environment.id != subject.environment.id, (cause, form)
        assert made.note, (cause, form)
        assert all(claim.candidates for claim in made.proof), (cause, form)
        assert made.proof, (cause, form)
        same = made.environment.instruction == subject.environment.instruction
        assert same != (cause in REWORDED), (cause, form)
        if cause not in IN_THE_IMAGE:
            assert made.environment.image == subject.environment.image, (cause, form)


@pytest.mark.parametrize("name", ["report", "mirror"])
def test_planted_tests_are_python(name, request):
    for cause, form, made in every_form(request.getfixturevalue(f"{name}_subject")):
        if isinstance(made, Planted) and (cause, form) != ("verifier-crashes", "syntax"):
            for file in made.environment.verifier.files:
                if file.path.endswith(".py"):
                    ast.parse(file.content)


def test_same_seed_same_variant_other_seed_other_forms(report_subject):
    subject = report_subject
    for cause in CAUSES:
        one, two = (plant(subject.environment, subject.state, cause, 5, subject.observed) for _ in range(2))
        assert one == two
    forms = {plant(subject.environment, subject.state, "image-answer", seed).form for seed in range(30)}
    assert len(forms) >= 4


def test_an_unknown_cause_is_named(report_subject):
    with pytest.raises(RiverError, match="no cause 'sloppy'"):
        plant(report_subject.environment, report_subject.state, "sloppy", 0)


def test_the_manner_of_the_tests_stays(report_subject):
    before = read_suite(report_subject.environment.verifier)
    for cause, form, made in every_form(report_subject):
        if isinstance(made, Planted) and cause != "verifier-crashes":
            after = read_suite(made.environment.verifier)
            assert (after.kind, after.module.path) == (before.kind, before.module.path), (cause, form)
