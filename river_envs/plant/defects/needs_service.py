"""needs-service: the verifier talks to a service that nobody starts."""

from __future__ import annotations

from random import Random

from river_envs.plant.base import PAYS, RESTORED, CannotCarry, Defect, Demonstration, Planted
from river_envs.plant.sheet import Sheet
from river_envs.plant.subject import Subject
from river_envs.plant.verbs import setup_first

_SERVICES = (
    ("PostgreSQL", 5432),
    ("Redis", 6379),
    ("MySQL", 3306),
    ("the grading API", 8008),
    ("RabbitMQ", 5672),
    ("MongoDB", 27017),
)


class NeedsService(Defect):
    """Before they judge, the tests connect to a database, a cache or an HTTP service on this machine that neither the
    image nor the instruction starts. Differs from a sound variant in that every state is refused with a refused
    connection.
    """

    cause = "needs-service"

    def form_socket(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """A TCP connection."""
        sheet = Sheet(rng)
        sheet.need("socket")
        name, port = rng.choice(_SERVICES)
        host = rng.choice(["127.0.0.1", "localhost"])
        lines = [f"socket.create_connection(({host!r}, {port}), timeout=5).close()  # {name} keeps the results"]
        return self._finish(subject, sheet, lines, name, port)

    def form_http(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """A request to an HTTP service."""
        sheet = Sheet(rng)
        sheet.imports.add("import urllib.request")
        port = rng.choice([8008, 8080, 9200, 5000])
        lines = [
            f'with urllib.request.urlopen("http://127.0.0.1:{port}/health", timeout=5) as response:',
            "    assert response.status == 200",
        ]
        return self._finish(subject, sheet, lines, "an HTTP service", port)

    def form_waits(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """A few tries to connect."""
        sheet = Sheet(rng)
        sheet.need("socket", "time")
        name, port = rng.choice(_SERVICES)
        lines = [
            "error = None",
            f"for _ in range({rng.choice([3, 5])}):",
            "    try:",
            f'        socket.create_connection(("127.0.0.1", {port}), timeout=2).close()',
            "        error = None",
            "        break",
            "    except OSError as problem:",
            "        error = problem",
            "        time.sleep(0.2)",
            "if error is not None:",
            "    raise error",
        ]
        return self._finish(subject, sheet, lines, name, port)

    def _finish(self, subject: Subject, sheet: Sheet, lines: list[str], name: str, port: int) -> Planted | CannotCarry:
        if str(port) in subject.environment.instruction:
            return CannotCarry("the instruction names that port")
        made = setup_first(subject.environment, sheet, lines)
        if isinstance(made, CannotCarry):
            return made
        refused = frozenset({"refuses", "verifier-crashed"})
        proof = Demonstration("a right state is not paid", RESTORED, refused, PAYS)
        return self.made(made, f"the tests connect to {name} on port {port}, which nothing starts", proof)
