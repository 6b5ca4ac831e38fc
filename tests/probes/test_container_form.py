"""Archives and databases written anew: the same to every reader, found where the bytes are compared."""

from __future__ import annotations

import gzip
import io
import sqlite3
import tarfile
import zipfile

import pytest
from edit_support import causes, put_to, said

from river_envs.probes.base import NotApplicable, ProbeStatus
from river_envs.probes.container_form import ContainerForm


def tar(mode):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        member = tarfile.TarInfo("a.txt")
        member.size = 3
        archive.addfile(member, io.BytesIO(b"abc"))
    return buffer.getvalue()


def zipped():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", "abc" * 20)
    return buffer.getvalue()


def database():
    base = sqlite3.connect(":memory:")
    base.executescript(
        "CREATE TABLE gone (x); CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO t VALUES (7, 'a');"
        "INSERT INTO gone VALUES (zeroblob(9000)); DROP TABLE gone; PRAGMA user_version = 4"
    )
    base.commit()
    return base.serialize()


def members(content):
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        return {member.name: archive.extractfile(member).read() for member in archive}


def unzipped(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def rows(content):
    base = sqlite3.connect(":memory:")
    base.deserialize(content)
    return base.execute("SELECT * FROM t").fetchall(), base.execute("PRAGMA user_version").fetchone()


CASES = [
    ("out.tgz", tar("w:gz"), members),
    ("out.tar", tar("w:"), members),
    ("out.zip", zipped(), unzipped),
    ("out.txt.gz", gzip.compress(b"abc" * 50), gzip.decompress),
    ("out.db", database(), rows),
]


@pytest.mark.parametrize(("name", "content", "read"), CASES, ids=lambda value: value if isinstance(value, str) else "")
def test_other_bytes_with_the_same_in_them(name, content, read):
    path = f"/app/{name}"
    env = said(f"Put the rows of `/app/sales.csv` into `{path}`.\n")
    exact = lambda files: files[path] == content  # noqa: E731
    assert causes(put_to(ContainerForm(), env, exact, {path: content})) == ["over-specific-form"]
    loose = lambda files: read(files[path]) == read(content)  # noqa: E731
    assert put_to(ContainerForm(), env, loose, {path: content}).status is ProbeStatus.SURVIVED
    fixed = said(f"Put the rows of `/app/sales.csv` into `{path}`; its SHA-256 is known.\n")
    assert isinstance(put_to(ContainerForm(), fixed, exact, {path: content}), NotApplicable)


def test_what_is_damaged_is_left_alone():
    env = said("Put the rows of `/app/sales.csv` into `/app/out.bin`.\n")
    for content in (b"\x1f\x8b\0", b"PK\x03\x04\0", b"SQLite format 3\0\0\xff", b"\0" * 1024):
        judgement = put_to(ContainerForm(), env, lambda _: True, {"/app/out.bin": content})
        assert isinstance(judgement, NotApplicable)


def test_a_schema_that_hides_a_statement_is_not_run(tmp_path):
    base = sqlite3.connect(":memory:")
    base.executescript("CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT); PRAGMA writable_schema = ON")
    more = f"ATTACH '{tmp_path / 'out.db'}' AS o; CREATE TABLE o.x (a)"
    hidden = f"CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT); {more}"
    base.execute("UPDATE sqlite_master SET sql = ? WHERE name = 't'", (hidden,))
    base.commit()
    env = said("Put the rows of `/app/sales.csv` into `/app/out.db`.\n")
    assert isinstance(put_to(ContainerForm(), env, lambda _: True, {"/app/out.db": base.serialize()}), NotApplicable)
    assert not list(tmp_path.iterdir())
