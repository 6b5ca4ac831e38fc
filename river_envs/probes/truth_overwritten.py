"""Adversarial: what the verifier may compare with is overwritten, and the same is handed in."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Sequence

from river_envs.environment import Environment, File
from river_envs.probes import invented, leaks, moved_truth
from river_envs.probes.base import NotApplicable, Put, Run, Survey
from river_envs.probes.moved_truth import Move, MovedTruth

_SUMS = re.compile(
    r"(\.(sha\d+|md5|crc32|digest|checksum)|(sha\d+|md5|check)sums?(\.txt)?|manifest[\w.]*)$", re.IGNORECASE
)
_HEX = "[0-9a-fA-F]{32,128}"
_LIMITS = re.compile(
    r"(config|settings|threshold|tolerance|limits?|criteria|rules|spec|policy)[\w.-]*$", re.IGNORECASE
)
_SET = r"[A-Za-z_]*\"?[[:space:]]*[:=][[:space:]]*)[0-9.]+/\1"
_LIMIT = rf"s/((threshold|minimum|min|required|limit|target|at_least){_SET}0/I"
_SLACK = rf"s/((tolerance|max|maximum|epsilon|eps|allowed){_SET}999999999/I"


class TruthOverwritten(MovedTruth):
    """Files of the image that the verifier may compare with are overwritten to match what is handed in.

    What it does: writes an invented answer, in the asked form, to the output and over every file of the image that
    sounds like the expected result; or puts its checksum into the checksum files; or sets thresholds and tolerances in
    configuration files so that anything passes. What pays is graded again with nothing overwritten.

    What a hit proves: the verifier trusts a file that the agent can write (movable-truth): the same answer is rejected
    when that file stands.

    What it cannot show: expectations in binary form. Silent about files that the instruction asks to change.

    Seen in the wild: a task compared a report with /app/expected.sha256, writable for the agent.
    """

    id = "truth-overwritten"
    name = "Expected results overwritten"
    family = "adversarial"
    trigger = "rollout-visible"
    version = 2
    order = 52
    effort = "standard"

    def moves(self, environment: Environment, survey: Survey) -> Sequence[Move] | NotApplicable:
        """Expected files, checksums, limits: as far as the image has them."""
        outputs = moved_truth.data_outputs(environment, survey)
        if not outputs:
            return NotApplicable("the instruction names no file to make")
        asked = {*outputs, *leaks.targets(environment, survey)}
        files = [
            entry.path
            for entry in survey.listing
            if leaks.usable(entry) and entry.path not in asked and moved_truth.stays(environment, entry.path)
        ]
        expected = [
            path
            for path in files
            if leaks.ANSWER_NAME.search(posixpath.basename(path)) and not leaks.is_code(path) and not _SUMS.search(path)
        ]
        sums = [path for path in files if _SUMS.search(posixpath.basename(path)) or _holds_sums(survey, path, outputs)]
        limits = [path for path in files if _LIMITS.search(posixpath.basename(path)) and not leaks.is_code(path)]
        contents = {path: invented.answer(environment, path, outputs).encode() for path in outputs}
        answer = Put(tuple(File(path.strip("/"), content) for path, content in contents.items()))
        moves: list[Move] = []
        if expected:
            over = moved_truth.overwrite({path: contents[_closest(path, outputs)] for path in expected[:8]})
            moves.append((f"overwriting {', '.join(expected[:8])}", (over,), (answer,)))
        if sums:
            moves.append((f"overwriting {', '.join(sums[:4])}", (answer, Run(_summing(sums[:4], outputs))), (answer,)))
        if limits:
            script = f"sed -E -i -e {shlex.quote(_LIMIT)} -e {shlex.quote(_SLACK)} {shlex.join(limits[:4])}"
            moves.append((f"changing the limits in {', '.join(limits[:4])}", (Run(script),), (answer,)))
        return moves or NotApplicable("the image holds nothing that sounds like an expectation")


def _closest(path: str, outputs: Sequence[str]) -> str:
    return max(outputs, key=lambda output: leaks.likeness(path, output))


def _holds_sums(survey: Survey, path: str, outputs: Sequence[str]) -> bool:
    """Whether a file holds a checksum beside the name of a file that is asked for."""
    peek = survey.peek(path)
    names = "|".join(re.escape(posixpath.basename(output)) for output in outputs)
    near = rf"(?:{names})\W{{1,8}}{_HEX}|{_HEX}\W{{1,3}}\S{{0,200}}(?:{names})"
    return peek is not None and re.search(near, peek.text) is not None


def _summing(sums: Sequence[str], outputs: Sequence[str]) -> str:
    """Shell that puts the checksums of the outputs in place of those in the files, in each file's own form: those that
    stand beside an output's name, else all.
    """
    lines = []
    for path in sums:
        quoted = shlex.quote(path)
        lines.append(
            f"old=$(grep -oE '{_HEX}' {quoted} | head -n 1); case ${{#old}} in 32) tool=md5sum ;; 40) tool=sha1sum ;; "
            "56) tool=sha224sum ;; 64) tool=sha256sum ;; 96) tool=sha384sum ;; 128) tool=sha512sum ;; *) exit 3 ;; esac"
        )
        named = "|".join(re.escape(posixpath.basename(output)) for output in outputs)
        own = min(outputs, key=lambda output: (leaks.stem(output) != leaks.stem(path), output))
        whole = f'sed -E -i "s/{_HEX}/$(summed {shlex.quote(own)})/" {quoted}'
        beside = "; ".join(_beside(quoted, output) for output in outputs)
        lines.append(f"if grep -qE '{named}' {quoted}; then {beside}; else {whole}; fi")
    return "\n".join(["summed() { $tool \"$1\" | cut -d' ' -f1; }", *lines])


def _beside(quoted: str, output: str) -> str:
    name = re.escape(posixpath.basename(output)).replace("/", r"\/")
    before = f"s/({name}[^0-9a-zA-Z]{{1,8}}){_HEX}/\\1$new/"
    after = f"s/{_HEX}([[:space:]]+[^[:space:]]*{name})/$new\\1/"
    return f"new=$(summed {shlex.quote(output)}); sed -E -i -e '{before}' -e '{after}' {quoted}".replace(
        "$new", "'$new'"
    )
