"""Adversarial: a server that says the same to everybody."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Sequence

from river_envs.environment import Environment, File
from river_envs.probes import instruction as text
from river_envs.probes import leaks
from river_envs.probes.answers import alter
from river_envs.probes.base import (
    Action,
    Attempt,
    Background,
    Judgement,
    NotApplicable,
    Probe,
    ProbeStatus,
    Put,
    Result,
    Run,
    Survey,
)
from river_envs.probes.judging import hit, unproven

_SERVES = re.compile(
    r"\b(server|service|api|endpoints?|daemon|listen(?:s|ing)?|http|rest|web app(?:lication)?|microservice)\b",
    re.IGNORECASE,
)
_PORT = re.compile(r"\bport[s ]*(?:number )?[`*]*(\d{2,5})\b|(?:localhost|127\.0\.0\.1|0\.0\.0\.0):(\d{2,5})\b", re.I)
_ROUTE = re.compile(r"\b(GET|POST|PUT|PATCH|DELETE)\s+`?(/[^\s`'\")\],]*)|`(/[a-z][\w/<>{}:.?=&-]*)`")
_CHANGING = re.compile(
    r"\b(POST|PUT|PATCH|DELETE)\b|/[<{:]\w+|\?\w+=|\b(?:query|path) parameters?\b|\bstor(?:e|es|ed|ing)\b|\bSET\b", re.I
)
_SERVER = """\
#!/usr/bin/env python3
import sys, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
BODIES = {bodies!r}
BODY = {body!r}
class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def say(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = self.path.split("?")[0].rstrip("/") or "/"
        body = BODIES.get(path, BODY).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json" if body[:1] in (b"{{", b"[") else "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = say
    def log_message(self, *_):
        pass
class Server(ThreadingHTTPServer):
    allow_reuse_address = True
    daemon_threads = True
ports = [int(word) for word in sys.argv[1:] if word.isdigit()] or {ports!r}
servers = [Server(("0.0.0.0", port), Handler) for port in ports]
for server in servers[1:]:
    threading.Thread(target=server.serve_forever, daemon=True).start()
servers[0].serve_forever()
"""
_START = """
setsid nohup python3 {path} >/dev/null 2>&1 </dev/null &
python3 - <<'END'
import socket, sys, time
for _ in range(100):
    try:
        socket.create_connection(("127.0.0.1", {port}), 1).close()
        sys.exit(0)
    except OSError:
        time.sleep(0.05)
sys.exit(3)
END
"""


class StaticServer(Probe):
    """A server that answers every request with status 200 and an example.

    What it does: where a service with changing answers is asked for (parameters in its paths, things to store), puts a
    server in its place that answers 200 with the example body of the route, or of any route; starts it on the
    named port and grades in that sandbox. A second one answers with other values.

    What a hit proves: both servers are rewarded: only status and form are checked (shape-only). Only the one with the
    examples is: the verifier asks only for what the instruction shows (fixed-inputs).

    What it cannot show: services on other protocols than HTTP, images without Python. Silent where constant answers
    may be all that is asked.

    Seen in the wild: `curl -f localhost:8080/health` as the only test of an inventory service.
    """

    id = "static-server"
    name = "A server that always says the same"
    family = "adversarial"
    trigger = "rollout-visible"
    version = 1
    order = 47
    effort = "standard"

    def plan(self, environment: Environment, survey: Survey) -> Sequence[Attempt] | NotApplicable:
        """Examples as they stand, and altered."""
        instruction = environment.instruction
        ports = list(dict.fromkeys(int(first or second) for first, second in _PORT.findall(instruction)))
        targets = [path for path in leaks.targets(environment, survey) if path.endswith(".py")]
        by_argument = any(re.search(rf"{re.escape(path)}`?\s+[A-Z_<]*PORT", instruction) for path in targets)
        if not _SERVES.search(instruction) or not (ports or by_argument):
            return NotApplicable("the instruction asks for no service on a port")
        if not _CHANGING.search(instruction):
            return NotApplicable("constant answers may be all that is asked")
        if survey.reference is not None and not (survey.in_place or targets):
            return NotApplicable("the reference leaves no server running")
        bodies, body = _bodies(instruction)
        return [
            self._attempt(environment, ports, targets, bodies, body, "probe"),
            self._attempt(environment, ports, targets, _other(bodies), _other({"": body})[""], "altered"),
        ]

    def _attempt(
        self,
        environment: Environment,
        ports: Sequence[int],
        targets: Sequence[str],
        bodies: dict[str, str],
        body: str,
        arm: str,
    ) -> Attempt:
        source = _SERVER.format(bodies=bodies, body=body, ports=list(ports) or [8080]).encode()
        places = targets or ["/opt/.static/server.py"]
        actions: list[Action] = [Put(tuple(File(path.strip("/"), source, 0o755) for path in places))]
        if ports:
            actions.append(Run(_START.format(path=shlex.quote(places[0]), port=ports[0]), timeout_sec=30))
        return self.attempt(
            environment,
            *actions,
            arm=arm,
            repeat=int(arm == "altered"),
            question="Is a server rewarded that says the same to everybody?",
            bodies=bodies,
            body=body,
        )

    def enough(self, results: Sequence[Result]) -> bool:
        """Never: both tell the cause."""
        return False

    def judge(self, environment: Environment, results: Sequence[Result], background: Background) -> Judgement:
        """Both: shape-only. The examples alone: fixed-inputs."""
        nothing = unproven(results, background)
        if nothing:
            return nothing
        paid = [result for result in results if result.paid]
        if not paid:
            return Judgement(ProbeStatus.SURVIVED)
        other = any(result.attempt.arm == "altered" for result in paid)
        return hit(
            self,
            environment,
            "accepts-wrong",
            "shape-only" if other else "fixed-inputs",
            paid,
            "A server that answers every request with status 200 and "
            + ("any body is rewarded." if other else "the examples of the instruction is rewarded."),
            "Ask for what was stored or sent a moment ago, with values chosen by the test.",
            bodies=paid[0].attempt.facts["bodies"],
        )


def _bodies(instruction: str) -> tuple[dict[str, str], str]:
    """The example body of each route, and the one for all others."""
    found: dict[str, str] = {}
    routes = [
        (match.start(), (match.group(2) or match.group(3)).split("?")[0]) for match in _ROUTE.finditer(instruction)
    ]
    samples = [
        (match.start(), match.group(1)) for match in re.finditer(r"`([{\[][^`\n]{1,300}[}\]])`", instruction)
    ]
    position = 0
    for block in text.blocks(instruction):
        position = max(instruction.find(block.text.strip().split("\n")[0], position), 0)
        if block.role != "command":
            samples.append((position, block.text.strip()))
    for at, sample in sorted(samples):
        before = [route for start, route in routes if start < at]
        if before:
            found.setdefault(before[-1].rstrip("/") or "/", sample)
    first = min(samples, default=(0, "OK"))[1]
    return found, first


def _other(bodies: dict[str, str]) -> dict[str, str]:
    altered = {}
    for route, body in bodies.items():
        changed = alter(body)
        try:
            changed = json.dumps(json.loads(changed))
        except ValueError:
            changed = changed.strip()
        altered[route] = changed if changed != body else body + "x"
    return altered
