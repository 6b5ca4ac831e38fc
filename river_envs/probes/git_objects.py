"""Adversarial: what a git repository in the image still knows is handed in."""

from __future__ import annotations

import json
import posixpath
import re
import shlex
from collections.abc import Sequence

from river_envs.environment import Environment
from river_envs.probes import git_reading, leaks, programs
from river_envs.probes import instruction as text
from river_envs.probes.base import Action, Attempt, Background, NotApplicable, Result, Run, Survey
from river_envs.probes.provided import Provided, Way

REPOSITORIES = 3
"""Repositories that are read in one environment."""
_HISTORY = re.compile(
    r"\b(commits?|committed|git|version control|history of|its history|stash\w*|reflog|branch(?:es)?"
    r"|check(?:ed)? ?out|revert\w*|restor\w+|recover\w*|undelet\w+|deleted|lost|blame|bisect\w*|cherry|rebase"
    r"|roll(?:ed)? ?back|upstream|revisions?|(?:previous|earlier|older|last) versions?)\b",
    re.IGNORECASE,
)
_GIT = re.compile(rb"\bgit\b[^\n]*\b(log|show|checkout|stash|fsck|cat-file|reset|restore|reflog|revert|diff)\b")
_TOOLS = re.compile(r"/(node_modules|site-packages|dist-packages|\.pyenv|\.nvm|\.oh-my-zsh|\.cargo|\.cache)/")
_WITHOUT_PYTHON = r"""
g() {{ git -c safe.directory='*' -c core.hooksPath=/dev/null -C {tree} "$@" 2>/dev/null; }}
command -v git >/dev/null || exit 127
g rev-list --objects --all HEAD >/tmp/.known; g rev-list --objects --all --reflog >>/tmp/.known
g cat-file --batch-all-objects --batch-check >/tmp/.all
done=0
for target in {targets}; do
  own=$(g hash-object "$target")
  blob=$( {{ awk -v name="$(basename "$target")" '$2 == name || $2 ~ "/" name "$" {{print $1}}' /tmp/.known
    awk 'NR == FNR {{seen[$1] = 1; next}} $2 == "blob" && !seen[$1] {{print $1}}' /tmp/.known /tmp/.all; }} |
    awk -v own="$own" '$1 != own && !seen[$1]++' | sed -n {index}p)
  [ -n "$blob" ] || continue
  mkdir -p "$(dirname "$target")" && g cat-file blob "$blob" >/tmp/.blob && [ -s /tmp/.blob ] || continue
  cat /tmp/.blob >"$target" && done=1 && echo "$target: blob $blob"
  case "$(head -c 2 /tmp/.blob)" in '#!') chmod 755 "$target" ;; esac
done
rm -f /tmp/.blob /tmp/.known /tmp/.all
[ "$done" = 1 ] || exit 3
"""


