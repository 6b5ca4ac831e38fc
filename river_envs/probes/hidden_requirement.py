"""Equivalent: the reference's state without something that nobody asked for."""

from __future__ import annotations

import json
import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from river_envs.environment import Environment, File
from river_envs.probes import edits, wording
from river_envs.probes import instruction as text
from river_envs.probes.base import (
    Attempt,
    Background,
    Judgement,
    NotApplicable,
    ProbeStatus,
    Put,
    Remove,
    Result,
    Run,
    Survey,
)
from river_envs.probes.documents import like
from river_envs.probes.edits import Target, declared
from river_envs.probes.equivalents import Equivalent, Rewriting, failing_test
from river_envs.probes.judging import hit
from river_envs.probes.refusal_grants import holding

_MOST = 3
_TASKS = ("/app", "/data", "/home", "/mnt", "/root", "/srv", "/tmp", "/work", "/workspace")
_SHARED = ("/opt", "/usr/local", "/var/lib", "/var/www")
"""Searched too, unless the base is this machine itself: what lies there is none of the task's."""
_KINDS = r"README|specification|spec|documentation|docs|manual|guide|schema|template"
ELSEWHERE = re.compile(
    r"\b(conventions?|standard(?! (?:input|output|error|library|deviation))|described in|documented"
    rf"|(?:in|from|by|per|see|to|with) (?:the|our|its|your) (?:\w+ )?(?:{_KINDS})s?"
    r"|according to|as usual|follow(?:s|ed|ing)?(?! (?:by|a|an)\b)|usual|policy|named after"
    r"|like the (?:other|existing)"
    r"|same (?:format|form|layout|structure) as)\b"
    r"|[/._-](?:<\w+>|\{\w+\})|(?:<\w+>|\{\w+\})[/._-]\w|\*\.\w|\w\*|YYYY|\bsee [`/\"']",
    re.IGNORECASE,
)
FILES_EACH = re.compile(
    r"\bfiles?\b[^.]{0,40}\b(?:each|every|per)\b|\b(?:each|every|per)\b[^.]{0,40}\bfile", re.IGNORECASE
)
"""Files that may be called after entries of the data."""
DOCUMENTS = re.compile(rf"\b({_KINDS})s?\b", re.IGNORECASE)
_HEADING = re.compile(r"^#+ .*$|^\*\*[^*\n]+\*\*[ \t]*$", re.MULTILINE)
_DESCRIBED = re.compile(r"\b(?:each|every) (?:[\w`.'\"*-]+ ){1,3}(?:is|are|has|holds|contains)\b", re.IGNORECASE)
"""A sentence that says what a file that is there is like."""
_OF_FILES = re.compile(r"\b(?:each|every|per) (?:[\w`.'\"*-]+ ){0,2}files?\b", re.IGNORECASE)
_MADE = re.compile(
    r"\b(?:writ|creat|produc|generat|mak|sav|output|stor|convert|compress|extract|render|split|put|cop|mov)\w*\b",
    re.IGNORECASE,
)
_ROW = re.compile(r"\b(?:lines?|rows?|entry|entries|records?|objects?|keys?|elements?|items?)\b", re.IGNORECASE)
_LISTS = re.compile(rb"\bglob|listdir|iterdir|scandir|os\.walk|readdir|\bls\s|\bfind\s|/\*")
"""Programs that take every file of a directory: what lies there may be theirs."""
_PACKED = (".gz", ".zip", ".xz", ".bz2", ".7z", ".tgz", ".zst", ".parquet", ".docx", ".xlsx", ".pdf", ".png", ".jpg")
_KEYWORD = re.compile(r"^[ \t]*[A-Z]+[ \t]", re.MULTILINE)
"""The keyword of a line of a recipe (RUN, COPY) says nothing of the task."""
_USUAL = re.compile(
    r"^(\.|__|makefile$|dockerfile$|license|readme|changelog|requirements|setup\.|pyproject|package|cargo|go\.|index\.|main\.|app\."
    r"|config|settings|test_|conftest|build|output|result|data|tmp|temp|logs?$)",
    re.IGNORECASE,
)


