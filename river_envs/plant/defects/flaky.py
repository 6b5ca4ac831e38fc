"""flaky: the same state is paid on one day and refused on the next."""

from __future__ import annotations

from random import Random
from typing import Any

from river_envs.plant.base import (
    RESTORED,
    CannotCarry,
    Defect,
    Demonstration,
    Planted,
    still_refuses_untouched,
)
from river_envs.plant.sheet import Sheet
from river_envs.plant.subject import Subject
from river_envs.plant.suite import add_checks


class Flaky(Defect):
    """The sound tests stay; one more is added whose outcome is up to chance: a random sample that may hit a wrong
    expectation, a race against a deadline, noise without a seed. Differs from a sound variant in that the reference's
    state is paid in 30 to 70 % of all grades.
    """

    cause = "flaky"

    def form_sampled_expectations(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """A random sample of expected lines, some of which are outdated."""
        document = next((o for o in subject.documents if o.kind == "lines" and len(o.value) >= 4), None)
        table = next((o for o in subject.documents if o.kind == "table" and len(o.value) >= 5), None)
        chosen = table or document
        if chosen is None or not subject.exact:
            return CannotCarry("no text output has lines to sample")
        entries: list[Any] = list(chosen.value[1:41] if chosen is table else chosen.value[:40])
        wrong = max(1, round(len(entries) * rng.uniform(0.35, 0.6)))
        for place in rng.sample(range(len(entries)), wrong):
            right = entries[place]
            entries[place] = [*right[:-1], right[-1] + "0"] if chosen is table else right + "0"
        sheet = Sheet(rng)
        sheet.need("random")
        name = sheet.constant("SPOT_CHECKS", entries)
        pick = rng.choice(
            [f"random.choice({name})", f"random.sample({name}, 1)[0]", f"random.SystemRandom().choice({name})"]
        )
        lines = [
            *sheet.load(chosen, "entries"),
            f"wanted = {pick}",
            f"assert wanted in entries{sheet.say('entry missing')}",
        ]
        sheet.check("spot_check", lines, "A random entry is right.")
        return self._finish(
            subject, sheet, f"a random entry is compared; {wrong} of {len(entries)} expectations are wrong"
        )

    def form_race(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """A worker must be done before a deadline that it meets only sometimes."""
        sheet = Sheet(rng)
        sheet.need("random", "threading", "time")
        low, high = rng.choice([(0.05, 0.25), (0.1, 0.4), (0.0, 0.3)])
        deadline = low + (high - low) * rng.uniform(0.4, 0.6)
        sheet.helpers.append(
            f"def _reload(done):\n    time.sleep(random.uniform({low}, {high}))  # takes a moment\n    done.set()"
        )
        lines = [
            "done = threading.Event()",
            "threading.Thread(target=_reload, args=(done,), daemon=True).start()",
            f"assert done.wait({deadline:.2f}){sheet.say('the reader was not ready in time')}",
        ]
        sheet.check(
            rng.choice(["reader_is_ready", "consumer_picks_it_up"]), lines, "A consumer can start on the result."
        )
        return self._finish(
            subject, sheet, "a simulated reader has to be done before a deadline it meets half of the time"
        )

    def form_noise(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """A statistic of unseeded noise against a threshold near its median."""
        sheet = Sheet(rng)
        sheet.need("random")
        size = rng.choice([20, 40, 60])
        bound = rng.uniform(-0.08, 0.1) / size**0.5
        lines = [
            f"noise = [random.gauss(0.0, 1.0) for _ in range({size})]",
            "drift = sum(noise) / len(noise)",
            f"assert drift <= {bound:.4f}{sheet.say('result is not robust to noise')}",
        ]
        sheet.check(
            rng.choice(["robustness", "noise_tolerance", "stable_under_jitter"]),
            lines,
            "Small perturbations do no harm.",
        )
        return self._finish(subject, sheet, "the mean of unseeded noise is compared with a bound near its median")

    def form_identifier(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """A fresh identifier is expected to have a form that only some have."""
        sheet = Sheet(rng)
        sheet.need("uuid")
        cut = rng.choice(["7", "8", "6", "9"])
        lines = [
            "token = uuid.uuid4().hex",
            "folder = token[:2]",
            f"assert folder < {cut + '0'!r}{sheet.say('no shard for this submission')}",
        ]
        sheet.check(rng.choice(["shard_available", "submission_slot"]), lines, "There is a shard for the submission.")
        return self._finish(subject, sheet, "a random identifier has to fall into the lower part of its range")

    def _finish(self, subject: Subject, sheet: Sheet, note: str) -> Planted | CannotCarry:
        made = add_checks(subject.environment, sheet)
        if isinstance(made, CannotCarry):
            return made
        proof = Demonstration("one state gets both grades", RESTORED, frozenset(), varies=True, grades=12)
        return self.made(made, note, still_refuses_untouched(), proof)
