"""The verifier's output as it is kept: plain text of a bounded size.

A log is written by code under test. It is kept for people and read as evidence; only Terminal-Bench 1, whose rule is to
parse it, takes a verdict from it.
"""

from __future__ import annotations

import re

LOG_BYTES = 64 << 10
"""Longer logs lose their middle: the start shows the bootstrap, the end the failures and the summary."""

LINE_CHARACTERS = 2_000
"""Longer lines are cut before patterns read them: a hostile line must not cost a pattern minutes."""

_HEAD_SHARE = 4
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")


def plain(text: str) -> str:
    """``text`` for reading by patterns: no terminal escapes, ``\\n`` line ends, no line above ``LINE_CHARACTERS``."""
    text = _ESCAPES.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    return "\n".join(entry[:LINE_CHARACTERS] for entry in text.split("\n"))


def shorten(text: str, limit: int = LOG_BYTES) -> str:
    """``text`` in at most about ``limit`` bytes of UTF-8: a quarter from its start, the rest from its end."""
    raw = text.encode("utf-8", "replace")
    if len(raw) <= limit:
        return text.replace("\x00", "\ufffd")
    head, tail = limit // _HEAD_SHARE, limit - limit // _HEAD_SHARE
    cut = len(raw) - limit
    start = raw[:head].decode("utf-8", "replace")
    end = raw[-tail:].decode("utf-8", "replace")
    return f"{start}\n[... {cut} bytes left out ...]\n{end}".replace("\x00", "\ufffd")


def line(text: str, limit: int = 300) -> str:
    """``text`` on one line of at most ``limit`` characters, for a detail."""
    text = " ".join(text.split())
    return text if len(text) <= limit else text[: limit - 1] + "…"
