"""Running scripts and programs that came with the image, and telling a generator from an oracle.

A generator makes the task's data by its own steps: it is named like a maker, or writes its files where it chose to. An
oracle answers: it says what is right on standard output, or writes it where it is told to. The name is seen before, the
rest in what running it left.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Sequence
from typing import Final

from river_envs.probes.base import Result, Run, Survey
from river_envs.probes.programs import RUNNERS
from river_envs.sandbox.base import Listing

MAKER: Final = re.compile(
    r"^[._]*(\d+[_-])?(re)?(make|gen|mk|build|create|produce|prepare|seed|setup|simulat|render|export|derive|refresh"
    r"|write|dump|fixture|bootstrap|populate)|[_-](gen|generator|maker|builder|fixtures?)(\.|$)",
    re.IGNORECASE,
)
"""Names of scripts that make data."""
_WRITES = re.compile(r"open\([^()\n]*[\"'][wax]b?[\"']|write_(text|bytes)|\.to_(csv|json)|\bdump\(|>>?\s*[\"'$/]")
_DRAWS = re.compile(r"\b(random|rng|seed|SEED|RANDOM|faker|shuf|srand)\b")
_ASKS = re.compile(r"argv|stdin|argparse|ARGV|\binput\(|\$[1@*]|\$\{[1@*]|\bread -r\b|fileinput")
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
    if [ -f "$target" ] && [ "$target" -nt "$work/mark" ]; then done=1; echo "$target $1"; continue; fi
    for pattern in "$name" "*expected*" "*truth*" "*answer*" "*solution*" "*golden*" "${{name%.*}}*"; do
      from=$(find "$work/copy" "$folder" "$(dirname "$target")" /tmp -xdev -type f -newer "$work/mark" \
        -name "$pattern" ! -path "$work/kept/*" ! -path "$work/said" ! -path "$work/errors" -size +0 \
        2>/dev/null | head -n 1)
      [ -n "$from" ] && break
    done
    if [ -n "$from" ]; then how="made at $from"; elif [ -s "$work/said" ]; then from=$work/said how=said; fi
    [ -n "$from" ] && mkdir -p "$(dirname "$target")" && cat "$from" >"$target" && done=1 && echo "$target $how"
  done
  [ "$done" = 1 ]
}}
try() {{ # how input command...
  way=$1 given=$2; shift 2
  timeout 15 "$@" >"$work/said" 2>>"$work/errors" <"$given" || : >"$work/said"
  made "$way"
}}
{tries}
result=$?
[ -d "$work/kept" ] && cp -Rp "$work/kept/." / 2>/dev/null
[ "$result" = 0 ] || {{ tail -n 5 "$work/errors"; exit 3; }}
rm -rf "$work"
"""


def run(path: str, runs: bool, targets: Sequence[str], inputs: Sequence[str], asks: bool = False) -> Run:
    """Runs ``path`` in a copy of its directory: alone, with the first output as argument, with the inputs as arguments
    or on standard input (first when it ``asks`` for some), until something was made or said, and hands it in. It fails
    where nothing was; its output tells which it was.
    """
    folder, name = posixpath.split(path)
    runner = RUNNERS.get(posixpath.splitext(name)[1], "" if runs else "sh")
    command = ["make", "-f", name] if name == "Makefile" else [*([runner] if runner else []), f"./{name}"]
    alone: list[tuple[str, str, list[str]]] = [("made", "/dev/null", [])]
    if name == "Makefile":
        given = [("made", "/dev/null", ["all"])]
    else:
        written = [("told", "/dev/null", [targets[0]])]
        given = [("told", "/dev/null", [*inputs]), ("told", inputs[0], [])] if inputs else []
        given = given + written if asks else written + given
        given += [("told", "/dev/null", [*inputs, targets[0]])] if inputs else []
    ways = given + alone if asks else alone + given
    tries = " || ".join(
        f"try {how} {shlex.quote(source)} {shlex.join([*command, *arguments])}" for how, source, arguments in ways
    )
    script = _SCRIPT.format(
        inputs=shlex.join(inputs) or "''", folder=shlex.quote(folder), targets=shlex.join(targets), tries=tries
    )
    return Run(script, timeout_sec=75)


def asks_for_input(path: str, survey: Survey) -> bool:
    """Whether a script reads its arguments or standard input."""
    peek = survey.peek(path)
    return bool(peek and _ASKS.search(peek.text))


def cause(result: Result) -> str:
    """derivable-answer where the script is a generator, reachable-oracle where it answers."""
    way = result.attempt.facts["way"]
    if way["maker"] or any(re.search(r" made( at |$)", step.output, re.MULTILINE) for step in result.receipt):
        return "derivable-answer"
    return "reachable-oracle"


def has_makers_name(path: str) -> bool:
    """Whether a script is named as one that makes data."""
    name = posixpath.basename(path)
    return name == "Makefile" or MAKER.search(name) is not None


def is_maker(entry: Listing, survey: Survey) -> bool:
    """Whether a script makes data: by its name, or because it draws from a seed and writes files."""
    peek = survey.peek(entry.path)
    draws = peek is not None and bool(_DRAWS.search(peek.text) and _WRITES.search(peek.text))
    return has_makers_name(entry.path) or draws
