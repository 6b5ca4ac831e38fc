"""Adversarial: the asked program calls a program of the image."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence

from river_envs.environment import Environment
from river_envs.probes import leaks, programs
from river_envs.probes.base import Action, NotApplicable, Put, Survey
from river_envs.probes.provided import Provided, Way
from river_envs.sandbox.base import Listing

MOST = 3
_TELLING = re.compile(
    r"oracle|reference|legacy|original|golden|truth|expected|solution|solver|answer|upstream"
    r"|(^|[^a-z])(ref|impl|orig|old|bin)([^a-z]|$)",
    re.IGNORECASE,
)
_DATA = re.compile(
    r"\.(txt|md|rst|csv|tsv|jsonl?|ya?ml|toml|ini|cfg|conf|xml|html|css|sql|log|dat|db|sqlite3?|png|jpe?g|gif|svg|pdf|wav"
    r"|mp3|gz|tgz|tar|zip|bz2|xz|c|h|cpp|hpp|rs|go|java|ts|so|a|o|pem|key|crt|lock|patch|diff|bak|orig)$",
    re.IGNORECASE,
)
_REMAKING = re.compile(
    r"\b(re-?implement\w*|re-?writ\w+|port(?:ed|ing)?|clones?|reproduc\w+|replac\w+|re-?creat\w+|mimic\w*|emulat\w+"
    r"|equivalent|identical|same (?:output|results?|behaviou?r|answers?|as)|match(?:es)?|compatible"
    r"|reverse[- ]engineer\w*"
    r"|(?:not|never|without) (?:be )?(?:call|run|us|invok|execut|rely|wrap|depend|touch|read|import)\w*)\b",
    re.IGNORECASE,
)


class OracleWrapper(Provided):
    """The program handed in hands everything on to a program of the image.

    What it does: looks in the image for programs and modules beside what is asked: executables and scripts that the
    instruction does not tell to use (or tells to reimplement), those named like an oracle, a reference or the asked
    program first; hands in a wrapper that passes arguments and standard input on, or its functions; grades. What pays
    is graded once more as a program that does nothing.

    What a hit proves: the image holds a program that does the asked work, and the verifier lets it do so
    (reachable-oracle); the empty program is rejected.

    What it cannot show: oracles behind another interface than the asked one. Silent about programs that the
    instruction says to use, or the reference or the asked program's present source call.

    Seen in the wild: a codec to be written from a description, with the compiled original in /usr/local/bin.
    """

    id = "oracle-wrapper"
    name = "A wrapper around a program of the image"
    family = "adversarial"
    trigger = "rollout-visible"
    version = 2
    order = 42
    effort = "quick"
    cause = "reachable-oracle"
    question = "Is a wrapper rewarded that hands everything on to a program of the image?"
    seen = "A wrapper at {targets} that calls {label}, which the image ships, is rewarded."
    advice = "Remove the program from the image, or make it unreachable when the tests run."

    def ways(self, environment: Environment, survey: Survey) -> Sequence[Way] | NotApplicable:
        """The likeliest programs, one after another."""
        paths = programs.deliverables(environment, survey)
        if not paths:
            return NotApplicable("the instruction asks for no program")
        sources = " ".join(peek.text for path in paths if (peek := survey.peek(path)))
        found = [
            entry
            for entry in survey.listing
            if is_program(entry)
            and not leaks.of_the_system(entry.path, environment)
            and entry.path not in paths
            and not leaks.naming(sources, posixpath.basename(entry.path))
            and not meant_to_be_used(environment, entry.path)
        ]
        if not found:
            return NotApplicable("the image holds no other program")
        found.sort(key=lambda entry: (-_weight(entry, paths), entry.path))
        return [
            {"label": entry.path, "targets": list(paths), "program": True, "module": entry.path.endswith(".py")}
            for entry in found[:MOST]
        ]

    def actions(self, environment: Environment, way: Way) -> tuple[Action, ...]:
        """A wrapper in place of each asked program."""
        return (Put(tuple(programs.calls(path, way["label"], way["module"]) for path in way["targets"])),)


def is_program(entry: Listing) -> bool:
    """Whether an entry is a program: a script by its suffix, or executable without the suffix of data."""
    name = posixpath.basename(entry.path)
    if entry.kind != "file" or not entry.size or re.search(r"\.git/|/\.?venv/|site-packages", entry.path):
        return False
    suffix = posixpath.splitext(name)[1].lower()
    if suffix in programs.RUNNERS:
        return not re.match(r"(test_|conftest|setup\.|__init__)", name)
    return bool(entry.mode & 0o111) and not _DATA.search(name)


def meant_to_be_used(environment: Environment, path: str) -> bool:
    """Whether the instruction tells to use the program, or the reference does."""
    naming = leaks.naming(environment.instruction, posixpath.basename(path))
    if naming and not any(_REMAKING.search(sentence) for sentence in naming):
        return True
    return leaks.reference_reads(environment, path)


def _weight(entry: Listing, paths: Sequence[str]) -> float:
    close = max(leaks.likeness(entry.path, path) for path in paths)
    same = any(leaks.stem(entry.path) == leaks.stem(path) for path in paths)
    runs = bool(entry.mode & 0o111)
    return close + 2 * bool(_TELLING.search(entry.path)) + 2 * same + 0.5 * runs
