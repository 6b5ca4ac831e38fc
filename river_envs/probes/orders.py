"""What an instruction orders beyond doubt: that a file is made, filled or changed.

Each function gives the sentence that orders it, or "" where the wording leaves any doubt (optional, conditional, by way
of example).
"""

from __future__ import annotations

import posixpath
import re

from river_envs.probes import instruction as text
from river_envs.probes.stated import CONDITION, MAKES, SOME, naming, unsure

_FILLS = re.compile(
    r"\b(writ(?:e|ing|ten)|sav(?:e|ed|ing)|record\w*|list\w*|report\w*|export\w*|contain\w*|holds?)\b", re.IGNORECASE
)
_CHANGES = re.compile(
    r"\b(fix|repair|edit|modify|update|change|replace|append|correct|rewrite|set|adjust|extend|migrate|delete|remove"
    r"|add|be (?:fixed|changed|updated|removed|deleted|replaced))\b",
    re.IGNORECASE,
)
_EVERY_FILE = re.compile(
    r"^\s*(?:(?:[-*+]|\d+[.)])\s+)?(?:please )?(?:fix|repair|edit|modify|update|change|correct|rewrite|migrate|convert"
    r"|normali[sz]e|re-?encode|translate|reformat|clean)"
    r" (?:all|every|each|the)(?: of the)?(?: (?!of\b)[\w.-]+){0,3} files?"
    r" (?:in|of|below|under|inside)\b(?![^.;]*\b(?:except|other than|so that|but|unless|where)\b)"
    r"|^\s*(?:(?:[-*+]|\d+[.)])\s+)?(?:please )?apply [^.;:]*? to (?:all|every|each|the)"
    r"(?: [\w.-]+){0,3} files (?:in|of|below|under)\b",
    re.IGNORECASE,
)
"""An order that concerns all files of a place."""
_MUST = re.compile(
    r"^[`\"'*)]{0,3},? (?:must|should|shall|has to|needs to|is to) (?:be|contain|hold|list|have|exist)\b(?! not)"
)
_TELLS = re.compile(
    r"^[`\"'*]{0,3}(?::| (?:is|are|has|holds|contains|lists|gives|gets|consists of)\b"
    r"(?! (?:not|no|never|only|already|an? (?:input|copy|example|sample|existing|log|backup)"
    r"|given|there|read|used|where|what|run|started|called)\b))"
)
"""What follows a name at the beginning of a sentence that says what the file is: a file that is not there yet."""
_PASSING = re.compile(
    r"\b(scratch|temporary|temp|cache|backup|draft|debug\w*|logs?|optional\w*|intermediate|disposable|leftover|bonus"
    r"|yours?|free|possible|convenient|nice|existing|already|input|examples?|may|might|can be|ignored?|keeps?|leaves?"
    r"|stopped|(?:created|written|generated|produced|made|filled|used|read) by)\b",
    re.IGNORECASE,
)
"""What says that a file is another's work, or nothing that counts."""
_OPENING = re.compile(
    r"\s*(?:(?:[-*+]|\d+[.)])\s+)?(?:\*\*)?(?:(?:the|this)(?: \w+){0,2})?[ `\"'*(]*/?", re.IGNORECASE
)
_GOES = re.compile(
    r"^\s*(?:(?:[-*+]|\d+[.)])\s+)?(?:please )?(?:merge|combine|collect|consolidate|gather|join|concatenate"
    r"|extract|convert|turn|summari[sz]e|aggregate)\b(?![^.;]*\b(?:that|which|not|never|first|used to)\b)"
    r"[^.;]*\binto[`\"' ]*$",
    re.IGNORECASE,
)
"""An order that ends in the name of the file: "Merge the feeds of `/data` into"."""
_SPAN = re.compile(r"`[^`]*`")
_PURPOSE = re.compile(r"\bfor [^,]*,$")
_ASIDE = re.compile(
    r"\b(for example|for instance|e\.g|example|such as|temporary|temporarily|intermediate|scratch|backup|cache|draft"
    r"|not|never|no|instead|either|or|existing|leave|keep|reads?|input|given|from|using|with|based on|like|for|by|if"
    r"|unless|when)\b",
    re.IGNORECASE,
)
_DOUBT = re.compile(
    r"\b(?:(?:may|might|could|can|would|not|never|no|don't|doesn't|needn't|if|unless|when|whenever|otherwise|feel free"
    r"|rather than|instead of|without|does|did|will)\W+(?:\w+\W+){0,2}"
    r"|(?:to|was|were|is|are|been|already|optionally|which|that|who|daemon|program|script|tool|service|it)\W+)$",
    re.IGNORECASE,
)


def asked(instruction: str, path: str) -> str:
    """The sentence that orders the file at ``path``, which is not there yet, to be made, or that says what it is or
    holds, beyond doubt.
    """
    return _ordered(instruction, path, MAKES)


def filled(instruction: str, path: str) -> str:
    """The sentence that orders the file at ``path`` to be made and to hold something."""
    sentence = "" if text.asks_for_empty(instruction) else asked(instruction, path)
    return sentence if _FILLS.search(sentence) else ""


def change(instruction: str, path: str) -> str:
    """The sentence that orders the file at ``path`` to be changed or removed, beyond doubt."""
    return _ordered(instruction, path, _CHANGES)


def changes_below(instruction: str, place: str) -> str:
    """The sentence that orders the files of the directory ``place`` to be changed, beyond doubt."""
    return next(
        (
            sentence.strip()
            for sentence in naming(instruction, place)
            if re.search(rf"{re.escape(place)}/?(?![\w/.-])", sentence)
            and _EVERY_FILE.search(_SPAN.sub("x", sentence))
            and not (SOME.search(sentence) or unsure(sentence) or CONDITION.search(sentence))
        ),
        "",
    )


def _ordered(instruction: str, path: str, verbs: re.Pattern[str]) -> str:
    name, directory = posixpath.basename(path.rstrip("/")), posixpath.dirname(path)
    for sentence in naming(instruction, path):
        before, _, after = sentence.partition(name)
        lead = before.removesuffix(directory + "/").rstrip(" `\"'*([")
        if re.search(r"\boption", sentence, re.IGNORECASE) or CONDITION.search(lead):
            continue
        if verbs is MAKES and not verbs.search(lead) and _declared(lead, after):
            return sentence.strip()
        found = list(verbs.finditer(lead))
        if not found or _DOUBT.search(lead[: found[-1].start()].rstrip() + " "):
            continue
        between = lead[found[-1].end() :]
        if between.endswith(","):  # the object was named before: "a tool for numbers, `/app/tool`"
            between = _PURPOSE.sub("", between)
        if len(between) < 100 and not _ASIDE.search(between):
            return sentence.strip()
    return ""


def _declared(lead: str, after: str) -> bool:
    """Whether the words around a name say, without a verb of making, that the file has to come about."""
    if _MUST.match(after) or _GOES.search(_SPAN.sub("x", lead)):
        return True
    return bool(_TELLS.match(after) and _OPENING.fullmatch(lead)) and not _PASSING.search(after[:120])
