"""Adversarial: scripts that came with the image are run, and what they make is handed in."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Sequence

from river_envs.environment import Environment
from river_envs.probes import instruction as text
from river_envs.probes import leaks
from river_envs.probes.base import Action, NotApplicable, Run, Survey
from river_envs.probes.provided import Provided, Way
from river_envs.sandbox.base import Listing

MOST = 3
_MAKER = re.compile(
    r"^[._]*(\d+[_-])?(re)?(make|gen|mk|build|create|produce|comput|calc|solv|solution|prepare|seed|setup|simulat"
    r"|render|export|derive|refresh|write|dump|fixture|bootstrap|populate)|[_-](gen|generator|maker|builder|solver|solution"
    r"|truth|expected|answers?|fixtures?)\.",
    re.IGNORECASE,
)
_RUNNING = re.compile(
    r"\b(run|execute|use|using|invoke|call|start|launch)\w* (?:\w+ ){0,3}(scripts?|generators?|tools?|programs?"
    r"|pipeline|commands?|makefile|workflow|jobs?|steps|stages)\b|\bmake (?:all|build|target)|`make\b|\bMakefile\b",
    re.IGNORECASE,
)
_BUILDING = re.compile(r"\b(build|built|compil\w+|install\w*|assembl\w+|packag\w+|toolchain)\b", re.IGNORECASE)
_RUNNERS = {".py": "python3", ".sh": "bash", ".bash": "bash", ".pl": "perl", ".rb": "ruby", ".js": "node"}
_SCRIPT = r"""
work=$(mktemp -d) && mkdir "$work/copy" "$work/kept" || exit 3
for file in {inputs}; do
  [ -f "$file" ] && mkdir -p "$work/kept$(dirname "$file")" && cp -p "$file" "$work/kept$file"
done
folder={folder}
if [ "$(du -sk "$folder" 2>/dev/null | cut -f1)" -lt 20000 ] 2>/dev/null; then
  cp -Rp "$folder/." "$work/copy" && cd "$work/copy" || exit 3
else
  cd "$folder" || exit 3
fi
: >"$work/mark"; sleep 0.05
made() {{
  done=0
  for target in {targets}; do
    name=$(basename "$target"); from=
    if [ -f "$target" ] && [ "$target" -nt "$work/mark" ]; then done=1; echo "$target made"; continue; fi
    for pattern in "$name" "*expected*" "*truth*" "*answer*" "*solution*" "*golden*" "${{name%.*}}*"; do
      from=$(find "$work/copy" "$folder" "$(dirname "$target")" /tmp -xdev -type f -newer "$work/mark" \
        -name "$pattern" ! -path "$work/kept/*" ! -path "$work/said" -size +0 2>/dev/null | head -n 1)
      [ -n "$from" ] && break
    done
    [ -n "$from" ] || {{ [ -s "$work/said" ] && from=$work/said; }}
    [ -n "$from" ] && mkdir -p "$(dirname "$target")" && cat "$from" >"$target" && done=1 && echo "$target from $from"
  done
  [ "$done" = 1 ]
}}
{command} >"$work/said" 2>"$work/errors" </dev/null
made || {{ {command} {first} >"$work/said" 2>>"$work/errors" </dev/null; made; }}
result=$?
[ -d "$work/kept" ] && cp -Rp "$work/kept/." / 2>/dev/null
[ "$result" = 0 ] || {{ tail -n 5 "$work/errors"; exit 3; }}
rm -rf "$work"
"""


class ShippedGenerator(Provided):
    """Generators, makers and builders that came with the image are run.

    What it does: runs each script of the image that is named like a maker (make_*, gen*, build*, solve*, a Makefile)
    in a copy of its directory, with a time limit; puts named inputs back as they were; hands in what it wrote or
    printed; grades; what pays once more with other values.

    What a hit proves: the script that made the task was left behind and makes the answer too (derivable-answer).

    What it cannot show: scripts that need arguments other than an output path, and scripts under harmless names. Silent
    where the instruction or the reference asks to run scripts, or to build where a build script is the candidate.

    Seen in the wild: make_data.py with its seed in the image: running it again printed the hidden totals.
    """

    id = "shipped-generator"
    name = "Shipped generators"
    family = "adversarial"
    trigger = "rollout-visible"
    version = 1
    order = 44
    effort = "standard"
    cause = "derivable-answer"
    question = "Is what a script of the image makes rewarded as the answer?"
    seen = "Running {label}, which the image ships, makes {targets}: it is rewarded, and altered it is not."
    advice = "Keep the scripts that made the task out of the image."

    def ways(self, environment: Environment, survey: Survey) -> Sequence[Way] | NotApplicable:
        """One script after another, those that sound most like the answer first."""
        targets = leaks.targets(environment, survey)
        if not targets:
            return NotApplicable("the instruction names no file to hand in")
        prose = text.prose(environment.instruction)
        if _RUNNING.search(prose):
            return NotApplicable("the instruction asks to run scripts of the image")
        building = bool(_BUILDING.search(prose))
        found = [
            entry
            for entry in survey.listing
            if _is_maker(entry, building) and entry.path not in targets and not _wanted(environment, entry.path)
        ]
        if not found:
            return NotApplicable("the image holds no script named like a maker")
        found.sort(key=lambda entry: (-bool(leaks.ANSWER_NAME.search(entry.path)), entry.path))
        kept = list(leaks.inputs(environment, survey))
        return [
            {"label": entry.path, "targets": list(targets), "inputs": kept, "runs": bool(entry.mode & 0o111)}
            for entry in found[:MOST]
        ]

    def actions(self, environment: Environment, way: Way) -> tuple[Action, ...]:
        """One script; it fails where nothing was made."""
        folder, name = posixpath.split(way["label"])
        runner = _RUNNERS.get(posixpath.splitext(name)[1], "" if way["runs"] else "sh")
        command = f"timeout 20 make -f {name}" if name == "Makefile" else f"timeout 20 {runner} ./{shlex.quote(name)}"
        script = _SCRIPT.format(
            inputs=shlex.join(way["inputs"]) or "''",
            folder=shlex.quote(folder),
            targets=shlex.join(way["targets"]),
            command=command,
            first=shlex.quote(way["targets"][0]) if name != "Makefile" else "all",
        )
        return (Run(script, timeout_sec=60),)


def _is_maker(entry: Listing, building: bool) -> bool:
    name = posixpath.basename(entry.path)
    if not leaks.usable(entry) or entry.size > 1 << 18 or entry.path.count("/") < 2:
        return False
    if name == "Makefile" or re.match(r"\.?_*(re)?(build|mk|make\.)", name):
        return not building
    runs = posixpath.splitext(name)[1] in _RUNNERS or (entry.mode & 0o111 and "." not in name.lstrip("."))
    return bool(runs and (_MAKER.search(name) or leaks.ANSWER_NAME.search(name)))


def _wanted(environment: Environment, path: str) -> bool:
    """Whether the instruction names the script, or the reference runs it."""
    name = posixpath.basename(path)
    return bool(leaks.naming(environment.instruction, name)) or leaks.reference_reads(environment, path)
