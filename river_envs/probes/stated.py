"""What an instruction states beyond doubt: that a file, a key, a value, an order or a mode is required.

A mutant may only accuse when it drops something that is stated here. Each function gives the sentence that states it,
or "" where the wording leaves any doubt (optional, conditional, by way of example, approximate).
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from functools import lru_cache

from river_envs.environment import Verifier
from river_envs.probes import instruction as text
from river_envs.probes import wording

MAKES = re.compile(
    r"\b((?:be|getting) (?:written|saved|stored|created|produced|generated|exported|recorded|placed|put)"
    r"|write|writing|save|saving|create|creating|produce|generate|put|store|export|record|make|build|place|dump"
    r"|implement|deliver|want|need|add|goes? (?:in)?to|belongs? in(?:to)?|output)\b",
    re.IGNORECASE,
)
_GATHERS = re.compile(
    r"\b(contain\w*|holds?|mov(?:e|es|ed)|cop(?:y|ies|ied)|sort(?:ed)?|extract\w*|render\w*|links?|linked|unpack\w*|split)\b",
    re.IGNORECASE,
)
_UNSURE = re.compile(r"\b(option\w*|unless|you (?:may|can|might|could)|for example|e\.g)\b", re.IGNORECASE)
_LEADS = re.compile(
    r"^.*\b(?:examples?|illustration|for instance|shape|looks? like)\b[^\n]*:\s*$", re.IGNORECASE | re.MULTILINE
)
"""Lines that lead to an example: what they say of its values ("fictitious values") frees no value of the answer."""
_EACH = re.compile(
    r"\bfor (?:each|every)\b|\b(?:one|a|two|three|four) (?:rows?|lines?|entry|entries|objects?|elements?|records?)"
    r" (?:per|for (?:each|every))\b|\bper (?:\w+) (?:one|a) \w+",
    re.IGNORECASE,
)
_PARTIAL = re.compile(
    r"\b(precision|recall|f1|accuracy|detect\w*|per ?cent|coverage)\b|\d ?%"
    r"|\b(?:share|fraction|part|most|half|number) of (?:the )?(?:rows|lines|entries|records|answers)\b",
    re.IGNORECASE,
)
"""Measures that a missing entry may leave above their threshold."""
SOME = re.compile(
    r"\b(at (?:least|most)|up to|top \w+|first \w+|several|some|where|that (?:was|were|is|are|has|have)|found|detected"
    r"|predicted|suspected|optional\w*|may|might|can)\b",
    re.IGNORECASE,
)
_TWICE = re.compile(
    r"\b(no duplicates?|without duplicates?|deduplicat\w+|exactly once|only once|unique (?:rows|lines|entries))\b",
    re.IGNORECASE,
)
CONDITION = re.compile(r"\b(if|unless|when|whenever|otherwise|in case|should (?:the|it|there))\b", re.IGNORECASE)
_LOOSE = re.compile(
    r"\b(approximat\w+|roughly|about \d+|around \d+|toleran\w+|accuracy|accurate|precision"
    r"|error of|estimat\w+|any (?:of|method|valid|correct|reasonable|one)"
    r"|(?:any )?one of (?:the|them|these) (?:valid|possible|correct|right|best|optimal)"
    r"|random\w*|simulat\w+|monte|predict\w*|train\w*|classif\w+|cluster\w*|fit(?:s|ted|ting)?|optimi[sz]\w+"
    r"|heuristic"
    r"|minimi[sz]\w*|maximi[sz]\w*|as (?:close|small|large|short|fast|few|many) as|plausible|realistic|decent"
    r"|your own|free to|up to you|invent|describ\w+|explain\w*|in your words|short (?:note|summary|text|description)"
    r"|paragraph|sentence|prose|sample|measur\w+|timing|benchmark\w*|elapsed|current (?:time|date|user)|today|now"
    r"|uptime|ties? broken arbitrarily)\b|±|\+/-|≈|~ ?\d"
    r"|\bany \w+ (?:[\w-]+ ){0,5}(?:is|are|will be|counts as) (?:accepted|fine|allowed|ok|enough|right|correct)\b"
    r"|\bties?\b[^.;]*\b(?:any|either|arbitrar\w+|free)\b"
    r"|\b(?:list|find|name|give|include|provide|contain\w*|report|write|output|with|have|has|identify|pick|choose|select)"
    r" (?:\w+ ){0,2}(?:at (?:least|most)|up to|several)\b"
    r"|\b(?:at (?:least|most)|up to|threshold|or (?:more|less|better|fewer)|best)\b[^.;]{0,60}"
    r"\b(?:accuracy|correct\w*|score|match\w*|quality|similarity|agreement|index|right|percent)\b"
    r"|\b(?:accuracy|correct\w*|score|match\w*|quality|similarity|agreement|index|percent)\b[^.;]{0,60}"
    r"\b(?:at (?:least|most)|up to|threshold|or (?:more|less|better|fewer)|best)\b"
    r"|\b(?:answers?|results?|values?|outputs?|solutions?)\b[^.;]{0,40}\b(?:may|can|might) differ\b",
    re.IGNORECASE,
)
_WORD = r"(?! (?:and|of|or)\b) ?[a-zA-Z]+\b"
_NUMBER = rf"`?\d[\d,_]*(?:\.\d+)?(?:e-?\d+)?`?(?: ?%|{_WORD})?"
_WITHIN = re.compile(
    rf"\b(?:toleran\w+|accurate to|error of)(?: at most| (?:is|are|of))?(?: ±| \+/-)? {_NUMBER}"
    rf"(?:(?:,| and) {_NUMBER})*|(?:±|\+/-) ?{_NUMBER}|\b(?:to )?within {_NUMBER}",
    re.IGNORECASE,
)
"""A tolerance that is stated as a number: a value that is off by far more is wrong all the same."""
_UNIT, _MOST = 4000, 1e12
"""A tolerance "of 2 hours" may bound seconds."""
_MEANS = re.compile(
    r"\b(?:how (?:you|to|it) (?:do|get there|get it|go about|implement|solve|works?)|which (?:tools?|languages?"
    r"|programs?|librar(?:y|ies)))\b(?: (?:it|this|that|them|you use))?,? "
    r"\b(?:(?:is|are) (?:up to you|your (?:own )?(?:choice|decision|business)|free)|do(?:es)? not matter"
    r"|do(?:es)?n't matter)\b",
    re.IGNORECASE,
)
"""How the work is done is free, what comes out of it is not."""
_UNSTEADY = re.compile(
    r"time|stamp|duration|elapsed|seconds|\bms\b|_ms|pid|seed|confidence|score|prob|uuid|version|host|port|created"
    r"|generated|updated|size|bytes|latency",
    re.IGNORECASE,
)
_TELLING = re.compile(
    r"note|comment|descr|message|reason|summary|label|title|explan|remark|detail|text|advice|recommend|author|evidence"
    r"|example|snippet|line|path|file|command|method",
    re.IGNORECASE,
)
_HEADLESS = re.compile(r"\b(?:without|no) (?:a |any )?(?:header|heading|column names)|\bheaderless\b", re.IGNORECASE)
_PROSE = re.compile(
    r"\b(notes?|comments?|descriptions?|messages?|reasons?|summar(?:y|ies)|explanations?|remarks?|details?|advice"
    r"|evidence|titles?|texts?)\b",
    re.IGNORECASE,
)
_ALL = re.compile(
    r"\b(each|every|all|per|one (?:row|line|object|entry|element) for|complete|exactly (?:these|the))\b", re.IGNORECASE
)
_ORDERED = re.compile(
    r"\b(sort(?:ed)?|order(?:ed)?)\b[^.;]{0,40}\b(by|alphabetical\w*|ascending|descending|numerical\w*)\b"
    r"|\bin (?:alphabetical|ascending|descending|numerical|chronological) order\b|\b(?:ascending|descending) by\b"
    r"|\b(?:largest|smallest|highest|lowest|earliest|latest|oldest|newest|biggest|busiest) (?:\w+ )?first\b",
    re.IGNORECASE,
)
_BLANK = re.compile(r"<\w+>|\{\w+\}|(?<![A-Za-z])[A-Z]{3,}(?![A-Za-z])")
_TEMPLATE = re.compile(r"`((?:[\w.-]*[_.-])?(?:<\w+>|\{\w+\}|[A-Z]{3,})(?:[_.-][a-z][\w.-]*)?)(?==|`)")
"""A quoted key with a blank to fill in."""
_MODE = re.compile(r"(?<![\w.])0?[0-7]{3}(?!\w|\.\d)")
_RUNS = re.compile(
    rb"subprocess|os\.system|os\.popen|Popen|pexpect|importlib|runpy|__import__|exec\(|sys\.path|check_output"
    rb"|spec_from_file|urllib|requests\.|http\.client|socket\."
)
_RUNS_SHELL = re.compile(rb"^[^#\n]*\b(make|cargo|npm|node|gcc|g\+\+|cc|go|java|curl|\./\w)", re.MULTILINE)


def unsure(sentence: str) -> bool:
    """Whether a sentence speaks of something that may be left out, or is an example."""
    return _UNSURE.search(sentence) is not None


def naming(instruction: str, path: str) -> list[str]:
    """The sentences that name the path; a list line is read together with the line that leads to the list."""
    found, lead = [], ""
    name = posixpath.basename(path.rstrip("/"))
    for sentence in wording.sentences(instruction):
        listed = re.match(r"\s*(?:[-*+]|\d+[.)])\s", sentence)
        lead = lead if listed else sentence
        if re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", sentence):
            found.append(f"{lead} {sentence}" if listed and lead.rstrip().endswith(":") else sentence)
    return found


def key(instruction: str, name: str, path: str) -> str:
    """The sentence (or the example) in which ``name`` stands as a key or column of the file at ``path``, beyond doubt.

    A sentence speaks of the file that was named last before the key: keys of an input are none of the output.
    """
    if not re.fullmatch(r"[\w .-]{2,40}|[A-Za-z]", name):
        return ""
    if len(name) == 1:  # "(a)" marks an entry of a list
        return next(_about(instruction, re.compile(rf"`{name}`|\"{name}\""), path), "")
    quoted = re.compile(rf"[`\"'(,|{{]\s*{re.escape(name)}\s*[`\"'),|}}:]")
    for sentence in _about(instruction, quoted, path):
        if not re.search(r"\bmay\b|\bignored?\b", sentence, re.IGNORECASE):
            return sentence
    for sentence in _about(instruction, _TEMPLATE, path):
        if _fills(sentence, name) and _ALL.search(sentence) and not re.search(r"\bmay\b|\bignored?\b", sentence, re.I):
            return sentence
    for block in text.blocks(instruction, (path, *text.paths(instruction))):
        shown = re.search(rf"\"{re.escape(name)}\"\s*:|^{re.escape(name)}\s*[=:]", block.text, re.MULTILINE)
        if block.role == "example" and block.path == path and shown:
            return f'the example shows "{name}"'
    return ""


def _fills(sentence: str, name: str) -> bool:
    """Whether ``name`` is a key template of the sentence (`NAME_total`, `<name>_total`) with its blank filled in."""
    for template in _TEMPLATE.findall(sentence):
        fixed = _BLANK.split(template)
        pattern = r"[\w.-]+".join(re.escape(part) for part in fixed)
        if any(len(part.strip("_.-")) > 2 for part in fixed) and re.fullmatch(pattern, name):
            return True
    return False


def about(instruction: str, said: re.Pattern[str], path: str) -> str:
    """The first sentence, beyond doubt, that says this of the file at ``path``, the one that was named last before."""
    return next(_about(instruction, said, path), "")


def said(instruction: str, pattern: re.Pattern[str], path: str) -> list[str]:
    """All sentences, beyond doubt, that say this of the file at ``path``."""
    return list(dict.fromkeys(_about(instruction, pattern, path)))


def _about(instruction: str, said: re.Pattern[str], path: str) -> Iterator[str]:
    names = {posixpath.basename(path.rstrip("/")) for path in text.paths(instruction)}
    current = ""
    for sentence in wording.sentences(instruction):
        mentions = sorted((sentence.rfind(name), name) for name in names if name in sentence)
        for match in said.finditer(sentence):
            before = [name for at, name in mentions if at < match.start()]
            if (before[-1] if before else current) == posixpath.basename(path) and not unsure(sentence):
                yield sentence.strip()
        current = mentions[-1][1] if mentions else current


@lru_cache(maxsize=64)
def determined(instruction: str, *, tolerant: bool = False) -> bool:
    """Whether each value asked for is one value: found or computed, exact, the same on every run; ``tolerant``: up to
    a tolerance that the instruction states as a number.
    """
    words = _MEANS.sub("", text.prose(instruction))
    words = _WITHIN.sub("", words) if tolerant else words
    return (
        text.asks_to_find(instruction)
        and not text.leaves_free(_LEADS.sub("", instruction))
        and not wording.has_metric(instruction)
        and not _LOOSE.search(words)
    )


def steady(name: str, *, words: bool = False) -> bool:
    """Whether a value under this key can be taken for determined (``words``: as a text)."""
    return not _UNSTEADY.search(name) and not (words and _TELLING.search(name))


@lru_cache(maxsize=64)
def tolerance(instruction: str) -> float:
    """The largest tolerance that the instruction states as a number, in the smallest unit that it may mean; 0 where it
    states none.
    """
    parts = [match.group() for match in _WITHIN.finditer(text.prose(instruction))]
    said = re.sub(r"(?<=\d)[,_](?=\d)", "", " ".join(parts))
    found = re.findall(rf"(\d+(?:\.\d+)?(?:e-?\d+)?)`?({_WORD})?", said)
    return min(max((float(number) * (_UNIT if unit else 1) for number, unit in found), default=0.0), _MOST)


def headless(instruction: str, path: str) -> bool:
    """Whether the table at ``path`` has no header, and columns of data only, as far as the sentences about it say."""
    said = " ".join(naming(instruction, path))
    columns = re.search(r"\bcolumns?\b", said, re.IGNORECASE) or _UNSTEADY.search(said)
    return bool(_HEADLESS.search(said)) and not columns and not _PROSE.search(said)


def whole(instruction: str, *, tolerant: bool = False) -> str:
    """The sentence that asks for all entries of something, where every value is determined (``tolerant`` as there)."""
    if not determined(instruction, tolerant=tolerant):
        return ""
    return next((sentence.strip() for sentence in wording.sentences(instruction) if _ALL.search(sentence)), "")


def each(instruction: str, path: str) -> str:
    """The sentence that asks for an entry of the file at ``path`` for each of something that is there already, whatever
    the entry says.
    """
    if wording.has_metric(instruction) and _PARTIAL.search(instruction):
        return ""
    alone = [one for one in naming(instruction, path) if _EACH.search(one) and not unsure(one) and _only(one, path)]
    found = [*_about(instruction, _EACH, path), *alone]
    return next((sentence.strip() for sentence in found if not SOME.search(sentence)), "")


def tree(instruction: str, place: str) -> str:
    """The sentence that asks for all entries of something in the directory ``place``, whatever they hold."""
    return next(
        (
            sentence.strip()
            for sentence in naming(instruction, place)
            if re.search(rf"{re.escape(place)}/?(?![\w/.-])", sentence)
            and (_ALL.search(sentence) or only(sentence))
            and (MAKES.search(sentence) or _GATHERS.search(sentence))
            and not (SOME.search(sentence) or unsure(sentence) or CONDITION.search(sentence))
        ),
        "",
    )


def only(sentence: str) -> bool:
    """Whether a sentence excludes what it does not name."""
    return re.search(r"\b(exactly|nothing else|no other|has to go|must go|what else)\b", sentence, re.I) is not None


def _only(sentence: str, path: str) -> bool:
    """Whether the sentence names no other file than the one at ``path``."""
    return {posixpath.basename(named.rstrip("/")) for named in text.paths(sentence)} == {posixpath.basename(path)}


def ordered(instruction: str, path: str) -> str:
    """The sentence that states an order of the entries of the file at ``path``."""
    return about(instruction, _ORDERED, path)


def unique(instruction: str, path: str) -> str:
    """The sentence that forbids an entry of the file at ``path`` to stand twice."""
    return about(instruction, _TWICE, path)


def mode(instruction: str, path: str, bits: int) -> str:
    """The sentence that states the mode of the file at ``path``: its digits, or that it be executable."""
    for sentence in naming(instruction, path):
        said = re.search(r"\b(mode|permissions?|chmod)\b", sentence, re.IGNORECASE)
        runs = bits & 0o100 and re.search(r"\b(?:make|be|is|mark\w*) (?:\w+ )?executable\b", sentence, re.IGNORECASE)
        if ((digits(sentence, bits) and said) or runs) and not unsure(sentence):
            return sentence.strip()
    return ""


def digits(sentence: str, bits: int) -> bool:
    """Whether a sentence holds the mode ``bits`` in octal digits."""
    return bits in {int(found, 8) for found in _MODE.findall(sentence)}


def mentions(verifier: Verifier, name: str) -> bool:
    """Whether the verifier's files name ``name``; for a file name its stem counts too."""
    stem = posixpath.splitext(name)[0]
    wanted = [name.encode(), *([stem.encode()] if len(stem) > 2 else [])]
    return any(word in file.content for file in verifier.files for word in wanted)


@lru_cache(maxsize=64)
def runs_work(verifier: Verifier) -> bool:
    """Whether the verifier may run programs, import code or talk to a server: then it may make files anew."""
    return any(
        (_RUNS if file.path.endswith(".py") else _RUNS_SHELL).search(file.content) is not None
        for file in verifier.files
    )


def marginal(path: str) -> bool:
    """Whether a file of this name is often left to the solver's judgement (markers, logs of what was tried, caches)."""
    words = re.sub(r"[_.-]+", " ", posixpath.basename(path).lower())
    said = re.search(r"\b(marker|flag|lock|pid|sentinel|placeholder|gitkeep|tmp|temp|cache|notes?|init)\b", words)
    return said is not None