class HiddenRequirement(Equivalent):
    """A file or key that the instruction does not name, and that the tests ask for.

    What it does: takes one file that the reference made and no word of the instruction names, or one unnamed key of a
    named JSON output, out of the reference's state, everything that is asked for left as it is; grades. Only names that
    the tests spell out, that neither other work nor any file of the image mentions, and only where the instruction
    refers to no document, convention or pattern.

    What a hit proves: the state is rejected twice for want of it, the failing assertion names it, a search through the
    image does not find it, and the state with it is rewarded (hidden-requirement).

    What it cannot show: hidden requirements on values and forms; names that could be guessed from words of the
    instruction.

    Seen in the wild: unstated requirements among 28 of 89 tasks that a terminal benchmark had to change.
    """

    id = "hidden-requirement"
    name = "Without what nobody asked for"
    version = 4
    order = 76
    without = "the reference leaves nothing that the tests name and the instruction does not"

    def closed(self, instruction: str) -> str:
        """Words that refer to further requirements elsewhere."""
        elsewhere = ELSEWHERE.search(instruction) or any(map(_makes_files, wording.sentences(instruction)))
        return "the instruction refers to names elsewhere" if elsewhere else ""

    def _documented(self, environment: Environment, survey: Survey) -> str:
        """A document that the instruction speaks of and that may be a file of the image, or lies outside."""
        said = {word.lower() for word in DOCUMENTS.findall(_HEADING.sub("", environment.instruction))}
        there = any(word[:4] in entry.path.lower() for word in said for entry in survey.listing)
        outside = re.search(r"https?://|\bRFC\b|\bISO\b", environment.instruction)
        return "the instruction refers to a document" if said and (there or outside) else ""

    def rewrite(self, environment: Environment, survey: Survey, found: Sequence[Target]) -> Iterable[Rewriting]:
        """None: what is taken away is planned below."""
        return ()

    def plan(self, environment: Environment, survey: Survey) -> Sequence[Attempt] | NotApplicable:
        """One attempt for each unnamed thing."""
        if survey.reference is None or survey.in_place:
            return NotApplicable("there is no state of a passing reference to edit")
        reason = self.closed(environment.instruction) or self._documented(environment, survey)
        if reason or any(entry.path.lower().endswith(_PACKED) for entry in survey.listing):
            return NotApplicable(reason or "the image holds packed files that may name further requirements")
        found = edits.targets(environment, survey)
        unnamed = [*self._files(environment, survey, found), *self._keys(environment, survey, found)][:_MOST]
        attempts = [self._take(environment, index, *one) for index, one in enumerate(unnamed)]
        return attempts or NotApplicable(self.without)

    def _files(
        self, environment: Environment, survey: Survey, found: Sequence[Target]
    ) -> Iterator[tuple[Target, str, str | None]]:
        many = FILES_EACH.search(environment.instruction) is not None
        made = Counter(posixpath.splitext(target.path)[1] for target in found if target.fresh and not target.named)
        homes = {survey.workdir.rstrip("/"), *(posixpath.dirname(target.path) for target in found if target.named)}
        for target in found:
            name = posixpath.basename(target.path)
            here = posixpath.dirname(target.path) in homes - {"", "/tmp", "/etc", "/root"}
            if target.named or not target.fresh or not here or _USUAL.search(name) or target.kind == "code":
                continue
            stem, kind = posixpath.splitext(name)
            if made[kind] > 1 and _short(stem):
                continue  # they may be called after entries of the data
            if many and (made[kind] > 1 or not re.fullmatch(r"[A-Za-z]{3,}", stem)):
                continue
            if _unnamed(environment, survey, found, target, name):
                yield target, name, None

    def _keys(
        self, environment: Environment, survey: Survey, found: Sequence[Target]
    ) -> Iterator[tuple[Target, str, str | None]]:
        for target in declared(found):
            value = json.loads(target.text) if target.kind == "json" else None
            if not target.named or not target.fresh or not isinstance(value, dict) or len(value) < 2:
                continue
            for key in value:
                plain = re.fullmatch(r"[A-Za-z][A-Za-z_]{3,40}", key)
                if plain and not _standard(key) and _unnamed(environment, survey, found, target, key):
                    yield target, key, like(target.text, {k: v for k, v in value.items() if k != key})

    def _take(self, environment: Environment, index: int, target: Target, name: str, content: str | None) -> Attempt:
        path = target.path
        gone = Remove((path,)) if content is None else Put((File(path.strip("/"), content.encode(), target.mode),))
        what = f"{path} removed" if content is None else f"the key {name!r} removed from {path}"
        originals = [] if content is None else [[path.strip("/"), target.text, target.mode]]
        return self.attempt(
            environment,
            edits.begin(Survey()),
            gone,
            repeat=index,
            question=f"Is the state still rewarded with {what}, of which the instruction says nothing?",
            what=what,
            name=name,
            sought=posixpath.splitext(name)[0] if content is None else name,
            proof="the instruction does not name it",
            paths=[path],
            roots=_roots(environment),
            originals=originals,
        )

    def more(self, environment: Environment, results: Sequence[Result], background: Background) -> Sequence[Attempt]:
        """For a rejection beside the repetition and the control: a search through the image for the name."""
        follow = super().more(environment, results, background)
        if not follow:
            return ()
        base = follow[0]
        machine = any("host" in {base.origin, base.resolved} for base in background.bases)
        roots = sorted({*base.facts["roots"], *(() if machine else _SHARED)})
        search = holding(base.facts["sought"], roots, flags="iw" if _short(base.facts["sought"]) else "i")
        script = f'command -v grep >/dev/null || exit 1\nf=$({search})\ntest -z "$f"\n'
        absent = Attempt(
            base.environment_id, self.id, self.version, "absent", base.repeat, (Run(script),), base.question, base.facts
        )
        return [*follow, absent]

    def judge(self, environment: Environment, results: Sequence[Result], background: Background) -> Judgement:
        """A rejection counts when the failing assertion names the thing and the image does not."""
        judged = super().judge(environment, results, background)
        if judged.status is not ProbeStatus.HIT:
            return judged
        proof = [result for result in results if result.attempt.id in judged.findings[0].attempts]
        rejected = next(result for result in proof if not result.passed)
        same = [result for result in results if result.attempt.repeat == rejected.attempt.repeat]
        absent = next((r for r in same if r.attempt.arm == "absent" and r.effective), None)
        facts = rejected.attempt.facts
        if absent is None or not _named_by_failure(rejected, facts["name"]):
            return Judgement(ProbeStatus.SURVIVED, f"lead: rejected with {facts['what']}, which the instruction omits")
        return hit(
            self,
            environment,
            "rejects-right",
            "hidden-requirement",
            [*proof, absent],
            f"The state is rejected with {facts['what']}: the tests ask for {facts['name']!r}, and neither the"
            " instruction nor any file of the image names it.",
            "State the requirement in the instruction, or drop the assertion.",
            name=facts["name"],
            what=facts["what"],
            failing=failing_test(rejected),
        )


