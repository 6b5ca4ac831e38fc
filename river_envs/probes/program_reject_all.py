"""Adversarial: a checker that rejects everything."""

from __future__ import annotations

from river_envs.probes.program_accept_all import ProgramAcceptAll


class ProgramRejectAll(ProgramAcceptAll):
    """A checker that rejects everything.

    What it does: where a program has to tell good inputs from bad ones, hands in one that calls everything bad: with
    the word, exit status or truth value that the instruction gives.

    What a hit proves: the verifier holds no good input, or does not look at the answers for them (fixed-inputs).

    What it cannot show: checkers whose words the instruction does not tell.

    Seen in the wild: adversarial corpora in which every member must be refused, and nothing must pass.
    """

    id = "program-reject-all"
    name = "A checker that rejects everything"
    version = 2
    order = 46
    accepts = False
