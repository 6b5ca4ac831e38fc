"""Sample files in the image: files in pairs by their names, and lists of cases in JSON, JSON Lines and tables."""

from __future__ import annotations

import csv
import json
import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Any

Case = tuple[Any, Any]
"""What is given (a text, or a list of arguments) and what should be said."""
_ROLES = {
    **dict.fromkeys("args argv arguments argument cmd command flags options".split(), "arguments"),  # noqa: SIM905
    **dict.fromkeys("in input inputs stdin given question query request".split(), "given"),  # noqa: SIM905
    **dict.fromkeys(
        "out output outputs expected stdout ans answer answers want wanted result results gold response".split(),  # noqa: SIM905
        "said",
    ),
}
_KEYS = {
    **_ROLES,
    **dict.fromkeys("text line value call params source".split(), "given"),  # noqa: SIM905
    **dict.fromkeys("expect returns return printed prints".split(), "said"),  # noqa: SIM905
}
_ASIDE = frozenset("id name title description comment note why number no case".split())  # noqa: SIM905
MOST_CASES = 400
"""Cases of one file that are read."""


def paired(files: Mapping[str, str]) -> Iterator[Case]:
    """Files whose names differ in the word for what they are: ``1.in`` and ``1.out``, ``inputs/a`` and ``expected/a``,
    with arguments in a third.
    """
    groups: dict[str, dict[str, str]] = {}
    for path, content in files.items():
        for key, role in _read(path):
            groups.setdefault(key, {}).setdefault(role, content)
    for group in groups.values():
        if "said" in group and ("given" in group or "arguments" in group):
            yield " ".join(group[role] for role in ("arguments", "given") if role in group), group["said"]


def _read(path: str) -> Iterator[tuple[str, str]]:
    """The role of a file by a word of its name or of its folder, with the path that is left without that word."""
    folder, name = posixpath.split(path)
    told = False
    for match in re.finditer(r"(?<![A-Za-z])([A-Za-z]+)(?![A-Za-z])", name):
        role = _ROLES.get(match.group(1).lower())
        if role:
            told = True
            rest = name[: match.start()] + name[match.end() :]
            for left in {rest, posixpath.splitext(rest)[0]}:
                yield posixpath.join(folder, re.sub(r"[._-]+", "", left)), role
    parent, last = posixpath.split(folder)
    role = _ROLES.get(last.lower())
    if role:
        for left in {name, posixpath.splitext(name)[0]}:
            yield posixpath.join(parent, "*", left), role
    elif not told:
        yield posixpath.join(folder, re.sub(r"[._-]+", "", posixpath.splitext(name)[0])), "given"


def cases(path: str, content: str) -> Iterator[Case]:
    """The cases that a JSON, JSON Lines or CSV file lists."""
    suffix = posixpath.splitext(path)[1].lower()
    rows: list[Any] = []
    if suffix == ".json":
        rows = _rows(_parsed(content))
    elif suffix in {".jsonl", ".ndjson"}:
        rows = [_parsed(line) for line in content.splitlines()[:MOST_CASES]]
    elif suffix in {".csv", ".tsv"}:
        separator = "\t" if suffix == ".tsv" else ","
        rows = list(csv.DictReader(content.splitlines()[:MOST_CASES], delimiter=separator))
    for row in rows[:MOST_CASES]:
        found = _case(row)
        if found is not None:
            yield found


def _parsed(content: str) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def _rows(value: Any) -> list[Any]:
    """The list of cases: the value itself, or the one list in it."""
    if isinstance(value, dict):
        lists = [inner for inner in value.values() if isinstance(inner, list)]
        return lists[0] if len(lists) == 1 else [value] if _case(value) else []
    return value if isinstance(value, list) else []


def _case(row: Any) -> Case | None:
    if isinstance(row, list) and len(row) == 2:
        return row[0], row[1]
    if not isinstance(row, dict):
        return None
    roles: dict[str, Any] = {}
    for key, value in row.items():
        word = str(key).lower()
        role = _KEYS.get(word) or _KEYS.get(re.split(r"[_ -]", word)[-1]) or _KEYS.get(re.split(r"[_ -]", word)[0])
        if role and word not in _ASIDE:
            roles.setdefault(role, value)
    if "said" not in roles or not {"given", "arguments"} & roles.keys():
        return None
    if "given" not in roles:
        return roles["arguments"], roles["said"]
    if "arguments" not in roles:
        return roles["given"], roles["said"]
    return f"{plain(roles['arguments'])} {plain(roles['given'])}", roles["said"]


def plain(value: Any) -> str:
    """A value as it would be given or printed."""
    if isinstance(value, list):
        return " ".join(plain(item) for item in value)
    return value if isinstance(value, str) else json.dumps(value)
