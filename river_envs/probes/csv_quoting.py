"""Equivalent: CSV as another writer would write it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from river_envs.environment import Environment, File
from river_envs.probes import forms
from river_envs.probes.base import Survey
from river_envs.probes.documents import table
from river_envs.probes.edits import Target, declared
from river_envs.probes.equivalents import Equivalent, Rewriting


class CsvQuoting(Equivalent):
    """The same rows, quoted, and with the line ends of a CSV writer.

    What it does: writes every declared CSV output of the reference's state anew, once with its text cells below the
    header in quotes, once with CRLF line ends (what Python's csv module writes unasked); grades each. Only where the
    instruction calls it CSV and speaks neither of lines, separators, quotes or exact text.

    What a hit proves: the verifier rejects, twice, a file that a CSV reader reads as the same rows, while the same file
    with its own bytes is rewarded (over-specific-form).

    What it cannot show: other dialects; they are not what the word CSV promises.

    Seen in the wild: `line.split(",")`; `assert b"\\r" not in content`.
    """

    id = "csv-quoting"
    name = "CSV of another writer"
    version = 2
    outputs_only = True
    order = 71
    without = "the reference leaves no CSV output"

    def closed(self, instruction: str) -> str:
        """Words about lines, separators, quotes, exact text."""
        return "" if forms.csv_open(instruction) else "the instruction may fix how rows are written"

    def rewrite(self, environment: Environment, survey: Survey, found: Sequence[Target]) -> Iterable[Rewriting]:
        """Quotes, then line ends."""
        targets = [t for t in declared(found) if t.named and t.fresh and t.kind == "csv"]
        for what, other in (("its CSV text cells in quotes", _quoted), ("CRLF line ends in its CSV", _crlf)):
            pairs = [(target, other(target.text)) for target in targets]
            same = [(t, c) for t, c in pairs if c != t.text and table(c, "csv") == table(t.text, "csv")]
            files = tuple(File(target.path.strip("/"), content.encode(), target.mode) for target, content in same)
            yield Rewriting(tuple(target for target, _ in same), files, what, "the same rows for a CSV reader")


def _quoted(text: str) -> str:
    lines = text.splitlines(keepends=True)
    end = "\r\n" if lines[0].endswith("\r\n") else "\n"
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, quoting=csv.QUOTE_NONNUMERIC, lineterminator=end)
    writer.writerows([_number(cell) for cell in row] for row in table("".join(lines[1:]), "csv"))
    return lines[0] + buffer.getvalue()


def _number(cell: str) -> str | int | float:
    """A number where writing it gives the same text again."""
    for kind in (int, float):
        try:
            value = kind(cell)
        except ValueError:
            continue
        if str(value) == cell:
            return value
    return cell


def _crlf(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", "\r\n")
