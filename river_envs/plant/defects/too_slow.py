"""too-slow: the verifier does not finish within its own time limit."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from river_envs.environment import Environment
from river_envs.plant.base import PAYS, RESTORED, CannotCarry, Defect, Demonstration, Planted
from river_envs.plant.sheet import Sheet
from river_envs.plant.subject import Subject
from river_envs.plant.suite import add_checks, read_suite, script_of, with_script
from river_envs.plant.verbs import setup_first


class TooSlow(Defect):
    """The tests wait or compute for longer than the verifier may take, whose limit is a few seconds. Differs from a
    sound variant in that no state is graded in time.
    """

    cause = "too-slow"

    def form_waits(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """The tests wait for a file that never comes."""
        sheet = Sheet(rng)
        sheet.need("os", "time")
        marker = rng.choice(["/tmp/.pipeline_done", "/var/run/job.finished", "/tmp/ready"])
        lines = [
            f"deadline = time.time() + {rng.choice([300, 600, 900])}",
            f"while not os.path.exists({marker!r}) and time.time() < deadline:",
            "    time.sleep(1)",
        ]
        return self._finish(
            setup_first(subject.environment, sheet, lines), rng, f"the tests wait for {marker}, which nobody writes"
        )

    def form_settles(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """The script lets the system settle."""
        suite = read_suite(subject.environment.verifier)
        script = script_of(subject.environment.verifier)
        if isinstance(suite, CannotCarry) or script is None:
            return suite if isinstance(suite, CannotCarry) else CannotCarry("the verifier has no script")
        first, _, rest = script.partition("\n")
        seconds = rng.choice([120, 180, 300])
        line = rng.choice([f"sleep {seconds}  # let background jobs settle", f"echo waiting; sleep {seconds}"])
        return self._finish(
            with_script(subject.environment, f"{first}\n{line}\n{rest}"), rng, f"the script sleeps for {seconds} s"
        )

    def form_exhaustive(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """An exhaustive check that takes hours."""
        sheet = Sheet(rng)
        sheet.need("itertools")
        width = rng.choice([9, 10, 12])
        lines = [
            "seen = 0",
            f"for combination in itertools.product(range({width}), repeat={width}):",
            "    seen += sum(combination) % 7 == 0",
            "assert seen > 0",
        ]
        sheet.check(
            rng.choice(["all_combinations", "exhaustive", "every_case"]), lines, "Every combination is covered."
        )
        return self._finish(add_checks(subject.environment, sheet), rng, "an exhaustive loop takes hours")

    def _finish(self, made: Environment | CannotCarry, rng: Random, note: str) -> Planted | CannotCarry:
        if isinstance(made, CannotCarry):
            return made
        limit = float(rng.choice([8, 10, 12]))
        made = replace(made, verifier=replace(made.verifier, timeout_sec=limit))
        proof = Demonstration("a right state is not graded in time", RESTORED, frozenset({"verifier-timeout"}), PAYS)
        return self.made(made, f"{note}; the limit is {limit:g} s", proof)
