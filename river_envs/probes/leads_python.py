"""Leads in the verifier's Python files, by their syntax trees."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from river_envs.environment import Environment, Verifier
from river_envs.probes import instruction as wording
from river_envs.probes.leads import Lead

MAX_BYTES = 512 << 10

_RUNS = frozenset(("run", "Popen", "call", "check_call", "check_output", "system", "popen", "getoutput"))
_CLOCK = frozenset((
    "time.time", "time.time_ns", "datetime.now", "datetime.utcnow", "datetime.today", "date.today", "time.localtime",
    "time.gmtime", "time.strftime", "time.ctime",
))
_NETWORK = frozenset(("requests", "urllib", "urllib3", "httpx", "aiohttp", "ftplib", "smtplib"))
_FILE_TIMES = frozenset(("getmtime", "getctime", "getatime", "st_mtime", "st_ctime", "st_mtime_ns"))
_TIMED = re.compile(r"\bstat\s|(?<![\w-])-(?:[acm](?:min|time)|newer\w*)\b|\bdate\s+-r\b|\s-[no]t\s")
_PROCESSORS = frozenset((
    "cpu_count", "sched_getaffinity", "process_cpu_count", "getloadavg", "disk_usage", "getrlimit",
))
_READS_MEMORY = frozenset(("sysconf", "open", "Path", "read_text"))
_MEMORY = frozenset(("SC_PHYS_PAGES", "SC_AVPHYS_PAGES", "/proc/meminfo"))
_EXISTENCE = frozenset(("exists", "is_file", "is_dir", "isfile", "isdir", "st_size", "getsize", "is_symlink", "access"))
_SOURCE = re.compile(r"\.(?:py|sh|js|ts|c|cc|cpp|go|rs|java|rb|pl)$")
_PATH = re.compile(r"/[A-Za-z0-9_.@%+=-]+(?:/[A-Za-z0-9_.@%+=-]+)+")
_SYSTEM = ("/usr/", "/bin/", "/lib", "/proc", "/sys", "/dev/", "/logs", "/tests", "/tmp/pytest", "/etc/ssl")


@dataclass(frozen=True)
class Module:
    """One parsed file. ``calls`` are the dotted names that are called, with their nodes."""

    path: str
    lines: tuple[str, ...]
    tree: ast.Module
    calls: tuple[tuple[str, ast.Call], ...] = field(compare=False)

    def lead(self, name: str, node: ast.AST) -> Lead:
        """A lead at ``node``."""
        number = getattr(node, "lineno", 0)
        text = self.lines[number - 1].strip()[:160] if 0 < number <= len(self.lines) else ""
        return Lead(name, f"tests/{self.path}", number, text)


def modules(environment: Environment) -> tuple[Module, ...]:
    """The verifier's Python files that parse."""
    return _modules(environment.verifier)


@lru_cache(maxsize=256)
def _modules(verifier: Verifier) -> tuple[Module, ...]:
    found = []
    for file in verifier.files:
        if file.path.endswith(".py") and len(file.content) <= MAX_BYTES:
            try:
                text = file.content.decode()
                tree = ast.parse(text)
                calls = tuple((dotted(node.func), node) for node in ast.walk(tree) if isinstance(node, ast.Call))
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue  # no Python for this interpreter: no leads, the verifier itself will say more
            found.append(Module(file.path, tuple(text.splitlines()), tree, calls))
    return tuple(found)


def dotted(node: ast.expr) -> str:
    """``a.b.c`` for names and attributes; "" at the front for what is computed."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    parts.append(node.id if isinstance(node, ast.Name) else "")
    return ".".join(reversed(parts))


def strings(node: ast.AST) -> Iterator[str]:
    """The text constants below ``node``."""
    for child in ast.walk(node):
        if isinstance(child, ast.Constant) and isinstance(child.value, str):
            yield child.value


def find(environment: Environment) -> Iterator[Lead]:
    """The leads of the verifier's Python files."""
    found = modules(environment)
    for module in found:
        yield from _calls(module)
        yield from _statements(module)
        yield from _paths(module, environment)
    yield from _imports(environment)
    yield from _unchecked(found)


def runs(name: str) -> bool:
    """Whether a call of this (dotted) name starts a program."""
    return name.split(".")[-1] in _RUNS


def programs(environment: Environment) -> frozenset[str]:
    """Programs that the tests call: the words of what they hand to subprocess or os.system."""
    words: set[str] = set()
    for module in modules(environment):
        for name, call in module.calls:
            if runs(name):
                for text in strings(call):
                    words.update(word.rsplit("/", 1)[-1] for word in re.split(r"[\s;|&()<>'\"$`=]+", text) if word)
    return frozenset(words)


def _random(name: str, call: ast.Call) -> bool:
    """Whether a call draws or prepares random numbers that nobody fixed."""
    head, last = name.split(".")[0], name.split(".")[-1]
    if last in {"Random", "RandomState", "default_rng", "seed"}:
        return not any(isinstance(argument, ast.Constant) and argument.value is not None for argument in call.args)
    return head in {"random", "secrets"} or ".random." in name or last in {"uuid4", "uuid1", "urandom"}


