"""Adversarial: the output is a link to a file of the image that sounds like the answer."""

from __future__ import annotations

import shlex

from river_envs.environment import Environment
from river_envs.probes.answer_files import AnswerFiles
from river_envs.probes.base import Action, Run, Survey
from river_envs.probes.provided import Way
from river_envs.sandbox.base import Listing


class LinkedAnswer(AnswerFiles):
    """The output is a symbolic link to a file of the image that sounds like the answer.

    What it does: links the outputs to the likeliest answer-looking file instead of copying it, and grades. A link needs
    no right to read the file: where the verifier runs as another user it reads what the agent cannot. The one that
    pays is graded once more as a copy with other values.

    What a hit proves: the verifier compares the answer with itself through the link (image-answer).

    What it cannot show: whether an agent could have read the file; silent where links are what is asked for.

    Seen in the wild: an output linked to a root-only expected file passed a verifier that opened both as root.
    """

    id = "linked-answer"
    name = "A link to an answer-looking file"
    version = 2
    order = 43
    effort = "deep"
    most = 1
    question = "Is a link to a file that the image ships rewarded?"
    seen = "The image ships the answer: {targets} as a link to {label} is rewarded, and with other values it is not."
    advice = "Refuse links as outputs, and keep the file out of the image."

    def reach(self, entry: Listing, environment: Environment, survey: Survey) -> bool:
        """A link needs no right to read."""
        return True

    def actions(self, environment: Environment, way: Way) -> tuple[Action, ...]:
        """Links in place of copies; a link that leads nowhere has no effect."""
        lines = []
        for target, source in way["pairing"].items():
            there, here = shlex.quote(source), shlex.quote(target)
            lines.append(f'[ -e {there} ] && mkdir -p "$(dirname {here})" && ln -sfn {there} {here} || exit 3')
        stubs = [action for action in super().actions(environment, way) if not hasattr(action, "source")]
        return (*stubs, Run("\n".join(lines)))
