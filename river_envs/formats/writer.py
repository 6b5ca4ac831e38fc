"""Write an environment as a Harbor task directory, whatever format it came from.

A Harbor task comes back from :func:`river_envs.formats.harbor.read` with the same id. Other verifiers get a
``test.sh`` that runs them as their own harness would and writes a reward on every path; other recipes become a
Dockerfile. The generator's note about the right answer (``truth``) is left out: a published task must not carry its
answer.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from river_envs.environment import Environment, File, RiverError, Verifier
from river_envs.formats.harbor_settings import write_variable
from river_envs.formats.metadata import clean

SCHEMA_VERSION = "1.1"
ORGANISATION = "river"

_NETWORK_MODES = {"public": "public", "none": "no-network", "allowlist": "allowlist"}
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._-]*")

PYTEST_SCRIPT = """#!/bin/bash
# Runs the final-state tests with the image's own Python: 1 when all of them pass, else 0.
mkdir -p /logs/verifier
cd /tests || {{ echo 0 > /logs/verifier/reward.txt; exit 0; }}
if python3 -m pytest {entry} -v; then
  echo 1 > /logs/verifier/reward.txt
else
  echo 0 > /logs/verifier/reward.txt
fi
"""

TERMINAL_BENCH_SCRIPT = """#!/bin/bash
# Runs the task's own script and reads pytest's short summary: 1 when every test in it passed or was skipped, else 0.
mkdir -p /logs/verifier
export TEST_DIR=/tests
output=/logs/verifier/run-tests.txt
bash /tests/{entry} 2>&1 | tee "$output"
summary=$(sed -n '/short test summary info/,$p' "$output")
if grep -qE '^(PASSED|SKIPPED|XFAIL)' <<< "$summary" && ! grep -qE '^(FAILED|ERROR|XPASS)' <<< "$summary"; then
  echo 1 > /logs/verifier/reward.txt
else
  echo 0 > /logs/verifier/reward.txt
