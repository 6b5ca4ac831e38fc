"""A backend without a kernel: file systems are dictionaries, verifiers are functions. For tests that need exact control
over what fails when; the same audit runs on real namespaces in ``test_audit_real.py``."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Self

from river_envs.environment import Environment, File, ImageRecipe
from river_envs.outcome import Outcome, Status
from river_envs.sandbox.base import (
    BuildFailed,
    Change,
    Delta,
    ExecResult,
    Image,
    Listing,
    SandboxError,
    SandboxLimits,
)

Judge = Callable[[dict[str, bytes]], bool]


class MemorySandbox:
    """A dictionary of files. ``bash /solution/...`` writes what the script holds: lines of ``path=content``.

    There is no shell: a script that a probe would run spoils what was written since the start. What puts a condition in
    place (as root) changes nothing, and whatever is only looked for is not there.
    """

    def __init__(self, image: Image, files: dict[str, bytes], fail: Callable[[], bool]) -> None:
        self.image = image
        self.base = dict(files)
        self.files = dict(files)
        self.fail = fail

    def exec(self, command: Sequence[str], *, timeout_sec: float, **how: Any) -> ExecResult:
        self._alive()
        if "bash" in command:
            for line in self.files[command[-1].lstrip("/")].decode().splitlines():
                path, _, content = line.partition("=")
                self.files[path.lstrip("/")] = content.encode()
        if command[0] == "sh" and how.get("user") != "root":
            changed = [path for path, content in self.files.items() if self.base.get(path) != content]
            self.files.update({path: b"9" + self.files[path] for path in changed})
        return ExecResult(0, b"", 0.0)

    def put(self, files: Iterable[File], root: str = "/", *, user: str | None = None) -> None:
        self._alive()
        prefix = root.strip("/") + "/" if root.strip("/") else ""
        self.files.update({prefix + file.path: file.content for file in files})

    def remove(self, path: str) -> None:
        self.files.pop(path.lstrip("/"), None)

    def get(self, path: str, *, limit: int = 1 << 20) -> bytes:
        self._alive()
        if path.lstrip("/") not in self.files:
            raise FileNotFoundError(path)
        return self.files[path.lstrip("/")][:limit]

    def list(self, roots: Sequence[str], *, limit: int = 20_000) -> tuple[Listing, ...]:
        return tuple(Listing("/" + path, "file", len(content), 0o644) for path, content in sorted(self.files.items()))

    def delta(self) -> Delta:
        changed = {path: content for path, content in self.files.items() if self.base.get(path) != content}
        return Delta(tuple(Change(path, "file", content=content) for path, content in sorted(changed.items())))

    def destroy(self) -> None:
        self.files = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.destroy()

    def _alive(self) -> None:
        if self.fail():
            raise SandboxError("no space left on device")


class MemoryBackend:
    """Counts what it starts; ``fail`` decides, per operation, whether the sandbox dies."""

    name = "memory"

    def __init__(self, files: dict[str, bytes] | None = None, fail: Callable[[], bool] = lambda: False) -> None:
        self.files = files or {}
        self.fail = fail
        self.started = 0
        self.lock = threading.Lock()

    def check(self) -> list[Any]:
        return []

    def build(self, recipe: ImageRecipe, *, timeout_sec: float = 600.0, network: bool = True) -> Image:
        if "COPY missing" in recipe.text:
            raise BuildFailed("COPY missing: no such file", "log", blameless=False)
        return Image(recipe.digest, workdir="/app")

    def start(
        self, image: Image, *, delta: Delta | None = None, limits: SandboxLimits | None = None, network: bool = False
    ) -> MemorySandbox:
        with self.lock:
            self.started += 1
        files = dict(self.files)
        sandbox = MemorySandbox(image, files, self.fail)
        if delta is not None:
            sandbox.files.update({change.path: change.content for change in delta.changes})
        return sandbox

    def sweep(self) -> int:
        return 0

    def close(self) -> None:
        pass


def grading(judge: Callable[[Environment], Judge]) -> Any:
    """The grading of a run: every environment has a function from files to pass."""

    def for_backend(backend: Any, options: Any) -> Any:
        def for_image(image: Image, environment: Environment) -> Any:
            def grade(sandbox: MemorySandbox, environment: Environment, *, conditions: Any = ()) -> Outcome:
                try:
                    sandbox.exec(["true"], timeout_sec=1)
                except SandboxError as error:
                    return Outcome(Status.SANDBOX_ERROR, detail=str(error))
                passed = judge(environment)(sandbox.files)
                return Outcome(Status.GRADED, float(passed), passed)

            return grade

        return for_image

    return for_backend
