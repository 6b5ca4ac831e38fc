"""The files next to a recipe: which of them a COPY source means, and which ``.dockerignore`` hides."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from river_envs.environment import File, fingerprint
from river_envs.images.recipe import RecipeError


@dataclass(frozen=True)
class Source:
    """What one COPY source turned out to be: a file (``files`` holds it under its own name) or a directory's content.
    """

    name: str
    directory: bool
    files: tuple[File, ...]

    def fingerprint(self) -> list[object]:
        """What of this source decides about the resulting layer."""
        return [self.name, self.directory, fingerprint(self.files)]


class Context:
    """The context of one recipe. Links are kept as links, unless a source is asked for with ``follow``."""

    def __init__(self, files: Iterable[File], *, ignore: bool = True) -> None:
        by_path = {file.path: file for file in files}
        rules = by_path.get(".dockerignore")
        hidden = Ignore(rules.content.decode("utf-8", "replace") if rules and ignore else "")
        self._files = {path: file for path, file in sorted(by_path.items()) if not hidden.hides(path)}
        self._folders = {parent for path in self._files for parent in _parents(path)}

    def find(self, source: str, *, follow: bool = False) -> list[Source]:
        """The files and directories that ``source`` (a path or a pattern) means. Raises RecipeError when none is there.
        """
        pattern = posixpath.normpath("/" + source).lstrip("/")
        if ".." in source.split("/") and posixpath.normpath(source.lstrip("/")).startswith(".."):
            raise RecipeError(f"{source!r} leads out of the build context")
        if not pattern:
            return [self._folder("", follow)]
        if pattern in self._files:
            return [self._file(pattern, follow)]
        if pattern in self._folders:
            return [self._folder(pattern, follow)]
        matcher = Pattern(pattern)
        found = [path for path in [*self._files, *self._folders] if matcher.matches(path)]
        if not found or not re.search(r"[*?\[]", pattern):
            raise RecipeError(f"{source!r} is not in the build context")
        return [
            self._file(path, follow) if path in self._files else self._folder(path, follow) for path in sorted(found)
        ]

    def _file(self, path: str, follow: bool) -> Source:
        name = posixpath.basename(path)
        file = self._follow(self._files[path]) if follow else self._files[path]
        return Source(name, False, (replace(file, path=name),))

    def _folder(self, path: str, follow: bool) -> Source:
        prefix = path + "/" if path else ""
        inside = [file for name, file in self._files.items() if name.startswith(prefix)]
        files = tuple(
            replace(self._follow(file) if follow else file, path=file.path[len(prefix) :]) for file in inside
        )
        return Source(posixpath.basename(path), True, files)

    def _follow(self, file: File) -> File:
        target: File | None = file
        for _ in range(40):
            if target is None or target.link is None:
                break
            target = self._files.get(posixpath.normpath(posixpath.join(posixpath.dirname(target.path), target.link)))
        if target is None or target.link is not None:
            raise RecipeError(f"the link {file.path!r} leads nowhere in the build context")
        return replace(target, path=file.path)


class Ignore:
    """The rules of a ``.dockerignore``: the last matching rule wins, ``!`` brings back, a hidden directory hides its
    files.
    """

    def __init__(self, text: str) -> None:
        self._rules: list[tuple[bool, Pattern]] = []
        for line in text.lstrip("\ufeff").splitlines():
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            keep = line.startswith("!")
            pattern = posixpath.normpath("/" + line.removeprefix("!").strip()).lstrip("/")
            if pattern:
                self._rules.append((keep, Pattern(pattern)))

    def hides(self, path: str) -> bool:
        """Whether ``path`` is left out of the context."""
        hidden = False
        for keep, rule in self._rules:
            if rule.covers(path):
                hidden = not keep
        return hidden


class Pattern:
    """A Docker path pattern: ``*``, ``?`` and ``[...]`` stay within one component, ``**`` stands for any number of
    them.

    Matching takes time proportional to pattern and path, whatever a hostile pattern says.
    """

    def __init__(self, pattern: str) -> None:
        self._parts = [part if part == "**" else _component(part) for part in pattern.split("/")]

    def matches(self, path: str) -> bool:
        """Whether the pattern means exactly this path."""
        parts = path.split("/")
        return len(parts) in self._ends(parts)

    def covers(self, path: str) -> bool:
        """Whether the pattern means this path or a directory above it."""
        return any(end > 0 for end in self._ends(path.split("/")))

    def _ends(self, path: Sequence[str]) -> set[int]:
        """How many components of ``path`` the whole pattern can stand for."""
        ends = {0}
        for part in self._parts:
            if part == "**":
                ends = set(range(min(ends, default=len(path)), len(path) + 1)) if ends else set()
            else:
                ends = {end + 1 for end in ends if end < len(path) and fnmatchcase(path[end], part)}
        return ends


def _component(part: str) -> str:
    """One component in the language of :mod:`fnmatch`, which negates with ``!`` and knows no backslash."""
    part = re.sub(r"\\(.)", lambda match: f"[{match.group(1)}]" if match.group(1) in "*?[" else match.group(1), part)
    return part.replace("[^", "[!")


def _parents(path: str) -> Sequence[str]:
    parts = path.split("/")
    return ["/".join(parts[:length]) for length in range(1, len(parts))]
