"""What a verifier's bootstrap would download, ready beforehand and present only while grading.

A test layer is a tree at ``/opt/river-tests``: a virtual environment on the image's own Python, which holds the
packages (the tests see what uvx would show them and nothing of the image's own packages), and a folder of shims that
comes first on the verifier's PATH. A shim answers exactly what the layer holds and hands everything else to the real
tool. Every answered call is written down and ends in ``Outcome.substitutions``. A layer that cannot hold everything
answers nothing: the verifier then runs as it is, and without a network ends as ``needs-network``.

    layer = prepare_tests(backend, image, environment)  # None when the verifier downloads nothing
    outcome = grade(sandbox, environment, test_layer=layer)
"""

from __future__ import annotations

import io
import tarfile
import threading
from collections import OrderedDict
from dataclasses import dataclass, replace
from pathlib import Path

from river_envs.environment import Environment, File
from river_envs.sandbox.base import Backend, BuildFailed, Image, Sandbox, SandboxError
from river_envs.verify.apt_files import ARCHIVE, install_packages, missing_packages, unpack
from river_envs.verify.bootstrap import Bootstrap, recognise, requirement_name
from river_envs.verify.interpreter import Interpreter, find_interpreter
from river_envs.verify.layer_files import PREFIX, image_files, shim_files, site_path, venv_files
from river_envs.verify.log import line
from river_envs.verify.packages import PackagesUnavailable, fetch_site
from river_envs.verify.workplace import SYSTEM_PATH

MAX_NOTES = 50
MAX_COMPILED_BYTES = 256 << 20
KEPT = 32
"""How many layers stay in memory; one with pytest takes about 10 MiB."""

_COMPILE = """
import compileall, py_compile, re, sys, tarfile
site = sys.argv[1]
mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
lazy = re.compile("/pygments/(lexers|styles|formatters)/")  # hundreds of modules that are hardly ever imported
compileall.compile_dir(site, quiet=2, force=True, rx=lazy, invalidation_mode=mode)
with tarfile.open(sys.argv[2], "w") as archive:
    archive.add(site, "site", filter=lambda entry: entry if entry.isdir() or entry.name.endswith(".pyc") else None)
"""


@dataclass(frozen=True)
class TestLayer:
    """A layer for one image and one bootstrap. ``unavailable`` says why it answers nothing; then ``files`` is empty.

    ``held`` describes what the layer substitutes; ``archive`` is a tar of system packages.
    """

    __test__ = False  # not a pytest class

    bootstrap: Bootstrap
    files: tuple[File, ...] = ()
    archive: bytes = b""
    held: tuple[str, ...] = ()
    unavailable: str = ""

    def install(self, sandbox: Sandbox, environment: Environment) -> dict[str, str]:
        """Put the layer into ``sandbox``; returns the variables for the verifier's exec. Raises SandboxError."""
        if self.unavailable:
            return {}
        verifier = environment.verifier
        sandbox.remove(PREFIX)
        try:
            sandbox.put(self.files, PREFIX, user=verifier.user)
            if self.archive:
                sandbox.put([File(ARCHIVE.lstrip("/"), self.archive)])
        except OSError as error:
            raise SandboxError(f"the test layer could not be put in place: {line(str(error))}") from error
        if self.archive:
            unpack(sandbox)
        known = {**dict(sandbox.image.env), **dict(environment.env), **dict(verifier.env)}
        return {"PATH": f"{PREFIX}/shims:{known.get('PATH', SYSTEM_PATH)}"}

    def collect(self, sandbox: Sandbox) -> tuple[str, ...]:
        """What was answered in ``sandbox``, for ``Outcome.substitutions``; empty when nothing was."""
        if self.unavailable:
            return ()
        try:
            notes = sandbox.get(f"{PREFIX}/log", limit=64 << 10).decode("utf-8", "replace").splitlines()
        except OSError:
            return ("the record of answered downloads is gone",)
        answered = list(dict.fromkeys(f"answered: {line(note)}" for note in notes if note.strip()))
        return (*self.held, *answered[:MAX_NOTES]) if answered else ()


def prepare_tests(
    backend: Backend, image: Image, environment: Environment, *, network: bool = True, store: Path | None = None
) -> TestLayer | None:
    """The test layer of ``environment`` on ``image``; None when its verifier downloads nothing known."""
    return layer_for(backend, image, recognise(environment.verifier), network=network, store=store)


def layer_for(
    backend: Backend, image: Image, bootstrap: Bootstrap, *, network: bool = True, store: Path | None = None
) -> TestLayer | None:
    """The layer that answers ``bootstrap`` on ``image``, built once per process; None when there is nothing to answer.

    ``network`` allows fetching packages (never from inside an attempt); ``store`` keeps them, default
    ``~/.cache/river-envs/test-layers``. Raises SandboxError.
    """
    if not bootstrap:
        return None
    store = store or Path.home() / ".cache/river-envs/test-layers"
    key = (backend.name, image.key, bootstrap, network, store)
    with _LOCK:
        lock = _BUILDING.setdefault(key, threading.Lock())
    with lock:
        with _LOCK:
            if key in _LAYERS:
                _LAYERS.move_to_end(key)
                return _LAYERS[key]
        try:
            layer = _build(backend, image, bootstrap, network, store)
        except _Unavailable as error:
            layer = TestLayer(bootstrap, unavailable=str(error))
        with _LOCK:
            _LAYERS[key] = layer
            while len(_LAYERS) > KEPT:
                _BUILDING.pop(_LAYERS.popitem(last=False)[0], None)
    return layer