class GitObjects(Provided):
    """Commits, stashes and loose objects of a repository in the image are handed in.

    What it does: reads every object of the repositories in the image inside the sandbox (loose and packed, reachable
    or not, bare repositories and `.git` files too; with git where the image has no Python), ranks the blobs for each
    output by the names that trees give them and by the form that the instruction shows, and writes the best to the
    outputs; then lays the newest commit beyond the checked-out one (another branch, a stash, a dropped commit) over the
    working tree; grades each. What pays is graded once more with other values.

    What a hit proves: the repository keeps the answer (image-answer); altered it is rejected.

    What it cannot show: answers above one MiB. Where the instruction or the reference deals with history, digging there
    is the task: then only repositories are read that neither names.

    Seen in the wild: future commits with the fix left in the images of a repository benchmark; agents found them with
    `git log --all`.
    """

    id = "git-objects"
    name = "Git objects as the answer"
    family = "adversarial"
    trigger = "rollout-visible"
    version = 2
    order = 42
    effort = "standard"
    question = "Is what a repository of the image still holds rewarded as the answer?"
    seen = "The repository {label} holds the answer: written to {targets} it is rewarded, and altered it is not."
    advice = "Ship the image without history: remove .git, or make one commit with nothing else in the object store."

    def ways(self, environment: Environment, survey: Survey) -> Sequence[Way] | NotApplicable:
        """The best blob of each output, the newest commit beyond HEAD, then the second blob."""
        targets = leaks.targets(environment, survey)
        found = repositories(survey, targets)
        if not found or not targets:
            return NotApplicable("there is no repository in the image, or no file to hand in")
        if _deals_with_history(environment):
            found = _apart_from_the_task(environment, found)
            if not found:
                return NotApplicable("the task deals with history: digging there may be what is asked")
        named = [*targets, *leaks.inputs(environment, survey)]
        shown = {
            block.path: block.text
            for block in text.blocks(environment.instruction, targets)
            if block.path and block.role != "command"
        }
        forms = {target: sorted(leaks.asked_form(environment.instruction, target, targets)) for target in targets}
        common = {
            "targets": list(targets),
            "inputs": list(leaks.inputs(environment, survey)),
            "forms": {target: keys for target, keys in forms.items() if keys},
            "shown": shown,
            "programs": list(programs.deliverables(environment, survey)),
        }
        ways: list[Way] = []
        for repository in found[:REPOSITORIES]:
            tree = _tree(repository)
            inside = tree != repository and any(path.startswith(tree.rstrip("/") + "/") for path in named)
            indices = (1, 0, 2) if inside else (1, 2)
            ways += [{**common, "label": repository, "tree": tree, "index": index} for index in indices]
        return ways[:5]

    def actions(self, environment: Environment, way: Way) -> tuple[Action, ...]:
        """One script; it fails where there is nothing to hand in."""
        asked = {name: value for name, value in way.items() if name != "label"} | {"repository": way["label"]}
        code = git_reading.SCRIPT + (git_reading.BLOBS if way["index"] else git_reading.NEWEST)
        reading = f"python3 -c {shlex.quote(code)} {shlex.quote(json.dumps(asked))}"
        plain = _WITHOUT_PYTHON.format(
            tree=shlex.quote(way["tree"]), targets=shlex.join(way["targets"]), index=way["index"] or 1
        )
        script = f"if command -v python3 >/dev/null; then\n{reading}\nelse\n{plain}\nfi"
        return (Run(script, timeout_sec=40),)

    def more(self, environment: Environment, results: Sequence[Result], background: Background) -> Sequence[Attempt]:
        """No second blob is looked for where there was no first."""
        wanted = super().more(environment, results, background)
        without = {
            result.attempt.facts["way"]["label"]
            for result in results
            if not result.effective and result.attempt.facts["way"]["index"] == 1
        }
        while wanted and wanted[0].arm == "probe" and _is_second(wanted[0].facts["way"], without):
            ways, index = wanted[0].facts["ways"], wanted[0].repeat + 1
            wanted = [self._attempt(environment, ways, index)] if index < len(ways) else ()
        return wanted


def _is_second(way: Way, without: set[str]) -> bool:
    return way["index"] == 2 and way["label"] in without


def repositories(survey: Survey, targets: Sequence[str] = ()) -> list[str]:
    """The repositories of the image, those of tools last: `.git` directories and files, and bare ones."""
    kinds = {entry.path: entry.kind for entry in survey.listing}
    bare = {posixpath.dirname(path) for path, kind in kinds.items() if path.endswith("/HEAD") and kind == "file"}
    found = {path for path in bare if kinds.get(f"{path}/objects") == "directory"}
    found |= {path for path, kind in kinds.items() if path.endswith("/.git") and kind in {"directory", "file"}}

    def shared(path: str) -> int:
        tree = _tree(path).split("/")
        return max(len(posixpath.commonprefix([tree, place.split("/")])) for place in (*targets, survey.workdir))

    return sorted(found, key=lambda path: (bool(_TOOLS.search(path)), -shared(path), path))


def _tree(repository: str) -> str:
    """The working tree of a repository; a bare one stands for itself."""
    return (posixpath.dirname(repository) or "/") if posixpath.basename(repository) == ".git" else repository


def _deals_with_history(environment: Environment) -> bool:
    reference = environment.reference
    return _HISTORY.search(text.prose(environment.instruction)) is not None or (
        reference is not None and any(_GIT.search(file.content) for file in reference.files)
    )


def _apart_from_the_task(environment: Environment, found: Sequence[str]) -> list[str]:
    """The repositories that are none of the task's, where it names its own by path; else none."""
    told = [environment.instruction]
    if environment.reference:
        told += [file.content.decode(errors="replace") for file in environment.reference.files]
    words = {match.rstrip("/.,") for part in told for match in re.findall(r"/[\w.@%+=/-]+", part)}

    def named(path: str) -> bool:
        tree = _tree(path)
        return any(tree == word or path == word or tree.startswith(word + "/") for word in words if word.count("/") > 1)

    return [path for path in found if not named(path)] if any(named(path) for path in found) else []
