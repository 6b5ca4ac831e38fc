"""The Python of the ``host`` base: the interpreter that runs River, with pytest and without anyone's other packages."""

from __future__ import annotations

import compileall
import shutil
import sys
import sysconfig
import tarfile
import tempfile
from importlib import metadata
from pathlib import Path

from river_envs.sandbox.host_files import add_directory, add_file, add_link

PREFIX = "/opt/python"
"""Where a Python that is not installed below /usr is shown."""
_PACKAGES = ("pytest", "iniconfig", "packaging", "pluggy", "pygments")
_VERSION = f"python{sys.version_info.major}.{sys.version_info.minor}"


def is_outside_usr() -> bool:
    """Whether the running Python has to be shown at ``PREFIX``, since the host's /usr does not contain it."""
    return not (sys.base_prefix == "/usr" or sys.base_prefix.startswith("/usr/"))


def executable() -> str:
    """The interpreter's path inside."""
    return f"{PREFIX if is_outside_usr() else sys.base_prefix}/bin/{_VERSION}"


def _site_directory() -> str:
    """Where the copied packages go, relative to /usr: a directory on the path of a Python below /usr."""
    if Path("/etc/debian_version").exists() and sys.base_prefix == "/usr":
        return f"local/lib/{_VERSION}/dist-packages"
    prefix = "/usr/local" if sys.base_prefix == "/usr" else sys.base_prefix
    return sysconfig.get_path("purelib", vars={"base": prefix, "platbase": prefix}).removeprefix("/usr/")


def write_prefix(tar: tarfile.TarFile) -> None:
    """The layer above the interpreter's prefix: pytest, and its pip if it has one, instead of its site-packages."""
    site = f"lib/{_VERSION}/site-packages"
    for path in ("bin", "include", "lib", f"lib/{_VERSION}", "share"):
        add_directory(tar, path)
    add_directory(tar, site, opaque=True)
    with _packages(with_pip=True) as folder:
        _add_tree(tar, Path(folder), site)


def write_commands(tar: tarfile.TarFile) -> None:
    """The part of the layer above /usr: commands, and the packages where the interpreter is below /usr itself."""
    python = executable()
    if is_outside_usr():
        for name in ("python", "python3", _VERSION):
            add_link(tar, f"local/bin/{name}", python)
        _link_libraries(tar)
        if _pip_source().is_dir():
            for name in ("pip", "pip3"):
                add_file(tar, f"local/bin/{name}", _command(python, "pip._internal.cli.main", "main"), 0o755)
    else:
        site = _site_directory()
        for depth in range(1, len(Path(site).parts) + 1):
            add_directory(tar, str(Path(*Path(site).parts[:depth])))
        with _packages(with_pip=False) as folder:
            _add_tree(tar, Path(folder), site)
        if not Path("/usr/bin/python").exists():
            add_link(tar, "local/bin/python", python)
    add_file(tar, "local/bin/pytest", _command(python, "pytest", "main"), 0o755)


def _link_libraries(tar: tarfile.TarFile) -> None:
    """Let the loader find the interpreter's own library, whose recorded path is not there, and no other version."""
    for library in sorted(Path(sys.base_prefix, "lib").glob("libpython*.so*")):
        add_link(tar, f"lib/{library.name}", f"{PREFIX}/lib/{library.name}")
        for other in sorted(Path("/usr").glob(f"lib*/*/{library.name}")):
            add_link(tar, str(other.relative_to("/usr")), f"{PREFIX}/lib/{library.name}")
        for other in sorted(Path("/usr").glob(f"lib[0-9]*/{library.name}")):
            add_link(tar, str(other.relative_to("/usr")), f"{PREFIX}/lib/{library.name}")


def _command(python: str, module: str, function: str) -> str:
    return f"#!{python}\nimport sys\nfrom {module} import {function}\nsys.exit({function}())\n"


def _pip_source() -> Path:
    return Path(sys.base_prefix, "lib", _VERSION, "site-packages", "pip")


def _packages(*, with_pip: bool) -> tempfile.TemporaryDirectory[str]:
    """A folder with the packages, compiled: without that every sandbox would compile pytest anew."""
    holder = tempfile.TemporaryDirectory()
    target = Path(holder.name)
    for name in _PACKAGES:
        distribution = metadata.distribution(name)
        for file in distribution.files or ():
            source = Path(str(distribution.locate_file(file)))
            if ".." not in file.parts and source.is_file():
                place = target / str(file)
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, place)
    if with_pip and _pip_source().is_dir():
        shutil.copytree(_pip_source(), target / "pip")
        for info in _pip_source().parent.glob("pip-*.dist-info"):
            shutil.copytree(info, target / info.name)
    compileall.compile_dir(holder.name, quiet=2, stripdir=holder.name)
    return holder


def _add_tree(tar: tarfile.TarFile, folder: Path, path: str) -> None:
    for child in sorted(folder.iterdir()):
        if child.is_dir():
            add_directory(tar, f"{path}/{child.name}", opaque=child.parent == folder)
            _add_tree(tar, child, f"{path}/{child.name}")
        else:
            add_file(tar, f"{path}/{child.name}", child.read_bytes(), mtime=child.stat().st_mtime)
