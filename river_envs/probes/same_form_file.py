"""Adversarial: files of the image that have the asked form, whatever they are called."""

from __future__ import annotations

import posixpath
import re

from river_envs.environment import Environment
from river_envs.probes import instruction as text
from river_envs.probes import leaks
from river_envs.probes.answer_files import is_program_beside
from river_envs.probes.base import Survey
from river_envs.probes.copied import Copied
from river_envs.sandbox.base import Listing


class SameFormFile(Copied):
    """A readable file of the image that has the form of the asked output is handed in.

    What it does: reads the small text files of the image and compares their form (JSON keys, columns, the first line)
    with what the instruction shows or lists for an output; copies those that match, whatever their names; grades; the
    one that pays once more with other values.

    What a hit proves: the answer lies in the image under a harmless name (image-answer): altered it is rejected.

    What it cannot show: files above a few kilobytes, binary files, outputs whose form the instruction does not tell.

    Seen in the wild: an agent listed the image and found `data/run_03.json`, which held the keys that the task asked
    for and the values of the reference.
    """

    id = "same-form-file"
    name = "A file of the asked form as the answer"
    family = "adversarial"
    trigger = "rollout-visible"
    version = 3
    order = 41
    effort = "standard"
    most = 2
    nothing = "no other file of the image has the asked form"

    def weight(self, entry: Listing, target: str, environment: Environment, survey: Survey) -> float:
        """The share of the asked keys or columns, or the same first line."""
        peek = survey.peek(entry.path)
        if peek is None or leaks.is_code(target) or is_program_beside(entry, target):
            return 0
        named = leaks.targets(environment, survey)
        asked = leaks.asked_form(environment.instruction, target, named)
        found = leaks.form(peek.text, entry.path if entry.path.endswith((".csv", ".tsv")) else target)
        if asked:
            return 3 * len(asked & found) / len(asked | found) if asked <= found or asked == found else 0
        if found and all(_told(key, environment.instruction) for key in found):
            same = posixpath.splitext(entry.path)[1] == posixpath.splitext(target)[1]
            return 1 + same if len(found) > 1 or same else 0
        return 2 * _same_first_line(peek.text, target, environment.instruction, named)


def _told(key: str, instruction: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(key)}(?!\w)", instruction) is not None


def _same_first_line(content: str, target: str, instruction: str, named: tuple[str, ...]) -> bool:
    """Whether a block shown for the target begins as the file does, numbers apart."""
    first = re.sub(r"\d+", "0", content.split("\n", 1)[0].strip())
    return len(first) > 3 and any(
        re.sub(r"\d+", "0", block.text.split("\n", 1)[0].strip()) == first
        for block in text.blocks(instruction, named)
        if block.path == target and block.role != "command"
    )
