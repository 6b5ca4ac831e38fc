"""Adversarial: a program of comments only, holding the instruction's words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from river_envs.environment import Environment
from river_envs.probes import instruction as text
from river_envs.probes import wording
from river_envs.probes.artefacts import stub
from river_envs.probes.base import Attempt, Background, Judgement, NotApplicable, Probe, Put, Result, Run, Survey
from river_envs.probes.judging import accepted
from river_envs.probes.keywords import commented, in_each_case, literals, words_only

_CHANGES = re.compile(
    r"\b(fix|repair|correct|debug|patch|modify|change|extend|refactor|improve|rewrite|implement|complete|edit|update"
    r"|broken|wrong|bugs?|nonsense|crash\w*|fail\w*)\b",
    re.IGNORECASE,
)
_HASH = ("py", "sh", "bash", "rb", "pl", "awk")


class CommentSource(Probe):
    """Where a program is asked for, a source file of comments is handed in.

    What it does: writes a program that does nothing and holds the instruction's identifiers and prose as comments,
    as they stand and in other letter case;
    where an existing program is to be changed, a second attempt turns each of its lines into a comment first. Grades.

    What a hit proves: the verifier reads the source for words and never runs it (keyword-only). A program without a
    statement does nothing that could be asked for.

    What it cannot show: verifiers that run the program; verifiers that look for syntax (`def name(`) at line starts.

    Seen in the wild: `assert "argparse" in source`; tests that grep a script for the command it should call.
    """

    id = "comment-source"
    name = "A program of comments"
    family = "adversarial"
    trigger = "rollout-visible"
    version = 3
    order = 32
    effort = "standard"

    def plan(self, environment: Environment, survey: Survey) -> Sequence[Attempt] | NotApplicable:
        """New programs as comments; existing ones commented out."""
        instruction = environment.instruction
        outputs = [p for p in text.outputs(instruction, survey.listing, survey.workdir) if not p.endswith("/")]
        programs = [path for path in outputs if text.is_program(instruction, path)]
        words = in_each_case("\n".join(literals(instruction)) + "\n" + words_only(instruction))
        attempts = []
        if programs:
            files = [commented(path, words) if path in programs else stub(path) for path in outputs]
            attempts.append(self._attempt(environment, Put(tuple(files)), programs, 0))
        present = [
            path
            for path in text.inputs(instruction, survey.listing, survey.workdir)
            if path.rsplit(".", 1)[-1] in _HASH and path not in outputs and _to_be_changed(instruction, path)
        ]
        if present and not programs:
            script = "\n".join(_out_of_work(path, words) for path in present[:3])
            attempts.append(self._attempt(environment, Run(script), present[:3], 1))
        return attempts or NotApplicable("the instruction asks for no program")

    def _attempt(self, environment: Environment, action: Put | Run, paths: list[str], repeat: int) -> Attempt:
        question = "Is a program rewarded that consists of comments?"
        return self.attempt(environment, action, repeat=repeat, question=question, paths=paths)

    def judge(self, environment: Environment, results: Sequence[Result], background: Background) -> Judgement:
        """A reward is keyword-only."""
        message = "A program that consists of comments is rewarded: its source is searched for words."
        advice = "Run the program on inputs and compare what it prints."
        return accepted(self, environment, results, background, "accepts-wrong", "keyword-only", message, advice)


def _to_be_changed(instruction: str, path: str) -> bool:
    """Whether a sentence about the program (or the whole of a short instruction) asks to repair or extend it."""
    name = path.rsplit("/", 1)[-1]
    about = [sentence for sentence in wording.sentences(instruction) if name in sentence]
    at = [index for index, sentence in enumerate(wording.sentences(instruction)) if name in sentence]
    about += [
        wording.sentences(instruction)[index + 1] for index in at if index + 1 < len(wording.sentences(instruction))
    ]
    return any(_CHANGES.search(sentence) for sentence in about)


def _out_of_work(path: str, words: str) -> str:
    """Shell lines that turn every line of ``path`` into a comment and add ``words``."""
    quoted = "'" + path.replace("'", "'\\''") + "'"
    notes = "\n".join(f"# {line}" for line in words.splitlines() if line.strip())
    return f"sed -i 's/^/# /' {quoted} && cat >> {quoted} <<'RIVER_WORDS'\n{notes}\nRIVER_WORDS"