def _calls(module: Module) -> Iterator[Lead]:
    seeded = any(name.split(".")[-1] == "seed" and not _random(name, call) for name, call in module.calls)
    for name, call in module.calls:
        last, head = name.split(".")[-1], name.split(".")[0]
        if ".".join(name.split(".")[-2:]) in _CLOCK:
            yield module.lead("clock", call)
        if last == "sleep":
            yield module.lead("sleep", call)
        if last in _FILE_TIMES:
            yield module.lead("file-times", call)
        if _random(name, call) and not seeded:
            yield module.lead("random", call)
        if name == "hash" or (name in {"list", "tuple", "next", "iter"} and _is_set(call.args[:1])):
            yield module.lead("hash-order", call)
        if last in _RUNS and _TIMED.search(" ".join(strings(call))):
            yield module.lead("file-times", call)
        if last in _PROCESSORS:
            yield module.lead("processors", call)
        if last == "virtual_memory" or (last in _READS_MEMORY and _MEMORY & set(strings(call))):
            yield module.lead("memory", call)
        if last in {"setlocale", "strxfrm", "strcoll", "getpreferredencoding"}:
            yield module.lead("locale", call)
        if last in {"Thread", "ThreadPoolExecutor", "ProcessPoolExecutor", "Process"}:
            yield module.lead("threads", call)
        if head in _NETWORK and not any("localhost" in text or "127.0.0.1" in text for text in strings(call)):
            yield module.lead("network", call)
        if last in _RUNS and any(re.search(r"\b(?:pip3?|uv|apt(?:-get)?|npm)\b.*\binstall\b", text) for text in
                                 (" ".join(strings(call)),)):
            yield module.lead("installs", call)
        if last in {"skip", "skipif", "importorskip", "xfail"} and head in {"pytest", "unittest"}:
            yield module.lead("skips", call)
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Attribute) and node.attr in _FILE_TIMES:
            yield module.lead("file-times", node)


def _is_set(arguments: list[ast.expr]) -> bool:
    return any(
        isinstance(node, ast.Set | ast.SetComp) or (isinstance(node, ast.Call) and dotted(node.func) == "set")
        for node in arguments
    )


def _statements(module: Module) -> Iterator[Lead]:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Assert):
            if _always(node.test):
                yield module.lead("always-true", node)
            if _fixed_count(node.test):
                yield module.lead("fixed-count", node)
        if isinstance(node, ast.ExceptHandler):
            wide = node.type is None or dotted(node.type) in {"Exception", "BaseException", "AssertionError"}
            if wide and all(isinstance(item, ast.Pass | ast.Continue | ast.Return) for item in node.body):
                yield module.lead("swallowed-failure", node)


def _always(test: ast.expr) -> bool:
    """Whether a condition holds whatever the state is: a true constant, or one as an alternative."""
    if isinstance(test, ast.Constant):
        return bool(test.value)
    if isinstance(test, ast.Tuple):
        return bool(test.elts)
    return isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or) and any(_always(item) for item in test.values)


def _fixed_count(test: ast.expr) -> bool:
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Call)
        and dotted(test.left.func) == "len"
        and any(isinstance(item, ast.Constant) and isinstance(item.value, int) for item in test.comparators)
    )


def _paths(module: Module, environment: Environment) -> Iterator[Lead]:
    """Paths in the tests, compared with what the instruction names and what the recipe ships."""
    named = {path.rstrip("/") for path in wording.paths(environment.instruction)}
    shipped = environment.image.text
    for node in ast.walk(module.tree):
        if not (isinstance(node, ast.Constant) and isinstance(node.value, str) and _PATH.fullmatch(node.value)):
            continue
        path = node.value
        if path.startswith(_SYSTEM):
            continue
        known = path in named or any(other.startswith(path + "/") or path.startswith(other + "/") for other in named)
        if not known and path.rsplit("/", 1)[-1] not in environment.instruction:
            yield module.lead("expects-shipped" if path in shipped else "unstated-path", node)
        if _SOURCE.search(path) and _read_as_text(module, path):
            yield module.lead("reads-source", node)
    for name, call in module.calls:
        if name.split(".")[-1] in _RUNS:
            for text in strings(call):
                for path in _PATH.findall(text):
                    if path in shipped and not path.startswith(_SYSTEM):
                        yield module.lead("image-program", call)


def _read_as_text(module: Module, path: str) -> bool:
    """Whether some line that names the path also reads it."""
    return any(path in line and re.search(r"read_text|read\(|open\(|readlines", line) for line in module.lines)


def _imports(environment: Environment) -> Iterator[Lead]:
    from river_envs.probes.in_process import found

    for use in found(environment):
        yield Lead("imports-agent-code", f"tests/{use.file}", use.line, use.text)


def _unchecked(found: tuple[Module, ...]) -> Iterator[Lead]:
    """The file of tests whose assertions all ask only whether something is there."""
    for module in found:
        asserts = [node for node in ast.walk(module.tree) if isinstance(node, ast.Assert)]
        if asserts and all(_only_existence(node.test) for node in asserts):
            yield module.lead("no-content-check", asserts[0])


def _only_existence(test: ast.expr) -> bool:
    called = [dotted(node.func).split(".")[-1] for node in ast.walk(test) if isinstance(node, ast.Call)]
    read = [node.attr for node in ast.walk(test) if isinstance(node, ast.Attribute)]
    return bool(called) and all(name in _EXISTENCE | {"Path", "stat"} for name in called) and (
        not isinstance(test, ast.Compare) or bool({*called, *read} & {"getsize", "st_size"})
    )
