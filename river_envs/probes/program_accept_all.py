"""Adversarial: a checker that accepts everything."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from river_envs.environment import Environment
from river_envs.probes import instruction as text
from river_envs.probes import programs
from river_envs.probes.base import NotApplicable, Survey
from river_envs.probes.stand_in import StandIn, Variant

_JUDGES = re.compile(
    r"\b(in)?valid(?:at\w+|ity)?\b|\b(accept|reject|malicious|dangerous|harmless|benign|suspicious|allowed|denied"
    r"|forbidden|blocked|well[- ]formed|malformed|clean|infected|compliant|violat\w+|detect\w*|classif\w+"
    r"|verif(?:y|ies)|checks? (?:whether|if|that))",
    re.IGNORECASE,
)
_GOOD = re.compile(
    r"^(?:valid|accept(?:ed)?|ok|pass(?:ed)?|true|yes|safe|clean|benign|harmless|allow(?:ed)?|good|0|compliant)$", re.I
)
_BAD = re.compile(
    r"^(?:invalid|reject(?:ed)?|error|fail(?:ed)?|false|no|unsafe|dirty|malicious|dangerous|den(?:y|ied)|block(?:ed)?|bad|1"
    r"|suspicious|forbidden|evil|infected)$",
    re.I,
)
_GOOD_STATUS = r"(?:valid|accept\w*|harmless|safe|clean|benign|allowed|good|success\w*|ok|fine|passes)"
_BAD_STATUS = r"(?:invalid|reject\w*|dangerous|malicious|unsafe|denied|bad|malformed|suspicious|forbidden|fails?|error)"


class ProgramAcceptAll(StandIn):
    """A checker that accepts everything.

    What it does: where a program has to tell good inputs from bad ones, hands in one that calls everything good: with
    the word, exit status or truth value that the instruction gives.

    What a hit proves: the verifier holds no bad input, or does not look at the answers for them (fixed-inputs).

    What it cannot show: checkers whose words the instruction does not tell.

    Seen in the wild: a path filter tested on harmless paths only; corpora of attacks that were never run.
    """

    id = "program-accept-all"
    name = "A checker that accepts everything"
    family = "adversarial"
    trigger = "rollout-visible"
    version = 2
    order = 46
    effort = "standard"
    accepts: ClassVar[bool] = True
    printing = False
    advice = "Test on inputs of both kinds, and require each to be answered rightly."

    def variants(
        self, environment: Environment, survey: Survey, paths: Sequence[str]
    ) -> Sequence[Variant] | NotApplicable:
        """One program with the told word, status and value."""
        instruction = environment.instruction
        if not _JUDGES.search(instruction):
            return NotApplicable("the program judges nothing")
        word, status = self._word(instruction), self._status(instruction)
        if not word and status is None:
            return NotApplicable("the instruction does not tell how the program says its judgement")
        names = programs.functions(environment)
        value = word if word and word.lower() not in {"true", "false"} else ("True" if self.accepts else "False")
        said = value if names else (word or "")
        by_line = bool(re.search(r"\b(each|every|per|one) (?:\w+ )?line", text.prose(instruction)))
        label = "accepts everything" if self.accepts else "rejects everything"
        files = [programs.says(path, said, status=status or 0, by_line=by_line, names=names) for path in paths]
        return [(label, tuple(files))]

    def _word(self, instruction: str) -> str:
        """The printed word: inline code or a quoted or upper-case word that sounds like this judgement."""
        words = re.findall(r"[`\"']([A-Za-z]{2,12})[`\"']|\b([A-Z]{2,12})\b", instruction)
        sound, other = (_GOOD, _BAD) if self.accepts else (_BAD, _GOOD)
        shown = [quoted or upper for quoted, upper in words]
        told = [word for word in shown if sound.match(word)]
        return told[0] if told and any(other.match(word) for word in shown) else ""

    def _status(self, instruction: str) -> int | None:
        """The exit status that goes with this judgement."""
        prose = text.prose(instruction)
        if not re.search(r"\bexit", prose, re.IGNORECASE):
            return None
        kind = _GOOD_STATUS if self.accepts else _BAD_STATUS
        near = re.search(rf"`?\b(\d{{1,3}})\b`?\s+(?:when|if|for|on)\b[^.;,\d]{{0,60}}\b{kind}\b", prose, re.IGNORECASE)
        after = rf"\b{kind}\b[^.;,\d]{{0,40}}(?:exit|status|code)[^.;,\d]{{0,25}}(\d{{1,3}})"
        near = near or re.search(after, prose, re.IGNORECASE)
        if near:
            return int(near.group(1))
        return 0 if self.accepts else 1
