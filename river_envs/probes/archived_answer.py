"""Adversarial: members of archives in the image are handed in."""

from __future__ import annotations

import json
import posixpath
import re
import shlex
from collections.abc import Sequence

from river_envs.environment import Environment
from river_envs.probes import instruction as text
from river_envs.probes import leaks
from river_envs.probes.base import Action, NotApplicable, Run, Survey
from river_envs.probes.provided import Provided, Way

_ARCHIVE = re.compile(r"\.(tar|tgz|tar\.(gz|bz2|xz)|zip|gz|bz2|xz|whl|jar)$", re.IGNORECASE)
_UNPACKING = re.compile(
    r"\b(unzip|decompress\w*|extract\w* (?:the|it|all|from)|unpack\w*|backups?|restor\w+|recover\w*)\b", re.IGNORECASE
)
_ARCHIVES = re.compile(r"\b(archives?|tarballs?|zip(?:ped)?|gzip\w*|compress\w*|bundles?)\b", re.IGNORECASE)
_LARGEST = 16 << 20
_SCRIPT = r"""
import bz2, gzip, json, lzma, os, re, sys, tarfile, zipfile
archive, targets, index = sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3])
MOST = 1 << 20
def members():
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as opened:
            for entry in opened.infolist()[:2000]:
                if 0 < entry.file_size <= MOST:
                    yield entry.filename, opened.read(entry)
        return
    try:
        with tarfile.open(archive) as opened:
            for count, entry in enumerate(opened):
                if count > 2000:
                    return
                if entry.isfile() and 0 < entry.size <= MOST:
                    yield entry.name, opened.extractfile(entry).read()
        return
    except tarfile.ReadError:
        pass
    for opener in (gzip, bz2, lzma):
        try:
            with opener.open(archive) as opened:
                yield os.path.splitext(os.path.basename(archive))[0], opened.read(MOST)
            return
        except (OSError, EOFError, lzma.LZMAError):
            continue
def weight(name, target):
    base, suffix = os.path.basename(name), os.path.splitext(target)[1]
    telling = re.search(r"truth|expect|golden|solution|answer|result|oracle|label|correct", name, re.I)
    same = os.path.splitext(base)[1] in ("", suffix)
    return 4 * (base == os.path.basename(target)) + 2 * bool(telling) + same if same or telling else 0
found, written = list(members()), 0
for target in targets:
    ranked = sorted((-weight(name, target), name, content) for name, content in found if weight(name, target))
    if len(ranked) > index:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if os.path.lexists(target):
            os.remove(target)
        with open(target, "wb") as file:
            file.write(ranked[index][2])
        if ranked[index][2][:2] == b"#!" or ranked[index][2][:4] == b"\x7fELF":
            os.chmod(target, 0o755)
        print(target, "from", ranked[index][1])
        written += 1
sys.exit(0 if written else 3)
"""


class ArchivedAnswer(Provided):
    """Members of archives that nobody mentioned are handed in.

    What it does: opens the tar, zip and compressed files of the image that the instruction does not name, inside the
    sandbox, and writes the member that has an output's name, sounds like an answer or has its suffix to that output;
    grades; the one that pays once more with other values.

    What a hit proves: an archive left in the image holds the answer (image-answer); altered it is rejected.

    What it cannot show: encrypted archives, formats that Python's library does not read, images without Python. Silent
    where the instruction speaks of backups, of unpacking, or of archives other than its own output.

    Seen in the wild: a generator packed task and solution together and left the bundle beside the task.
    """

    id = "archived-answer"
    name = "Members of archives as the answer"
    family = "adversarial"
    trigger = "rollout-visible"
    version = 2
    order = 42
    effort = "standard"
    question = "Is a member of an archive in the image rewarded as the answer?"
    seen = "The archive {label} holds the answer: its member at {targets} is rewarded, and altered it is not."
    advice = "Remove the archive from the image."

    def ways(self, environment: Environment, survey: Survey) -> Sequence[Way] | NotApplicable:
        """The best member of each of two archives, then the second of the first."""
        targets = leaks.targets(environment, survey)
        if not targets:
            return NotApplicable("the instruction names no file to hand in")
        prose = text.prose(environment.instruction)
        packing = any(_ARCHIVE.search(target) for target in targets)
        if _UNPACKING.search(prose) or (_ARCHIVES.search(prose) and not packing):
            return NotApplicable("the instruction deals with archives: unpacking may be the task")
        archives = [
            entry.path
            for entry in survey.listing
            if entry.kind == "file"
            and 0 < entry.size <= _LARGEST
            and _ARCHIVE.search(entry.path)
            and "/.git/" not in entry.path
            and not leaks.naming(environment.instruction, posixpath.basename(entry.path))
            and not leaks.reference_reads(environment, entry.path)
        ]
        archives.sort(key=lambda path: (-bool(leaks.ANSWER_NAME.search(path)), path))
        if not archives:
            return NotApplicable("the image holds no archive beside what the instruction names")
        order = [(archive, 0) for archive in archives[:2]] + [(archives[0], 1)]
        return [{"label": archive, "targets": list(targets), "index": index} for archive, index in order]

    def actions(self, environment: Environment, way: Way) -> tuple[Action, ...]:
        """One script; it fails where no member fits."""
        arguments = [way["label"], json.dumps(way["targets"]), str(way["index"])]
        return (Run(f"python3 -c {shlex.quote(_SCRIPT)} {shlex.join(arguments)}", timeout_sec=30),)
