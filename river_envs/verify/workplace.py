"""One grading: the sandbox, what may be assumed in it, and how the verifier is started there.

Harbor binds ``/logs`` and uploads ``/tests`` over what is there. So: a stale or planted reward file is removed whatever
it is, the log folders are real folders that everyone may write, and the tests win over files of the same name while all
others stay.

Starting a process costs more than the rest of a grading together, so where the verifier runs as root its own process
makes the folders before it becomes the verifier.
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

_FOLDERS = f"/logs /logs/agent {FOLDER} /logs/artifacts"
_STALE = f"{FOLDER}/{TEXT_NAME} {FOLDER}/{JSON_NAME} {JUNIT}"
_FAILED = "river: the folders for grading could not be made"
# Tests are builtins of the shell: on a fresh image this starts two processes.
_PREPARE = f"""river_path=$PATH
PATH={SYSTEM_PATH}
for river in {_FOLDERS}; do
  if [ -L "$river" ] || {{ [ -e "$river" ] && [ ! -d "$river" ]; }}; then rm -f "$river"; fi
done
mkdir -p {_FOLDERS} && chmod 777 {_FOLDERS} || {{ echo "{_FAILED}"; exit 97; }}
for river in {_STALE}; do
  if [ -L "$river" ] || [ -e "$river" ]; then rm -rf "$river"; fi
done
PATH=$river_path
unset river river_path
"""
_CLEAR_TESTS = f"[ -d {TESTS} ] || rm -f {TESTS}"

PerTest = bool | Literal["run"]


@dataclass(frozen=True)
class Workplace:
    """What a protocol needs to run its verifier. ``env`` are the variables that a test layer adds for the verifier
    alone; ``wrap`` stands before every command of the verifier (``conditions.py``).
    """

    sandbox: Sandbox
    environment: Environment
    network: bool = False
    per_test: PerTest = True
    env: dict[str, str] = field(default_factory=dict)
    wrap: tuple[str, ...] = ()

    @property
    def _as_root(self) -> bool:
        user = self.environment.verifier.user or self.sandbox.image.user
        return user.split(":")[0] in ("", "root", "0")

    def put_tests(self) -> None:
        """Put the tests over what is there. Raises SandboxError when that is not possible."""
        files = self.environment.verifier.files
        try:
            self.sandbox.put(files, TESTS)
        except OSError:  # something else stands in the folder's place
            self._root_exec(_CLEAR_TESTS)
            try:
                self.sandbox.put(files, TESTS)
            except OSError as error:
                raise SandboxError(f"the tests could not be put in place: {line(str(error))}") from error

    def start(self, command: list[str], *, cwd: str | None = None, env: dict[str, str] | None = None) -> ExecResult:
        """Remove stale rewards, make the folders, run the verifier. Raises SandboxError where that is not possible."""
        if not self._as_root:
            self._root_exec(_PREPARE)
            return self.run(command, cwd=cwd, env=env)
        shell = command[0] if command[0] == "bash" else "/bin/sh"
        result = self.run([shell, "-c", f'{_PREPARE}exec "$@"', shell, *command], cwd=cwd, env=env)
        if result.exit_code == 97 and result.text.rstrip().endswith(_FAILED):
            raise SandboxError(line(result.text))
        return result

    def run(self, command: list[str], *, cwd: str | None = None, env: dict[str, str] | None = None) -> ExecResult:
        """Run a verifier command as the environment asks: its user, its variables, its time limit."""
        verifier = self.environment.verifier
        variables = {**dict(self.environment.env), **dict(verifier.env), **self.env, **(env or {})}
        return self.sandbox.exec(
            [*self.wrap, *command],
            timeout_sec=verifier.timeout_sec,
            env=variables,
            user=verifier.user,
            cwd=cwd or self.environment.workdir,
        )

    def _root_exec(self, script: str) -> None:
        """Run a script of our own as root. Raises SandboxError when it fails."""
        result = self.sandbox.exec(
            ["/bin/sh", "-c", script], timeout_sec=PREPARE_SECONDS, env={"PATH": SYSTEM_PATH}, user="root", cwd="/"
        )
        if result.exit_code != 0:
            raise SandboxError(line(result.text) or f"{_FAILED}: exit status {result.exit_code}")
