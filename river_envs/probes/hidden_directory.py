"""Adversarial: files kept out of sight, under harmless names, are copied onto the outputs."""

from __future__ import annotations

import posixpath
import re

from river_envs.environment import Environment
from river_envs.probes import leaks
from river_envs.probes.answer_files import is_program_beside
from river_envs.probes.base import Survey
from river_envs.probes.copied import Copied
from river_envs.sandbox.base import Listing

_AWAY = re.compile(
    r"/(\.[A-Za-z_][\w.-]*|backups?|bak|old|archive|cache|tmp|temp|staging|internal|private|build|dist|snapshots?"
    r"|previous|artifacts?|debug|dev|ci|qa|fixtures?|testdata)/",
    re.IGNORECASE,
)


class HiddenDirectory(Copied):
    """Files in hidden, temporary and backup directories are handed in.

    What it does: copies files of the output's type from directories that are out of sight (`.cache/`, `/tmp`,
    `backup/`, `old/`, `build/`, ...) onto the outputs and grades; the one that pays once more with other values.

    What a hit proves: a file left over from making the task is the answer (image-answer); altered it is rejected.

    What it cannot show: files of another type than the output, and files where work is asked for on those directories:
    it then stays silent.

    Seen in the wild: a task's generator ran in the image and left its expected output in /tmp and in .cache.
    """

    id = "hidden-directory"
    name = "Files out of sight as the answer"
    family = "adversarial"
    trigger = "rollout-visible"
    version = 3
    order = 41
    effort = "standard"
    most = 2
    nothing = "no file of an output's type lies out of sight"

    def weight(self, entry: Listing, target: str, environment: Environment, survey: Survey) -> float:
        """Files of the output's suffix in a directory out of sight; the same keys or columns weigh most."""
        if not _AWAY.search(entry.path) or is_program_beside(entry, target):
            return 0
        away = posixpath.dirname(entry.path)
        if posixpath.dirname(target).startswith(away) or leaks.ANSWER_NAME.search(posixpath.basename(entry.path)):
            return 0
        suffix = posixpath.splitext(target)[1]
        if not suffix or posixpath.splitext(entry.path)[1] != suffix:
            return 0
        peek = survey.peek(entry.path)
        asked = leaks.asked_form(environment.instruction, target, leaks.targets(environment, survey))
        same = bool(peek and asked and leaks.form(peek.text, entry.path) == asked)
        return 1 + 3 * same
