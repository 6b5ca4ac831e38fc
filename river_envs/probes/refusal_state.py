"""What a refused reference leaves, looked at in its own sandbox: whether its outputs are there, what the image names.

The same look is taken before and after the reference ran. Both stand in the receipt, so that a judgement may rest on
them.
"""

from __future__ import annotations

import shlex
from typing import Final

from river_envs.environment import Environment
from river_envs.probes import instruction as wording
from river_envs.probes.base import Attempt, Probe, Result, Run, Solve
from river_envs.probes.refusal_grants import holding, searched_places

_SYSTEM: Final = ("/bin/", "/dev/", "/lib", "/proc/", "/sbin/", "/sys/", "/tests", "/usr/bin/", "/usr/lib")
_MOST: Final = 24


def look(probe: Probe, environment: Environment, name: str, near: str = "") -> Attempt:
    """The reference once more, with a look at what the instruction names before and after it, and whether any file of
    the image holds ``name``; afterwards whether any of what is named holds ``near``.
    """
    paths = [path.rstrip("/") for path in wording.paths(environment.instruction, environment.workdir or "/")]
    named = [path for path in dict.fromkeys(paths) if not path.startswith(_SYSTEM)][:_MOST]
    lines = (
        f"for p in {shlex.join(named)}; do\n"
        'if [ -d "$p" ]; then echo "$(ls -lR "$p" | cksum) $p"; elif [ -e "$p" ]; then cksum <"$p" | tr "\\n" " "; '
        'echo "$p"; else echo "absent $p"; fi\ndone\n'
        if named
        else "true\n"
    )
    search = holding(name, searched_places(environment))
    found = f'f=$({search})\n[ -z "$f" ] || echo "holds $f"\n' if name else ""
    has = f"! grep -rqswF -e {shlex.quote(near)} {shlex.join(named)} || echo has it\n" if near and named else ""
    question = "Does the reference leave what the instruction names?"
    actions = (Run(found + lines), Solve(), Run(lines + has))
    return probe.attempt(environment, *actions, arm="looked", question=question, name=name, near=near)


def fault(environment: Environment, looked: Result) -> str:
    """What the look shows against the reference: an output that the instruction names is not there, and nothing else
    that it names came or changed; "" otherwise (a missing one may be a pattern, or stand in an example).
    """
    if len(looked.receipt) != 3 or not looked.effective:
        return "what it leaves could not be looked at"
    before, after = (_entries(looked, step) for step in (0, 2))
    outputs = wording.outputs(environment.instruction, (), environment.workdir or "/")
    wanted = {path.rstrip("/") for path in outputs}
    missing = [path for path, state in after.items() if state == "absent" and path in wanted]
    if missing and before == after:
        return f"the reference leaves no {missing[0]}, which the instruction names"
    return ""


def held(looked: Result) -> bool:
    """Whether a file of the image holds the name that was looked for."""
    return any(line.startswith("holds ") for line in looked.receipt[0].output.splitlines())


def has_near(looked: Result) -> str:
    """The name nearly like the one that was looked for, where the reference's work has it; "" otherwise."""
    has = "has it" in looked.receipt[2].output.splitlines()
    return str(looked.attempt.facts.get("near", "")) if has else ""


def _entries(looked: Result, step: int) -> dict[str, str]:
    lines = [line.rpartition(" ") for line in looked.receipt[step].output.splitlines()]
    return {path: state for state, _, path in lines if path.startswith("/") and not state.startswith("holds")}
