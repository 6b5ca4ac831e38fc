"""TMax corpus directories: three generations of keys, fixtures, and what %files names."""

import json

import pytest
from formats.format_tasks import RECIPE, read_one, tmax_files, write_tree

from river_envs.formats.base import Bounds, Found, Rejected

NEW_KEYS = {
    "domain": "debugging", "skill_type": "repair", "primitive_skills": ["gdb"], "task_complexity": "Intricate (many)",
    "command_complexity": "bash-only: no code", "scenario": "s", "language": "c", "anchor": None,
    "verifier_kind": "fuzz_equivalence", "fixture_kind": "stripped_binary", "corpus_kind": "v2", "base_image": None,
}


def test_new_keys_and_a_null_base_image(tmp_path):
    item = read_one(write_tree(tmp_path / "tmax" / "task_1", tmax_files(NEW_KEYS)))
    assert isinstance(item, Found)
    environment = item.environment
    assert environment.instruction == "Sum the csv."
    assert environment.image.kind == "apptainer"
    assert [file.path for file in environment.image.context] == ["fixtures/data.csv", "setup.sh"]
    assert environment.verifier.protocol == "pytest"
    assert [file.path for file in environment.verifier.files] == ["test_final_state.py"]
    assert environment.verifier.timeout_sec == 120
    assert environment.reference is None
    assert environment.workdir == "/home/user"
    metadata = environment.metadata
    assert (metadata.verifier_kind, metadata.fixture_kind, metadata.corpus_kind) == (
        "fuzz_equivalence", "stripped_binary", "v2",
    )
    assert (metadata.task_complexity, metadata.command_complexity) == ("intricate", "bash-only")
    assert metadata.truth == "total = 3"


@pytest.mark.parametrize("task", [{}, {"domain": "security"}, {"base_image": None, "verifier_kind": None}])
def test_old_keys_get_the_stated_defaults(tmp_path, task):
    metadata = read_one(write_tree(tmp_path / "t", tmax_files(task))).environment.metadata
    found = (metadata.verifier_kind, metadata.fixture_kind, metadata.corpus_kind)
    assert found == ("exact_text", "text_only", "legacy")


def test_endless_terminals_three_keys(tmp_path):
    files = tmax_files(**{"setup.sh": None, "fixtures/data.csv": None, "solutions/model_summary.json": None})
    files["task.json"] = json.dumps({"description": "Do it.", "truth": "<x/>", "name": "task_000000_9cc1e5be"})
    environment = read_one(write_tree(tmp_path / "task_000000_9cc1e5be", files)).environment
    assert (environment.name, environment.metadata.truth) == ("task_000000_9cc1e5be", "<x/>")


def test_files_section_brings_what_it_names(tmp_path):
    more = "    /elsewhere/task_1/extra/tool.py /opt/tool.py\n    ../../etc/passwd /x\n\n%post"
    recipe = RECIPE.replace("%post", more)
    files = tmax_files(**{"container.def": recipe, "extra/tool.py": "pass\n", "unnamed.txt": "left out"})
    environment = read_one(write_tree(tmp_path / "t", files)).environment
    assert [file.path for file in environment.image.context] == ["extra/tool.py", "fixtures/data.csv", "setup.sh"]


def test_solver_summaries_are_not_read(tmp_path):
    files = tmax_files(**{"solutions/model_summary.json": "x" * 5000})
    assert isinstance(read_one(write_tree(tmp_path / "t", files), bounds=Bounds(file_bytes=1000)), Found)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"task.json": "{"}, "not valid JSON"),
        ({"task.json": "[1]"}, "holds list"),
        ({"task.json": '{"name": "x"}'}, "description"),
        ({"task.json": '{"description": 3}'}, "description"),
        ({"task.json": '{"description": "\\ud800"}'}, "lone surrogate"),
        ({"task.json": '{"description": ' + "[" * 100_000}, "nested too deeply"),
        ({"task.json": '{"description": 1' + "0" * 5000 + "}"}, "not valid JSON"),
        ({"task.json": None}, "task.json is missing"),
        ({"container.def": None}, "container.def is missing"),
        ({"container.def": ""}, "container.def is empty"),
        ({"test_final_state.py": None}, "test_final_state.py is missing"),
        ({"test_final_state.py": b"\xff"}, "not UTF-8"),
    ],
)
def test_rejected_with_the_reason(tmp_path, changed, reason):
    item = read_one(write_tree(tmp_path / "t", tmax_files(**changed)))
    assert isinstance(item, Rejected)
    assert reason in item.reason


def test_a_lone_task_json_is_named(tmp_path):
    item = read_one(write_tree(tmp_path / "t", {"task.json": '{"description": "x"}'}))
    assert isinstance(item, Rejected)
