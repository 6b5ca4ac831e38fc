"""Adversarial: every path that the instruction names is made, empty."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

from river_envs.environment import Environment, File
from river_envs.probes import instruction as text
from river_envs.probes.base import (
    Attempt,
    Background,
    Judgement,
    NotApplicable,
    Probe,
    Put,
    Result,
    Run,
    Survey,
)
from river_envs.probes.judging import existence


class NamedPaths(Probe):
    """Every path that the instruction asks for exists, and is empty.

    What it does: makes an empty file at each named path that the image lacks (a directory where the name ends in a
    slash), grades.

    What a hit proves: the verifier looks at names, not at content (existence-only). The untouched image scored 0, so
    the empty files earned the reward.

    What it cannot show: verifiers that parse what they find; the typed stubs ask those.

    Seen in the wild: `assert os.path.exists(...)` as the only assertion; touching the report file passes in several
    generated corpora.
    """

    id = "named-paths"
    name = "Named paths, empty"
    family = "adversarial"
    trigger = "rollout-visible"
    version = 1
    order = 20

    def plan(self, environment: Environment, survey: Survey) -> Sequence[Attempt] | NotApplicable:
        """One attempt with everything empty; none where empty may be right."""
        if text.asks_for_empty(environment.instruction):
            return NotApplicable("the instruction may ask for something empty")
        named = text.outputs(environment.instruction, survey.listing, survey.workdir)
        if not named:
            return NotApplicable("the instruction names no path that the image lacks")
        files = tuple(File(path.strip("/")) for path in named if not _is_directory(path))
        if survey.reference and files and all(_is_right(file, survey) for file in files):
            return NotApplicable("the reference leaves these files empty too")
        directories = [path for path in named if _is_directory(path)]
        actions: list[Put | Run] = [Put(files)] if files else []
        if directories:
            actions.append(Run("mkdir -p " + " ".join(f"'{path}'" for path in directories)))
        return [
            self.attempt(
                environment, *actions, question="Are empty files at the named paths rewarded?", paths=list(named)
            )
        ]

    def judge(self, environment: Environment, results: Sequence[Result], background: Background) -> Judgement:
        """A reward is existence-only."""
        return existence(self, environment, results, background, "Empty files at the named paths are rewarded")


def _is_directory(path: str) -> bool:
    return path.endswith("/") or ("." not in posixpath.basename(path) and path.count("/") <= 1)


def _is_right(file: File, survey: Survey) -> bool:
    change = survey.reference.get(file.path) if survey.reference else None
    return change is not None and change.kind == "file" and change.content.strip() == b""
