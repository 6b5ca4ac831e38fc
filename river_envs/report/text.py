"""Make text that came from an environment harmless to read.

Names, instructions, logs and evidence are written by strangers. On a terminal an escape sequence can repaint the
screen; in a browser a right-to-left override can turn a file name around. Everything that is printed or rendered
passes here.
"""

from __future__ import annotations

import math
import unicodedata

_KEPT = {"\n", "\t"}
_HIDDEN = {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}
"""Control characters, invisible format characters (bidirectional overrides among them), private use, lone surrogates,
line and paragraph separators."""


def visible(text: str) -> str:
    """``text`` with every character that acts instead of showing written out (``\\x1b``); newlines and tabs stay."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_written(character) for character in text.replace("\r\n", "\n"))


def one_line(text: str, limit: int = 200) -> str:
    """``text`` made visible, on one line, cut to ``limit`` characters with an ellipsis."""
    line = " ".join(visible(text[: limit * 8]).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def excerpt(text: str, limit: int = 2000) -> str:
    """``text`` made visible; when longer than ``limit`` its middle is cut out, and the cut says how much is missing."""
    if len(text) <= limit:
        return visible(text)
    half = limit // 2
    return f"{visible(text[:half])}\n… {len(text) - 2 * half:,} characters left out …\n{visible(text[-half:])}"


def percent(part: float, whole: float) -> str:
    """``part`` of ``whole`` as in ``29.2 %``; a dash when there is no whole."""
    return f"{100 * part / whole:.1f} %" if whole else "–"


def percent_below(part: float, whole: float) -> str:
    """``part`` of ``whole`` rounded down (``29.99 %``): a share strictly under a limit never reads as the limit."""
    return f"{math.floor(10_000 * part / whole) / 100:.2f} %" if whole else "–"


def plural(number: int, noun: str) -> str:
    """``1 environment``, ``1,234 environments``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _written(character: str) -> str:
    if character in _KEPT or unicodedata.category(character) not in _HIDDEN:
        return character
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
