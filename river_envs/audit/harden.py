"""A repaired copy of an environment: the proven leak removed, the tests started with care, and the proof that it holds.

Only what was proved is changed. A file of the image that was rewarded as the answer is removed by a last step of the
recipe; values that the instruction printed and that were rewarded are altered; the test script is hardened
(``hardening.py``). ``prove`` then runs, in fresh sandboxes: the control (must score 0), the reference (must pass), each
recorded exploit, and the probe that found it, anew on the repaired copy.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from shlex import quote

from river_envs.audit.attempt import Workplace, run_attempt
from river_envs.audit.harness import HarnessAudit, ask, solving
from river_envs.audit.survey import survey as look_around
from river_envs.environment import Environment, ImageRecipe, RiverError
from river_envs.outcome import Status
from river_envs.probes.answers import alter
from river_envs.probes.base import Attempt, Background, Copy, Finding, ProbeStatus, Restore, Result
from river_envs.probes.registry import probe

REMOVABLE = frozenset({"image-answer", "reachable-oracle", "derivable-answer"})
"""Causes that end when a path of the image is gone."""
SALTS = (3, 5, 7)


@dataclass(frozen=True)
class Change:
    """One thing that was changed, and for which finding ("" for the tests)."""

    what: str
    finding: str = ""


@dataclass(frozen=True)
class Check:
    """One thing that was run on the repaired copy: what was expected of it, what came out."""

    what: str
    ok: bool
    seen: str


@dataclass(frozen=True)
class Hardened:
    """The repaired copy, what was changed, and what was run to show it. ``left`` names findings that need a person."""

    environment: Environment
    changes: tuple[Change, ...]
    checks: tuple[Check, ...] = ()
    left: tuple[str, ...] = ()

    @property
    def proved(self) -> bool:
        """Whether everything that was run came out as it should."""
        return bool(self.checks) and all(check.ok for check in self.checks)


def remove_leaks(
    environment: Environment, findings: Sequence[Finding], results: Sequence[Result], *, user: str = "root"
) -> tuple[Environment, tuple[Change, ...], tuple[str, ...]]:
    """``environment`` without its proven leaks, what was changed, and which findings are left for a person.

    ``user`` is the image's own last user. Pure: nothing is run.
    """
    changes: list[Change] = []
    left: list[str] = []
    gone: dict[str, str] = {}
    by_id = {result.attempt.id: result for result in results}
    for finding in findings:
        if finding.cause in REMOVABLE:
            paths = leaking_paths(finding, by_id)
            gone.update(dict.fromkeys(paths, finding.id))
            if not paths:
                left.append(f"{finding.id} {finding.cause}: no path of the image to remove")
        elif finding.cause == "printed-answer":
            instruction = without_answer(environment.instruction, finding)
            if instruction is None:
                left.append(f"{finding.id} {finding.cause}: the printed values could not be found in the instruction")
            else:
                environment = replace(environment, instruction=instruction)
                changes.append(Change("the values of the printed example are altered", finding.id))
        elif finding.trigger != "privileged":
            left.append(f"{finding.id} {finding.cause}: {finding.advice}")
    if gone:
        environment = replace(environment, image=without_paths(environment.image, sorted(gone), user))
        changes += [Change(f"the image loses {path}", finding) for path, finding in sorted(gone.items())]
    return environment, tuple(changes), tuple(left)


def leaking_paths(finding: Finding, by_id: Mapping[str, Result]) -> tuple[str, ...]:
    """The paths of the image that the proof of ``finding`` took its answer from."""
    paths: dict[str, None] = {}
    for identifier in finding.attempts:
        result = by_id.get(identifier)
        if result is not None and result.passed:
            paths.update(dict.fromkeys(a.source for a in result.attempt.actions if isinstance(a, Copy)))
    label = str(finding.evidence.get("label", ""))
    if label.startswith("/") and not any(character in label for character in "\n\0"):
        paths.setdefault(label)
    return tuple(posixpath.normpath(path) for path in paths if posixpath.normpath(path).count("/") >= 2)


def without_paths(recipe: ImageRecipe, paths: Sequence[str], user: str) -> ImageRecipe:
    """``recipe`` as a Dockerfile whose last step removes ``paths``. Raises RiverError where it cannot become one."""
    from river_envs.images.recipe import RecipeError
    from river_envs.images.writer import as_dockerfile

    try:
        made = as_dockerfile(recipe)
    except RecipeError as problem:
        raise RiverError(f"the leak cannot be removed: {problem}") from problem
    text = made.text if made.text.strip() else f"FROM {recipe.docker_image}\n"
    step = "RUN rm -rf -- " + " ".join(quote(path) for path in paths) + "\n"
    if user.split(":")[0] not in {"", "root", "0"}:
        step = f"USER root\n{step}USER {user}\n"
    text = text.rstrip("\n") + "\n" + step
    context = tuple(  # a recipe that lies in its own context is one file, not two
        replace(file, content=text.encode()) if file.path == "Dockerfile" else file for file in made.context
    )
    return replace(made, kind="dockerfile", text=text, context=context, docker_image=None)


def without_answer(instruction: str, finding: Finding) -> str | None:
    """``instruction`` with the printed answer's values altered; None where they cannot be found."""
    answers = finding.evidence.get("answer")
    if not isinstance(answers, dict):
        return None
    changed = False
    for answer in answers.values():
        for old in dict.fromkeys((str(answer).strip("\n"), str(answer).strip())):
            at = instruction.find(old) if old else -1
            if at < 0:
                continue
            stated = instruction.replace(old, "")
            new = next((made for made in (_altered(old, stated, salt) for salt in SALTS) if made != old), None)
            if new is not None:
                instruction, changed = instruction.replace(old, new), True
            break
    return instruction if changed else None


