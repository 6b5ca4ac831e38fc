"""The words of an instruction, without the values of its examples: what a text must merely contain to pass a keyword
check.
"""

from __future__ import annotations

import json
import posixpath
import re

from river_envs.environment import File
from river_envs.probes import instruction as text
from river_envs.probes import wording
from river_envs.probes.templates import PLACEHOLDER

MOST = 400
"""Literals of one instruction that are used."""
_QUOTED = re.compile(r"`([^`\n]{1,120})`|\"([^\"\n]{2,80})\"|(?<!\w)'([^'\n]{2,80})'(?!\w)|\*\*([^*\n]{2,80})\*\*")
_IDENTIFIER = re.compile(r"\b(?:[a-z]+_\w+|[a-z]+[A-Z]\w+|[A-Z]{2,}(?:_[A-Z]+)*)\b")
_KEY = re.compile(r"[\"']?([A-Za-z_][\w -]{0,40})[\"']?\s*[:=]")
_CUE = re.compile(r"\b(for example|for instance|e\.g\.|example|sample|invented|such as|looks? like)\b", re.IGNORECASE)
_COMMENTS = {"py": "#", "sh": "#", "bash": "#", "rb": "#", "pl": "#", "awk": "#", "lua": "--", "php": "//"}


def literals(instruction: str) -> tuple[str, ...]:
    """Quoted text, inline code and identifiers of the prose, and the keys of its examples; samples that hold values
    are left out.
    """
    found: dict[str, None] = {}
    for sentence in wording.sentences(instruction):
        for match in _QUOTED.finditer(sentence):
            literal = next(group for group in match.groups() if group).strip()
            sample = _CUE.search(sentence[max(0, match.start() - 200) : match.start()]) and re.search(
                r"\d|[:=]", literal
            )
            if literal and not sample and not PLACEHOLDER.search(literal):
                found.setdefault(literal)
        found.update(dict.fromkeys(_IDENTIFIER.findall(sentence)))
    for block in text.blocks(instruction):
        if block.role != "command":
            found.update(dict.fromkeys(key.strip() for key in _KEY.findall(block.text)))
    return tuple(found)[:MOST]


def words_only(instruction: str) -> str:
    """The prose without blocks and without sample values."""
    kept = []
    for sentence in wording.sentences(instruction):
        cue = _CUE.search(sentence)
        kept.append(re.sub(r"`[^`\n]*`", " ", sentence[cue.start() :]) if cue else sentence)
    return "\n".join(kept) + "\n"


def in_each_case(words: str) -> str:
    """The words as they stand, then those that read otherwise in small, capital and initial letters."""
    single = list(dict.fromkeys(re.findall(r"[^\W\d_]{2,40}", words)))[:MOST]
    others = [form for word in single for form in (word.lower(), word.upper(), word.capitalize())]
    return words + " ".join(form for form in dict.fromkeys(others) if form not in single) + "\n"


def wrapped(path: str, body: str, words: tuple[str, ...]) -> File:
    """``body`` as the content of ``path``; inside valid JSON where the name asks for it, but at no key of its own."""
    if posixpath.splitext(path)[1].lower() == ".json":
        body = json.dumps({"words": list(words), "text": body}, indent=1) + "\n"
    return File(path.strip("/"), body.encode())


def commented(path: str, lines: str) -> File:
    """A source file that does nothing and holds ``lines`` as comments, in the language of ``path``."""
    suffix = posixpath.splitext(path)[1].lstrip(".").lower()
    if suffix in {"c", "cc", "cpp", "rs", "go", "java", "js", "ts", "php"}:
        mark, rest = (
            "//",
            {"c": "int main(void) { return 0; }", "rs": "fn main() {}", "go": "package main\nfunc main() {}"},
        )
        rest["cc"] = rest["cpp"] = "int main() { return 0; }"
        rest["java"] = f"class {posixpath.basename(path).split('.')[0]} {{ public static void main(String[] a) {{}} }}"
        first, last = ("<?php" if suffix == "php" else ""), rest.get(suffix, "")
    else:
        mark, last = _COMMENTS.get(suffix, "#"), ""
        first = {"py": "#!/usr/bin/env python3", "rb": "#!/usr/bin/env ruby", "pl": "#!/usr/bin/perl"}.get(
            suffix, "#!/bin/sh"
        )
        first = "" if suffix in {"lua", "awk"} else first
    body = "\n".join(f"{mark} {line}" for line in lines.splitlines() if line.strip())
    return File(path.strip("/"), "\n".join(part for part in (first, body, last) if part).encode() + b"\n", 0o755)
