"""Equivalent: a server that listens on every address instead of the loopback one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence

from river_envs.environment import Environment, File
from river_envs.probes import stated
from river_envs.probes.base import Survey
from river_envs.probes.edits import Target
from river_envs.probes.equivalents import Equivalent, Rewriting

_LOOPBACK = {"127.0.0.1", "localhost"}
_NAMED = re.compile(
    r"127\.0\.0\.1|0\.0\.0\.0|localhost|loopback|\bbind|\blisten\w* on\b|interface|address|expos\w+|public\w*|extern\w*"
    r"|network|firewall|secur\w*|\bhost",
    re.IGNORECASE,
)


class BindAddress(Equivalent):
    """A server that is reached in the same way.

    What it does: in each named Python program of the reference's state, lets the server listen on 0.0.0.0 where it
    listened on 127.0.0.1 or localhost; grades. Only where the tests start the program themselves and the instruction
    says nothing of addresses, hosts or security.

    What a hit proves: the verifier rejects, twice, a server that answers on the loopback address as before, while the
    same file with its own bytes is rewarded (over-specific-form).

    What it cannot show: servers that the reference left running: they keep listening as they did.

    Seen in the wild: `grep -q 127.0.0.1 server.py`; `ss -ltn | grep 127.0.0.1:8080`.
    """

    id = "bind-address"
    name = "A server on every address"
    order = 75
    effort = "deep"
    without = "the reference leaves no Python server that binds the loopback address"

    def closed(self, instruction: str) -> str:
        """Words about addresses."""
        return "the instruction speaks of addresses" if _NAMED.search(instruction) else ""

    def rewrite(self, environment: Environment, survey: Survey, found: Sequence[Target]) -> Iterable[Rewriting]:
        """All programs at once."""
        if survey.in_place or not stated.runs_work(environment.verifier):
            return
        programs = [t for t in found if t.kind == "code" and t.named and t.path.endswith(".py")]
        pairs = [(target, _open(target.text)) for target in programs]
        files = tuple(File(t.path.strip("/"), content.encode(), t.mode) for t, content in pairs if content is not None)
        made = tuple(target for target, content in pairs if content is not None)
        yield Rewriting(made, files, "its server on 0.0.0.0", "every address includes the loopback one")


def _open(text: str) -> str | None:
    """The program with its one loopback constant replaced, or None where there is not exactly one."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and node.value in _LOOPBACK]
    serves = re.search(r"\.bind\(|HTTPServer\(|TCPServer\(|UDPServer\(|\.run\(|start_server\(|make_server\(", text)
    if len(found) != 1 or not serves or re.search(r"connect\(|urlopen|requests\.", text):
        return None
    node = found[0]
    lines = text.splitlines(keepends=True)
    line = lines[node.lineno - 1]
    lines[node.lineno - 1] = line.replace(str(node.value), "0.0.0.0", 1)
    return "".join(lines) if line.count(str(node.value)) == 1 else None