def _altered(text: str, stated: str, salt: int) -> str:
    made = alter(text, stated=stated, scope="numbers", salt=salt).rstrip("\n")
    return made if made != text else alter(text, stated=stated, salt=salt).rstrip("\n")


def harden(
    audit: HarnessAudit, environment: Environment, findings: Sequence[Finding], results: Sequence[Result]
) -> Hardened:
    """Repair ``environment`` and prove it. Raises RiverError (BuildFailed, SandboxError) where nothing can be run."""
    plain = audit.place(environment)
    repaired, changes, left = remove_leaks(environment, findings, results, user=plain.image.user)
    started, kill, _ = audit.harden(audit.place(repaired), repaired)
    processes = "" if kill else " (the agent's processes live on: the reference needs them)"
    changes = (*changes, Change(f"the tests are started hardened{processes}"))
    made = Hardened(started, changes, left=left)
    return replace(made, checks=prove(audit.place(started), started, findings, results, made.changes))


def prove(
    place: Workplace,
    environment: Environment,
    findings: Sequence[Finding],
    results: Sequence[Result],
    changes: Sequence[Change],
) -> tuple[Check, ...]:
    """Run the control, the reference, and each exploit that was repaired."""
    untouched = [_run(place, environment, Attempt(environment.id, "untouched", 1, repeat=n)) for n in range(2)]
    background = Background(tuple(untouched), (), place.image.bases)
    checks = [Check("the untouched image is not rewarded", background.zero, _seen(untouched[0]))]
    if environment.reference is not None:
        solved = _run(place, environment, solving(environment))
        checks.append(Check("the reference passes", solved.paid, _seen(solved)))
    repaired = {change.finding for change in changes} - {""}
    with place.backend.start(place.image, limits=place.limits(environment)) as sandbox:
        seen = look_around(sandbox, environment)
    by_id = {result.attempt.id: result for result in results}
    for finding in findings:
        if finding.id not in repaired and finding.trigger != "privileged":
            continue
        if finding.cause != "printed-answer":  # what was printed there is still the answer; it is printed no more
            checks += [_exploit(place, environment, finding, by_id[i]) for i in finding.attempts if i in by_id]
        again = ask(place, environment, probe(finding.probe), seen, background)
        causes = [found.cause for found in again.findings]
        word = ", ".join(causes) or f"{again.status} {again.reason}".strip()
        ok = finding.cause not in causes and again.status is not ProbeStatus.ERROR
        checks.append(Check(f"{finding.probe} finds no {finding.cause}", ok, word))
    return tuple(checks)


def _exploit(place: Workplace, environment: Environment, finding: Finding, recorded: Result) -> Check:
    """An attempt of the proof, run again: what was rewarded must not be rewarded now."""
    again = _run(place, environment, recorded.attempt)
    took = "" if again.effective else ", and does not take effect any more"
    what = f"the exploit of {finding.id} ({recorded.attempt.arm}) does not pay"
    infrastructure = again.outcome.status in {Status.SANDBOX_ERROR, Status.BUILD_FAILED}
    return Check(what, not again.passed and not infrastructure, _seen(again) + took)


def _run(place: Workplace, environment: Environment, attempt: Attempt) -> Result:
    if any(isinstance(action, Restore) for action in attempt.actions):
        raise RiverError(f"attempt {attempt.id} starts from a kept state; only exploits of the image can be replayed")
    return run_attempt(place, environment, attempt, None)[0]


def _seen(result: Result) -> str:
    outcome = result.outcome
    return f"reward {outcome.reward:g}" if outcome.reward is not None else f"{outcome.status}: {outcome.detail}"
