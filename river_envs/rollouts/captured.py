"""A rollout's commands as a solution that can be run again.

An agent's terminal remembers: the directory, variables, functions and options of one command hold for the next, and
what it started in the background goes on. ``solve.sh`` gives the commands the same: each runs in a bash of its own,
which starts from what the one before left and is cut after its time without taking down what earlier ones started. A
command that fails, exits or hangs ends itself and nothing else, as it did in the rollout.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from river_envs.environment import File, Reference

STEP_SEC: Final = 120
"""How long one command may run: what agents' terminals commonly give it before they go on."""

_DRIVER: Final = r"""#!/bin/bash
# The commands of a rollout, one after another, as in one terminal.
here=$(cd "$(dirname "$0")" && pwd)
state=$(mktemp -d)
pwd >"$state/directory"
: >"$state/shell"
cat >"$state/step" <<'STEP'
{ . "$RIVER_STATE/shell"; cd -- "$(cat "$RIVER_STATE/directory")"; } >/dev/null 2>&1
_river_keep() {
    pwd >"$RIVER_STATE/directory"
    { declare -p | grep -v -E '^declare -([A-Za-z]*r|[^ ]+ (_|BASH|FUNCNAME|PIPESTATUS|RIVER_|SHLVL|PPID))'
      declare -f; alias -p; shopt -p; } >"$RIVER_STATE/next" 2>/dev/null
    mv "$RIVER_STATE/next" "$RIVER_STATE/shell"
}
trap _river_keep EXIT
shopt -s expand_aliases
. "$RIVER_STEP"
STEP
export RIVER_STATE=$state RIVER_STEP
set -m
for RIVER_STEP in "$here"/steps/*.sh; do
    bash "$state/step" </dev/null &
    step=$!
    { sleep @SECONDS@; kill -KILL -- "-$step"; } >/dev/null 2>&1 &
    watch=$!
    wait "$step" 2>/dev/null
    kill -KILL -- "-$watch" 2>/dev/null
    wait "$watch" 2>/dev/null
done
rm -rf "$state"
exit 0
"""


def captured(commands: Sequence[str], step_sec: int = STEP_SEC) -> Reference:
    """The commands of one rollout, in order, as a reference of provenance ``captured``.

    Args:
        commands: shell commands as the agent gave them; blank ones are left out.
        step_sec: seconds after which a command is killed, with what it started itself.

    Raises:
        ValueError: no command is left.
    """
    steps = [command for command in commands if command.strip()]
    if not steps:
        raise ValueError("a rollout without commands changes nothing")
    width = len(str(len(steps)))
    files = [
        File(f"steps/{number:0{width}d}.sh", (command.rstrip("\n") + "\n").encode("utf-8", "surrogatepass"))
        for number, command in enumerate(steps, start=1)
    ]
    driver = File("solve.sh", _DRIVER.replace("@SECONDS@", str(step_sec)).encode(), 0o755)
    return Reference("captured", (driver, *files))
