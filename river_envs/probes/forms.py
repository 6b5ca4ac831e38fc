"""Which forms an instruction leaves open: only there may an equivalent state be expected to pass.

Every question errs to the side of "closed": a word that might fix the form is enough.
"""

from __future__ import annotations

import posixpath
import re

from river_envs.probes import instruction as text
from river_envs.probes import stated, wording
from river_envs.probes.base import Survey

_BYTES = (
    r"bytes?|byte-\w+|verbatim|identical\w*|checksums?|sha-?\d*|md5\w*|hash\w*|digest\w*|diff|cmp|unchanged|as[- ]is"
    r"|bit[- ]for[- ]bit|untouched|literal\w*|precise\w*|strict\w*"
    r"|exact (?:text|content|contents|string|format|form|match|output|layout|copy|line)"
    r"|exactly (?:this|these (?:lines|bytes)|the following|as|like|match\w*|equal\w*|one (?:word|token|number|value)"
    r"|the (?:same )?(?:format|form|text|content|line|string|output))|exactly:?\s*[`\"']"
    r"|cop(?:y|ies|ied)|restor\w+|recover\w*|decompress\w*|decrypt\w*|decod\w*|encod\w*|unpack\w*|concatenat\w*"
    r"|renam\w+|serializ\w+|canonical\w*"
)
_KEPT = re.compile(
    r"\b(?:leave|stays?|keep|kept|remains?|left)\b[^.;]{0,60}"
    r"\b(?:unchanged|untouched|alone|as (?:it|they) (?:is|are)|as[- ]is)",
    re.IGNORECASE,
)
_CELLS = re.compile(
    r"\b(?:cells?|values|numbers|columns?|fields?|entries|keys|names)(?: (?:are|is|stay|remain|being))? unchanged\b",
    re.IGNORECASE,
)
"""What stays within a text says nothing of its end."""
_THING = (
    r"(?:number|word|name|value|string|text|line|answer|result|digits?|hash|hex\w*|id|date|path|integer|count|code)"
)
_NEWLINE = (
    r"new ?lines?|line[- ](?:break|end|feed)\w*|trailing|terminat\w+|whitespace|blank lines?|empty lines?"
    r"|nothing (?:else|but|more)|no (?:other|extra|more|additional)|printf|echo|wc|stripped|eof|crlf|lf"
    r"|(?:contain\w*|hold\w*|consist\w*|with|write|print|output|just|only)"
    r" (?:of )?(?:only|just|nothing|the|a single|one)"
    rf" (?:the )?{_THING}\b|characters? long"
)
_JSON = (
    r"indent\w*|pretty[\w-]*|compact[\w-]*|minif\w*|(?:single|one)[- ]line|whitespace|spaces?|escap\w*|ascii|unicode|jq"
    r"|json ?lines|jsonl|ndjson|layout|formatted|formatting"
)
_ORDER = (
    r"order\w*|sort\w*|ascending|descending|alphabetical\w*|rank\w*|sequence|lexicograph\w*|\w+est first|first come"
    r"|(?:keys?|fields?|entry|entries|members?|names|objects?)\b[^.;:]{0,40}\b(?:first|last)"
    r"|(?:first|last)\b[^.;:]{0,20}\b(?:keys?|fields?|entry|entries|members?)"
)
_LISTED = re.compile(
    r"\b(?:arrays?|lists?)\b[^.,;:]{0,60}\bin (?:the )?(?:\w+ )?order\b|\bsorted (?:arrays?|lists?)\b", re.IGNORECASE
)
"""The order of a list, which says nothing of the keys of an object."""
_FREE_LINES = re.compile(
    r"\b(?:blank|empty) lines? (?:are|is|may be) (?:free|allowed|ignored|skipped|irrelevant|optional|up to you)\b", re.I
)
_CSV = (
    r"quot\w*|comma[- ]separated|separated|delimit\w*|raw|plain|grep|awk|cut|lines?|form|format\w*|like this|template"
    r"|pattern|\w+,\w+ pairs?|escap\w*"
)
_NUMBER = (
    r"decimals?|round\w*|digits?|places?|precision|format\w*|integer\w*|whole|significant|fixed|scientific|float\w*"
)
_MODE = (
    r"mode|modes|permissions?|chmod|chown|umask|owner\w*|readable|writable|writeable|executable|0?[0-7]{3}|private"
    r"|secur\w*|secret\w*|access|root|group|sudo|harden\w*|key"
)
_PACKING = (
    r"compress\w*|deflate\w*|stored|level|determinis\w*|reproducib\w*|sizes?|smaller|smallest|gzip -\d|padding|blocks?"
    r"|vacuum\w*|page|journal\w*|pragma\w*|header|time ?stamps?|mtime"
)
_EXTRA = (
    r"only|no other|nothing|clean\w*|empty|tidy|exactly|remov\w+|delet\w+|leave no|every file|all (?:the )?files?|git"
    r"|director(?:y|ies)|folders?|tree|archive\w*|tar|zip|backup\w*|glob|recursiv\w*|contents? of|list of files|count"
    r"|size of|checksum\w*|manifest|untouched|unchanged|untracked|commit\w*|move|moved|organi[sz]\w*"
)
_SOURCE = (
    r"comments?|lines? of code|shortest|golf|characters?|format\w*|lint\w*|style|pep ?8|black|ruff|flake8|pylint"
    r"|names?|identifiers?|variables?|minif\w*|bytes?|source (?:code|text)|size|docstring\w*"
    r"|annotat\w*|template|placeholder\w*"
)
ANY_ORDER = re.compile(
    r"\b(?:in any order|(?:the )?order (?:of [^.;,]{1,40} )?(?:does not|doesn't|is not|isn't)"
    r" (?:matter|important|relevant)|in no particular order"
    r"|order (?:of [^.;,]{1,60} )?is (?:free|up to you|irrelevant|arbitrary)"
    r"|any order (?:is fine|will do|is ok))\b",
    re.IGNORECASE,
)
_ENTRIES = re.compile(
    r"\b(?:rows?|lines?|entries|entry|records?|items?|elements?|objects?|points?|results|names|members|pairs)\b"
    r"|\border (?:does|is|doesn|isn)|\bany order(?: is|\s*[).;]|$)",
    re.IGNORECASE,
)
_PARTS = re.compile(
    r"\b(?:fields?|keys?|columns?|attributes?|propert(?:y|ies)|options?|flags?|arguments?|characters?|words?|headers?"
    r"|settings?|inputs?|parameters?|tags?|sections?)\b",
    re.IGNORECASE,
)
_SORTS = re.compile(
    r"\b(?:sort\w*|ascending|descending|alphabetical\w*|lexicograph\w*|chronological\w*|rank\w*|ordered"
    r"|order(?:ing)? (?:by|of (?:time|appearance|arrival))|in (?:the )?(?:\w+ )?order|(?:oldest|newest|earliest|latest"
    r"|largest|smallest|highest|lowest|biggest) (?:\w+ )?first|by (?:time|date|timestamp)|sequence)\b",
    re.IGNORECASE,
)
_DECIMALS = re.compile(
    r"\b(?:(?:\w+|\d+) decimals?(?: places?)? or more|at least (?:\w+|\d+) (?:decimals?|decimal places))\b",
    re.IGNORECASE,
)
_DUTY = re.compile(
    r"\b(output\w*|results?|writ\w+|print\w*|produc\w+|report\w*|answers?|submit\w*|generat\w+|must|should|save\w*"
    r"|exact\w*|creat\w+|store\w*|format\w*)\b",
    re.IGNORECASE,
)
_ANY_SPACE = re.compile(
    r"\b(?:(?:trailing |surrounding |extra |leading )?(?:white ?space|spaces|blanks)(?: at the end of [a-z ]{1,20})?"
    r" (?:does not|do not|doesn't|don't|is not|are not|isn't) (?:matter|count|important|relevant)"
    r"|(?:white ?space|trailing spaces|surrounding blanks) (?:is|are|will be) (?:ignored|stripped|irrelevant)"
    r"|ignor\w+ (?:trailing |surrounding )?(?:white ?space|spaces))\b",
    re.IGNORECASE,
)


