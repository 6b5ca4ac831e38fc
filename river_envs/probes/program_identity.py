"""Adversarial: a program that prints what it reads."""

from __future__ import annotations

from river_envs.probes.program_echo import ProgramEcho


class ProgramIdentity(ProgramEcho):
    """A program that prints the file or the standard input that it is given, unchanged.

    What it does: hands in `cat`, in the asked language: it prints the file named by an argument, or standard input.

    What a hit proves: the verifier's inputs need no work, they are their own answers (fixed-inputs).

    What it cannot show: anything where passing the input on may be right: it is silent there, and where an example
    shows an output equal to its input.

    Seen in the wild: a filter for dangerous records tested on clean files only; a sorter tested on sorted lines.
    """

    id = "program-identity"
    name = "A program that prints what it reads"
    version = 2
    order = 46
    effort = "standard"
    arguments = False
