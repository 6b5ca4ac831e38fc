"""Equivalent: an archive or a database that holds the same, written by another hand."""

from __future__ import annotations

import gzip
import io
import sqlite3
import zipfile
import zlib
from collections.abc import Callable, Iterable, Sequence

from river_envs.environment import Environment, File
from river_envs.probes import forms
from river_envs.probes.base import Survey
from river_envs.probes.edits import Target
from river_envs.probes.equivalents import Equivalent, Rewriting

_LARGEST_INNER = 1 << 22
_BLOCK = 10_240
_STEPS = 20_000
"""Thousands of SQLite's instructions that reading or writing one database may take."""


class ContainerForm(Equivalent):
    """The same members, the same rows, other bytes.

    What it does: writes every declared archive and database of the reference's state anew: gzip and zip with another
    compression, tar with one more empty record at its end, an SQLite database from its own dump; grades. Only where
    the instruction speaks neither of bytes, sums, sizes nor of how it is to be compressed.

    What a hit proves: the verifier rejects, twice, a file that unpacks to the same members (a database with the same
    schema, rows and settings), while the state as the reference left it is rewarded (over-specific-form).

    What it cannot show: which difference is rejected.

    Seen in the wild: the digest of an archive that holds the time at which it was packed.
    """

    id = "container-form"
    name = "An archive or database of another hand"
    version = 1
    order = 71
    without = "the reference leaves no archive or database that can be written anew with proof"

    def closed(self, instruction: str) -> str:
        """Words about bytes, sizes, compression."""
        return "" if forms.container_open(instruction) else "the instruction may fix how it is packed"

    def rewrite(self, environment: Environment, survey: Survey, found: Sequence[Target]) -> Iterable[Rewriting]:
        """All of them at once."""
        made = []
        for target in found:
            other = _other(target.content) if target.named and target.fresh and target.kind == "binary" else None
            if other is not None and other != target.content:
                made.append(File(target.path.strip("/"), other, target.mode))
        yield Rewriting((), tuple(made), "its archives and databases written anew", "the same members, rows and schema")


def _other(content: bytes) -> bytes | None:
    """The same thing in other bytes, or None where that cannot be proved."""
    if content[:2] == b"\x1f\x8b":
        inner = _inflated(content)
        other = None if inner is None else gzip.compress(inner, 1 if content[8:9] != b"\x04" else 9, mtime=0)
        return other if other is None or _inflated(other) == inner else None
    if content[:4] == b"PK\x03\x04":
        return _zipped(content)
    if content[:16] == b"SQLite format 3\0":
        return _database(content)
    if content[257:262] == b"ustar" and len(content) % 512 == 0 and content.endswith(b"\0" * 1024):
        return content + b"\0" * _BLOCK
    return None


def _inflated(content: bytes) -> bytes | None:
    reader = zlib.decompressobj(wbits=31)
    try:
        inner = reader.decompress(content, _LARGEST_INNER)
    except zlib.error:
        return None
    return inner if reader.eof and not reader.unused_data else None


def _zipped(content: bytes) -> bytes | None:
    buffer = io.BytesIO()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(buffer, "w") as new:
            members = old.infolist()
            if sum(member.file_size for member in members) > _LARGEST_INNER:
                return None
            for member in members:
                stored = member.compress_type == zipfile.ZIP_STORED
                new.writestr(member, old.read(member), zipfile.ZIP_DEFLATED if stored else zipfile.ZIP_STORED)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, zlib.error, OSError, ValueError):
        return None  # damaged, encrypted or packed in a way that is not known here
    return buffer.getvalue()


def _database(content: bytes) -> bytes | None:
    """A database made from the dump of the old one; None where the two do not dump alike.

    The old one is hostile: its schema may hide further statements, which would run with the dump.
    """
    old, new = sqlite3.connect(":memory:"), sqlite3.connect(":memory:")
    try:
        for one in (old, new):
            one.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
            one.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LARGEST_INNER)
            one.set_progress_handler(_patience(), 1000)
        old.deserialize(content)
        schema = old.execute("SELECT type, coalesce(sql, '') FROM sqlite_master").fetchall()
        if any(";" in sql or kind == "trigger" or "virtual" in sql.lower() for kind, sql in schema):
            return None
        dump = list(old.iterdump())
        new.executescript("\n".join(dump))
        for setting in ("user_version", "application_id"):
            new.execute(f"PRAGMA {setting} = {int(old.execute(f'PRAGMA {setting}').fetchone()[0])}")
        new.commit()
        alike = list(new.iterdump()) == dump and _row_ids(old) == _row_ids(new)
        return new.serialize() if alike else None
    except (sqlite3.Error, UnicodeDecodeError, ValueError):
        return None  # damaged, or with functions and modules that are not known here
    finally:
        old.close()
        new.close()


def _patience() -> Callable[[], int]:
    """A progress handler that gives up in the end."""
    left = iter(range(_STEPS))
    return lambda: 0 if next(left, None) is not None else 1


def _row_ids(database: sqlite3.Connection) -> list[tuple[str, int | None]]:
    """The highest row number of each table: numbers that close up would show."""
    tables = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
    found = []
    for table in tables:
        quoted = '"' + table.replace('"', '""') + '"'
        try:
            found.append((table, database.execute(f"SELECT max(rowid) FROM {quoted}").fetchone()[0]))
        except sqlite3.Error:
            found.append((table, None))  # a table without row numbers
    return found