def _makes_files(sentence: str) -> bool:
    """Whether a sentence may ask for one file for each of something."""
    if not FILES_EACH.search(sentence):
        return False
    made = _MADE.search(sentence) and not _ROW.search(sentence)
    return bool(made or FILES_EACH.search(_OF_FILES.sub(" ", _DESCRIBED.sub(" ", sentence))))


def _short(stem: str) -> bool:
    """Whether a stem is sought as a word of its own, since other words may hold it by chance."""
    return len(stem) < 5


def _roots(environment: Environment) -> list[str]:
    """Where files of the task may lie: the usual places, and what the recipe or the instruction names."""
    named = text.paths(environment.image.text) + text.paths(environment.instruction)
    folders = {posixpath.dirname(path.rstrip("/")) for path in named}
    system = ("/", "/bin", "/dev", "/lib", "/proc", "/run", "/sbin", "/sys", "/usr")
    return sorted({*_TASKS, *(f for f in folders if f not in system and not f.startswith(("/usr/", "/lib")) and f)})


def _unnamed(
    environment: Environment, survey: Survey, found: Sequence[Target], target: Target, name: str
) -> bool:
    """Whether the tests spell out the name, and nothing that a solver reads does, not even in parts."""
    stem = posixpath.splitext(name)[0]
    said = environment.instruction.lower()
    parts = [part for part in re.findall(r"[a-z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", stem).lower()) if len(part) > 2]
    guessable = not parts or all(re.search(rf"\b{part[:5]}", said) for part in parts)
    quoted = re.compile(rf"[\"'/]{re.escape(name)}[\"']".encode())
    asked = any(quoted.search(file.content) for file in environment.verifier.files)
    recipe = _KEYWORD.sub("", environment.image.text)
    readable = [recipe, *(peek.text for peek in survey.peeks), *(entry.path for entry in survey.listing)]
    pattern = rf"(?<![a-z\d]){re.escape(stem)}(?![a-z\d])" if _short(stem) else re.escape(stem)
    sought = re.compile(pattern, re.IGNORECASE)
    elsewhere = any(sought.search(place) for place in readable)
    other = any(stem.encode() in t.content for t in found if t is not target)
    programs = [t for t in found if t is not target and (t.kind == "code" or t.mode & 0o111)]
    doubt = any(_LISTS.search(program.content) for program in programs)
    return asked and not guessable and not sought.search(said) and not elsewhere and not other and not doubt


def _standard(key: str) -> bool:
    """Whether a key is usual in published formats, so that its name may be common knowledge."""
    return key.lower() in {"type", "version", "name", "title", "data", "schema", "status", "error", "items", "results"}


def _named_by_failure(result: Result, name: str) -> bool:
    """Whether what failed says the name."""
    messages = [test.message for test in result.outcome.tests if test.outcome in {"failed", "error"}]
    telling = re.compile(r"^(?:E\s|>\s)|Error\b|assert", re.IGNORECASE)
    messages += [line for line in result.outcome.log.splitlines() if telling.search(line)]
    return any(name in message for message in messages)
