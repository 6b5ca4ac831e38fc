"""needs-network: the verifier fetches something before it can judge."""

from __future__ import annotations

from random import Random

from river_envs.environment import Environment
from river_envs.plant.base import PAYS, RESTORED, CannotCarry, Defect, Demonstration, Planted
from river_envs.plant.sheet import Sheet
from river_envs.plant.subject import Subject
from river_envs.plant.suite import add_checks, read_suite, script_of, with_script
from river_envs.plant.verbs import setup_first

_HOSTS = ("data.example.org", "files.example.com", "fixtures.example.net")

_ENDS = frozenset({"needs-network", "refuses", "verifier-crashed"})
"""What comes of it: a fixture that cannot fetch fails every test, which the harness may read as a judgement."""


class NeedsNetwork(Defect):
    """The expected values or a tool are fetched from a host at grading time. Differs from a sound variant in that
    without a network no state is judged, and the log says why.
    """

    cause = "needs-network"

    def form_download(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """The test module fetches its expected values."""
        sheet = Sheet(rng)
        sheet.imports.add("import urllib.request")
        folder = rng.choice(["expected", "truth", "schema", "cases"])
        url = f"https://{rng.choice(_HOSTS)}/{folder}/{subject.environment.id}.json"
        if rng.random() < 0.6:
            return self._at_import(subject, sheet, url)
        if rng.random() < 0.5:
            lines = [f'urllib.request.urlretrieve({url!r}, "/tmp/reference.json")']
        else:
            lines = [f"with urllib.request.urlopen({url!r}, timeout=20) as response:", "    assert response.read()"]
        made = setup_first(subject.environment, sheet, lines)
        if isinstance(made, CannotCarry):
            return made
        return self._finish(made, f"the tests fetch {url}")

    def _at_import(self, subject: Subject, sheet: Sheet, url: str) -> Planted | CannotCarry:
        """The module fetches its constants while it is imported."""
        sheet.need("json")
        sheet.constants.append(
            f"with urllib.request.urlopen({url!r}, timeout=20) as response:\n    REMOTE = json.load(response)"
        )
        made = add_checks(subject.environment, sheet)
        return (
            made
            if isinstance(made, CannotCarry)
            else self._finish(made, f"the tests fetch {url} when they are imported")
        )

    def form_script(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """The script fetches what the tests read."""
        suite = read_suite(subject.environment.verifier)
        if isinstance(suite, CannotCarry) or not suite.command:
            return suite if isinstance(suite, CannotCarry) else CannotCarry("the tests are shell code")
        script = script_of(subject.environment.verifier) or ""
        host = rng.choice(_HOSTS)
        line = rng.choice(
            [
                f"curl -fsSL https://{host}/testkit/install.sh | bash\ntestkit --version || exit 1",
                f"curl -fsSL https://{host}/kit.tgz -o /tmp/kit.tgz\ntar -xzf /tmp/kit.tgz -C /tests || exit 1",
                f"git clone --depth 1 https://{host}/testkit.git /tmp/testkit\ncd /tmp/testkit || exit 1",
            ]
        )
        first, _, rest = script.partition("\n")
        return self._finish(
            with_script(subject.environment, f"{first}\n{line}\n{rest}"), f"the script downloads from {host}"
        )

    def _finish(self, made: Environment, note: str) -> Planted:
        proof = Demonstration("without a network the state is not judged", RESTORED, _ENDS, PAYS)
        return self.made(made, note, proof)
