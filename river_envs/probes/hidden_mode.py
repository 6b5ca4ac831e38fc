"""Equivalent: the ordinary mode where the reference set another and nobody asked for it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from river_envs.environment import Environment, File
from river_envs.probes import coverage, stated
from river_envs.probes.base import Judgement, Result, Survey
from river_envs.probes.edits import Target
from river_envs.probes.equivalents import Equivalent, Rewriting, failing_test
from river_envs.probes.judging import hit

_ORDINARY, _RUNS = 0o644, 0o755
_USUAL = {0o644, 0o664, 0o755, 0o775}
_LARGEST = 1 << 18
_SPOKEN = re.compile(
    r"\b(?:modes?|permissions?|chmod|chown|umask|owner\w*|readable|write?able|accessible|read-only|privat\w*"
    r"|protect\w*|secur\w*|secrets?|confidential\w*|harden\w*|credentials?|passwords?|privileges?|sudo|set-?[ug]id|suid|sgid"
    r"|sticky|restrict\w*|access|preserv\w*|rsync|backups?|restor\w*|archiv\w*|attributes|world|everyone|nobody|no one"
    r"|no other|other users?|others (?:must|may|can|should)|(?:by|for|to|than) (?:the )?others|file metadata"
    r"|groups? (?:may|can|read|write|members)|by (?:its|the) (?:owner|group))\b"
    r"|\bexecut\w+[^.;\n]{0,30}\b(?:only|by|for|but|bit)\b|\bonly\b[^.;\n]{0,40}\b(?:run|read|write|execute|see|open)\b",
    re.IGNORECASE,
)
_LOOKS = re.compile(rb"st_mode|S_IMODE|S_I[RWX]|filemode|os\.access|stat\b[^\n]*%a|%a[^\n]*\bstat\b|-perm\b|0o[0-7]{3}")


class HiddenMode(Equivalent):
    """A file with the mode that it would have by itself.

    What it does: gives each file that the reference left with an uncommon mode (0640, 0600, 0444; 0700, 0750) the
    ordinary 0644, a program 0755, content unchanged; grades. Only where the tests look at modes, no other file of the
    image has that mode, and the instruction speaks of no permissions, owners, secrets, access or copies with their
    attributes.

    What a hit proves: the state is rejected twice for the mode that a file has when nothing is said about modes, while
    the same files with their own mode are rewarded (hidden-requirement).

    What it cannot show: modes of directories.

    Seen in the wild: `chmod 600` in the reference's last line and in one assertion, and nowhere in the task.
    """

    id = "hidden-mode"
    name = "The ordinary file mode"
    version = 2
    order = 76
    without = "the reference leaves no file with an uncommon mode that the tests look at"

    def closed(self, instruction: str) -> str:
        """Words about permissions."""
        return "the instruction may say something about modes" if _SPOKEN.search(instruction) else ""

    def rewrite(self, environment: Environment, survey: Survey, found: Sequence[Target]) -> Iterable[Rewriting]:
        """All files with an uncommon mode at once."""
        if not _LOOKS.search(coverage.read(environment.verifier)):
            return
        before = {entry.path: entry.mode & 0o7777 for entry in survey.listing if entry.kind == "file"}
        odd = [
            target
            for target in found
            if target.mode not in {*_USUAL, *before.values()}
            and not target.mode & 0o7000
            and not stated.digits(environment.instruction, target.mode)
            and len(target.content) <= _LARGEST
        ]
        files = tuple(
            File(target.path.strip("/"), target.content, _RUNS if target.mode & 0o111 else _ORDINARY) for target in odd
        )
        modes = sorted({(f"{file.mode:04o}", f"{target.mode:04o}") for file, target in zip(files, odd, strict=True)})
        what = ", ".join(f"mode {ordinary} in place of {own}" for ordinary, own in modes)
        yield Rewriting(tuple(odd), files, what, "no word of the instruction concerns modes")

    def accuse(self, environment: Environment, rejected: Result, proof: Sequence[Result]) -> Judgement:
        """The finding, named for what is hidden."""
        facts = rejected.attempt.facts
        return hit(
            self,
            environment,
            "rejects-right",
            "hidden-requirement",
            proof,
            f"The state is rejected with {facts['what']} on {', '.join(facts['paths'][:4])}: the tests ask for a mode"
            " that the instruction never states.",
            "State the mode in the instruction, or drop the assertion.",
            what=facts["what"],
            paths=facts["paths"],
            failing=failing_test(rejected),
        )
