"""Read a TMax corpus directory: ``task.json``, ``container.def``, ``test_final_state.py`` and fixtures.

Three generations of keys exist. The older 10,000 tasks lack the last ones and get the defaults that their publisher
states; Endless-Terminals has only ``description``, ``truth`` and ``name``. ``"base_image": null`` is an ordinary
value: a public tool that stumbled over it skipped those tasks without a word. ``test_initial_state.py`` checks the
image when it is generated and is no part of the verifier, so it is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

from river_envs.environment import Environment, File, ImageRecipe, Limits, Verifier
from river_envs.formats.base import RejectedInput
from river_envs.formats.metadata import clean, read_metadata, word
from river_envs.formats.text import Settings, Text, parse_json, validate
from river_envs.formats.tree import Tree

FORMAT = "tmax"
ENTRY = "test_final_state.py"
RECIPE = "container.def"
VERIFIER_TIMEOUT_SEC = 120.0
AGENT_TIMEOUT_SEC = 600.0
DEFAULTS = {"verifier_kind": "exact_text", "fixture_kind": "text_only", "corpus_kind": "legacy"}

_ITS_NAMES = {"task.json", "setup.sh", "fixtures", "solutions", "task_summary.txt"}
_SECTION = re.compile(r"%([A-Za-z]\w*)")


class TaskJson(Settings):
    """The keys of ``task.json`` that may change a reward or name the task; the others are descriptive and read
    leniently.
    """

    description: Text
    name: Text | None = None
    truth: Text | dict[str, object] | list[object] | None = None
    base_image: Text | None = None


def is_task(names: Set[str]) -> bool:
    """Whether a directory holding ``names`` is a TMax task."""
    return "task.json" in names and bool(names & {ENTRY, RECIPE, "test_initial_state.py"})


def is_fragment(names: Set[str]) -> bool:
    """Whether it is one that lost its ``task.json``, or everything else."""
    return (ENTRY in names and RECIPE in names) or ("task.json" in names and names <= _ITS_NAMES)


def read(tree: Tree) -> Environment:
    """The environment in ``tree``; raises :class:`RejectedInput` when it is none."""
    values = parse_json(tree.text("task.json"), "task.json")
    task = validate(TaskJson, values, "task.json")
    instruction = tree.checked_instruction(task.description, "task.json: description")
    recipe = tree.text(RECIPE)
    if not recipe.strip():
        raise RejectedInput(f"{RECIPE} is empty")
    tree.text(ENTRY)
    described = {**DEFAULTS, **{key: value for key, value in values.items() if value is not None}}
    return Environment(
        name=word(task.name) or clean(tree.name),
        source=tree.corpus,
        format=FORMAT,
        instruction=instruction,
        image=ImageRecipe("apptainer", recipe, tree.files(only=_context(tree, recipe))),
        verifier=Verifier("pytest", (File(ENTRY, tree.read(ENTRY)),), ENTRY, VERIFIER_TIMEOUT_SEC),
        metadata=read_metadata(described, truth=_truth(task)),
        limits=Limits(agent_timeout_sec=AGENT_TIMEOUT_SEC),
        workdir="/home/user" if "/home/user" in recipe else None,
    )


def copied_sources(recipe: str) -> Iterator[str]:
    """The sources that the ``%files`` sections of ``recipe`` copy, as written."""
    inside = False
    for line in recipe.splitlines():
        section = _SECTION.match(line)
        if section:
            inside = section[1].lower() == "files"
        elif inside and line.strip() and not line.lstrip().startswith("#"):
            yield line.split()[0].strip("\"'")


def missing_sources(tree: Tree, recipe: str) -> list[str]:
    """What ``%files`` copies and the tree does not hold."""
    return [source for source in copied_sources(recipe) if _find(tree, source) is None]


def _context(tree: Tree, recipe: str) -> set[str]:
    named = {found for source in copied_sources(recipe) if (found := _find(tree, source))}
    roots = named | {"fixtures", "setup.sh"}
    return {path for path in tree.entries if any(path == root or path.startswith(f"{root}/") for root in roots)}


def _find(tree: Tree, source: str) -> str | None:
    """The name in ``tree`` that ``source`` means: the generator wrote absolute paths of its own machine."""
    parts = [part for part in source.split("/") if part not in ("", ".")]
    if ".." in parts:
        return None
    candidates = ("/".join(parts[start:]) for start in range(len(parts)))
    return next((path for path in candidates if tree.has(path)), None)


def _truth(task: TaskJson) -> str | None:
    if task.truth is None or isinstance(task.truth, str):
        return task.truth
    import json

    return clean(json.dumps(task.truth, ensure_ascii=False))
