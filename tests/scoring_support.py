"""Evidence made by hand and at random, for tests that need exact control over what was counted."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

from hypothesis import strategies as st

from river_envs.catalog import JudgedRecord, open_catalog
from river_envs.formats.ingest import ingest
from river_envs.scoring.evidence import Asked, Evidence, Hit, Series, Suggestion, Survivors

LABELS = Path(__file__).resolve().parent.parent / "catalogs" / "river-mini" / "labels.csv"
TRIGGERS = ("rollout-visible", "feedback-learnable", "grading-runtime", "privileged")
WRONG = Hit("accepts-wrong", "existence-only", "typed-stubs", "adversarial", "rollout-visible", 2, 2, "abc")


def evidence(verdict="sound", **changes):
    """A sound environment with a reference: ten questions, mutants of two bands, nothing found."""
    fields = {
        "asked": (
            Asked("control", "rollout-visible", survived=1),
            Asked("adversarial", "rollout-visible", survived=9, not_applicable=5),
            Asked("equivalent", "rollout-visible", survived=3),
        ),
        "series": (Series("untouched", 0, 2), Series("reference", 1), Series("restored", 2)),
        "mutants": (Survivors("near", 1, 4), Survivors("middle", 0, 0), Survivors("far", 0, 3)),
        "reference": "survived",
    }
    return Evidence(verdict, **(fields | changes))


def resisted(of):
    """The same without a reference."""
    asked = tuple(row for row in of.asked if row.family in {"control", "adversarial"})
    series = tuple(row for row in of.series if row.name == "untouched")
    return replace(of, verdict="resisted", asked=asked, series=series, mutants=(), reference="not-applicable")


def made_up(row, number):
    """What an audit might have counted: half of the defects are proved, the rest leave a lead, so do a few sound."""
    sound = row["sound"] == "1"
    found = evidence() if row["has_reference"] == "1" else resisted(evidence())
    if not sound and number % 4 < 2:
        return replace(found, verdict="defective", hits=(WRONG,))
    lead = Suggestion("no-content-check", "static", ("accepts-wrong",))
    return replace(found, suggestions=() if sound and number % 7 else (lead,))


def river_mini(path):
    """A catalog of river-mini with a made-up verdict for each labelled environment; returns ``path``."""
    catalog = open_catalog(path, create=True)
    ingest(catalog, [LABELS.parent / "environments"])
    ids = dict(catalog.sql("SELECT name, id FROM environment").itertuples(index=False))
    with open(LABELS, newline="", encoding="utf-8") as handle:
        found = {ids[row["name"]]: made_up(row, number) for number, row in enumerate(csv.DictReader(handle))}
    with catalog.writer() as writer:
        writer.replace_judgements({name: JudgedRecord(one.verdict, evidence=one) for name, one in found.items()})
    return path


small = st.integers(0, 12)
hits = st.builds(
    lambda claim, family, trigger, shown, more, script: Hit(
        claim, "flaky", "probe", family, trigger, shown, shown + more, script
    ),
    st.sampled_from(["accepts-wrong", "leaks-answer", "rejects-right", "unstable", "broken"]),
    st.sampled_from(["control", "adversarial", "mutant", "equivalent", "determinism", "isolation", "reference"]),
    st.sampled_from(TRIGGERS),
    st.integers(1, 4),
    st.integers(0, 4),
    st.sampled_from(["", "a", "b"]),
)
suggestions = st.builds(
    Suggestion,
    st.sampled_from(["sleep", "clock", "random", "number-off"]),
    st.sampled_from(["static", "equivalent", "mutant"]),
    st.sets(st.sampled_from(["accepts-wrong", "rejects-right", "unstable", "broken"]), max_size=2).map(
        lambda claims: tuple(sorted(claims))
    ),
)
evidences = st.builds(
    Evidence,
    verdict=st.sampled_from(["sound", "resisted", "unverified", "defective"]),
    asked=st.lists(
        st.builds(
            Asked,
            st.sampled_from(["control", "adversarial", "equivalent", "determinism", "isolation"]),
            st.sampled_from(TRIGGERS),
            small, small, small, small, small, small,
        ),
        max_size=5,
    ).map(tuple),
    hits=st.lists(hits, max_size=3).map(tuple),
    series=st.lists(st.builds(Series, st.sampled_from(["untouched", "reference", "restored"]), small, small, small),
                    max_size=3, unique_by=lambda series: series.name).map(tuple),
    mutants=st.lists(
        st.tuples(st.sampled_from(["near", "middle", "far"]), small, small).map(
            lambda row: Survivors(row[0], row[1], row[1] + row[2])
        ),
        max_size=3, unique_by=lambda band: band.band,
    ).map(tuple),
    suggestions=st.lists(suggestions, max_size=4).map(tuple),
    reference=st.sampled_from(["survived", "hit", "not-applicable", "error"]),
    in_place=st.booleans(),
)  # fmt: skip


@st.composite
def worsened(draw):
    """(before, after): the same with one finding, lead or surviving mutant more; a finding that ranks makes the
    environment defective, and may be the answer to a question that was survived or open before."""
    before = draw(evidences)
    kind = draw(st.sampled_from(["finding", "lead", "mutant"]))
    if kind == "lead":
        return before, replace(before, suggestions=(*before.suggestions, draw(suggestions)))
    if kind == "mutant":
        band = draw(st.sampled_from(["near", "middle", "far"]))
        known = {row.band: row for row in before.mutants}
        old = known.get(band, Survivors(band, 0, 0))
        known[band] = Survivors(band, old.survived + 1, old.tried + 1)
        return before, replace(before, mutants=tuple(known.values()))
    hit = draw(hits)
    asked = list(before.asked)
    place = next((at for at, row in enumerate(asked) if (row.family, row.trigger) == (hit.family, hit.trigger)), None)
    was = draw(st.sampled_from(["survived", "not_run", "error", ""]))
    if place is not None and was and getattr(asked[place], was):
        row = asked[place]
        asked[place] = replace(row, hit=row.hit + 1, **{was: getattr(row, was) - 1})
    verdict = "defective" if hit.ranks else before.verdict
    return before, replace(before, verdict=verdict, hits=(*before.hits, hit), asked=tuple(asked))
