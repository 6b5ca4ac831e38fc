"""Read ``allenai/tmax-15k-open-instruct``: a parquet table that names images, and ``task-data.tar.gz`` with the task
files.

The images are published with everything set up; the trainer ignores ``setup.sh`` and so does this reader. Files below
``environment/seeds`` go to ``/workspace`` when a rollout starts, so an image with seeds is the published one plus a
copy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import Any

from river_envs.environment import Environment, ImageRecipe, Limits, Metadata, Verifier
from river_envs.formats.archives import Archive, Tasks
from river_envs.formats.base import Bounds, RejectedInput, Source, location, rejected_source
from river_envs.formats.metadata import clean, word
from river_envs.formats.tables import RowNames, Table
from river_envs.formats.text import decode
from river_envs.formats.tree import Tree

FORMAT = "open-instruct"
ARCHIVE = "task-data.tar.gz"
COLUMNS = {"env_config", "messages"}
SEEDS = "environment/seeds"
VERIFIER_TIMEOUT_SEC = 600.0
"""The trainer raises any shorter limit to this."""


def is_task(names: Set[str]) -> bool:
    """Whether a folder of the archive holding ``names`` is a task."""
    return "instruction.md" in names or {"tests", "setup.sh"} <= names


def sources(tables: Sequence[Table], archive: Archive | None, bounds: Bounds, rest: bool) -> Iterator[Source]:
    """The tasks of the archive in its order, each with its row; then the rows without task files, as rejected."""
    rows, problems = _rows(tables)
    yield from problems
    tasks = Tasks(archive, lambda names: FORMAT if is_task(names) else None) if archive else None
    for root in tasks.roots if tasks else ():
        assert tasks is not None
        found = rows.pop(root.rpartition("/")[2], None)
        if found is None and not rest:
            continue
        tree = tasks.tree(root, found[0].label if found else tables[0].label)
        yield _source(tree, found, f"{location(tasks.archive.path)}!{location(root)}")
    for table, _, name in rows.values():
        reason = "holds no task of this name" if archive else "is missing next to the parquet file"
        yield rejected_source(f"{location(table.path)}#{name}", FORMAT, f"{ARCHIVE} {reason}")


def _rows(tables: Sequence[Table]) -> tuple[dict[str, tuple[Table, int, str]], list[Source]]:
    rows: dict[str, tuple[Table, int, str]] = {}
    problems = []
    for table in tables:
        names = RowNames()
        try:
            configs = table.column("env_config")
        except RejectedInput as problem:
            problems.append(rejected_source(location(table.path), FORMAT, str(problem)))
            continue
        for number, config in enumerate(configs):
            task_id = config.get("task_id") if isinstance(config, dict) else None
            name = names.name(task_id, number)
            if name in rows:
                where = f"{location(table.path)}#{name}"
                problems.append(rejected_source(where, FORMAT, "an earlier table has this task"))
            else:
                rows[name] = (table, number, name)
    return rows, problems


def _source(tree: Tree, found: tuple[Table, int, str] | None, where: str) -> Source:
    if found is None:
        return Source(where, FORMAT, tree.signature, lambda: read(tree, {}))
    table, number, name = found

    def signature() -> str:
        return f"{table.stamp}:{number}:{tree.signature()}"

    return Source(f"{location(table.path)}#{name}", FORMAT, signature, lambda: read(tree, table.row(number)))


def read(tree: Tree, row: dict[str, Any]) -> Environment:
    """The environment of one task folder and its row (empty when no table has one)."""
    image = _image_name(tree, row)
    seeds = tree.files(SEEDS)
    recipe = ImageRecipe("prebuilt", docker_image=image)
    if seeds:
        recipe = ImageRecipe("dockerfile", f"FROM {image}\nCOPY seeds/ /workspace/\n", tree.files("environment"), None)
    if not tree.has("tests/test.sh"):
        raise RejectedInput("tests/test.sh is missing")
    return Environment(
        name=clean(tree.name),
        source=tree.corpus,
        format=FORMAT,
        instruction=_instruction(tree, row),
        image=recipe,
        verifier=Verifier("harbor", tree.files("tests"), "test.sh", VERIFIER_TIMEOUT_SEC),
        metadata=Metadata(corpus_kind=word(row.get("source"))),
        limits=Limits(),
    )


def _image_name(tree: Tree, row: dict[str, Any]) -> str:
    config = row.get("env_config")
    image = config.get("image") if isinstance(config, dict) else None
    if not image and tree.has("image.txt"):
        image = tree.text("image.txt").strip()
    if not isinstance(image, str) or not image or any(part.isspace() for part in image):
        raise RejectedInput("no image is named, neither in env_config.image nor in image.txt")
    return image


def _instruction(tree: Tree, row: dict[str, Any]) -> str:
    if tree.has("instruction.md"):
        return tree.instruction("instruction.md")
    messages = row.get("messages") or []
    spoken = [item.get("content") for item in messages if isinstance(item, dict) and item.get("role") == "user"]
    if not spoken or not isinstance(spoken[-1], str):
        raise RejectedInput("instruction.md is missing, and the row has no user message")
    return tree.checked_instruction(decode(spoken[-1].encode("utf-8", "surrogatepass"), "messages"), "messages")
