"""A subset as it was recorded: in a directory that ``filter`` wrote, or in a catalog."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from river_envs.environment import RiverError
from river_envs.selection.manifest import SCHEMA

if TYPE_CHECKING:
    from river_envs.catalog import Catalog


@dataclass(frozen=True)
class Member:
    """One environment of a subset, kept or dropped, with what was known of it when the subset was made."""

    id: str
    name: str
    kept: bool
    tier: str | None
    rank: int | None
    ground: str
    reason: str
    verdict: str | None
    causes: tuple[str, ...]
    quality: float | None
    p_sound: float | None
    domain: str | None
    source: str


@dataclass(frozen=True)
class Subset:
    """``name`` is how a person would call it; members are in the order of the manifest, kept ones first by rank."""

    name: str
    members: tuple[Member, ...]

    @property
    def kept(self) -> list[Member]:
        """The kept ones, by rank."""
        return [member for member in self.members if member.kept]


def is_subset(path: Path) -> bool:
    """Whether ``path`` is a directory that holds a subset."""
    return (path / "manifest.json").is_file()


def read_subset(path: Path) -> Subset:
    """The subset in a directory.

    Raises:
        RiverError: there is no manifest of this format.
    """
    try:
        content = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
        rows = content["environments"] if content.get("schema") == SCHEMA else None
    except (OSError, ValueError, KeyError, AttributeError) as error:
        raise RiverError(f"{path} holds no subset ({error}); give a directory that river-envs filter wrote.") from error
    if rows is None:
        raise RiverError(f"{path}/manifest.json is no manifest of the form {SCHEMA}; write it again with this release.")
    return Subset(str(path), tuple(_member(row) for row in rows))


def recorded_subset(catalog: Catalog, id: str | None = None) -> Subset:
    """A subset that the catalog recorded; the latest when no id is given.

    Raises:
        RiverError: there is no such subset.
    """
    known = catalog.rows("SELECT id FROM subset ORDER BY recorded_at DESC, id")
    found = [row[0] for row in known if id is None or row[0].startswith(id)]
    if not found or (id is not None and len(found) > 1):
        some = ", ".join(row[0] for row in known[:5]) or "none yet: run river-envs filter"
        raise RiverError(f"{catalog.path} holds {len(found)} subsets called {id or 'the latest'!r}; it has {some}.")
    members = catalog.rows(
        "SELECT m.environment_id, e.name, m.kept, m.tier, m.rank, m.reason, v.verdict, v.causes, s.quality, s.p_sound,"
        " e.domain, e.source FROM subset_member m LEFT JOIN environment e ON e.id = m.environment_id"
        " LEFT JOIN verdict v ON v.environment_id = m.environment_id"
        " LEFT JOIN score s ON s.environment_id = m.environment_id"
        f" WHERE m.subset_id = '{found[0]}' ORDER BY m.kept DESC, m.rank, m.environment_id"
    )
    names = (
        "id", "name", "kept", "tier", "rank", "reason", "verdict", "causes", "quality", "p_sound", "domain", "source",
    )  # fmt: skip
    return Subset(f"subset {found[0]}", tuple(_member(dict(zip(names, row, strict=True))) for row in members))


def _member(row: Mapping[str, Any]) -> Member:
    return Member(
        row["id"], row.get("name") or "", bool(row["kept"]), row.get("tier"), row.get("rank"),
        row.get("ground") or ("kept" if row["kept"] else "dropped"), row.get("reason") or "", row.get("verdict"),
        tuple(row.get("causes") or ()), row.get("quality"), row.get("p_sound"), row.get("domain"),
        row.get("source") or "",
    )
