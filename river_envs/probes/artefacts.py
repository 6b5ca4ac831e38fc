"""Stub artefacts by file type: valid, empty of meaning, the least that a file of that name can be."""

from __future__ import annotations

import base64
import io
import posixpath
import tarfile
import zipfile

from river_envs.environment import File

_PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
_SCRIPTS = {
    ".py": b"#!/usr/bin/env python3\nraise SystemExit(0)\n",
    ".sh": b"#!/bin/sh\nexit 0\n",
    ".bash": b"#!/bin/bash\nexit 0\n",
    ".pl": b"#!/usr/bin/perl\nexit 0;\n",
    ".rb": b"#!/usr/bin/ruby\nexit 0\n",
}
_TEXT: dict[str, tuple[bytes, bytes]] = {
    ".json": (b"{}\n", b"[]\n"),
    ".jsonl": (b"{}\n", b"[]\n"),
    ".ndjson": (b"{}\n", b"[]\n"),
    ".csv": (b"id,value\n1,1\n", b"a\n"),
    ".tsv": (b"id\tvalue\n1\t1\n", b"a\n"),
    ".yaml": (b"{}\n", b"[]\n"),
    ".yml": (b"{}\n", b"[]\n"),
    ".toml": (b"a = 1\n", b""),
    ".xml": (b"<root/>\n", b"<root><item/></root>\n"),
    ".html": (b"<!doctype html><title>a</title>\n", b"<html></html>\n"),
    ".md": (b"# Report\n", b"\n"),
    ".log": (b"OK\n", b"done\n"),
    ".c": (b"int main(void) { return 0; }\n", b"\n"),
    ".rs": (b"fn main() {}\n", b"\n"),
    ".go": (b"package main\n\nfunc main() {}\n", b"\n"),
    ".js": (b"process.exit(0);\n", b"\n"),
}


def stub(path: str, variant: int = 0) -> File:
    """The stub for a named path; ``variant`` 0 or 1 chooses between two forms. Scripts and names without a suffix
    are executable.
    """
    name = posixpath.basename(path)
    suffix = "".join(posixpath.splitext(name)[1:]).lower()
    relative = path.strip("/")
    if suffix in _SCRIPTS:
        return File(relative, _SCRIPTS[suffix], 0o755)
    if suffix == ".png":
        return File(relative, _PNG)
    if suffix == ".zip":
        return File(relative, _empty_zip())
    if suffix in {".tar", ".gz", ".tgz", ".bz2", ".xz"}:
        return File(relative, _empty_tar(suffix))
    if suffix in _TEXT:
        return File(relative, _TEXT[suffix][variant % 2])
    if not suffix and ("/bin/" in path or variant):
        return File(relative, _SCRIPTS[".sh"], 0o755)
    return File(relative, (b"0\n", b"ok\n")[variant % 2])


def _empty_zip() -> bytes:
    buffer = io.BytesIO()
    zipfile.ZipFile(buffer, "w").close()
    return buffer.getvalue()


def _empty_tar(suffix: str) -> bytes:
    modes = {".gz": "gz", ".tgz": "gz", ".bz2": "bz2", ".xz": "xz"}
    buffer = io.BytesIO()
    raw = io.BytesIO()
    tarfile.open(fileobj=raw, mode="w").close()
    match modes.get(suffix):
        case "gz":
            import gzip

            return gzip.compress(raw.getvalue(), mtime=0)
        case "bz2":
            import bz2

            return bz2.compress(raw.getvalue())
        case "xz":
            import lzma

            return lzma.compress(raw.getvalue())
        case _:
            buffer.write(raw.getvalue())
            return buffer.getvalue()
