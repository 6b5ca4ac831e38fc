"""Mutant: a program says another word than the instruction states."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence

from river_envs.environment import Environment
from river_envs.probes import coverage, edits, stated, wording
from river_envs.probes.answers import alter
from river_envs.probes.base import Survey
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

    What it cannot show: words that a program puts together from pieces; programs that were started before the edit.

    Seen in the wild: tests of a normaliser that only hand in good input: what it says to bad input is never looked at.
    """

    id = "program-word"
    name = "A stated word of a program is another"
    version = 1
    order = 92
    most = 2
    without = "the reference leaves no program that holds a word which the instruction states as its output"

    def edits(self, environment: Environment, survey: Survey, found: Sequence[Target]) -> Iterable[Edit | None]:
        """Each stated word of each program that the tests run, those first that they do not name."""
        if survey.in_place or not stated.runs_work(environment.verifier):
            return
        programs = [t for t in found if t.kind == "code" and t.named and t.fresh]
        for target in programs:
            others = [other.content for other in found if other is not target]
            words = [
                (word, said)
                for word, said in _words(environment.instruction, target.path)
                if not any(word.encode() in content for content in others) and _holds(target, word)
            ]
            run = coverage.names(environment.verifier, posixpath.basename(target.path))
            wanted = target.asked if run else ""
            for word, said in sorted(words, key=lambda pair: coverage.names(environment.verifier, pair[0])):
                other = alter(word)
                content = other.join(re.split(rf"(?<!\w){re.escape(word)}(?!\w)", target.text))
                if other != word and word not in content:
                    what = f"{other!r} in place of {word!r}"
                    yield edits.edit(target, content, what, stated=said if wanted else "", key=word)
            for status, said in _statuses(environment.instruction):
                another = (int(status) + 41) % 120 + 3
                content = re.sub(rf"(\bexit\(|\bexit |SystemExit\(){status}\b", rf"\g<1>{another}", target.text)
                yield edits.edit(target, content, f"another exit status than {status}", stated=said if wanted else "")


def _words(instruction: str, path: str) -> Iterator[tuple[str, str]]:
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
