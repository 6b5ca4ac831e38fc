"""The one table of causes: the names that the catalog, the labels and the reports share."""

from __future__ import annotations

from dataclasses import dataclass

from river_envs.probes.base import Claim


@dataclass(frozen=True)
class Cause:
    """A named way in which a verifier fails. ``without_reference`` says whether it can be proved without one."""

    name: str
    claim: Claim
    without_reference: bool
    seen: str


_TABLE: tuple[tuple[str, Claim, bool, str], ...] = (
    ("pays-for-nothing", "accepts-wrong", True, "the untouched image is rewarded"),
    ("existence-only", "accepts-wrong", True, "an empty or stub artefact at the named place is rewarded"),
    ("shape-only", "accepts-wrong", True, "the right form with impossible or mutually exclusive values is rewarded"),
    ("keyword-only", "accepts-wrong", True, "text that merely contains the looked-for words is rewarded"),
    ("fixed-inputs", "accepts-wrong", True, "a deliverable that knows only the visible inputs is rewarded"),
    (
        "movable-truth",
        "accepts-wrong",
        True,
        "changing the files from which the verifier recomputes its expectation is rewarded",
    ),
    ("self-report", "accepts-wrong", True, "a fabricated log or status is rewarded"),
    ("unchecked-requirement", "accepts-wrong", False, "a mutant that drops a stated requirement passes"),
    ("printed-answer", "leaks-answer", True, "the instruction prints the very value that it asks to find"),
    ("image-answer", "leaks-answer", True, "copying readable material of the image is rewarded"),
    ("reachable-oracle", "leaks-answer", True, "a deliverable that calls a program of the image is rewarded"),
    ("derivable-answer", "leaks-answer", True, "running a shipped generator is rewarded"),
    ("reference-fails", "rejects-right", False, "the trusted reference is rejected"),
    ("over-specific-form", "rejects-right", False, "a proved equivalent of the accepted state is rejected"),
    (
        "hidden-requirement",
        "rejects-right",
        False,
        "the failing assertion concerns something the instruction never states",
    ),
    ("wrong-expectation", "rejects-right", False, "the expected value is wrong"),
    ("flaky", "unstable", False, "the same state is graded differently"),
    ("time-dependent", "unstable", False, "the grade of one state depends on the clock"),
    ("network-dependent", "unstable", False, "the grade of one state depends on the network"),
    ("machine-dependent", "unstable", False, "the grade of one state depends on the machine"),
    ("build-fails", "broken", True, "the image cannot be built"),
    ("verifier-crashes", "broken", True, "the verifier dies before it has judged anything"),
    ("no-reward-file", "broken", True, "the verifier ends without a reward file"),
    ("needs-network", "broken", True, "the verifier needs a network that it does not have"),
    ("needs-service", "broken", True, "the verifier needs a service that is not running"),
    ("too-slow", "broken", True, "the verifier does not finish within its time limit"),
)

CAUSES: dict[str, Cause] = {row[0]: Cause(*row) for row in _TABLE}
"""Every cause by name, in the order of the table."""
