"""Labels from people or planting, matched to a catalog: which environments are sound. Read for calibration only.

A label file is CSV, JSON (a list of objects) or parquet with a column that names the environment (``id``, ``name`` or
the ``path`` it was found at) and ``sound`` (1 or 0) or ``cause`` ("" where it is sound); ``family`` where rows are
alike.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from river_envs.environment import RiverError

if TYPE_CHECKING:
    from river_envs.catalog import Catalog

_TRUE, _FALSE = {"1", "1.0", "true", "yes", "sound"}, {"0", "0.0", "false", "no", "defective"}


@dataclass(frozen=True)
class Labels:
    """One file, matched: ``sound`` and ``family`` by environment id; ``family`` only where the file has one.

    ``missing`` counts rows whose environment the catalog does not hold, ``blank`` those that say nothing.
    """

    source: str
    sound: Mapping[str, bool]
    family: Mapping[str, str]
    missing: int = 0
    blank: int = 0


def read_labels(path: Path, catalog: Catalog) -> Labels:
    """The labels of one file. Raises RiverError where it cannot be read, lacks a column, says neither 1 nor 0, names
    two environments at once or contradicts itself, or where the catalog holds none of its environments.
    """
    rows = _rows(path)
    columns = set().union(*rows)
    if not columns & {"id", "environment_id", "name", "path"} or not columns & {"sound", "cause"}:
        raise RiverError(
            f"{path} holds no labels: it needs a column id, name or path, and a column sound or cause; it has"
            f" {', '.join(sorted(map(str, columns))) or 'none'}"
        )
    find = _Finder(catalog)
    sound: dict[str, bool] = {}
    family: dict[str, str] = {}
    missing = blank = 0
    for row in rows:
        word = _word(row, path)
        identifier = find(row, path)
        if word is None:
            blank += 1
        elif identifier is None:
            missing += 1
        elif sound.setdefault(identifier, word) != word:
            raise RiverError(f"{path} calls the environment {identifier} both sound and not; keep one of the rows")
        elif row.get("family"):
            family[identifier] = row["family"]
    if not sound:
        raise RiverError(f"the catalog {catalog.path} holds none of the {len(rows)} environments that {path} labels")
    return Labels(path.name, sound, family, missing, blank)


def families(labels: Sequence[Labels], catalog: Catalog, ids: Sequence[str]) -> dict[str, str]:
    """The family of each environment: the first that a file states, else those with the same tests are one."""
    rows = catalog.sql("SELECT id, verifier_digest FROM environment WHERE id IN (SELECT unnest(?))", [list(ids)])
    found = {str(row.id): f"tests {row.verifier_digest}" for row in rows.itertuples()}
    for source in reversed(labels):
        found |= {identifier: name for identifier, name in source.family.items() if identifier in found}
    return found


def _rows(path: Path) -> list[dict[str, str]]:
    import json

    import pandas as pd

    if not path.is_file():
        raise RiverError(f"there is no label file {path}")
    try:
        match path.suffix.lower():
            case ".csv":
                frame = pd.read_csv(path, dtype=str, keep_default_na=False)
            case ".json":
                frame = pd.DataFrame(json.loads(path.read_text(encoding="utf-8")))
            case ".parquet":
                frame = pd.read_parquet(path)
            case other:
                raise RiverError(f"{path} is no label file: give .csv, .json or .parquet, not {other or 'no suffix'}")
    except (ValueError, OSError, UnicodeError) as error:
        said = " ".join(str(error).split())[:200]
        raise RiverError(f"{path} cannot be read as labels ({said}); see docs/calibration.md for the form") from error
    if frame.empty:
        raise RiverError(f"{path} holds no labels: it has no rows")
    records: list[dict[Any, Any]] = frame.astype(object).where(frame.notna(), "").to_dict("records")
    return [{str(name): str(value).strip() for name, value in record.items()} for record in records]


def _word(row: Mapping[str, str], path: Path) -> bool | None:
    """Whether the row calls its environment sound; None where it does not say."""
    if "sound" not in row:
        return not row["cause"]
    word = row["sound"].lower()
    if word in _TRUE | _FALSE:
        return word in _TRUE
    if word:
        raise RiverError(f"{path} says sound={row['sound']!r}; write 1 or 0, or nothing where it is not known")
    return None


class _Finder:
    """Ids by what a label calls an environment: its id, else its name, else the end of the path it was found at."""

    def __init__(self, catalog: Catalog) -> None:
        environments = catalog.sql("SELECT id, name FROM environment ORDER BY id")
        origins = catalog.sql("SELECT input, environment_id FROM origin ORDER BY input")
        self._ids = set(environments["id"])
        self._names: dict[str, set[str]] = defaultdict(set)
        for identifier, name in environments.itertuples(index=False):
            self._names[name].add(identifier)
        self._ends: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for where, identifier in origins.itertuples(index=False):
            self._ends[where.rpartition("/")[2]].append((where, identifier))

    def __call__(self, row: Mapping[str, str], path: Path) -> str | None:
        named = row.get("environment_id") or row.get("id", "")
        if named in self._ids:
            return named
        place = row.get("path", "").strip("/")
        ends = self._ends.get(place.rpartition("/")[2], ()) if place else ()
        at = {identifier for where, identifier in ends if where.endswith(f"/{place}") or where == place}
        called = self._names.get(row.get("name", ""), set())
        found = (called & at or called) or at
        if len(found) > 1:
            raise RiverError(
                f"{path} labels {row.get('name') or place!r}, which names {len(found)} environments: give their ids"
            )
        return next(iter(found), None)