_LOCK = threading.Lock()
_BUILDING: dict[object, threading.Lock] = {}
_LAYERS: OrderedDict[object, TestLayer] = OrderedDict()
_PACKAGES: OrderedDict[object, tuple[tuple[File, ...], list[str]]] = OrderedDict()


class _Unavailable(Exception):
    """Why a layer cannot hold everything that its bootstrap asks for."""


def _build(backend: Backend, image: Image, bootstrap: Bootstrap, network: bool, store: Path) -> TestLayer:
    """Build a layer. Raises _Unavailable, SandboxError."""
    if bootstrap.unknown:
        raise _Unavailable(f"the verifier also downloads with `{line(bootstrap.unknown[0], 120)}`")
    names = [name for name in map(requirement_name, bootstrap.pip) if name]
    needs_python = bool(bootstrap.pip) or "uv" in bootstrap.tools
    with backend.start(image) as sandbox:
        interpreter = find_interpreter(sandbox, names)
        missing = missing_packages(sandbox, bootstrap.apt)
        if interpreter is None and needs_python:
            missing = (*missing, "python3")
        if not missing:
            return _with_packages(sandbox, bootstrap, interpreter, network, store)
    if not network:
        raise _Unavailable(f"the image lacks {', '.join(missing)}, and no network is allowed")
    try:
        archive = install_packages(backend, image, missing)
    except BuildFailed as error:
        raise _Unavailable(f"{', '.join(missing)} could not be installed: {line(str(error))}") from error
    with backend.start(image) as sandbox:
        sandbox.put([File(ARCHIVE.lstrip("/"), archive)])
        unpack(sandbox)
        layer = _with_packages(sandbox, bootstrap, find_interpreter(sandbox, names), network, store)
    held = (f"test layer: system packages {', '.join(missing)}", *layer.held)
    return replace(layer, archive=archive, held=held)


def _with_packages(
    sandbox: Sandbox, bootstrap: Bootstrap, interpreter: Interpreter | None, network: bool, store: Path
) -> TestLayer:
    """The layer for an image that has all system packages: packages of its own, or those of the image. Raises
    _Unavailable, SandboxError.
    """
    provided = (*bootstrap.helpers, *bootstrap.apt)
    if not bootstrap.pip and "uv" not in bootstrap.tools:
        return TestLayer(bootstrap, tuple(shim_files(bootstrap, provided, interpreter, own=False)))
    if interpreter is None or not interpreter.usable:
        found = f"Python {interpreter.full}" if interpreter else "no python3"
        raise _Unavailable(f"the image has {found}, which cannot run the tests")
    packages, held = _packages(sandbox, bootstrap.pip, interpreter, network, store)
    if bootstrap.python and not interpreter.full.startswith(bootstrap.python):
        held.append(f"python {bootstrap.python}: {interpreter.full} of the image")
    own = any(file.path == "venv/pyvenv.cfg" for file in packages)
    shims = shim_files(bootstrap, provided, interpreter, own=own)
    return TestLayer(bootstrap, (*shims, *packages), held=tuple(held))


def _packages(
    sandbox: Sandbox, requirements: tuple[str, ...], interpreter: Interpreter, network: bool, store: Path
) -> tuple[tuple[File, ...], list[str]]:
    """The packages' files and what they substitute, kept for other bootstraps on the same image. Raises _Unavailable,
    SandboxError.
    """
    key = (sandbox.image.key, requirements, interpreter.base, interpreter.full, network, store)
    with _LOCK:
        if key in _PACKAGES:
            return _PACKAGES[key][0], list(_PACKAGES[key][1])
    if not requirements:
        return tuple(image_files(interpreter)), []
    try:
        files = venv_files(fetch_site(requirements, interpreter, store, network=network), interpreter)
        files += _compiled(sandbox, files, interpreter)
        held = [f"test layer: {', '.join(requirements)}"]
    except PackagesUnavailable as error:
        versions = {text: interpreter.installed.get(requirement_name(text) or "") for text in requirements}
        if not all(versions.values()):
            raise _Unavailable(str(error)) from error
        files = image_files(interpreter)
        held = [f"{requirement}: version {version} of the image" for requirement, version in versions.items()]
    with _LOCK:
        _PACKAGES[key] = (tuple(files), held)
        while len(_PACKAGES) > KEPT:
            _PACKAGES.popitem(last=False)
    return tuple(files), list(held)


def _compiled(sandbox: Sandbox, venv: list[File], interpreter: Interpreter) -> list[File]:
    """The packages' byte code, made by the image's own Python: it saves half a second in every grading.

    Never shared between images: an image may hold a Python that writes other byte code than the packages' own.
    """
    site = f"{PREFIX}/{site_path(interpreter)}"
    sandbox.put(venv, PREFIX)
    result = sandbox.exec([f"{PREFIX}/venv/bin/python3", "-c", _COMPILE, site, "/opt/river-tests/compiled.tar"],
                          timeout_sec=300, user="root")
    if result.exit_code != 0:
        raise SandboxError(f"the packages of the test layer could not be compiled: {line(result.text)}")
    content = sandbox.get("/opt/river-tests/compiled.tar", limit=MAX_COMPILED_BYTES)
    found = []
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        for entry in archive:
            parts = entry.name.split("/")
            reader = archive.extractfile(entry) if entry.isreg() else None
            if reader is not None and parts[0] == "site" and ".." not in parts:
                found.append(File("/".join([site_path(interpreter), *parts[1:]]), reader.read()))
    return found
