"""Descriptive metadata from free-form keys: lenient, because it never changes a reward.

TMax writes the complexities as long sentences; they are cut to the short name that they start with.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from river_envs.environment import Metadata

TASK_COMPLEXITIES = ("short", "moderate", "complex", "intricate")
COMMAND_COMPLEXITIES = ("bash-only", "bash and code", "bash, code, and system")
LONGEST = 500


def short_name(text: str | None, names: Iterable[str]) -> str | None:
    """The one of ``names`` that ``text`` starts with (case and hyphens aside), else ``text``."""
    if text is None:
        return None
    plain = " ".join(text.lower().replace("-", " ").split())
    for name in names:
        if plain.startswith(name.replace("-", " ")):
            return name
    return text


def read_metadata(values: Mapping[str, Any], truth: str | None = None, keywords: Iterable[str] = ()) -> Metadata:
    """:class:`Metadata` from a ``[metadata]`` table or a ``task.json``; values of another type are left out."""
    return Metadata(
        domain=word(values.get("domain")) or word(values.get("category")),
        skill_type=word(values.get("skill_type")),
        primitive_skills=words(values.get("primitive_skills")),
        task_complexity=short_name(word(values.get("task_complexity")), TASK_COMPLEXITIES),
        command_complexity=short_name(word(values.get("command_complexity")), COMMAND_COMPLEXITIES),
        scenario=word(values.get("scenario")),
        language=word(values.get("language")),
        verifier_kind=word(values.get("verifier_kind")),
        fixture_kind=word(values.get("fixture_kind")),
        corpus_kind=word(values.get("corpus_kind")) or word(values.get("source")),
        difficulty=word(values.get("difficulty")),
        keywords=tuple(keywords) or words(values.get("tags")) or words(values.get("keywords")),
        truth=truth,
    )


def word(value: object) -> str | None:
    """``value`` when it is text worth keeping."""
    if not isinstance(value, str) or not value.strip():
        return None
    return clean(value)[:LONGEST]


def words(value: object) -> tuple[str, ...]:
    """A list of texts; also the JSON string of one, as the parquet files have it."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return ()
    if not isinstance(value, list | tuple):
        return ()
    return tuple(kept for item in value[:100] if (kept := word(item)))


def clean(text: str) -> str:
    """``text`` without what no database column can hold (NUL, lone surrogates)."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode("utf-8")
