"""Adversarial: what a git repository in the image still knows is handed in."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Sequence

from river_envs.environment import Environment
from river_envs.probes import instruction as text
from river_envs.probes import leaks
from river_envs.probes.base import Action, Attempt, Background, NotApplicable, Result, Run, Survey
from river_envs.probes.provided import Provided, Way

_HISTORY = re.compile(
    r"\b(commits?|committed|git (?:history|log|show|stash|reflog)|history of|its history|stash\w*|reflog|branch(?:es)?"
    r"|check(?:ed)? ?out|revert\w*|restor\w+|recover\w*|deleted|lost|blame|bisect|cherry|merge|rebase|roll(?:ed)? ?back"
    r"|upstream|revisions?|(?:previous|earlier|older|last) versions?)\b",
    re.IGNORECASE,
)
_GIT = re.compile(rb"\bgit\b[^\n]*\b(log|show|checkout|stash|fsck|cat-file|reset|restore|reflog|revert|diff)\b")
_FIND = r"""
g() {{ git -c safe.directory='*' -c core.hooksPath=/dev/null -C {repository} "$@" 2>/dev/null; }}
command -v git >/dev/null || exit 127
unreachable=$(g fsck --unreachable --no-reflogs --no-progress)
beyond=$( {{ g rev-list --date-order --all --reflog --not HEAD || g rev-list --date-order --all --reflog
  echo "$unreachable" | sed -n 's/^unreachable commit //p'; }} | head -n 40)
"""
_CHECKOUT = r"""
newest=$(echo "$beyond" | head -n 1)
[ -n "$newest" ] || exit 3
files=$(g ls-tree -r --name-only "$newest")
[ -n "$files" ] || exit 3
g archive "$newest" | tar -xf - -C {tree} || exit 3
"""
_BLOBS = r"""
done=0
for target in {targets}; do
  name=$(basename "$target"); own=$(g hash-object "$target")
  like=$name; telling='[^/]*(truth|expect|golden|solution|answer)[^/]*'
  case "$name" in *.*) like="$name|$telling[.]${{name##*.}}" ;; esac
  blob=$( {{ for commit in $beyond $(g rev-list HEAD | head -n 60); do
      g ls-tree -r "$commit" | grep -E "(/|	)($like)\$" | cut -f1 | cut -d' ' -f3
    done; echo "$unreachable" | sed -n 's/^unreachable blob //p' | head -n 20; }} |
    awk -v own="$own" '$1 != own && !seen[$1]++' | sed -n {index}p)
  [ -n "$blob" ] || continue
  mkdir -p "$(dirname "$target")" && g cat-file blob "$blob" >/tmp/.blob && [ -s /tmp/.blob ] || continue
  cat /tmp/.blob >"$target" && rm -f /tmp/.blob && done=1 && echo "$target: blob $blob"
done
[ "$done" = 1 ] || exit 3
"""


class GitObjects(Provided):
    """Commits, stashes and loose objects of a repository in the image are handed in.

    What it does: looks with git, inside the sandbox, for commits beyond the checked-out one (other branches, stashes,
    the reflog, unreachable ones) and lays the newest over the working tree; then for blobs that carry an output's name
    or sound like an answer, and loose ones that no commit names, and writes them to the outputs; grades each. What pays
    is graded once more with other values.

    What a hit proves: the repository keeps the answer (image-answer); altered it is rejected.

    What it cannot show: anything where git is missing in the image, or where the instruction or the reference deals
    with history: digging there is then the task.

    Seen in the wild: future commits with the fix left in the images of a repository benchmark; agents found them with
    `git log --all`.
    """

    id = "git-objects"
    name = "Git objects as the answer"
    family = "adversarial"
    trigger = "rollout-visible"
    version = 1
    order = 42
    effort = "standard"
    question = "Is what a repository of the image still holds rewarded as the answer?"
    seen = "The repository {label} holds the answer: written to {targets} it is rewarded, and altered it is not."
    advice = "Ship the image without history: remove .git, or make one commit with nothing else in the object store."

    def ways(self, environment: Environment, survey: Survey) -> Sequence[Way] | NotApplicable:
        """The newest commit beyond HEAD, then the first and second blob of each output."""
        repositories = [
            entry.path for entry in survey.listing if entry.kind == "directory" and _is_repository(entry.path, survey)
        ]
        targets = leaks.targets(environment, survey)
        if not repositories or not targets:
            return NotApplicable("there is no repository in the image, or no file to hand in")
        if _HISTORY.search(text.prose(environment.instruction)):
            return NotApplicable("the instruction deals with history: digging there may be the task")
        if environment.reference and any(_GIT.search(file.content) for file in environment.reference.files):
            return NotApplicable("the reference uses the repository's history")
        found: list[Way] = []
        for repository in repositories[:2]:
            way = {"label": repository, "targets": list(targets)}
            tree = posixpath.dirname(repository)
            inside = any(target.startswith(tree + "/") for target in targets)
            found += [{**way, "index": 0}] if inside and repository.endswith("/.git") else []
            found += [{**way, "index": index} for index in (1, 2)]
        return found[:4]

    def actions(self, environment: Environment, way: Way) -> tuple[Action, ...]:
        """One script; it fails where there is nothing to hand in."""
        repository = way["label"].removesuffix("/.git")
        values = {
            "repository": shlex.quote(repository),
            "tree": shlex.quote(repository),
            "targets": shlex.join(way["targets"]),
            "index": way["index"],
        }
        return (Run((_FIND + (_BLOBS if way["index"] else _CHECKOUT)).format(**values), timeout_sec=30),)

    def more(self, environment: Environment, results: Sequence[Result], background: Background) -> Sequence[Attempt]:
        """No second blob is looked for where there was no first."""
        wanted = super().more(environment, results, background)
        without = {
            result.attempt.facts["way"]["label"]
            for result in results
            if not result.effective and result.attempt.facts["way"]["index"] == 1
        }
        while wanted and wanted[0].arm == "probe" and wanted[0].facts["way"]["label"] in without:
            ways, index = wanted[0].facts["ways"], wanted[0].repeat + 1
            wanted = [self._attempt(environment, ways, index)] if index < len(ways) else ()
        return wanted


def _is_repository(path: str, survey: Survey) -> bool:
    if posixpath.basename(path) == ".git":
        return True
    return path.endswith(".git") and any(entry.path == f"{path}/HEAD" for entry in survey.listing)
