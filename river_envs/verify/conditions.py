"""What a verifier runs under beside the ordinary: another clock, time zone, number of processors, amount of
memory, order of tests.

Pairs of name and value, as ``Attempt.conditions`` holds them:

- a name in capitals is a variable (``PYTHONHASHSEED``, ``TZ``, ``LANG``, ``LC_ALL``);
- ``clock``: seconds that the time of day is ahead;
- ``processors``: how many are seen (and, for 1, used);
- ``memory``: how many MiB the machine seems to have; what can be allocated stays;
- ``order``: ``reversed`` turns the order of the tests round;
- ``age``: seconds by which everything in the state looks older than it is (its time stamps are moved back, all by the
  same amount), after the work and before grading: every program sees that, and the clock stays as it is;
- ``delay``: seconds to wait before grading; ``again``: how often one sandbox is graded, the last grading counts;
- ``network``: ``none`` takes the network away from an environment that has one.

No compiler and no privilege is needed: a launcher sets variables and PATH, and a ``sitecustomize`` and three shell
programs show what was asked for; an isolated Python (``-I``, ``-E``) is shown the clock, the processors, the memory
and the hash seed by a file among its packages. **Limits**: the clock reaches Python (not ``python -S``) and ``date``;
awk, perl, node, ``printf %()T``, time stamps of files and compiled programs see the real one. Processors reach Python
and ``nproc``; /proc/cpuinfo and ``getconf`` stay, and only 1 changes where processes run. Memory reaches Python and
``free``; other programs read the real /proc/meminfo. Scripts that set PATH anew lose the shell programs.
What a program was shown is counted in a file and told in ``Outcome.substitutions``.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from shlex import quote

from river_envs.environment import File, RiverError
from river_envs.sandbox.base import Change, Delta, Sandbox, SandboxError
from river_envs.verify.log import line

PREFIX = "/opt/river-conditions"
LAUNCHER = f"{PREFIX}/under"
MAX_DELAY_SEC = 60.0
MAX_AGAIN = 10

Conditions = Sequence[tuple[str, str]]

_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_SHOWN = {
    "clock": "RIVER_CLOCK", "processors": "RIVER_PROCESSORS", "memory": "RIVER_MEMORY", "order": "RIVER_ORDER"
}
"""The variable that tells a Python below the launcher what to show."""
_PROGRAMS = {"clock": "date", "processors": "nproc", "memory": "free"}
_ONE_PROCESSOR = """if command -v taskset >/dev/null 2>&1; then
  first=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*\\([0-9]*\\).*/\\1/p' /proc/self/status)
  set -- taskset -c "${first:-0}" "$@"
fi
"""
_ISOLATED = """for python in python3 /opt/river-tests/venv/bin/python3 /usr/bin/python3; do
  if command -v "$python" >/dev/null 2>&1; then "$python" -I {prefix}/isolated.py; fi
done >/dev/null 2>&1
:
"""
_AGED = """for python in python3 /usr/bin/python3 /usr/local/bin/python3 /opt/river-tests/venv/bin/python3; do
  if command -v "$python" >/dev/null 2>&1; then "$python" -I -S {prefix}/age.py {seconds} {prefix}/seen; exit; fi
