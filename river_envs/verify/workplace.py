"""One grading: the sandbox, what may be assumed in it, and how the verifier is started there.

Harbor binds ``/logs`` and uploads ``/tests`` over what is there. So: a stale or planted reward file is removed
whatever it is, the log folders are real, writable folders, and the tests win over files of the same name while all
others stay.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from river_envs.environment import Environment
from river_envs.sandbox.base import ExecResult, Sandbox, SandboxError
from river_envs.verify.log import line
from river_envs.verify.reward import FOLDER, JSON_NAME, TEXT_NAME

TESTS = "/tests"
JUNIT = f"{FOLDER}/river-junit.xml"
SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
PREPARE_SECONDS = 60.0

_PREPARE = f"""
for folder in /logs /logs/agent {FOLDER} /logs/artifacts {TESTS}; do
  if [ -L "$folder" ] || {{ [ -e "$folder" ] && [ ! -d "$folder" ]; }}; then rm -f "$folder"; fi
  mkdir -p "$folder" || exit 1
done
chmod 777 /logs /logs/agent {FOLDER} /logs/artifacts
rm -rf {FOLDER}/{TEXT_NAME} {FOLDER}/{JSON_NAME} {JUNIT}
"""

PerTest = bool | Literal["run"]


@dataclass(frozen=True)
class Workplace:
    """What a protocol needs to run its verifier. ``env`` are the variables that a test layer adds for the verifier
    alone."""

    sandbox: Sandbox
    environment: Environment
    network: bool = False
    per_test: PerTest = True
    env: dict[str, str] = field(default_factory=dict)

    def prepare(self) -> None:
        """Make the folders, remove stale rewards, put the tests. Raises SandboxError when that is not possible."""
        result = self.sandbox.exec(
            ["/bin/sh", "-c", _PREPARE], timeout_sec=PREPARE_SECONDS, env={"PATH": SYSTEM_PATH}, user="root", cwd="/"
        )
        if result.exit_code != 0:
            raise SandboxError(f"the folders for grading could not be made: {line(result.text) or result.exit_code}")
        try:
            self.sandbox.put(self.environment.verifier.files, TESTS)
        except OSError as error:
            raise SandboxError(f"the tests could not be put in place: {line(str(error))}") from error

    def run(self, command: list[str], *, cwd: str | None = None, env: dict[str, str] | None = None) -> ExecResult:
        """Run a verifier command as the environment asks: its user, its variables, its time limit."""
        verifier = self.environment.verifier
        variables = {**dict(self.environment.env), **dict(verifier.env), **self.env, **(env or {})}
        return self.sandbox.exec(
            command,
            timeout_sec=verifier.timeout_sec,
            env=variables,
            user=verifier.user,
            cwd=cwd or self.environment.workdir,
        )
