"""The delta of a container: what differs from its image.

Where the daemon's overlay directories are readable (``docker_overlay``), they are read. Elsewhere (remote or rootless
daemons, other storage drivers) the daemon is asked: ``diff`` names the candidates, the archive call or an export brings
their content, and an export of the untouched image, made once per process, tells which of them changed nothing.
``diff`` overlooks a file whose length and time are those of the image.
"""

from __future__ import annotations

import tarfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from river_envs.environment import sha256
from river_envs.sandbox import docker_overlay
from river_envs.sandbox.base import Change, Delta, Image, SandboxError
from river_envs.sandbox.docker_changes import Collected, Entry, left_out
from river_envs.sandbox.docker_client import OWNER_LABEL, Client, daemon_errors, owner
from river_envs.sandbox.docker_files import archive, kind_of, members, open_tar, read_file

LIMIT_BYTES = 256 << 20
_FEW = 12
"""Up to so many separate paths are asked for one by one (about 45 ms each) instead of exporting everything."""

_MODIFIED, _ADDED, _DELETED = 0, 1, 2
_images: dict[str, dict[str, Entry]] = {}
_images_lock = threading.Lock()


def take_delta(client: Client, container: str, image: Image, *, ask_daemon: bool = False) -> Delta:
    """The changes of ``container`` since ``image``. ``ask_daemon`` leaves the overlay directories alone."""
    if not ask_daemon:
        with daemon_errors("inspecting a container"):
            inspected = client.api.inspect_container(container)
        try:
            return docker_overlay.collect(docker_overlay.overlay_of(inspected), LIMIT_BYTES).delta()
        except docker_overlay.Unreadable:
            pass  # the portable way follows
    try:
        return _from_daemon(client, container, image)
    except SandboxError as error:
        if not isinstance(error.__cause__, tarfile.TarError):
            raise
    with _paused(client, container):  # a file grew while it was packed
        return _from_daemon(client, container, image)


def _from_daemon(client: Client, container: str, image: Image) -> Delta:
    with daemon_errors("listing changes"):
        listed = {str(row["Path"]): int(row["Kind"]) for row in client.api.diff(container) or []}
    listed = {path: kind for path, kind in listed.items() if not left_out(path.lstrip("/"))}
    collected = Collected(LIMIT_BYTES)
    before = _image_entries(client, image) if _MODIFIED in listed.values() else {}
    for path in (path for path, kind in listed.items() if kind == _DELETED):
        collected.gone(path.lstrip("/"))
    present = {path for path, kind in listed.items() if kind != _DELETED}
    for change, special in _present(client, container, listed, present):
        if special:
            collected.skip(change.path)
        else:
            collected.room_for(len(change.content))
            collected.add(change, before.get(change.path))
    return collected.delta()


def _present(
    client: Client, container: str, listed: dict[str, int], present: set[str]
) -> Iterator[tuple[Change, bool]]:
    """The state of every path in ``present``, and whether it is a FIFO or device."""
    added = {path for path in present if listed[path] == _ADDED}
    roots = [path for path in present if listed[path] == _MODIFIED]
    roots += [path for path in added if path.rpartition("/")[0] not in added]

    def read_again(path: str) -> bytes:
        return read_file(client.api, container, path, LIMIT_BYTES)

    if len(roots) > _FEW:
        with daemon_errors("exporting a container"), open_tar(client.api.export(container)) as tar:
            yield from _read(tar, "/", present, read_again)
        return
    for root in sorted(roots):
        try:
            with daemon_errors(f"reading {root}"), archive(client.api, container, root) as (_, tar):
                yield from _read(tar, root, present if root in added else {root}, read_again)
        except FileNotFoundError:
            continue  # a process of the sandbox took it away meanwhile


def _read(
    tar: tarfile.TarFile, base: str, wanted: set[str], read_again: Callable[[str], bytes]
) -> Iterator[tuple[Change, bool]]:
    """The wanted members of an archive of ``base``; stops after ``base`` where nothing else is wanted.

    ``read_again`` brings the content of a hard link whose other name is not wanted.
    """
    contents: dict[str, bytes] = {}
    for path, member in members(tar, base):
        if path in wanted:
            content = b""
            if member.isreg():
                if member.size > LIMIT_BYTES:
                    raise SandboxError(f"the delta is larger than {LIMIT_BYTES >> 20} MiB")
                file = tar.extractfile(member)
                content = contents[member.name] = file.read() if file else b""
            elif member.islnk():
                content = contents.get(member.linkname) or read_again(path)
            kind = kind_of(member)
            link = member.linkname if member.issym() else None
            yield Change(path.lstrip("/"), kind or "file", member.mode & 0o7777, member.uid, member.gid, content, link,
                         int(member.mtime)), kind is None
        if wanted == {base}:
            return


def _image_entries(client: Client, image: Image) -> dict[str, Entry]:
    """Every path of ``image``, read once per process from a container that never runs."""
    with _images_lock:
        if image.key not in _images:
            with daemon_errors("reading an image"):
                labels = {OWNER_LABEL: owner()}
                made = client.api.create_container(image.key, entrypoint=["/bin/sh"], labels=labels)
                try:
                    with open_tar(client.api.export(made["Id"])) as tar:
                        _images[image.key] = dict(_entries(tar))
                finally:
                    client.api.remove_container(made["Id"], v=True, force=True)
        return _images[image.key]


def _entries(tar: tarfile.TarFile) -> Iterator[tuple[str, Entry]]:
    hashes: dict[str, str] = {}
    for path, member in members(tar, "/"):
        kind = kind_of(member)
        mode, owner_ids = member.mode & 0o7777, (member.uid, member.gid)
        if member.isreg():
            file = tar.extractfile(member)
            hashes[member.name] = sha256(file.read() if file else b"")
            yield path.lstrip("/"), Entry("file", mode, *owner_ids, hashes[member.name])
        elif member.islnk():
            yield path.lstrip("/"), Entry("file", mode, *owner_ids, hashes.get(member.linkname, ""))
        else:
            link = member.linkname if member.issym() else ""
            yield path.lstrip("/"), Entry(kind or "special", mode, *owner_ids, link)


@contextmanager
def _paused(client: Client, container: str) -> Iterator[None]:
    with daemon_errors("pausing a container"):
        client.api.pause(container)
    try:
        yield
    finally:
        with daemon_errors("going on with a container"):
            client.api.unpause(container)


