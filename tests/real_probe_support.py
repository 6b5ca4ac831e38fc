"""A probe put to a real image in real sandboxes: survey, control, attempts, judgement, as the audit does it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from river_envs.audit.attempt import Workplace, run_attempt
from river_envs.audit.survey import survey
from river_envs.environment import Environment, File, ImageRecipe, Reference, Verifier
from river_envs.probes.base import Attempt, Background, Judgement, NotApplicable, Probe, Result, Survey
from river_envs.sandbox.base import Backend
from river_envs.verifier import grade


@dataclass(frozen=True)
class Asked:
    """What a probe did and said."""

    judgement: Judgement | NotApplicable
    results: tuple[Result, ...] = ()
    seen: Survey | None = None

    @property
    def causes(self) -> list[str]:
        """The causes of the findings; empty too where the probe does not apply."""
        return [finding.cause for finding in getattr(self.judgement, "findings", ())]


def real_environment(
    instruction: str,
    check: str,
    files: Mapping[str, str | bytes] = {},
    build: str = "",
    solution: str = "",
) -> Environment:
    """An environment on the host base. ``check`` is a shell condition that pays 1, ``files`` go to /app, ``build`` is
    run there while the image is made. Scripts are executable.
    """
    context = tuple(
        File(
            path,
            content if isinstance(content, bytes) else content.encode(),
            0o755 if content[:2] in ("#!", b"#!") else 0o644,
        )
        for path, content in files.items()
    )
    steps = "".join(f"COPY {file.path} /app/{file.path}\n" for file in context)
    steps += f"RUN <<'END'\nset -e\n{build}\nEND\n" if build else ""
    test = f"mkdir -p /logs/verifier\nif {check}\nthen echo 1; else echo 0; fi >/logs/verifier/reward.txt\n"
    return Environment(
        "sample",
        "test",
        "harbor",
        instruction,
        ImageRecipe("dockerfile", f"FROM host\nWORKDIR /app\n{steps}", context),
        Verifier("harbor", (File("test.sh", test.encode(), 0o755),), "test.sh", timeout_sec=60),
        Reference("shipped", (File("solve.sh", solution.encode(), 0o755),)) if solution else None,
    )


def ask_really(probe: Probe, environment: Environment, backend: Backend) -> Asked:
    """Put ``probe`` to ``environment``: every attempt in a fresh sandbox, the untouched image first."""
    image = backend.build(environment.image)
    place = Workplace(backend, image, grade)
    with backend.start(image) as sandbox:
        seen = survey(sandbox, environment)
    control, _ = run_attempt(place, environment, Attempt(environment.id, "untouched", 1), None)
    background = Background((control,))
    planned = probe.plan(environment, seen)
    if isinstance(planned, NotApplicable):
        return Asked(planned, (), seen)
    results: list[Result] = []
    while planned:
        for attempt in planned:
            results.append(run_attempt(place, environment, attempt, None)[0])
            if probe.enough(results):
                break
        done = {result.attempt.id for result in results}
        planned = [attempt for attempt in probe.more(environment, results, background) if attempt.id not in done]
    results.sort(key=lambda result: (result.attempt.repeat, result.attempt.arm))
    return Asked(probe.judge(environment, results, background), tuple(results), seen)
