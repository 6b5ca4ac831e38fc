"""The bundled corpus is what its labels say: structure here, behaviour in test_river_mini_states.py."""

from __future__ import annotations

import importlib.util
import re
from collections import Counter
from types import ModuleType

import pytest
from river_mini_support import CORPUS, LABELS

from river_envs.causes import CAUSES
from river_envs.environment import Environment
from river_envs.formats.detect import read_all

DOMAINS = {
    "security", "software_engineering", "file_operations", "data_querying", "data_science", "debugging",
    "scientific_computing", "data_processing", "system_administration",
}
KINDS = {"exact_text", "metric_threshold", "adversarial_corpus", "fuzz_equivalence", "multi_protocol"}
FORMATS = {"harbor", "tmax", "tmax-parquet", "open-instruct", "terminal-bench-1"}
TWICE = {
    "pays-for-nothing", "existence-only", "printed-answer", "image-answer", "shape-only", "reference-fails", "flaky",
    "build-fails", "no-reward-file",
}
ANSWER_NAME = re.compile(r"truth|expected|answer|golden|label|solution|oracle|secret|hidden", re.IGNORECASE)
DECOYS = {
    "river-mini/order-revenue-join", "river-mini/sqlite-library-overdue", "river-mini/recover-lost-rates",
}


@pytest.fixture(scope="module")
def corpus() -> dict[str, Environment]:
    items = list(read_all([CORPUS]))
    assert [item for item in items if item.environment is None] == []
    return {item.environment.name: item.environment for item in items}


def test_every_environment_is_labelled_once(corpus):
    assert set(corpus) == set(LABELS)
    assert len(LABELS) >= 52
    assert len({environment.id for environment in corpus.values()}) == len(LABELS)
    assert [name for name, environment in corpus.items() if environment.unsupported] == []


def test_labels_agree_with_the_readers(corpus):
    for name, label in LABELS.items():
        environment = corpus[name]
        assert (CORPUS / label["path"]).exists(), name
        assert label["format"] == environment.format, name
        assert label["has_reference"] == str(int(environment.reference is not None)), name
        assert environment.metadata.domain in (label["domain"], None), name
        if environment.metadata.verifier_kind and "endless" not in label["path"]:
            assert environment.metadata.verifier_kind == label["verifier_kind"], name


def test_domains_kinds_and_formats_are_covered():
    for column, wanted in (("domain", DOMAINS), ("verifier_kind", KINDS), ("format", FORMATS)):
        assert {label[column] for label in LABELS.values()} == wanted


def test_half_is_sound_and_a_quarter_has_no_reference():
    share = sum(label["sound"] == "1" for label in LABELS.values()) / len(LABELS)
    assert 0.4 <= share <= 0.6
    without = sum(label["has_reference"] == "0" for label in LABELS.values()) / len(LABELS)
    assert 0.2 <= without <= 0.35


def test_causes_come_from_the_table():
    for name, label in LABELS.items():
        assert (label["sound"] == "1") == (label["cause"] == ""), name
        assert label["claim"] == (CAUSES[label["cause"]].claim if label["cause"] else ""), name
        assert bool(label["note"]) or label["sound"] == "1", name
    planted = Counter(label["cause"] for label in LABELS.values() if label["cause"])
    assert {cause for cause in TWICE if planted[cause] < 2} == set()
    unplanted = set(CAUSES) - set(planted)
    assert unplanted == {"network-dependent", "machine-dependent", "needs-service"}


def test_every_defect_has_a_healthy_look_alike():
    for name, label in LABELS.items():
        twin = LABELS[label["look_alike"]]
        assert twin["family"] == label["family"], name
        assert twin["sound"] != label["sound"], name


def test_environments_are_small(corpus):
    for name, environment in corpus.items():
        solution = environment.reference.files if environment.reference else ()
        files = (*environment.image.context, *environment.verifier.files, *solution)
        assert sum(len(file.content) for file in files) < 50_000, name


def test_instructions_have_a_persons_length(corpus):
    for name, environment in corpus.items():
        assert 45 <= len(environment.instruction.split()) <= 300, name


def test_sound_images_hold_no_answer_like_names_but_the_decoys(corpus):
    for name, environment in corpus.items():
        if LABELS[name]["sound"] == "1" and environment.format != "terminal-bench-1":
            found = [file.path for file in environment.image.context if ANSWER_NAME.search(file.path)]
            assert bool(found) == (name in DECOYS), name


def test_recipes_start_from_the_base(corpus):
    for name, environment in corpus.items():
        image = environment.image
        assert "river-mini/base:1" in (image.docker_image, *image.text.split()), name


def builder() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_archives", CORPUS / "build_archives.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_archives_are_rebuilt_from_their_sources(tmp_path):
    import pyarrow.parquet as parquet

    first, second = builder().build(tmp_path / "1"), builder().build(tmp_path / "2")
    for one, two in zip(first, second, strict=True):
        assert one.read_bytes() == two.read_bytes(), one.name
        committed = CORPUS / "environments" / one.relative_to(tmp_path / "1")
        if one.suffix == ".parquet":  # the bytes depend on pyarrow's version, the table does not
            assert parquet.read_table(one).equals(parquet.read_table(committed))
        else:
            assert one.read_bytes() == committed.read_bytes(), one.name