def _says(instruction: str, *patterns: str) -> bool:
    words = rf"(?<![\w/.-])(?:{'|'.join(patterns)})(?![\w/-])"
    return any(re.search(words, _KEPT.sub(" ", sentence), re.IGNORECASE) for sentence in wording.sentences(instruction))


def newline_open(instruction: str) -> bool:
    """Whether a text may end with or without a line break."""
    return not _says(_FREE_LINES.sub("", _CELLS.sub("cells", instruction)), _BYTES, _NEWLINE)


def json_open(instruction: str) -> bool:
    """Whether a JSON file may be laid out in any way."""
    return not _says(instruction, _BYTES, _JSON)


def key_order_open(instruction: str) -> bool:
    """Whether the keys of a JSON object may stand in any order."""
    said = ANY_ORDER.sub("", _LISTED.sub("list", instruction))
    return json_open(instruction) and not _says(said, _ORDER)


def csv_open(instruction: str) -> bool:
    """Whether cells of a CSV may be quoted and its lines end as CSV writers end them."""
    return not _says(instruction, _BYTES, _CSV, r"new ?lines?|line[- ]end\w*|crlf|lf|trailing|whitespace|spaces?")


def number_open(instruction: str) -> bool:
    """Whether a fraction may be written with further zeros."""
    return not _says(instruction, _BYTES, _NUMBER, "exact\\w*")


