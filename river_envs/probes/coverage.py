"""Which parts of an output a verifier looks at, by what it names: no proof of anything, but where to ask first.

A part that no test names, while the tests name others of its kind, is hardly compared.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TypeVar

from river_envs.environment import File, Verifier

_CODE = (".py", ".sh", ".bash", ".js", ".ts", ".rb", ".pl", ".go", ".rs", ".bats", "")
_LISTS = re.compile(rb"\bglob|listdir|iterdir|scandir|os\.walk|\bls\s|\bfind\s|/\*")
Part = TypeVar("Part")


@lru_cache(maxsize=64)
def read(verifier: Verifier) -> bytes:
    """What the verifier's files say: its programs, and the data files that its programs can read (those that one of
    them names; all where a program lists directories).
    """
    programs = [file for file in verifier.files if posixpath.splitext(file.path)[1].lower() in _CODE]
    said = b"\n".join(file.content for file in programs)
    everything = _LISTS.search(said) is not None
    data = [file for file in verifier.files if file not in programs and (everything or _named(file, said))]
    return said + b"\n" + b"\n".join(file.content for file in data)


def _named(file: File, said: bytes) -> bool:
    name = posixpath.basename(file.path)
    stem = re.escape(posixpath.splitext(name)[0].encode())
    return name.encode() in said or re.search(rb"[\"'/]" + stem + rb"[.\"'/{]", said) is not None


def names(verifier: Verifier, word: str) -> bool:
    """Whether the verifier names ``word`` as a whole word (the empty one never)."""
    if not word:
        return False
    return re.search(rb"(?<![\w])" + re.escape(word.encode()) + rb"(?![\w])", read(verifier)) is not None


def unnamed(verifier: Verifier, parts: Sequence[Part], words: Sequence[str]) -> list[Part]:
    """The parts whose words the verifier does not name, while it names the words of others; none otherwise."""
    said = [names(verifier, word) for word in words]
    if not any(said):
        return []
    return [part for part, known, word in zip(parts, said, words, strict=True) if word and not known]