done
"""
MOST_AGE_SEC = 10 * 366 * 86_400
_HOOK_SEC = 60.0
_WORK_SEC = 86_400
_REAL_CLOCK = frozenset(
    (
        "perl", "node", "ruby", "php", "java", "go", "rustc", "cargo", "gcc", "g++", "cc", "awk", "gawk", "mawk",
        "openssl", "git", "touch", "stat", "find", "rsync", "sqlite3", "psql", "mysql", "faketime", "systemctl",
        "crontab", "timedatectl", "tar", "zip", "make", "ssh-keygen", "gpg", "certtool",
    )
)
_UNSEEN: dict[str, tuple[frozenset[str], str]] = {
    "clock": (
        _REAL_CLOCK,
        r"%\([^)]*\)T|EPOCHSECONDS|EPOCHREALTIME|[_.]mtime\b|getmtime|getctime|st_ctime|birthtime|datetime64\(.now",
    ),
    "processors": (
        frozenset(("lscpu", "getconf", "node", "ruby", "java", "go", "rustc", "cargo", "gcc", "g++", "cc", "make")),
        r"/proc/cpuinfo|/sys/devices|/sys/fs/cgroup|psutil",
    ),
    "memory": (
        frozenset(("vmstat", "getconf", "lsmem", "top", "node", "ruby", "java", "go", "gcc", "g++", "cc")),
        r"(?<!open\([\"'])(?<!Path\([\"'])/proc/meminfo|os\.open\(|/sys/devices|/sys/fs/cgroup|ulimit",
    ),
    "TZ": (frozenset({"timedatectl"}), r"/etc/(?:localtime|timezone)"),
}
"""For each condition, the programs that never see it and the words of scripts that read past it."""


@dataclass(frozen=True)
class Prepared:
    """Conditions made ready: ``files`` lie below ``PREFIX``, ``wrap`` stands before every command. ``placed`` and
    ``last`` are shell scripts that run as root once the files are there, and once the work is done.
    """

    files: tuple[File, ...] = ()
    wrap: tuple[str, ...] = ()
    traced: bool = False
    placed: str = ""
    last: str = ""

    def install(self, sandbox: Sandbox) -> None:
        """Put the launcher and what it shows in place. Raises SandboxError."""
        if not self.files:
            return
        sandbox.remove(PREFIX)
        try:
            sandbox.put(self.files, PREFIX)
        except OSError as error:
            raise SandboxError(f"the conditions could not be put in place: {line(str(error))}") from error
        if self.placed:
            sandbox.exec(["sh", "-c", self.placed], timeout_sec=_HOOK_SEC, user="root", cwd="/")

    def finish(self, sandbox: Sandbox) -> None:
        """What comes after the work and before the tests; without a trace where it could not be done. Raises
        SandboxError.
        """
        if self.last:
            sandbox.exec(["sh", "-c", self.last], timeout_sec=_HOOK_SEC, user="root", cwd="/")

    def collect(self, sandbox: Sandbox) -> str:
        """How many programs were shown the conditions; "" where that leaves no trace."""
        if not self.traced:
            return ""
        try:
            seen = sandbox.get(f"{PREFIX}/seen", limit=1 << 20).decode("utf-8", "replace").splitlines()
        except (OSError, SandboxError):
            seen = []  # no receipt is no proof that anything saw the conditions
        return f"seen by {len(seen)} programs"


def prepare(conditions: Conditions) -> Prepared:
    """The files and the launcher for ``conditions``. Raises RiverError for a name or a value that is none."""
    values = checked(conditions)
    variables = {name: value for name, value in values.items() if _VARIABLE.fullmatch(name)}
    for name, variable in _SHOWN.items():
        if name in values:
            variables[variable] = values[name]
    folder = files("river_envs.verify") / "shims"
    made, last = [File("seen", b"", 0o666)], ""
    if "age" in values:
        made.append(File("age.py", (folder / "age.py").read_bytes()))
        last = _AGED.format(prefix=PREFIX, seconds=values["age"])
    if not variables:
        return Prepared(tuple(made), traced=True, last=last) if last else Prepared()
    programs = [name for condition, name in _PROGRAMS.items() if condition in values]
    python = any(name in values for name in _SHOWN)
    head = [f"export {name}={quote(value)}" for name, value in sorted(variables.items())]
    if programs:
        head.append(f"PATH={PREFIX}/bin:$PATH\nexport PATH")
    if python:
        head.append(f"PYTHONPATH={PREFIX}/python${{PYTHONPATH:+:$PYTHONPATH}}\nexport PYTHONPATH")
    body = _ONE_PROCESSOR if values.get("processors") == "1" else ""
    launcher = "#!/bin/sh\n" + "\n".join(head) + f"\n{body}exec \"$@\"\n"
    made.append(File("under", launcher.encode(), 0o755))
    made += [File(f"bin/{name}", (folder / f"{name}.sh").read_bytes(), 0o755) for name in programs]
    if python:
        names = ("sitecustomize.py", *(("river_reversed_order.py",) if "order" in values else ()))
        made += [File(f"python/{name}", (folder / name).read_bytes()) for name in names]
    isolated = bool({"clock", "processors", "memory", "PYTHONHASHSEED"} & set(values))
    if isolated:
        made += [] if python else [File("python/sitecustomize.py", (folder / "sitecustomize.py").read_bytes())]
        made.append(File("isolated.py", (folder / "isolated.py").read_bytes()))
    placed = _ISOLATED.format(prefix=PREFIX) if isolated else ""
    return Prepared(tuple(made), ("/bin/sh", LAUNCHER), traced=python or bool(last), placed=placed, last=last)


def checked(conditions: Conditions) -> dict[str, str]:
    """``conditions`` as a mapping. Raises RiverError naming the one that cannot be had."""
    values = dict(conditions)
    for name, value in values.items():
        match name:
            case "clock":
                good = bool(re.fullmatch(r"-?\d{1,10}", value))
            case "processors":
                good = value.isdigit() and 1 <= int(value) <= 256
            case "memory":
                good = value.isdigit() and len(value) <= 9 and int(value) >= 64
            case "delay":
                good = bool(_NUMBER.fullmatch(value)) and 0 <= float(value) <= MAX_DELAY_SEC
            case "again":
                good = value.isdigit() and 1 <= int(value) <= MAX_AGAIN
            case "age":
                good = value.isdigit() and len(value) <= 10 and int(value) <= MOST_AGE_SEC
            case "order":
                good = value == "reversed"
            case "network":
                good = value == "none"
            case _:
                good = bool(_VARIABLE.fullmatch(name)) and "\0" not in value
        if not good:
            raise RiverError(f"the condition {name}={value!r} is none that a grading can have; see `river-envs probes`")
    return values


def made_by_work(delta: Delta) -> tuple[Change, ...]:
    """The changes with a time stamp of the work itself: within a day of the youngest. What was given an old or a
    future time is not among them.
    """
    latest = time.time() + 60
    youngest = max((change.mtime for change in delta.changes if change.mtime <= latest), default=0)
    span = range(max(1, youngest - _WORK_SEC), youngest + 1)
    return tuple(change for change in delta.changes if change.mtime in span and change.kind != "deleted")


def as_just_made(delta: Delta | None, conditions: Conditions) -> Delta | None:
    """Where ``age`` is a condition, ``delta`` as if its youngest change were made now: a state restored days after the
    work has the age that is asked for, and no other.
    """
    made = {change.path: change.mtime for change in made_by_work(delta)} if delta else {}
    if delta is None or "age" not in dict(conditions) or not made:
        return delta
    later = max(0, int(time.time()) - max(made.values()))
    changes = (replace(c, mtime=c.mtime + later) if c.path in made else c for c in delta.changes)
    return Delta(tuple(changes), delta.skipped)


def delay(conditions: Conditions) -> float:
    """Seconds to wait before grading."""
    return float(dict(conditions).get("delay", "0"))


def times(conditions: Conditions) -> int:
    """How often one sandbox is graded."""
    return int(dict(conditions).get("again", "1"))


def offline(conditions: Conditions) -> bool:
    """Whether the sandbox must have no network."""
    return dict(conditions).get("network") == "none"


def told(conditions: Conditions, seen: str) -> tuple[str, ...]:
    """What ``Outcome.substitutions`` says of them."""
    suffix = f" ({seen})" if seen else ""
    return tuple(f"condition {name}={value}{suffix}" for name, value in conditions)


def unseen(conditions: Conditions, programs: Iterable[str], scripts: Iterable[str]) -> str:
    """What among ``programs`` (names) or in the text of ``scripts`` would not see one of ``conditions``; "" if nothing.

    Where a solution or a test uses it, a disagreement may lie in the half-shown condition: it accuses nobody.
    """
    used, text = set(programs), "\n".join(scripts)
    for name, _ in conditions:
        names, words = _UNSEEN.get(name, (frozenset(), "(?!)"))
        if blind := sorted(used & names):
            return blind[0]
        if found := re.search(words, text):
            return found.group(0)
    return ""
