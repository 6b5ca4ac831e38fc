"""Harbor directories in one archive, the same bytes on every machine."""

from __future__ import annotations

import gzip
import io
import tarfile
import tempfile
from pathlib import Path

from river_envs.environment import Environment, RiverError


class Tarball:
    """A ``.tar.gz`` that comes to be with its first task."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._archive: tarfile.TarFile | None = None
        self._packed: gzip.GzipFile | None = None

    def add(self, environment: Environment, name: str) -> str:
        """Add one environment as a Harbor directory; returns why it cannot be one, or ""."""
        from river_envs.formats.writer import write_harbor

        with tempfile.TemporaryDirectory(prefix="river-export-") as folder:
            root = Path(folder) / name
            try:
                write_harbor(environment, root)
            except RiverError as error:
                return str(error)
            for path in sorted(root.rglob("*")):
                if path.is_symlink() or path.is_file():
                    self.add_file(f"{name}/{path.relative_to(root).as_posix()}", path)
        return ""

    def add_file(self, name: str, path: Path) -> None:
        """Add a file or a link as it lies on disk, without owner and times."""
        member = tarfile.TarInfo(name)
        member.mode = 0o755 if not path.is_symlink() and path.stat().st_mode & 0o100 else 0o644
        if path.is_symlink():
            member.type, member.linkname = tarfile.SYMTYPE, str(path.readlink())
            self._opened().addfile(member)
            return
        self.add_bytes(member, path.read_bytes())

    def add_bytes(self, member: tarfile.TarInfo, content: bytes) -> None:
        """Add one file."""
        member.size = len(content)
        self._opened().addfile(member, io.BytesIO(content))

    def _opened(self) -> tarfile.TarFile:
        if self._archive is None:
            self._packed = gzip.GzipFile(self.path, "wb", mtime=0)
            self._archive = tarfile.open(fileobj=self._packed, mode="w")  # noqa: SIM115 - closed in close
        return self._archive

    def close(self) -> None:
        """Finish the archive, where there is one."""
        if self._archive is not None and self._packed is not None:
            self._archive.close()
            self._packed.close()
