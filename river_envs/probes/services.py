"""Refused connections: whether failing tests wanted a service of this machine that nobody was asked to start.

A server task ends in the same refusal on its untouched image. What tells the two apart is the instruction (it asks for
a server, or names the port) and what the reference leaves: a trusted reference after which nothing listens there.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from typing import Final

from river_envs.environment import Environment, File
from river_envs.probes import instruction as wording
from river_envs.probes.leads_python import modules, runs
from river_envs.verify.failures import Failure

_REFUSED: Final = re.compile(
    r"ConnectionRefusedError|[Cc]onnection refused|\bECONNREFUSED\b|[Ee]rrno 111\b|Connect call failed"
    r"|curl: \(7\)|Can't connect to (?:local |\w+ )?(?:MySQL|MariaDB) server|Cannot connect to the Docker daemon"
    r"|could not connect to server|connection to server (?:at|on socket) .* failed|ServerSelectionTimeoutError"
    r"|Error 111 connecting to|Couldn't connect to server"
)
_STATUS: Final = re.compile(r"assert 111 == 0\b|\b111 != 0\b")
_UNIX: Final = re.compile(r"(/[\w.@/+-]+(?:\.sock(?:et)?\b|/\.s\.PGSQL\.\d+))")
_GONE: Final = re.compile(r"No such file or directory|\(2\)|Errno 2\b|Connection refused|Is the docker daemon running")
_PORT: Final = re.compile(
    r"(?:localhost|127\.0\.0\.1|0\.0\.0\.0|::1\]?)(?:['\"]?\s*[:,]\s*|.{0,4}\bport[ =:]{1,3})(\d{2,5})\b"
    r"|\bport[ =:]{1,3}(\d{2,5})\b|:(\d{2,5})\. Connection refused",
    re.IGNORECASE,
)
_DATA: Final = frozenset((".json", ".jsonl", ".csv", ".tsv", ".txt", ".md", ".xml", ".log", ".ndjson", ".html"))
_NOUN: Final = (
    r"(?:server|service|daemon|database|postgres\w*|mysql|mariadb|redis|mongo\w*|nginx|apache|httpd|rabbitmq|kafka|api"
    r"|end ?points?|listener|broker|proxy|web ?(?:app|site|page)|app(?:lication)?|container|backend|worker|cluster|port"
    r"|socket)"
)
_STARTS: Final = re.compile(
    rf"\b(?:(?:re)?start|launch|serve|listen(?:ing|s)?|bind|expose|deploy|boot|spin up|bring (?:up|back)|stand up"
    rf"|keep|leave|set ?up|run|answers? (?:on|to|at)|respond)\b[^.\n]{{0,80}}\b{_NOUN}\b"
    r"|\b(?:(?:re)?start|launch|serve|deploy|boot|bring)\b (?:up )?(?:it|them)\b"
    r"|\b(?:running|reachable|background|daemonize|localhost|127\.0\.0\.1|0\.0\.0\.0|systemctl|docker compose)\b"
    r"|https?://",
    re.IGNORECASE,
)
_KNOWN: Final = {
    "6379": "redis", "5432": "postgres|psql|pg_ctl", "3306": "mysql|mariadb", "27017": "mongo", "5672": "rabbit|amqp",
    "9092": "kafka", "11211": "memcache", "9200": "elastic|opensearch", "2181": "zookeeper", "4222": "nats",
}  # fmt: skip
"""What is known to listen at a port, so that a text may mean it without its number."""
_BACKGROUND: Final = re.compile(
    r"\bcreate_subprocess|\bmultiprocessing\b|[^&>|]&\s*$|\bnohup\b|\bsetsid\b|--daemon|\bsystemctl\b"
    r"|\bservice \w+ start|\bpg_ctl\w*|\bmysqld\b|redis-server|\bThread\(",
    re.MULTILINE,
)


def places(failure: Failure) -> tuple[str, ...]:
    """Where a failing test was refused: ``port 5432`` or the path of a unix socket; () where it was not refused."""
    told = "\n".join((failure.words, failure.statement))
    refused = bool(_REFUSED.search(failure.words) or _STATUS.search(failure.words))
    sockets = tuple(dict.fromkeys(_UNIX.findall(told if _UNIX.search(told) else failure.text)))
    connects = re.search(r"connect", told, re.IGNORECASE)
    if sockets and connects and _GONE.search(failure.words):
        return sockets[:3]
    if not refused:
        return ()
    ports = _ports(told) or _ports(failure.text)
    return tuple(f"port {port}" for port in ports[:3])


def _ports(text: str) -> list[str]:
    found = [next(group for group in match.groups() if group) for match in _PORT.finditer(text)]
    return list(dict.fromkeys(port for port in found if 0 < int(port) < 65536))


def wanted(environment: Environment, failed: Sequence[Failure]) -> tuple[str, ...]:
    """The places that every failing test was refused at; () where one failed for another reason, or a place is not
    told.

    A refusal that tells no port is placed by the one local port that the verifier names at all.
    """
    if not failed:
        return ()
    found: dict[str, None] = {}
    for failure in failed:
        here = places(failure)
        if not here and (_REFUSED.search(failure.words) or _STATUS.search(failure.words)):
            named = _named_ports(environment)
            here = (f"port {named[0]}",) if len(named) == 1 else ()
        if not here:
            return ()
        found.update(dict.fromkeys(here))
    return tuple(found)[:4]


def _named_ports(environment: Environment) -> list[str]:
    """The local ports that the verifier's files name, by address or by a name that ends in ``port``."""
    text = "\n".join(file.content[: 1 << 18].decode("utf-8", "replace") for file in environment.verifier.files)
    assigned = re.findall(r"\w*port\b[\"']?\s*[:=]\s*[\"']?(\d{2,5})\b", text, re.IGNORECASE)
    return list(dict.fromkeys([*_ports(text), *assigned]))


