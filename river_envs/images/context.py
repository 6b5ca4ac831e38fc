"""The files next to a recipe: which of them a COPY source means, and which ``.dockerignore`` hides."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

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
        matcher = re.compile(glob_to_regex(pattern))
        found = [path for path in [*self._files, *self._folders] if matcher.fullmatch(path)]
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
        self._rules: list[tuple[bool, re.Pattern[str]]] = []
        for line in text.lstrip("\ufeff").splitlines():
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            keep = line.startswith("!")
            pattern = posixpath.normpath("/" + line.removeprefix("!").strip()).lstrip("/")
            if pattern:
                self._rules.append((keep, re.compile(glob_to_regex(pattern) + r"(/.*)?")))

    def hides(self, path: str) -> bool:
        """Whether ``path`` is left out of the context."""
        hidden = False
        for keep, rule in self._rules:
            if rule.fullmatch(path):
                hidden = not keep
        return hidden


def glob_to_regex(pattern: str) -> str:
    """A Docker path pattern as a regular expression: ``*`` and ``?`` stop at ``/``, ``**`` does not."""
    out: list[str] = []
    position = 0
    while position < len(pattern):
        char = pattern[position]
        if pattern.startswith("**/", position):
            out.append("(?:.*/)?")
            position += 3
            continue
        if pattern.startswith("**", position):
            out.append(".*")
            position += 2
            continue
        if char == "[" and (end := pattern.find("]", position + 2)) > 0:
            inner = pattern[position + 1 : end].replace("\\", "\\\\")
            out.append(f"[{inner}]")
            position = end + 1
            continue
        if char == "\\" and position + 1 < len(pattern):
            out.append(re.escape(pattern[position + 1]))
            position += 2
            continue
        out.append({"*": "[^/]*", "?": "[^/]"}.get(char, re.escape(char)))
        position += 1
    return "".join(out)


def _parents(path: str) -> Sequence[str]:
    parts = path.split("/")
    return ["/".join(parts[:length]) for length in range(1, len(parts))]
