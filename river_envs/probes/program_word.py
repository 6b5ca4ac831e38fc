"""Mutant: a program says another word than the instruction states."""

from __future__ import annotations

import ast
import posixpath
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from river_envs.environment import Environment, File
from river_envs.probes import coverage, edits, stated, wording
from river_envs.probes.answers import alter
from river_envs.probes.base import Attempt, Background, NotApplicable, Put, Result, Run, Solve, Survey
from river_envs.probes.edits import Edit, Target
from river_envs.probes.mutants import Mutant

_SAYS = re.compile(
    r"\b(?:print|output|write|emit|return|respond|answer|reply|replie|show|display|say|give|contain|replace|become|mask"
    r"|mark|report|name|call)(?:s|d|ed|ing)?\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"`([^`\n]*)`|\"([^\"\n]*)\"")
_ASIDE = re.compile(
    r"\b(optional\w*|may|might|for example|for instance|e\.g|such as|stderr|standard error|log(?:s|ged)?|warn\w*|debug"
    r"|help|usage|verbose|comment|not|never|without|input|reads?|given)\b",
    re.IGNORECASE,
)
_STATUS = re.compile(
    r"\b(?:exit (?:status|code)|exit(?:s|ing)?(?: with)?(?: (?:status|code))?) (?:of )?`?([1-9]\d{0,2})\b`?",
    re.IGNORECASE,
)


class ProgramWord(Mutant):
    """The right program with one word, or one exit status, that it must give changed to another.

    What it does: takes a word that the instruction quotes as something the program prints, writes, answers or puts in
    the place of something else, and puts one of the same length that means nothing in its place, everywhere in the
    program of the reference's state; the same for a stated exit status; grades.

    What a hit proves: the program cannot give the stated word (status) any more, wherever it should, and the state is
    rewarded, twice, while the right program is rewarded too (unchecked-requirement).

    Where the work is a running process, the reference's script is run again with the word changed in it, and the
    receipt shows that the program it left holds the other word.

    What it cannot show: words that a program puts together from pieces.

    Seen in the wild: tests of a normaliser that only hand in good input: what it says to bad input is never looked at.
    """

    id = "program-word"
    name = "A stated word of a program is another"
    version = 1
    order = 92
    most = 2
    without = "the reference leaves no program that holds a word which the instruction states as its output"

    def plan(self, environment: Environment, survey: Survey) -> Sequence[Attempt] | NotApplicable:
        """Edits of the state; where processes matter, the reference run again in other words."""
        if not survey.in_place:
            return super().plan(environment, survey)
        found = edits.targets(environment, survey) if survey.reference else ()
        made = [replace(one, repeat=at) for at, one in enumerate(islice(self._anew(environment, found), self.most))]
        return made or NotApplicable(self.without)

    def _anew(self, environment: Environment, found: Sequence[Target]) -> Iterator[Attempt]:
        """Attempts that run the reference with one word changed, for words that one program of its work holds."""
        reference = environment.reference
        script = next((file for file in reference.files if file.path == reference.entry), None) if reference else None
        if reference is None or script is None or len(reference.files) > 1:
            return
        solve, variables = script.content.decode("utf-8", "replace"), dict(reference.env)
        for target in (target for target in found if target.kind == "code" and target.fresh):
            for word, said in stated_words(environment.instruction, target.path):
                other, content = _put_in(solve, word)
                elsewhere = any(word in more.text for more in found if more is not target)
                if elsewhere or not content or variables or not _holds(target, word):
                    continue
                path, old, new = (shlex.quote(text) for text in (target.path, word, other))
                check = f"bash /solution/solve.sh || true\ngrep -qF -e {new} {path} && ! grep -qF -e {old} {path}\n"
                yield self.attempt(
                    environment,
                    Put((File("solve.sh", content.encode(), 0o755),), "/solution"),
                    Run(check, environment.limits.agent_timeout_sec),
                    question=f"Is the reference still rewarded with {other!r} in place of {word!r} in its program?",
                    path=target.path,
                    what=f"{other!r} in place of {word!r}",
                    key=word,
                    distance=edits.distance(target.content, target.content.replace(word.encode(), other.encode())),
                    stated=said,
                    far=None,
                    mode=target.mode,
                    in_place=True,
                )

    def more(self, environment: Environment, results: Sequence[Result], background: Background) -> Sequence[Attempt]:
        """As for every mutant; the control of a reference that was run in other words is the reference."""
        return [
            replace(attempt, actions=(Solve(),)) if attempt.arm == "benign" and attempt.facts["in_place"] else attempt
            for attempt in super().more(environment, results, background)
        ]

    def edits(self, environment: Environment, survey: Survey, found: Sequence[Target]) -> Iterable[Edit | None]:
        """Each stated word of each program that the tests run, those first that they do not name."""
        if not stated.runs_work(environment.verifier):
            return
        programs = [t for t in found if t.kind == "code" and t.named and t.fresh]
        for target in programs:
            others = [other.content for other in found if other is not target]
            words = [
                (word, said)
                for word, said in stated_words(environment.instruction, target.path)
                if not any(word.encode() in content for content in others) and _holds(target, word)
            ]
            run = coverage.names(environment.verifier, posixpath.basename(target.path))
            wanted = target.asked if run else ""
            for word, said in sorted(words, key=lambda pair: coverage.names(environment.verifier, pair[0])):
                other, content = _put_in(target.text, word)
                if content:
                    what = f"{other!r} in place of {word!r}"
                    yield edits.edit(target, content, what, stated=said if wanted else "", key=word)
            for status, said in _statuses(environment.instruction):
                another = (int(status) + 41) % 120 + 3
                content = re.sub(rf"(\bexit\(|\bexit |SystemExit\(){status}\b", rf"\g<1>{another}", target.text)
                yield edits.edit(target, content, f"another exit status than {status}", stated=said if wanted else "")


def _put_in(program: str, word: str) -> tuple[str, str]:
    """Another word, and the program with it in place of ``word``; "" where the word would still stand in it."""
    other = alter(word)
    content = other.join(re.split(rf"(?<!\w){re.escape(word)}(?!\w)", program))
    return other, content if other != word and word not in content and content != program else ""


def stated_words(instruction: str, path: str) -> Iterator[tuple[str, str]]:
    """The quoted words that a sentence states as an output, each once, with the sentence."""
    seen = set()
    for sentence in wording.sentences(instruction):
        verb = _SAYS.search(re.sub(r"`[^`]*`", lambda match: "`" + "x" * (len(match[0]) - 2) + "`", sentence))
        if verb is None or _ASIDE.search(re.sub(r"`[^`]*`", "", sentence)):
            continue
        for match in _WORD.finditer(sentence):
            word = match[1] or match[2] or ""
            odd = re.search(r"[\s/\\<>{}$*|]|^-|^\.|\.\w+$", word) and not re.fullmatch(r"<\w+>", word)
            plain = match.start() > verb.end() and re.search(r"[A-Za-z]{2}", word) and not odd
            if plain and 3 <= len(word) <= 40 and word not in seen and word not in path:
                seen.add(word)
                yield word, sentence.strip()


def _statuses(instruction: str) -> Iterator[tuple[str, str]]:
    for sentence in wording.sentences(instruction):
        for match in _STATUS.finditer(sentence):
            if not re.search(r"\b(may|might|optional\w*|not|never)\b", sentence):
                yield match[1], sentence.strip()


def _holds(target: Target, word: str) -> bool:
    """Whether the program holds the word where it counts: in a text constant, or outside of comments."""
    if target.path.endswith(".py") or re.match(r"#!.*python", target.text):
        try:
            tree = ast.parse(target.text)
        except (SyntaxError, ValueError, RecursionError):
            return False
        lone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        texts = [n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and id(n) not in lone]
        return any(isinstance(text, str) and word in text for text in texts)
    lines = [line for line in target.text.splitlines() if not line.lstrip().startswith(("#", "//", "--"))]
    return any(re.search(rf"[\"'].*{re.escape(word)}.*[\"']|\becho .*{re.escape(word)}", line) for line in lines)
