"""What a family of tasks is, and how one of its drafts becomes an environment.

A family is a function from a random generator to a :class:`Task`; :func:`family` wraps it into a :class:`Family`.
Everything is drawn from ``random.Random("<name>:<seed>")``, so an instance is the same on every machine. Beside the
task itself a draft names states that its verifier must refuse (``wrong``) and states that it must accept although
they differ from the reference (``equal``): scripts that the tests run in a fresh sandbox, with the reference at
/solution. They are no part of the environment.
"""

from __future__ import annotations

import random
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from river_envs.environment import Environment, File, ImageRecipe, Limits, Metadata, Reference, Verifier

DOMAINS = (
    "security", "software_engineering", "file_operations", "data_querying", "data_science", "debugging",
    "scientific_computing", "data_processing", "system_administration",
)
KINDS = ("exact_text", "metric_threshold", "adversarial_corpus", "fuzz_equivalence", "multi_protocol")
BASE = "river-mini/base:1"
_COMPLEXITY = {
    "short": "short: one or two commands",
    "moderate": "moderate: a handful of steps",
    "complex": "complex: a program or several dependent steps",
}


@dataclass(frozen=True)
class Task:
    """One draft. ``files`` maps absolute paths of the image to content (a shebang makes it executable); ``setup`` is a
    bash script that the recipe runs after they are in place, with ``setup_files`` beside it.
    """

    instruction: str
    verifier: Verifier
    solve: str
    files: Mapping[str, str | bytes] = field(default_factory=dict)
    setup: str = ""
    setup_files: Mapping[str, str] = field(default_factory=dict)
    workdir: str = "/app"
    wrong: Mapping[str, str] = field(default_factory=dict)
    equal: Mapping[str, str] = field(default_factory=dict)
    truth: str = ""


@dataclass(frozen=True)
class World:
    """An instance with the states its author vouches for."""

    environment: Environment
    wrong: Mapping[str, str]
    equal: Mapping[str, str]


@dataclass(frozen=True)
class Family:
    """A generator of tasks that differ in wording, fixtures, values and tests, and ask for the same skill."""

    name: str
    domain: str
    kind: str
    complexity: str
    language: str
    skills: tuple[str, ...]
    draw: Callable[[random.Random], Task]

    def make(self, seed: int, *, reference: bool = True) -> Environment:
        """The environment of ``seed``; without its solution when ``reference`` is false."""
        return self.world(seed, reference=reference).environment

    def world(self, seed: int, *, reference: bool = True) -> World:
        """The environment of ``seed`` with the states that must be refused and accepted."""
        rng = random.Random(f"{self.name}:{seed}")
        task = self.draw(rng)
        solution = Reference("shipped", (File("solve.sh", task.solve.encode(), 0o755),)) if reference else None
        environment = Environment(
            name=f"worlds/{self.name}-{seed}",
            source="worlds",
            format="harbor",
            instruction=task.instruction,
            image=_recipe(rng, task),
            verifier=task.verifier,
            reference=solution,
            metadata=Metadata(
                domain=self.domain,
                skill_type=self.skills[0],
                primitive_skills=self.skills,
                task_complexity=_COMPLEXITY[self.complexity],
                command_complexity="bash-only" if self.language == "bash" else "bash and code",
                scenario=self.name,
                language=self.language,
                verifier_kind=self.kind,
                fixture_kind="text_only",
                corpus_kind="worlds",
                keywords=(self.domain, self.name),
                truth=task.truth or None,
            ),
            limits=Limits(agent_timeout_sec=300.0, cpus=1.0, memory_mb=1024, storage_mb=1024),
        )
        return World(environment, task.wrong, task.equal)


def family(
    name: str, *, domain: str, kind: str, skills: tuple[str, ...], complexity: str = "moderate", language: str = "any"
) -> Callable[[Callable[[random.Random], Task]], Family]:
    """Make a family of the function below. Raises ValueError for a domain, kind or complexity that does not exist."""
    if domain not in DOMAINS or kind not in KINDS or complexity not in _COMPLEXITY or not skills:
        raise ValueError(f"the family {name!r} has an unknown domain, verifier kind or complexity, or no skill")
    return lambda draw: Family(name, domain, kind, complexity, language, skills, draw)


def _recipe(rng: random.Random, task: Task) -> ImageRecipe:
    """A Dockerfile that copies the files into place and runs the setup."""
    context = [File(f"files{path}", _bytes(content), _mode(content)) for path, content in sorted(task.files.items())]
    lines = [f"FROM {BASE}"]
    tops = sorted({path.split("/")[1] for path in task.files})
    if tops and rng.random() < 0.5:
        lines.append("COPY files/ /")
    else:
        lines += [f"COPY files/{top} /{top}" for top in tops]
    if task.setup:
        script = f"set -eu\n{task.setup}"
        context += [File("setup/setup.sh", script.encode(), 0o755)]
        context += [File(f"setup/{name}", text.encode()) for name, text in sorted(task.setup_files.items())]
        lines += ["COPY setup/ /opt/setup/", "RUN bash /opt/setup/setup.sh && rm -rf /opt/setup"]
    lines.append(f"WORKDIR {task.workdir}")
    text = "\n".join(lines) + "\n"
    context.append(File("Dockerfile", text.encode()))  # as a reader of Harbor directories finds it: same id
    return ImageRecipe("dockerfile", text, tuple(sorted(context, key=lambda file: file.path)))


def _bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content


def _mode(content: str | bytes) -> int:
    return 0o755 if _bytes(content).startswith(b"#!") else 0o644


def fill(template: str, **values: object) -> str:
    """``template`` without its common indent and first newline, each ``@name@`` replaced by its value."""
    text = textwrap.dedent(template).lstrip("\n")
    for name, value in values.items():
        text = text.replace(f"@{name}@", str(value))
    return text


def python(template: str, **values: object) -> str:
    """A bash script that runs the filled Python template from a heredoc."""
    return f"#!/bin/bash\nset -e\npython3 - <<'PYTHON'\n{fill(template, **values).rstrip()}\nPYTHON\n"


def program(path: str, template: str, *, mode: str = "755", **values: object) -> str:
    """A bash script that writes the filled template to ``path``."""
    return (
        f"#!/bin/bash\nset -e\nmkdir -p \"$(dirname '{path}')\"\ncat > '{path}' "
        f"<<'PROGRAM'\n{fill(template, **values).rstrip()}\nPROGRAM\nchmod {mode} '{path}'\n"
    )


def after(script: str) -> str:
    """The state that the reference leaves, changed by ``script``."""
    return f"bash /solution/solve.sh || exit 1\n{textwrap.dedent(script).strip()}\n"
