"""Small edits of the state that a reference left: the stuff of mutants and equivalents.

A delta is read into targets, declared outputs first. An edit is one changed file of one target, with its distance: the
share of the content that is not the same any more (0 the same, 1 nothing left).
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher

from river_envs.environment import Environment, File
from river_envs.probes import instruction as text
from river_envs.probes import orders, stated
from river_envs.probes.base import Action, Put, Remove, Restore, Solve, Survey
from river_envs.probes.documents import Kind, kind_of, meaning
from river_envs.sandbox.base import Change

LARGEST = 1 << 20
"""Files above this many bytes are not edited."""
_NOISE = re.compile(
    r"(^|/)(__pycache__|\.pytest_cache|\.cache|\.git|node_modules|\.npm|\.cargo|target|\.venv|venv|site-packages)(/|$)"
    r"|\.(pyc|pyo|swp|lock|pid)$|(^|/)\.(bash_history|python_history|wget-hsts|lesshst|viminfo)$|^(run|proc|sys|dev)/"
)


@dataclass(frozen=True)
class Target:
    """One file that the reference left. ``named``: the instruction names it; ``fresh``: the image has no such file;
    ``asked``: the sentence that orders it, "" where there is doubt; ``checked``: the verifier names it.
    """

    path: str
    content: bytes
    mode: int
    kind: Kind
    named: bool
    fresh: bool
    asked: str
    checked: bool

    @property
    def text(self) -> str:
        """The content as text; "" for a binary file."""
        return "" if self.kind == "binary" else self.content.decode()


@dataclass(frozen=True)
class Edit:
    """``content`` None removes the file, ``undone`` puts it back to what the image has. ``stated`` is the sentence of
    the instruction that the edit breaks beyond doubt; ``far`` a cruder form of the same edit, which no unstated
    tolerance covers; ``lead``: the verifier does not name what it changes; ``share``: its distance, where ``before``
    need not be compared.
    """

    path: str
    content: bytes | None
    what: str
    share: float | None = None
    stated: str = ""
    key: str = ""
    far: str | None = None
    mode: int = 0o644
    undone: bool = False
    lead: bool = False
    before: bytes = b""

    @property
    def distance(self) -> float:
        """How much is not the same any more; reckoned when it is asked for, as most edits are never run."""
        return distance(self.before, self.content) if self.share is None else self.share


def targets(environment: Environment, survey: Survey, *, every: bool = False) -> tuple[Target, ...]:
    """The regular files of the reference's delta that can be edited, declared outputs first, then in path order;
    ``every``: caches, logs and the like too.
    """
    if survey.reference is None:
        return ()
    named = [path.rstrip("/") for path in text.paths(environment.instruction, survey.workdir)]
    places = {path: place for place, path in reversed(list(enumerate(named)))}
    present = {entry.path for entry in survey.listing}
    found = [
        _target(environment, change, present, places)
        for change in survey.reference.changes
        if change.kind == "file" and len(change.content) <= LARGEST and (every or not _NOISE.search(change.path))
    ]
    return tuple(sorted(found, key=lambda target: (not target.named, places.get(target.path, len(named)), target.path)))


def _target(environment: Environment, change: Change, present: set[str], places: dict[str, int]) -> Target:
    path = "/" + change.path
    return Target(
        path,
        change.content,
        change.mode & 0o7777,
        kind_of(path, change.content),
        path in places,
        path not in present,
        orders.asked(environment.instruction, path) if path not in present else "",
        stated.mentions(environment.verifier, posixpath.basename(path)),
    )


def declared(found: Iterable[Target]) -> list[Target]:
    """The targets that are outputs by name and hold data; where there is none, those that hold data at all."""
    data = [target for target in found if target.kind not in {"code", "binary"} and target.content.strip()]
    return [target for target in data if target.named] or data


def unsure(environment: Environment, survey: Survey, found: Iterable[Target], path: str) -> bool:
    """Whether the file at ``path`` may be made anew while the state is graded, so that its loss would mean nothing:
    the work holds programs (or processes), and the verifier may run them.
    """
    name = posixpath.basename(path)
    programs = [target for target in found if target.path != path and (target.kind == "code" or target.mode & 0o111)]
    if any(name.encode() in program.content for program in programs):
        return True
    return (bool(programs) or survey.in_place) and stated.runs_work(environment.verifier)


def distance(before: bytes, after: bytes | None) -> float:
    """The share of the content that an edit changed: by characters for short contents, by lines for long ones."""
    if after is None or not before or not after:
        return 1.0
    if len(before) + len(after) <= 4000:
        same = SequenceMatcher(None, before, after, autojunk=False).ratio()
        return round(1 - same, 4)
    old, new = Counter(before.splitlines()), Counter(after.splitlines())
    kept = (old & new).total()
    moved = 0.0 if old != new else 0.5
    return round(max(moved, 1 - 2 * kept / (old.total() + new.total())), 4)


def edit(target: Target, content: bytes | str | None, what: str, **more: str | bool | None) -> Edit | None:
    """The edit of a target, or None when nothing that carries meaning would change."""
    data = content.encode() if isinstance(content, str) else content
    if data is not None and same(data, target):
        return None
    return Edit(target.path, data, what, mode=target.mode, before=target.content, **more)  # type: ignore[arg-type]


def same(content: bytes | str, target: Target) -> bool:
    """Whether ``content`` says what the target says, in whatever form: nothing that carries meaning differs."""
    data = content.encode() if isinstance(content, str) else content
    if data == target.content or data.split() == target.content.split():
        return True
    return bool(meaning(target.kind, target.path, data) == meaning(target.kind, target.path, target.content))


def begin(survey: Survey, without: tuple[str, ...] = ()) -> Action:
    """How an attempt gets the reference's state: its delta, or, where processes matter, the reference run again."""
    return Solve() if survey.in_place else Restore(without)


def actions(survey: Survey, change: Edit) -> tuple[Action, ...]:
    """The reference's state with one edit."""
    if change.undone:
        return (begin(survey, (change.path,)),)
    if change.content is None:
        return begin(survey), Remove((change.path,))
    return begin(survey), Put((File(change.path.strip("/"), change.content, change.mode),))


def unedited(start: Action) -> Action:
    """The beginning of an attempt without what it leaves out: the benign control."""
    return Restore() if isinstance(start, Restore) else start
