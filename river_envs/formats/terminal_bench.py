"""Read a Terminal-Bench 1 task directory: ``task.yaml``, a Dockerfile, ``run-tests.sh``, ``tests/`` and a solution.

The build context is the whole task directory, as it is for the harness: a recipe that copies ``.`` puts tests and
solution into the image, and the audit must see that. For grading the harness copies ``run-tests.sh`` and the contents
of ``tests/`` flat into ``/tests``, sets ``TEST_DIR``, runs the script with bash and parses its output.
"""

from __future__ import annotations

from collections.abc import Set

from pydantic import Field

from river_envs.environment import Environment, File, ImageRecipe, Limits, Reference, Verifier
from river_envs.formats.base import RejectedInput
from river_envs.formats.compose import compose_problem, image_of
from river_envs.formats.metadata import clean, read_metadata
from river_envs.formats.text import Settings, Text, decode, load_yaml, parse_yaml, validate
from river_envs.formats.tree import Tree

FORMAT = "terminal-bench-1"
COMPOSE_NAMES = ("docker-compose.yaml", "docker-compose.yml")
ENTRY = "run-tests.sh"
DEFAULT_ENTRY = b'#!/bin/bash\npython3 -m pytest "$TEST_DIR/test_outputs.py" -rA\n'
"""What a task without a script of its own means: run its tests, print the summary that the parser reads."""

PARSERS = ("pytest",)


class Description(Settings):
    """One instruction of the oldest files, which have several; ``base`` is the one that is run."""

    key: Text
    description: Text


class TaskYaml(Settings):
    """The keys of ``task.yaml`` that can change a reward."""

    instruction: Text | None = None
    descriptions: tuple[Description, ...] = ()
    max_agent_timeout_sec: float = Field(default=600.0, gt=0)
    max_test_timeout_sec: float = Field(default=180.0, gt=0)
    parser_name: Text | None = None


def is_task(names: Set[str]) -> bool:
    """Whether a directory holding ``names`` is a Terminal-Bench 1 task."""
    return "task.yaml" in names and bool(names & {"Dockerfile", *COMPOSE_NAMES, ENTRY, "tests"})


def is_fragment(names: Set[str]) -> bool:
    """Whether it is one that lost its ``task.yaml``, or everything else."""
    return (ENTRY in names and bool(names & {"Dockerfile", *COMPOSE_NAMES})) or (
        "task.yaml" in names and names <= {"task.yaml", "solution.sh", "solution.yaml"}
    )


def read(tree: Tree) -> Environment:
    """The environment in ``tree``; raises :class:`RejectedInput` when it is none."""
    values = parse_yaml(tree.text("task.yaml"), "task.yaml")
    task = validate(TaskYaml, values, "task.yaml")
    image, problems = _image(tree)
    parser = task.parser_name or PARSERS[0]
    if parser not in PARSERS:
        problems.append(f"its output is read by the parser {parser!r}")
    return Environment(
        name=clean(tree.name),
        source=tree.corpus,
        format=FORMAT,
        instruction=tree.checked_instruction(_instruction(task), "task.yaml: instruction"),
        image=image,
        verifier=_verifier(tree, task),
        reference=_reference(tree),
        metadata=read_metadata(values),
        limits=Limits(agent_timeout_sec=task.max_agent_timeout_sec),
        network="public",
        unsupported=tuple(problems),
    )


def _instruction(task: TaskYaml) -> str:
    if task.instruction is not None:
        return task.instruction
    for described in task.descriptions:
        if described.key == "base":
            return described.description
    raise RejectedInput("task.yaml: instruction is missing")


def _image(tree: Tree) -> tuple[ImageRecipe, list[str]]:
    compose = next((name for name in COMPOSE_NAMES if tree.has(name)), None)
    problem = compose_problem(tree.text(compose), compose) if compose else None
    problems = [problem] if problem else []
    if tree.has("Dockerfile"):
        return ImageRecipe("dockerfile", tree.text("Dockerfile"), tree.files()), problems
    image = image_of(tree.text(compose), compose) if compose else None
    if image:
        return ImageRecipe("prebuilt", docker_image=image), problems
    if problems:
        return ImageRecipe("prebuilt", context=tree.files()), problems
    raise RejectedInput("Dockerfile is missing, and no docker-compose.yaml names an image")


def _verifier(tree: Tree, task: TaskYaml) -> Verifier:
    tests = tree.files("tests")
    if tree.has(ENTRY):
        script = File(ENTRY, decode(tree.read(ENTRY), ENTRY).encode(), 0o755)
    elif any(file.path == "test_outputs.py" for file in tests):
        script = File(ENTRY, DEFAULT_ENTRY, 0o755)
    else:
        raise RejectedInput("run-tests.sh and tests/test_outputs.py are missing")
    files = (*(file for file in tests if file.path != ENTRY), script)
    env, parser = (("TEST_DIR", "/tests"),), task.parser_name or PARSERS[0]
    return Verifier("terminal-bench-1", files, ENTRY, task.max_test_timeout_sec, env, parser=parser)


def _reference(tree: Tree) -> Reference | None:
    if tree.has("solution.sh"):
        script = tree.read("solution.sh")
    elif tree.has("solution.yaml"):
        script = commands_as_script(tree.text("solution.yaml")).encode()
    else:
        return None
    return Reference("shipped", (File("solve.sh", script, 0o755),))


def commands_as_script(text: str) -> str:
    """A shell script that types the commands of a ``solution.yaml`` one after the other.

    Entries are commands as text, or mappings with ``command``. Keys meant for a full-screen program cannot be typed
    into a script; such a solution simply fails, and the audit says so.
    """
    listed = load_yaml(text, "solution.yaml")
    if not isinstance(listed, list):
        raise RejectedInput("solution.yaml is not a list of commands")
    lines = ["#!/bin/bash"]
    for number, entry in enumerate(listed, 1):
        command = entry.get("command") if isinstance(entry, dict) else entry
        if not isinstance(command, str):
            raise RejectedInput(f"solution.yaml: entry {number} has no command")
        lines.append(command.rstrip("\n"))
    return "\n".join(lines) + "\n"
