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
from river_envs.probes.fields import Field, columns, fields_of, kind_of
from river_envs.probes.templates import template_of

Kind = Literal["json", "csv", "lines", "text"]


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
    r"\b(?:each|every|per) (?:\w+ )?(?:line|row|entry)|\b(?:one|a) (?:\w+ )?(?:line|row|entry) (?:per|for)"
    r"|lines?\b[^.]{0,30}\bper\b|per line",
    re.IGNORECASE,
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
    template = template_of(about)
    if suffix in {".json", ".jsonl", ".ndjson", ".yaml", ".yml"}:
        fields = fields_of(about)
        below = _BELOW.search(about)
        listed = below is not None or bool(
            re.search(r"\b(?:list|array) of (?:\w+ )?(?:objects|records|entries)", about)
        )
        if template and template[0].startswith("{"):
            return Format("text", template[1], template=template[0])
        if suffix in {".json", ".yaml", ".yml"}:
            names = [field for field in fields if not below or field.name != below.group(1)]
            key = below.group(1) if below else ""
            return Format("json", tuple(names), listed=listed, below=key, count=count) if names else None
        keys = ", ".join(f'"{field.name}": {{{field.name}}}' for field in fields)
        return Format("lines", fields, template="{" + keys + "}", count=count) if fields else None
    if suffix in {".csv", ".tsv"}:
        separator = "\t" if suffix == ".tsv" or re.search(r"\btabs?\b|tab-separated", about) else ","
        fields = columns(fields_of(about))
        header = not re.search(r"\b(?:no|without (?:a )?) ?header\b|same layout", about, re.IGNORECASE)
        return Format("csv", fields, separator, header, count=count, per=per) if fields else None
    tags = re.findall(r"<([A-Za-z_][\w-]*)/?>", about) if suffix == ".xml" else []
    if len(tags) > 1:
        inner = tuple(Field(tag, kind_of(tag)) for tag in dict.fromkeys(tags[1:]))
        body = "".join(f"<{field.name}>{{{field.name}}}</{field.name}>" for field in inner)
        return Format("text", inner, template=f"<{tags[0]}>{body}</{tags[0]}>")
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
