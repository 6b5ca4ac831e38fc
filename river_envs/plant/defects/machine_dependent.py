"""machine-dependent: the grade of one state depends on the machine that grades it."""

from __future__ import annotations

from datetime import UTC, datetime
from random import Random

from river_envs.plant.base import (
    PAYS,
    REFUSES,
    RESTORED,
    CannotCarry,
    Conditions,
    Defect,
    Demonstration,
    Planted,
    still_refuses_untouched,
)
from river_envs.plant.sheet import Sheet
from river_envs.plant.subject import Subject
from river_envs.plant.suite import add_checks


class MachineDependent(Defect):
    """A test is added whose outcome depends on the number of processors, the time zone or the hash seed. Differs from a
    sound variant in that the reference's state gets both grades, depending on that one thing alone.
    """

    cause = "machine-dependent"

    def form_processors(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """Too few processors to pass."""
        sheet = Sheet(rng)
        sheet.need("os")
        count = rng.choice(["len(os.sched_getaffinity(0))", "len(os.sched_getaffinity(os.getpid()))"])
        if rng.random() < 0.5:
            sheet.imports.add("from concurrent.futures import ThreadPoolExecutor")
            lines = [
                f"workers = {count}",
                "with ThreadPoolExecutor(workers) as pool:",
                "    shards = list(pool.map(lambda k: k, range(workers)))",
                "assert len(shards[1:]) > 0",
            ]
        else:
            lines = [
                f"workers = {count}",
                f"assert workers >= 2{sheet.say('not enough workers for the parallel check')}",
            ]
        sheet.check(
            rng.choice(["parallel_readers", "shards", "concurrent_access"]),
            lines,
            "The result can be read in parallel.",
        )
        return self._finish(
            subject, sheet, "with one processor the state is refused", Conditions(one_processor=True), Conditions()
        )

    def form_time_zone(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """A time is rendered in the local zone."""
        sheet = Sheet(rng)
        stamp = rng.randrange(1_500_000_000, 1_700_000_000)
        wanted = datetime.fromtimestamp(stamp, UTC).strftime("%Y-%m-%d %H:%M")
        sheet.imports.add("from datetime import datetime")
        lines = [
            f"started = datetime.fromtimestamp({stamp})",
            f'assert started.strftime("%Y-%m-%d %H:%M") == {wanted!r}{sheet.say("wrong reference time")}',
        ]
        sheet.check(
            rng.choice(["reference_time", "epoch_of_fixture", "clock_baseline"]),
            lines,
            "The fixture's time is understood.",
        )
        return self._finish(
            subject,
            sheet,
            "outside UTC the state is refused",
            Conditions("export TZ=XYZ-5:30"),
            Conditions("export TZ=UTC"),
        )

    def form_hash_seed(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """The order of a set is taken for an order."""
        sheet = Sheet(rng)
        first, second = rng.sample(["alpha", "beta", "gamma", "delta", "north", "south", "left", "right"], 2)
        if rng.random() < 0.5:
            lines = [
                f"order = list({{{first!r}, {second!r}}})",
                f"assert order[0] == {first!r}{sheet.say('unexpected order')}",
            ]
        else:
            lines = [f"shard = hash({first!r}) % 2", f"assert shard == 0{sheet.say('wrong shard')}"]
        sheet.check(rng.choice(["ordering", "partition", "bucket"]), lines, "The groups come in order.")
        made = add_checks(subject.environment, sheet)
        if isinstance(made, CannotCarry):
            return made
        seeds = tuple(Conditions(f"export PYTHONHASHSEED={seed}") for seed in range(1, 15))
        claim = "the grade varies with the hash seed"
        proof = Demonstration(claim, RESTORED, frozenset(), settings=seeds, varies=True, grades=len(seeds))
        note = "the outcome depends on the seed of Python's string hashes"
        return self.made(made, note, still_refuses_untouched(), proof)

    def _finish(
        self, subject: Subject, sheet: Sheet, note: str, refused: Conditions, paid: Conditions
    ) -> Planted | CannotCarry:
        made = add_checks(subject.environment, sheet)
        if isinstance(made, CannotCarry):
            return made
        return self.made(
            made,
            note,
            still_refuses_untouched(),
            Demonstration("the state is paid on one machine", RESTORED, PAYS, PAYS, paid),
            Demonstration("the state is refused on another", RESTORED, REFUSES, PAYS, refused),
        )
