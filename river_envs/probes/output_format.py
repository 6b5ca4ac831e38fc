"""The form that the instruction states for an output, read from its prose: kind, fields, number of lines, template.

Used where no example is shown. A form that is read wrongly costs an attempt that is rejected, never an accusation: what
counts as a proof is decided by the probes, on the values.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from river_envs.probes import wording

Kind = Literal["json", "csv", "lines", "text"]
Type = Literal["integer", "number", "text", "boolean", "date", "time", "list", "object", "hash", "address"]


@dataclass(frozen=True)
class Field:
    """One place in an output: a key or column, the type of its value, the words that describe it, and the placeholder
    that the instruction prints there.
    """

    name: str
    type: Type
    about: str = ""
    shown: str = ""


@dataclass(frozen=True)
class Format:
    """How an output is to look.

    ``json``: an object with ``fields``, or a list of them (``listed``), below the key ``below`` if there is one.
    ``csv``: ``fields`` are columns, with a ``header`` line. ``lines`` and ``text``: ``template`` with one
    ``{name}`` for each field, on every line or once. ``count`` is the stated number of lines or rows, ``per`` the input
    that has one line for each line of the output.
    """

    kind: Kind
    fields: tuple[Field, ...]
    separator: str = ","
    header: bool = False
    listed: bool = False
    below: str = ""
    template: str = ""
    count: int | None = None
    per: str | None = None


NUMBERS: Final = {w: n for n, w in enumerate("zero one two three four five six seven eight nine ten".split())}  # noqa: SIM905
PLACEHOLDER: Final = re.compile(
    r"<[A-Za-z_][\w .|/:-]{0,40}>|\{\{?[A-Za-z_][\w .|/-]{0,40}\}?\}|\$\{?[A-Z_]{2,20}\}?"
    r"|\[(?:NAME|COUNT|VALUE|NUMBER|DATE|PATH|[A-Z]+_[A-Z_]+)\]"
    r"|(?<![A-Za-z0-9])(?:X{2,}|N{1,4}|Y{4}|#{2,})(?![A-Za-z0-9]| \w)|%[dsf]|_{3,}|(?<=[\s:=\"{])\.\.\.(?!\.)"
)
_COMMAND = re.compile(r"/|\$ |\./|python|bash |http|curl |GET |PUT |POST |DELETE ")
_CODE = re.compile(r"`([^`\n]{1,160})`")
_BULLET = re.compile(
    r"^[ \t]*(?:[-*+•]|\d+[.)])[ \t]+(?:\*\*)?[`\"']([A-Za-z_][\w.-]*)[`\"'](?:\*\*)?[ \t]*"
    r"(?:\(([^)]*)\))?[ \t]*(?:[:,–—-]|is\b|=)?[ \t]*(.*)$",
    re.MULTILINE,
)
_CELLS = re.compile(r"^[ \t]*\|[ \t]*[`\"']([A-Za-z_][\w.-]*)[`\"'][ \t]*\|(.*)$", re.MULTILINE)
_NAMED = re.compile(
    r"\b(?:keys?|fields?|columns?|numbers|attributes|properties|header(?: line| row)?|entries)\b(?: (?:are|is|of|named"
    r"|called|line|row|must be|should be))*[:\s(]*((?:(?:[`\"'][^`\"'\n]{1,120}[`\"']|[a-z]\w*_\w+)(?:\s*\([^)]*\))?"
    r"(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s*/\s*)?)+)",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"\b(?:keys|fields|columns|header(?: line| row)?)\b(?: (?:are|is))?\s*:?\s*((?:[A-Za-z_]\w*\s*,\s*)+(?:and\s+)?\w+)"
)
_BELOW = re.compile(
    r"\b(?:a single|one|the|only the) key [`\"'](\w+)[`\"'][^.]{0,40}?[.,:]?\s*(?:Its value is )?a list of"
)
_COUNT = re.compile(
    r"\b(?:exactly|top|first|the)\s+(\d{1,3}|one|two|three|four|five|six|seven|eight|nine|ten)\s+(?:\w+\s+)?"
    r"(?:lines?|rows?|entries|records|words|results|items|most|largest|highest|busiest|slowest)\b"
    r"|^(?:and )?(\d{1,3}|two|three|four|five|six|seven|eight|nine|ten) lines\b",
    re.IGNORECASE | re.MULTILINE,
)
_PER = re.compile(
    r"\b(?:row|line|entry|prediction|label|value)s?\b[^.]{0,40}?\b(?:for )?(?:every|each|all)\b[^.]{0,60}?(/[\w./-]+\w)"
    r"|\bpredictions?\b[^.]{0,40}?\bfor (?:the \w+ (?:in|of) )?[`'\"]?(/[\w./-]+\w)"
    r"|\bas many as\b|\bline for (?:every|each) line\b",
    re.IGNORECASE,
)
_REPEATED = re.compile(
    r"\b(?:one|a|each|every|per) (?:\w+ )?(?:line|row|entry)|lines?\b[^.]{0,30}\bper\b|per line", re.IGNORECASE
)
_ONLY = re.compile(r"\b(?:only|just|nothing but) (?:the|its|their) ([a-z]+)", re.IGNORECASE)
_EACH = re.compile(r"\bone ([a-z]+) (?:per line|on each line)\b", re.IGNORECASE)
_SINGLE = re.compile(
    r"\b(?:a single|just the|only the|the) (?:whole |integer |final |resulting )?(?:number|integer|count|total|sum"
    r"|value|result|answer|digit)\b|\bnothing else\b|\bhow many\b|\bnumber of\b",
    re.IGNORECASE,
)


def stated_format(instruction: str, path: str, others: Iterable[str] = (), inputs: Sequence[str] = ()) -> Format | None:
    """The form that the prose states for the output at ``path``, or None. ``others`` are the other outputs named,
    ``inputs`` the files that the image holds.
    """
    about = context(instruction, path, others)
    suffix = posixpath.splitext(path)[1].lower()
    per = _per(context(instruction, path, others, whole=True), inputs)
    count = _count(context(instruction, path, others, whole=True))
    template = _template(about)
    if suffix in {".json", ".jsonl", ".ndjson", ".yaml", ".yml"}:
        fields = _fields(about)
        below = _BELOW.search(about)
        listed = below is not None or bool(
            re.search(r"\b(?:list|array) of (?:\w+ )?(?:objects|records|entries)", about)
        )
        if suffix in {".json", ".yaml", ".yml"}:
            names = [field for field in fields if not below or field.name != below.group(1)]
            key = below.group(1) if below else ""
            return Format("json", tuple(names), listed=listed, below=key, count=count) if names else None
        keys = ", ".join(f'"{field.name}": {{{field.name}}}' for field in fields)
        return Format("lines", fields, template="{" + keys + "}", count=count) if fields else None
    if suffix in {".csv", ".tsv"}:
        separator = "\t" if suffix == ".tsv" or re.search(r"\btabs?\b|tab-separated", about) else ","
        fields = _columns(_fields(about))
        header = not re.search(r"\b(?:no|without (?:a )?) ?header\b|same layout", about, re.IGNORECASE)
        return Format("csv", fields, separator, header, count=count, per=per) if fields else None
    if template:
        repeated = bool(_REPEATED.search(about))
        return Format("lines" if repeated else "text", template[1], template=template[0], count=count, per=per)
    if re.search(r"\bone (?:\w+ )?(?:number|integer|value) per line\b", about, re.IGNORECASE):
        return Format("lines", (Field("value", "number"),), template="{value}", count=count, per=per)
    each = _EACH.search(about)
    if each:
        field = Field(each.group(1), kind_of(each.group(1)))
        return Format("lines", (field,), template=f"{{{field.name}}}", count=count, per=per)
    if re.search(r"\b(?:one per line|per line)\b", about, re.IGNORECASE):
        return Format("lines", (Field("name", "text"),), template="{name}", count=count, per=per)
    only = _ONLY.search(context(instruction, path, others, whole=True))
    if only and not _SINGLE.search(about):
        field = Field(only.group(1), kind_of(only.group(1)))
        return Format("text", (field,), template=f"{{{field.name}}}")
    if _SINGLE.search(about):
        return Format("text", (Field("value", "integer"),), template="{value}")
    return None


def context(instruction: str, path: str, others: Iterable[str] = (), *, whole: bool = False) -> str:
    """What the prose says about ``path``: from the last sentence that names it with its directory (or at all) to the
    next other output, at most 1,500 characters. Words before the path that name other paths are about those: they are
    kept only with ``whole``.
    """
    text = wording.prose(instruction)
    name = posixpath.basename(path)
    at = text.find(path)
    at = at if at >= 0 else text.find(name)
    if at < 0:
        return ""
    begin = max(text.rfind(". ", 0, at) + 2, text.rfind("\n", 0, at) + 1, 0)
    end = min(at + 1500, len(text))
    for other in others:
        found = text.find(posixpath.basename(other), at + len(name))
        if other != path and 0 < found < end:
            end = found
    before, after = text[begin:at], text[at:end]
    return after if not whole and re.search(r"(/[\w.-]+){2,}", before) else before + after


def has_places(text: str) -> bool:
    """Whether ``text`` is a template: it holds placeholders, and is no markup."""
    return PLACEHOLDER.search(text) is not None and "</" not in text and "/>" not in text


_ANY = re.compile(r"[nmkxNMKX]|N+|X+|#+|value|val|v|result|answer||d|s|f|\.+", re.IGNORECASE)
_ANY_TYPE: Final[dict[str, Type]] = {"n": "integer", "m": "integer", "k": "integer", "": "integer", "d": "integer"}


def _fields(about: str) -> tuple[Field, ...]:
    bullets = [(m.group(1), f"{m.group(2) or ''} {m.group(3)}") for m in _BULLET.finditer(about)]
    bullets = bullets or [(m.group(1), m.group(2)) for m in _CELLS.finditer(about)]
    found: dict[str, str] = {}
    spoken = ""
    for match in _NAMED.finditer(about):
        for code in re.findall(r"[`\"']([^`\"'\n]+)[`\"']|([a-z]\w*_\w+)", match.group(1)):
            found.update(dict.fromkeys(_names(code[0] or code[1]), ""))
        if match.group().lower().startswith("numbers"):
            spoken = "decimals"
        if len(found) > 1:
            break
    if not found and not bullets:
        bare = _BARE.search(about)
        found.update(dict.fromkeys(_names(bare.group(1)) if bare else (), ""))
    found.update(bullets)
    return tuple(
        Field(name, kind_of(name, words or _said(about, name) or spoken), words) for name, words in found.items()
    )


def _columns(fields: Sequence[Field]) -> tuple[Field, ...]:
    """Columns of which nothing is known hold digits, behind the first: digits can be read as text, too."""
    return tuple(
        Field(field.name, "integer", field.about) if index and field.type == "text" and not field.about else field
        for index, field in enumerate(fields)
    )


def _names(code: str) -> list[str]:
    pieces = re.split(r"\s*(?:,|;|\t|\\t|\band\b)\s*", code.strip())
    return [piece for piece in pieces if re.fullmatch(r"[A-Za-z_][\w -]{0,40}", piece)]


def _said(about: str, name: str) -> str:
    """The words behind a later mention of a key ("`orders` is the number of ...")."""
    said = rf"[`\"']{re.escape(name)}[`\"'](?:\s*\(([^)]*)\)|(?:\s*:| is| are| holds)\s+([^.;,\n]*)|, (an? [^.;,\n]*))"
    match = re.search(said, about)
    return next((group for group in match.groups() if group), "") if match else ""


_TYPES: tuple[tuple[Type, str], ...] = (
    ("boolean", r"\b(true|false|boolean|bool|whether)\b"),
    ("hash", r"\b(sha-?\d*|md5|checksum|digest|hash|hex\w*)\b"),
    ("list", r"\b(list|array)\b"),
    ("object", r"\b(object|mapping|dict\w*|map)\b"),
    ("date", r"\b(date|day of|yyyy-mm-dd)\b"),
    ("time", r"\b(hh:mm|time of day)\b"),
    (
        "number",
        r"\b(mean|average|avg|median|ratio|rate|percent\w*|pct|fraction|decimals?|float|amount|revenue|price|score|std"
        r"|deviation|amplitude|number from|probability|accuracy|real)\b(?! of)",
    ),
    (
        "integer",
        r"\b(number|count\w*|how (?:many|much|long)|total\w*|sum|integer|int|minutes?|seconds?|days?|bytes?|size"
        r"|highest|largest|maximum|max|min|lowest|num|id|port|line|cents|ms|year|failures|errors|requests|orders)\b",
    ),
    ("address", r"\b(ip|address)\b"),
)


def kind_of(name: str, about: str = "") -> Type:
    """The likely type of the value called ``name`` and described by ``about``."""
    for text in (about.lower(), re.sub(r"[_\W]+", " ", name).lower()):
        for kind, pattern in _TYPES:
            if text.strip() and re.search(pattern, text):
                return kind
    return "text"


def _count(about: str) -> int | None:
    match = _COUNT.search(about)
    word = (match.group(1) or match.group(2)).lower() if match else ""
    number = NUMBERS.get(word) or (int(word) if word.isdigit() else 0)
    return number if 0 < number <= 200 else None


def _per(about: str, inputs: Sequence[str]) -> str | None:
    match = _PER.search(about)
    if not match:
        return None
    named = match.group(1) or match.group(2)
    if named:
        return next((path for path in inputs if path == named), None)
    return inputs[0] if len(inputs) == 1 else None


def _template(about: str) -> tuple[str, tuple[Field, ...]] | None:
    """Lines with placeholders (an indented block, list items, inline code), or words in inline code behind "line"."""
    indented = re.search(r"(?:^(?: {4,}|\t)\S.*\n?)+", about, re.MULTILINE)
    items = re.findall(r"^[ \t]*(?:[-*+•]|\d+[.)])[ \t]+(?:[A-Za-z ]{0,24}:[ \t]*)?`([^`\n]+)`", about, re.MULTILINE)
    for lines in (indented.group().split("\n") if indented else [], items, *([code] for code in _CODE.findall(about))):
        block = "\n".join(line.strip() for line in lines if line.strip())
        if has_places(block) and not _COMMAND.match(block):
            return templated(block)
    match = re.search(r"\b(?:lines?|form|format|row)\b[^`\n]{0,80}`([a-z_]+(?:[ :;,=|\t-]+[a-z_]+)+)`", about)
    if not match:
        return None
    names = re.findall(r"[a-z_]+", match.group(1))
    return re.sub(r"[a-z_]+", r"{\g<0>}", match.group(1)), tuple(Field(name, kind_of(name)) for name in names)


def templated(text: str) -> tuple[str, tuple[Field, ...]]:
    """Text with placeholders as a template with named fields; the word before a placeholder tells its type."""
    line = re.sub(r"^\s*\.{3}\s*$\n?", "", text, flags=re.MULTILINE)
    fields: list[Field] = []

    def place(match: re.Match[str]) -> str:
        inside = re.sub(r"[^\w|/]+", " ", match.group()).strip()
        before = re.findall(r"[A-Za-z_]+", PLACEHOLDER.sub(" ", line[: match.start()]).rsplit("\n", 1)[-1])[-1:] or [""]
        kind = kind_of(inside)
        if kind == "text" and _ANY.fullmatch(inside):
            kind = kind_of(before[0]) if kind_of(before[0]) != "text" else _ANY_TYPE.get(inside.lower()[:1], "text")
        fields.append(Field(f"f{len(fields)}", kind, f"{before[0]} {inside}".strip(), match.group()))
        return f"{{f{len(fields) - 1}}}"

    return PLACEHOLDER.sub(place, line), tuple(fields)
