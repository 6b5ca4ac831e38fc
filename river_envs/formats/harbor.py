"""Read a Harbor task directory (schema 1.x and the older ``version`` files).

What Harbor can run and this project cannot yet (several steps, a verifier image of its own, several services, GPUs,
Windows) is read in full and marked unsupported with the reason: it must be counted and shown, and never half-run.
"""

from __future__ import annotations

from collections.abc import Set

from river_envs.environment import Environment, File, ImageRecipe, Limits, Network, Reference, Verifier
from river_envs.formats.base import RejectedInput
from river_envs.formats.compose import compose_problem
from river_envs.formats.harbor_settings import Box, TaskSettings, mebibytes, resolve_variables
from river_envs.formats.metadata import clean, read_metadata, word
from river_envs.formats.text import decode, parse_toml, validate
from river_envs.formats.tree import Tree

FORMAT = "harbor"
COMPOSE_NAMES = ("docker-compose.yaml", "docker-compose.yml")

_NETWORKS: dict[str, Network] = {"public": "public", "no-network": "none", "allowlist": "allowlist"}


def is_task(names: Set[str]) -> bool:
    """Whether a directory holding ``names`` is a Harbor task."""
    return "task.toml" in names


def is_fragment(names: Set[str]) -> bool:
    """Whether it is one that lost its ``task.toml``: an input to be named, not to be skipped."""
    return "instruction.md" in names and bool(names & {"environment", "tests"})


def read(tree: Tree) -> Environment:
    """The environment in ``tree``; raises :class:`RejectedInput` when it is none."""
    if not tree.has("task.toml"):
        raise RejectedInput("task.toml is missing (for open-instruct task data, ingest the parquet next to it)")
    settings = validate(TaskSettings, parse_toml(tree.text("task.toml"), "task.toml"), "task.toml")
    box = settings.environment
    box_env, missing = resolve_variables(box.env, "environment")
    verifier, more = _verifier(tree, settings)
    reference, others = _reference(tree, settings)
    network, hosts = _network(settings)
    return Environment(
        name=word(settings.task.name) or clean(tree.name),
        source=tree.corpus,
        format=FORMAT,
        instruction=_instruction(tree, settings),
        image=_image(tree, box),
        verifier=verifier,
        reference=reference,
        metadata=read_metadata(settings.metadata, keywords=settings.task.keywords),
        limits=_limits(settings),
        network=network,
        allowed_hosts=hosts,
        env=box_env,
        workdir=box.workdir,
        user=_user(settings.agent.user),
        unsupported=tuple(_unsupported(tree, settings) + missing + more + others),
    )


def _instruction(tree: Tree, settings: TaskSettings) -> str:
    if settings.steps and not tree.has("instruction.md"):
        return "\n\n".join(tree.instruction(f"steps/{step.name}/instruction.md") for step in settings.steps)
    return tree.instruction("instruction.md")


def _image(tree: Tree, box: Box) -> ImageRecipe:
    context = tree.files("environment")
    recipe = next((file for file in context if file.path == "Dockerfile"), None)
    if recipe is not None:
        text = decode(tree.read("environment/Dockerfile"), "environment/Dockerfile")
        return ImageRecipe("dockerfile", text, context, box.docker_image)
    if box.docker_image or any(file.path in COMPOSE_NAMES for file in context):
        return ImageRecipe("prebuilt", context=context, docker_image=box.docker_image)
    raise RejectedInput("environment/Dockerfile is missing, and task.toml names no docker_image")


def _verifier(tree: Tree, settings: TaskSettings) -> tuple[Verifier, list[str]]:
    env, missing = resolve_variables(settings.verifier.env, "verifier")
    files = tree.files("tests")
    if settings.steps:
        files += tuple(
            File(f"steps/{step.name}/{file.path}", file.content, file.mode, file.link)
            for step in settings.steps
            for file in tree.files(f"steps/{step.name}/tests")
        )
    paths = {file.path for file in files}
    entry = "test.bat" if "test.bat" in paths and "test.sh" not in paths else "test.sh"
    if entry not in paths and not (settings.steps and files):
        raise RejectedInput("tests/test.sh is missing")
    key = settings.metadata.get("reward_key")
    verifier = Verifier(
        protocol="harbor",
        files=files,
        entry=entry,
        timeout_sec=settings.verifier.timeout_sec or 600.0,
        env=env,
        user=_user(settings.verifier.user),
        reward_key=key if isinstance(key, str) and key else None,
    )
    return verifier, missing


def _reference(tree: Tree, settings: TaskSettings) -> tuple[Reference | None, list[str]]:
    if not tree.has("solution/solve.sh"):
        return None, []
    env, missing = resolve_variables(settings.solution.env, "solution")
    return Reference("shipped", tree.files("solution"), "solve.sh", env), missing


def _limits(settings: TaskSettings) -> Limits:
    box, usual = settings.environment, Limits()
    memory = box.memory_mb or (mebibytes(box.memory) if box.memory else usual.memory_mb)
    storage = box.storage_mb or (mebibytes(box.storage) if box.storage else usual.storage_mb)
    return Limits(
        agent_timeout_sec=settings.agent.timeout_sec or usual.agent_timeout_sec,
        build_timeout_sec=box.build_timeout_sec or usual.build_timeout_sec,
        cpus=box.cpus or usual.cpus,
        memory_mb=memory,
        storage_mb=storage,
        gpus=box.gpus or 0,
    )


def _network(settings: TaskSettings) -> tuple[Network, tuple[str, ...]]:
    box, agent = settings.environment, settings.agent
    mode = agent.network_mode or box.network_mode or ("public" if box.allow_internet else "no-network")
    hosts = agent.allowed_hosts if agent.allowed_hosts is not None else box.allowed_hosts
    return _NETWORKS[mode], tuple(sorted(hosts or ())) if mode == "allowlist" else ()


def _user(user: str | int | None) -> str | None:
    return None if user is None else str(user)


def _unsupported(tree: Tree, settings: TaskSettings) -> list[str]:
    box = settings.environment
    reasons = []
    if settings.steps:
        reasons.append(f"{len(settings.steps)} steps (multi-step task)")
    if tree.has("tests/Dockerfile") or _is_separate(settings):
        reasons.append("the verifier has an image of its own")
    compose = next((name for name in COMPOSE_NAMES if tree.has(f"environment/{name}")), None)
    if compose:
        problem = compose_problem(tree.text(f"environment/{compose}"), f"environment/{compose}")
        reasons += [problem] if problem else []
    if box.gpus:
        reasons.append(f"needs {box.gpus} GPU")
    if box.tpu:
        reasons.append("needs a TPU")
    if box.os.lower() != "linux" or (tree.has("tests/test.bat") and not tree.has("tests/test.sh")):
        reasons.append("needs Windows" if box.os.lower() in ("windows", "linux") else f"needs {box.os}")
    if box.healthcheck:
        reasons.append("waits for a service (healthcheck)")
    if box.mcp_servers:
        reasons.append("needs MCP servers")
    return reasons


def _is_separate(settings: TaskSettings) -> bool:
    mode, image = settings.verifier.environment_mode, settings.verifier.environment
    return mode == "separate" or (mode is None and image is not None)
