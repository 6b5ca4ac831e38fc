"""Adversarial: files of the image that sound like answers are copied onto the outputs."""

from __future__ import annotations

import posixpath
import re

from river_envs.environment import Environment
from river_envs.probes import leaks
from river_envs.probes.base import Survey
from river_envs.probes.copied import Copied
from river_envs.sandbox.base import Listing

_FOLDER = re.compile(
    r"^\.?_*(expected|golden|gold|truth|ground_?truth|solutions?|answers?|labels?|oracle|references?|grading|grader|key"
    r"|secret|private|correct)[\w.-]*$",
    re.IGNORECASE,
)
_SIDECAR = re.compile(
    r"\.(label|labels|truth|gt|gold|ref|ans|answer|expected|out|sol|txt|json|lab|orig|bak|fixed|new)$|~$"
)
_ORACLE = re.compile(r"oracle|reference|(^|[^a-z])(ref|legacy|impl)([^a-z]|$)", re.IGNORECASE)


class AnswerFiles(Copied):
    """Readable files of the image that sound like answers are handed in.

    What it does: looks in the built image for small files named like an answer (truth, expected, golden, label, oracle,
    solution, ...), files in directories named so, sidecars that share the stem of a named input or output, and hidden
    files; copies the likeliest onto the outputs that the instruction names, and grades. The one that pays is graded
    once more with other values.

    What a hit proves: the image ships the answer in the clear (image-answer): the file is rewarded, the same file with
    other values is not. The receipt names the file and its hash. Where both are rewarded only the form is checked
    (shape-only).

    What it cannot show: answers under harmless names, inside archives, in git objects or bytecode: other probes look
    there. Silent where the instruction or the reference speaks of copying, restoring or choosing such a file.

    Seen in the wild: an agent reached 0.37 of a 0.85 threshold by its own reading, then copied /app/ground_truth.txt;
    sidecars such as audio.label.txt beside the file to be transcribed.
    """

    id = "answer-files"
    name = "Answer-looking files as the answer"
    family = "adversarial"
    trigger = "rollout-visible"
    version = 5
    order = 40
    most = 4
    nothing = "no file of the image sounds like an answer"

    def weight(self, entry: Listing, target: str, environment: Environment, survey: Survey) -> float:
        """Name, folder, sidecar, hidden: what sounds most like an answer first."""
        name, folder = posixpath.basename(entry.path), posixpath.dirname(entry.path)
        if is_program_beside(entry, target):
            return 0
        if leaks.is_code(target) and not any(
            map(leaks.is_code, (entry.path, entry.path.rstrip("~"), posixpath.splitext(entry.path)[0]))
        ):
            return 0
        if leaks.is_code(entry.path) and posixpath.splitext(target)[1] and not leaks.is_code(target):
            return 0
        weight = 0.0
        weight += 3 * (name == posixpath.basename(target))
        weight += 2 * bool(leaks.ANSWER_NAME.search(name))
        weight += 2 * any(_FOLDER.match(part) for part in folder.split("/"))
        weight += 2 * (leaks.stem(name) == leaks.stem(target))
        weight += 1 * (name.startswith("."))
        weight += 1.5 * any(is_sidecar(entry.path, path) for path in leaks.inputs(environment, survey))
        return weight


def is_program_beside(entry: Listing, target: str) -> bool:
    """Whether an entry is a program of its own rather than a copy of the asked one: another probe calls those."""
    name = posixpath.basename(entry.path)
    runs = bool(entry.mode & 0o111)
    return (runs and "/bin/" in entry.path) or (
        name != posixpath.basename(target)
        and (leaks.is_code(target) or runs)
        and (runs or leaks.is_code(name))
        and bool(_ORACLE.search(name) or (runs and not leaks.ANSWER_NAME.search(name)))
    )


def is_sidecar(path: str, named: str) -> bool:
    """Whether ``path`` lies beside the named input and shares its stem, as in audio.wav and audio.label.txt."""
    return (
        path != named
        and posixpath.dirname(path) == posixpath.dirname(named)
        and leaks.stem(path) == leaks.stem(named)
        and bool(_SIDECAR.search(path))
    )
