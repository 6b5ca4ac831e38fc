"""Printed templates: text with placeholders, and the places that they mark."""

from __future__ import annotations

import re
from typing import Final

from river_envs.probes.fields import Field, kind_of

PLACEHOLDER: Final = re.compile(
    r"<[A-Za-z_][\w .|/:-]{0,40}>|\{\{?[A-Za-z_][\w .|/-]{0,40}\}?\}|\$\{?[A-Z_]{2,20}\}?"
    r"|\[(?:NAME|COUNT|VALUE|NUMBER|DATE|PATH|[A-Z]+_[A-Z_]+)\]"
    r"|(?<![A-Za-z0-9])(?:X{2,}|N{1,4}|Y{4}|#{2,})(?![A-Za-z0-9]| \w)|%[dsf]|_{3,}|(?<=[\s:=\"{])\.\.\.(?!\.)"
)
_COMMAND = re.compile(r"/|\$ |\./|python|bash |http|curl |GET |PUT |POST |DELETE ")
_CODE = re.compile(r"`([^`\n]{1,160})`")
_ANY = re.compile(r"[A-Z]|N+|X+|#+|value|val|v|result|answer||d|s|f|\.+", re.IGNORECASE)
_COUNTED = re.compile(r"[A-Za-z]|N+|X+")
INLINE_JSON = re.compile(r"\{[^{}\n]*\"\w+\"\s*:[^\n]*?\}(?![\w>])")
_LETTER = re.compile(r"(?<=[:=])([ \t]*)([A-Z])(?=$|[ \t,;])", re.MULTILINE)
_LOOSE = re.compile(r":[ \t]*\n\s*\n?((?:^[ \t]*[A-Za-z][\w .-]{0,30}[ \t]*[:=][^\n]{0,60}(?:\n|\Z))+)", re.MULTILINE)


def has_places(text: str) -> bool:
    """Whether ``text`` is a template: it holds placeholders, and is no markup."""
    return PLACEHOLDER.search(text) is not None and "</" not in text and "/>" not in text


def template_of(about: str) -> tuple[str, tuple[Field, ...]] | None:
    """Lines with placeholders (an indented block, list items, inline code), or words in inline code behind "line"."""
    loose, indented = _LOOSE.search(about), re.search(r"(?:^(?: {4,}|\t)\S.*\n?)+", about, re.MULTILINE)
    items = re.findall(r"^[ \t]*(?:[-*+•]|\d+[.)])[ \t]+(?:[A-Za-z ]{0,24}:[ \t]*)?`([^`\n]+)`", about, re.MULTILINE)
    blocks = [indented.group()] if indented else []
    blocks += [lettered(loose.group(1), about)] if loose else []
    blocks += ["\n".join(items), *_CODE.findall(about), *INLINE_JSON.findall(about)]
    for block in blocks:
        lines = "\n".join(line.strip() for line in block.split("\n") if line.strip())
        if has_places(lines) and not _COMMAND.match(lines):
            return templated(lines)
    match = re.search(r"\b(?:lines?|form|format|row)\b[^`\n]{0,80}`([a-z_]+(?:[ :;,=|\t-]+[a-z_]+)+)`", about)
    if not match:
        return None
    names = re.findall(r"[a-z_]+", match.group(1))
    return re.sub(r"[a-z_]+", r"{\g<0>}", match.group(1)), tuple(Field(name, kind_of(name)) for name in names)


def lettered(text: str, about: str) -> str:
    """Single letters behind a colon or equals sign as placeholders, where the prose says what they stand for."""
    letters = set(re.findall(r"\b([A-Z])\b", " ".join(re.findall(r"\bwhere\b[^.]*", about))))

    def place(match: re.Match[str]) -> str:
        return f"{match.group(1)}<{match.group(2)}>" if match.group(2) in letters else match.group()

    return _LETTER.sub(place, text)


def templated(text: str) -> tuple[str, tuple[Field, ...]]:
    """Text with placeholders as a template with named fields; the word before a placeholder tells its type."""
    line = re.sub(r"^\s*\.{3}\s*$\n?", "", text, flags=re.MULTILINE)
    fields: list[Field] = []

    def place(match: re.Match[str]) -> str:
        inside = re.sub(r"[^\w|/]+", " ", match.group()).strip()
        before = re.findall(r"[A-Za-z_]+", PLACEHOLDER.sub(" ", line[: match.start()]).rsplit("\n", 1)[-1])[-1:] or [""]
        kind = kind_of(inside)
        if kind == "text" and _ANY.fullmatch(inside):
            counted = _COUNTED.fullmatch(inside) or match.group().startswith("#")
            kind = kind_of(before[0], "integer" if counted else "")
        fields.append(Field(f"f{len(fields)}", kind, f"{before[0]} {inside}".strip(), match.group()))
        return f"{{f{len(fields) - 1}}}"

    return PLACEHOLDER.sub(place, line), tuple(fields)
