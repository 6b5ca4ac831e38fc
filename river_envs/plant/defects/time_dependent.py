"""time-dependent: the grade of one state depends on when it is graded."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from river_envs.plant.alter import quoted
from river_envs.plant.base import (
    PAYS,
    REFUSES,
    CannotCarry,
    Defect,
    Demonstration,
    Planted,
    still_refuses_untouched,
)
from river_envs.plant.outputs import Output
from river_envs.plant.sheet import Sheet
from river_envs.plant.subject import Subject
from river_envs.plant.suite import add_checks
from river_envs.probes.base import Restore, Run, Solve

Lines = Callable[[Sheet, Output], list[str]]


class TimeDependent(Defect):
    """An assertion that compares a file's time with the verifier's clock is added to the sound tests. Differs from a
    sound variant in that the reference's state is paid when it is fresh and refused when the same files are older.
    """

    cause = "time-dependent"

    def form_freshness(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """The output must not be older than some time."""
        seconds, words = rng.choice(
            [(600, "600"), (900, "15 * 60"), (3600, "3600"), (7200, "2 * 60 * 60"), (86_400, "24 * 3600")]
        )

        def lines(sheet: Sheet, output: Output) -> list[str]:
            sheet.need("os", "time")
            return [
                f"age = time.time() - os.path.getmtime({output.path!r})",
                f"assert age < {words}{sheet.say('stale output')}",
            ]

        return self._plant(
            subject, rng, lines, f"{seconds * 2 + 60} seconds", f"the output must be younger than {seconds} s"
        )

    def form_same_day(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """The output must have been written today."""

        def lines(sheet: Sheet, output: Output) -> list[str]:
            sheet.need("os")
            sheet.imports.add("from datetime import date")
            return [
                f"written = date.fromtimestamp(os.path.getmtime({output.path!r}))",
                f"assert written == date.today(){sheet.say('not produced today')}",
            ]

        return self._plant(subject, rng, lines, "2 days", "the output must have been written on the day of the grading")

    def form_this_year(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """The output must have been written in the current month or year."""
        part, ago = rng.choice([("%Y-%m", "40 days"), ("%Y", "400 days"), ("%G-%V", "9 days")])

        def lines(sheet: Sheet, output: Output) -> list[str]:
            sheet.need("os", "time")
            return [
                f"stamp = time.strftime({part!r}, time.localtime(os.path.getmtime({output.path!r})))",
                f"assert stamp == time.strftime({part!r}){sheet.say('report belongs to another period')}",
            ]

        return self._plant(subject, rng, lines, ago, f"the output's {part} must be that of the grading")

    def form_find(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """find must see it among the recently changed files."""
        minutes = rng.choice([10, 30, 60])

        def lines(sheet: Sheet, output: Output) -> list[str]:
            sheet.need("subprocess")
            folder = output.path.rsplit("/", 1)[0] or "/"
            command = ["find", folder, "-name", output.name, "-mmin", f"-{minutes}"]
            return [
                f"found = subprocess.run({command!r}, capture_output=True, text=True).stdout",
                f"assert {output.path!r} in found{sheet.say('no recent output')}",
            ]

        return self._plant(subject, rng, lines, f"{minutes + 5} minutes", f"find -mmin -{minutes} must list the output")

    def _plant(self, subject: Subject, rng: Random, lines: Lines, ago: str, note: str) -> Planted | CannotCarry:
        if not subject.outputs:
            return CannotCarry("the reference leaves no files")
        output = rng.choice(subject.outputs)
        sheet = Sheet(rng)
        name = rng.choice(["is_recent", "freshly_generated", "up_to_date"])
        sheet.check(name, lines(sheet, output), "The result is of this run.")
        made = add_checks(subject.environment, sheet)
        if isinstance(made, CannotCarry):
            return made
        older = (Restore(), Run(f"touch -d '{ago} ago' {quoted(output.path)}"))
        return self.made(
            made,
            f"{note} ({output.path})",
            still_refuses_untouched(),
            Demonstration("the reference's state is paid at once", ((Solve(),),), PAYS),
            Demonstration(f"the same state {ago} later is refused", (older,), REFUSES, PAYS),
        )
