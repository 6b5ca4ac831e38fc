"""A stand-in for the namespaces where only unpacking matters, and archives to import."""

import io
import tarfile

import pytest


class PlainUnpacker:
    """Unpacks as the current user, without a user namespace."""

    def untar(self, archive, directory):
        with tarfile.open(archive) as tar:
            tar.extractall(directory, **({"filter": "fully_trusted"} if hasattr(tarfile, "tar_filter") else {}))

    def copy(self, source, dest):
        raise AssertionError("not needed here")

    def rmtree(self, path):
        import shutil

        shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def unpacker():
    return PlainUnpacker()


def member(name, content=None, **attributes):
    """(TarInfo, content): a file, or what ``type`` says."""
    info = tarfile.TarInfo(name)
    info.mode = 0o644
    for key, value in attributes.items():
        setattr(info, key, value)
    info.size = len(content or b"")
    return info, content


def folder(name, mode=0o755):
    return member(name, type=tarfile.DIRTYPE, mode=mode)


def link(name, target, hard=False):
    return member(name, type=tarfile.LNKTYPE if hard else tarfile.SYMTYPE, linkname=target)


def tar_bytes(*members, mode="w"):
    """An archive of ``members``."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as tar:
        for info, content in members:
            tar.addfile(info, io.BytesIO(content) if content is not None else None)
    return out.getvalue()