def mode_open(instruction: str) -> bool:
    """Whether a data file may be writable for its group."""
    return not _says(instruction, _BYTES, _MODE)


def container_open(instruction: str) -> bool:
    """Whether an archive or a database may hold the same in other bytes."""
    return not _says(instruction, _BYTES, _PACKING)


def extra_open(instruction: str) -> bool:
    """Whether a further file may lie in the working directory."""
    return not _says(instruction, _BYTES, _EXTRA)


def source_open(instruction: str) -> bool:
    """Whether a program may hold comments and name its variables freely."""
    return not _says(instruction, _BYTES, _SOURCE)


def any_order(instruction: str, path: str = "") -> str:
    """The sentence that frees the order of the entries of the file at ``path``, or ""; without a path, a sentence that
    names none either.

    What is freed must be entries (of an input's fields nothing follows), and no other sentence may state an order.
    """
    name = posixpath.basename(path.rstrip("/"))
    sentences = wording.sentences(instruction)
    bare = [sentence.strip() for sentence in sentences if ANY_ORDER.search(sentence) and not text.paths(sentence)]
    for sentence in stated.said(instruction, ANY_ORDER, path) if path else bare:
        freed = next(iter(ANY_ORDER.finditer(sentence)))
        part = re.split(r"[;:]", sentence[: freed.start()])[-1]
        rest = sentence[: freed.start()] + sentence[freed.end() :]
        others = [rest, *(other for other in sentences if other.strip() != sentence)]
        clause = part.split(",")[-1] + freed.group() + sentence[freed.end() :][:1]
        entries = _ENTRIES.search(part + clause) or (name and name in sentence)
        if entries and not _PARTS.search(clause) and not any(_SORTS.search(other) for other in others):
            return sentence
    return ""


def more_decimals(instruction: str, key: str) -> str:
    """The sentence that lets the fractions under ``key`` have further decimals, or ""."""
    return next((s.strip() for s in wording.sentences(instruction) if key in s and _DECIMALS.search(s)), "")


def of_outputs(instruction: str, survey: Survey) -> str:
    """The prose without the sentences that describe an input: those before the first mention of an output, once an
    input was named, that speak of no writing and no duty.
    """
    named = text.paths(instruction, survey.workdir)
    present = {entry.path for entry in survey.listing}
    inputs = [posixpath.basename(path) for path in named if path in present]
    absent = [path.rstrip("/") for path in named if path.rstrip("/") not in present and path.rstrip("/").count("/") > 1]
    outputs = [posixpath.basename(path) for path in absent]
    kept, reading, writing = [], False, not outputs
    for sentence in wording.sentences(instruction):
        writing = writing or any(name in sentence for name in outputs)
        reading = reading or any(name in sentence for name in inputs)
        if writing or not reading or _DUTY.search(sentence):
            kept.append(sentence)
    return "\n".join(kept)


def any_space(instruction: str) -> str:
    """The sentence that frees white space at the end of lines, or ""."""
    return next((s.strip() for s in wording.sentences(instruction) if _ANY_SPACE.search(s)), "")
