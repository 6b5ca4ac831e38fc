"""Equivalent: entries in another order, where the instruction says that order does not matter."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence

from river_envs.environment import Environment, File
from river_envs.probes import forms
from river_envs.probes import instruction as text
from river_envs.probes.base import Survey
from river_envs.probes.edits import Target
from river_envs.probes.equivalents import Equivalent, Rewriting
from river_envs.probes.row_edits import rows_of


class FreeOrder(Equivalent):
    """The same entries backwards.

    What it does: where a sentence of the instruction says that rows, lines or entries (not fields, not keys) may stand
    in any order, and no other sentence speaks of sorting, sequence or time, reverses the rows of the list of which it
    is said (CSV below its header, JSON list, lines), or of all files of the one directory that is named; grades.

    What a hit proves: the verifier rejects, twice, an order that the instruction allows, while the same file with its
    own bytes is rewarded (over-specific-form).

    What it cannot show: instructions that say nothing of order.

    Seen in the wild: `assert rows == EXPECTED` beside "the order of the rows does not matter".
    """

    id = "free-order"
    name = "Entries in another order"
    version = 2
    order = 71
    without = "the reference leaves no list whose order is free"

    def closed(self, instruction: str) -> str:
        """Anything but a sentence that frees an order."""
        return "" if forms.ANY_ORDER.search(instruction) else "the instruction does not free the order of entries"

    def rewrite(self, environment: Environment, survey: Survey, found: Sequence[Target]) -> Iterable[Rewriting]:
        """Each list of which it is said."""
        named = {path.rstrip("/") for path in text.paths(environment.instruction, survey.workdir)}
        homes = {posixpath.dirname(target.path) for target in found}
        together = not any(target.named for target in found) and len(homes) == 1 and homes <= named
        for target in found:
            free = forms.any_order(environment.instruction, target.path if target.named else "")
            free = free if target.named or together else ""
            lines = _reversed(target) if free else ""
            if lines:
                file = File(target.path.strip("/"), lines.encode(), target.mode)
                proof = f'the instruction says: "{free}"'
                yield Rewriting((target,), (file,), f"the entries of {target.path} in reverse order", proof)


def _reversed(target: Target) -> str:
    """The target with its entries backwards; "" where it is no list of entries alone."""
    lines = target.text.splitlines(keepends=True)
    columns = {line.count(":") for line in lines}
    if target.kind == "pairs" and len(lines) >= 3 and len(columns) == 1 and all(line.endswith("\n") for line in lines):
        return "" if any(line.startswith(("#", ";", "[", " ")) for line in lines) else "".join(lines[::-1])
    rows = rows_of(target)
    fits = rows is not None and not rows.keyed and (target.fresh or rows.listed)
    return rows.write(rows.rows[::-1]) if rows is not None and fits else ""