fi
"""


def write_harbor(environment: Environment, directory: str | os.PathLike[str]) -> Path:
    """Write ``environment`` into ``directory``, which is made when missing and must be empty; returns its path.

    Raises :class:`RiverError` when the directory is not empty, and for what Harbor cannot hold: an unsupported
    environment, a recipe that no Dockerfile can express, a test file whose name the wrapper needs.
    """
    import tomli_w

    folder = Path(directory)
    if environment.unsupported:
        reasons = "; ".join(environment.unsupported)
        raise RiverError(f"{_label(environment)} cannot be written as a Harbor task: {reasons}")
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise RiverError(f"{folder} is not empty: name a new directory for the Harbor task")
    tests = harbor_tests(environment)
    image, docker_image = _image(environment)
    settings = tomli_w.dumps(_settings(environment, docker_image)).encode()
    write_files(folder, [File("instruction.md", environment.instruction.encode()), File("task.toml", settings)])
    for name, files in (("environment", image), ("tests", tests)):
        (folder / name).mkdir()
        write_files(folder / name, files)
    if environment.reference:
        (folder / "solution").mkdir()
        write_files(folder / "solution", _solution(environment))
    return folder


def write_files(folder: Path, files: Iterable[File]) -> None:
    """Write ``files`` below the new directory ``folder``. Refuses paths and links that could reach out of it."""
    files = list(files)
    links = {file.path for file in files if file.link is not None}
    for file in files:
        parts = file.path.split("/")
        above = {"/".join(parts[:length]) for length in range(1, len(parts))}
        if not file.path or file.path.startswith("/") or {"", ".", ".."} & set(parts) or above & links:
            raise RiverError(f"the file {file.path!r} of an environment has a path that cannot be written")
        target = folder / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        if file.link is not None:
            target.symlink_to(file.link)
            continue
        with open(target, "xb") as stream:
            stream.write(file.content)
        target.chmod(file.mode)


def _image(environment: Environment) -> tuple[list[File], str | None]:
    """The files of ``environment/`` and the published image to name in task.toml."""
    from river_envs.images.recipe import RecipeError
    from river_envs.images.writer import as_dockerfile

    recipe = environment.image
    if recipe.build_args:
        raise RiverError(f"{_label(environment)} cannot be written as a Harbor task: its recipe needs build arguments")
    if recipe.kind == "prebuilt":
        return list(recipe.context), recipe.docker_image
    try:
        converted = as_dockerfile(recipe)
    except RecipeError as problem:
        raise RiverError(f"{_label(environment)} cannot be written as a Harbor task: {problem}") from problem
    text = converted.text.encode()
    known = next((file for file in converted.context if file.path == "Dockerfile"), None)
    others = [file for file in converted.context if file is not known]
    kept = known if known is not None and known.content == text else File("Dockerfile", text)
    return [kept, *others], recipe.docker_image


def harbor_tests(environment: Environment) -> list[File]:
    """The files of ``tests/``, with a ``test.sh`` whatever the verifier's protocol. Raises RiverError where the name is
    taken.
    """
    verifier = environment.verifier
    if verifier.protocol == "harbor":
        return list(verifier.files)
    if any(file.path == "test.sh" for file in verifier.files):
        raise RiverError(f"{_label(environment)} cannot be written as a Harbor task: it has a tests/test.sh of its own")
    return [File("test.sh", _script(verifier).encode(), 0o755), *verifier.files]


def _script(verifier: Verifier) -> str:
    import shlex

    template = PYTEST_SCRIPT if verifier.protocol == "pytest" else TERMINAL_BENCH_SCRIPT
    return template.format(entry=shlex.quote(verifier.entry))


def _solution(environment: Environment) -> list[File]:
    reference = environment.reference
    assert reference is not None  # the caller checked
    files = list(reference.files)
    if reference.entry != "solve.sh":
        files.append(File("solve.sh", f'#!/bin/bash\nexec bash "/solution/{reference.entry}"\n'.encode(), 0o755))
    return files


def _settings(environment: Environment, docker_image: str | None) -> dict[str, Any]:
    limits, verifier, reference = environment.limits, environment.verifier, environment.reference
    box = {
        "build_timeout_sec": limits.build_timeout_sec,
        "docker_image": docker_image,
        "cpus": int(limits.cpus) if limits.cpus == int(limits.cpus) else limits.cpus,
        "memory_mb": limits.memory_mb,
        "storage_mb": limits.storage_mb,
        "gpus": limits.gpus or None,
        "network_mode": _NETWORK_MODES[environment.network],
        "allowed_hosts": list(environment.allowed_hosts) or None,
        "workdir": environment.workdir,
        "env": _variables(environment.env),
    }
    solution_env = _variables(reference.env) if reference else None
    return {
        "schema_version": SCHEMA_VERSION,
        "task": _filled({"name": harbor_name(environment), "keywords": list(environment.metadata.keywords) or None}),
        "metadata": _metadata(environment),
        "agent": _filled({"timeout_sec": limits.agent_timeout_sec, "user": environment.user}),
        "verifier": _filled(
            {"timeout_sec": verifier.timeout_sec, "user": verifier.user, "env": _variables(verifier.env)}
        ),
        "environment": _filled(box),
        **({"solution": {"env": solution_env}} if solution_env else {}),
    }


def _metadata(environment: Environment) -> dict[str, Any]:
    described = environment.metadata
    return _filled(
        {
            "river_id": environment.id,
            "river_source": clean(environment.source),
            "river_format": environment.format,
            "domain": described.domain,
            "skill_type": described.skill_type,
            "primitive_skills": list(described.primitive_skills) or None,
            "task_complexity": described.task_complexity,
            "command_complexity": described.command_complexity,
            "scenario": described.scenario,
            "language": described.language,
            "verifier_kind": described.verifier_kind,
            "fixture_kind": described.fixture_kind,
            "corpus_kind": described.corpus_kind,
            "difficulty": described.difficulty,
            "reward_key": environment.verifier.reward_key,
        }
    )


def harbor_name(environment: Environment) -> str:
    """A name that Harbor accepts (``organisation/name``), made of the environment's own."""
    if _NAME.fullmatch(environment.name) and ".." not in environment.name:
        return environment.name
    slug = re.sub(r"[^A-Za-z0-9_-]+", "-", environment.name).strip("-_")[:80] or environment.id
    return f"{ORGANISATION}/{slug}"


def _variables(pairs: Iterable[tuple[str, str]]) -> dict[str, str] | None:
    return {name: write_variable(value) for name, value in pairs} or None


def _filled(values: dict[str, Any]) -> dict[str, Any]:
    """TOML has no null: keys without a value are left out."""
    return {key: value for key, value in values.items() if value is not None}


def _label(environment: Environment) -> str:
    return f"environment {environment.id} ({clean(environment.name)[:80]!r})"