def asks_for_service(environment: Environment, found: Sequence[str]) -> bool:
    """Whether the instruction asks for something that listens, or names one of the places."""
    return bool(_STARTS.search(environment.instruction)) or _names(environment.instruction, found)


def starts_itself(environment: Environment) -> bool:
    """Whether the verifier starts programs in the background: then what is not there may be one of these, and the
    work be the reason.
    """
    text = _text([file for file in environment.verifier.files if file.path.endswith((".py", ".sh", ".bash"))])
    waits = text.count(".communicate(")  # a program that is started and waited for is none in the background
    return len(re.findall(r"\bPopen\(", text)) > waits or _BACKGROUND.search(text) is not None


def recipe_starts(environment: Environment, found: Sequence[str]) -> bool:
    """Whether the recipe may start it with the container (an attempt runs no such command): it exposes a port, has an
    entry point, or names the place.
    """
    text = environment.image.text
    command = re.search(
        r"^\s*(?:EXPOSE|ENTRYPOINT|%startscript|%runscript|CMD(?!\W*(?:(?:/usr)?/bin/)?(?:ba)?sh\b|\W*(?:sleep|tail)\b))\b",
        text,
        re.MULTILINE | re.IGNORECASE,
    )
    return environment.image.kind == "prebuilt" or bool(command) or _names(text, found)


def _names(text: str, found: Sequence[str]) -> bool:
    """Whether a text names one of the places, or the program that is known to listen there."""
    numbers = [place.rsplit(" ", 1)[-1] for place in found]
    known = [_KNOWN[number] for number in numbers if number in _KNOWN]
    named = any(re.search(rf"(?<!\d){re.escape(number)}(?!\d)", text) for number in numbers)
    return named or any(re.search(rf"\b(?:{word})", text, re.IGNORECASE) for word in known)


def _text(files: Sequence[File]) -> str:
    return "\n".join(file.content[: 1 << 18].decode("utf-8", "replace") for file in files)


def elsewhere(environment: Environment) -> bool:
    """Whether what is to listen listens at other places: the instruction tells them, or the tests look for free ports
    and hand them out.
    """
    told = _ports(environment.instruction) or _UNIX.findall(environment.instruction)
    return bool(told) or "getsockname" in _text(environment.verifier.files)


def excused(environment: Environment, found: Sequence[str]) -> bool:
    """Whether somebody else may have to start what the tests connect to: the agent, the tests, the image's own
    command, or the reference that tries to.
    """
    reference = _text(environment.reference.files if environment.reference else ())
    if _names(environment.instruction, found) or _names(reference, found) or recipe_starts(environment, found):
        return True
    starts = starts_itself(environment)
    if starts and _started(environment, found):
        return True
    tries = "Popen(" in reference or _BACKGROUND.search(reference) is not None
    asked = starts or tries or asks_for_service(environment, found)
    return asked and not elsewhere(environment)


def _started(environment: Environment, found: Sequence[str]) -> bool:
    """Whether the verifier speaks of a place more than where it connects to it: then it may start what is there."""
    text = _text(environment.verifier.files)
    for number in (place.rsplit(" ", 1)[-1] for place in found):
        known = _KNOWN.get(number)
        if len(re.findall(rf"(?<!\d){re.escape(number)}(?!\d)", text)) > 1:
            return True
        if known and re.search(rf"\b(?:{known})", text, re.IGNORECASE):
            return True
    return False


def unnamed(found: Sequence[str]) -> str:
    """A pattern for ``grep -E`` that finds the places in the files of an image."""
    numbers = [place.rsplit(" ", 1)[-1] for place in found]
    return "|".join(f"([Pp][Oo][Rr][Tt][^0-9]{{0,12}}|:){n}([^0-9]|$)" if n.isdigit() else n for n in numbers)


def only_data(environment: Environment) -> bool:
    """Whether all files that the instruction names are files of data: such work can leave nothing that listens."""
    named = wording.outputs(environment.instruction, (), environment.workdir or "/")
    return bool(named) and all(posixpath.splitext(path.rstrip("/"))[1].lower() in _DATA for path in named)


def runs_programs(environment: Environment) -> bool:
    """Whether the tests start any program: it may be what is to listen."""
    return any(runs(name) for module in modules(environment) for name, _ in module.calls)


def nothing_listens(found: Sequence[str]) -> str:
    """A shell script that succeeds when nothing listens at any of the places; it needs a shell and /proc only."""
    lines = ["[ -r /proc/net/tcp ] || exit 3"]
    for place in found:
        if place.startswith("port "):
            number = int(place[5:])
            lines.append(
                'for table in /proc/net/tcp /proc/net/tcp6; do [ -r "$table" ] || continue\n'
                "while read -r _ here _ state _; do\n"
                f'case "$here $state" in *:{number:04X}\\ 0A) exit 1;; esac\n'
                'done <"$table"; done'
            )
        else:
            lines.append(f'[ ! -S "{place}" ] || exit 1')
    return "\n".join([*lines, "exit 0"]) + "\n"
