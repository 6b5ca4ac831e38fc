"""A finding as a stand-alone shell script: it needs Docker and nothing of this project.

The script carries the environment (as a Harbor directory) and each attempt's files inside itself, builds the image,
does in a fresh container what the receipt says, runs the tests, and prints the recorded reward beside the one it gets.
"""

from __future__ import annotations

import base64
import io
import re
import shlex
import tarfile
import tempfile
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path

from river_envs.environment import Environment, File
from river_envs.outcome import NETWORK_WITHHELD
from river_envs.probes.base import Action, Copy, Finding, Put, Remove, Restore, Result, Run, Solve, Watch
from river_envs.sandbox.base import Change, Delta
from river_envs.verify import conditions as under

_HEAD = """\
#!/bin/sh
# {title}
# {message}
# Exit status 0: every attempt ended as recorded; 2: no image could be built. It needs Docker, and builds one image.
set -eu
work=$(mktemp -d)
box=
trap 'if [ -n "$box" ]; then docker rm -f "$box" >/dev/null 2>&1; fi; rm -rf "$work"' EXIT INT TERM
base64 -d <<'END' | tar -xzf - -C "$work"
{environment}
END
if ! image=$(docker build -q "$work/environment"); then
    echo "the image could not be built; it starts from:" {bases} >&2
    echo "where Docker cannot pull it, give an image of yours that name first: docker tag IMAGE NAME" >&2
    exit 2
fi
different=0
under=
times=1
network='--network none'
fresh() {{
    if [ -n "$box" ]; then docker rm -f "$box" >/dev/null; fi
    box=$(docker run -d $network {limits} --entrypoint /bin/sh "$image" -c 'while :; do sleep 3600; done')
}}
into() {{ base64 -d | docker cp - "$box:$1" >/dev/null; }}
grade() {{
    for round in $(seq "$times"); do
        docker exec -u 0 "$box" sh -c 'rm -rf /logs/verifier/reward.*; mkdir -p /logs/verifier /tests'
        docker cp "$work/tests/." "$box:/tests" >/dev/null
        docker exec {environment_variables}"$box" $under bash /tests/test.sh >"$work/log" 2>&1 || true
    done
    reward=$(docker exec "$box" sh -c 'cd /logs/verifier; cat reward.json 2>&- || cat reward.txt 2>&- || echo none')
    echo "$1: recorded $2, now $reward"
    case "$reward" in {{*}}) reward=$(printf %s "$reward" | tr -dc '0-9.:' | sed 's/^://') ;; esac
    if [ "$2" = none ] || [ "$reward" = none ]; then [ "$2" = "$reward" ] || different=1
    elif ! awk "BEGIN {{ exit !($2 + 0 == $reward + 0) }}"; then different=1; fi
}}
"""
_TAIL = """\
if [ "$different" = 0 ]; then echo reproduced; else echo 'not reproduced'; fi
exit "$different"
"""


def replay_script(finding: Finding, environment: Environment, attempts: Sequence[Result], start: Delta | None) -> str:
    """The script. ``start`` is the delta that restoring attempts begin with.

    An ``unstable`` finding repeats its gradings: the script shows them, its exit status is that of the comparison.
    """
    limits = f"--memory {environment.limits.memory_mb}m --pids-limit 512 --cpus {max(environment.limits.cpus, 0.1):g}"
    head = _HEAD.format(
        title=_comment(f"Replay of finding {finding.id} ({finding.claim}: {finding.cause}) in {environment.name}"),
        message=_comment(finding.message),
        environment=_armoured(_harbor_archive(environment)),
        limits=limits,
        bases=shlex.join(_bases(environment)),
        environment_variables="".join(
            f"-e {shlex.quote(f'{key}={value}')} " for key, value in environment.verifier.env
        ),
    )
    return head + "".join(_attempt(environment, result, start) for result in attempts) + _TAIL


def _bases(environment: Environment) -> list[str]:
    """What the image starts from, as the recipe names it; made printable, since it is shown on a terminal."""
    named = re.findall(r"(?im)^[ \t]*FROM:?[ \t]+(?:--\S+[ \t]+)*(\S+)", environment.image.text)
    return [_comment(name) for name in dict.fromkeys([*named, environment.image.docker_image or ""]) if name]


def _attempt(environment: Environment, result: Result, start: Delta | None) -> str:
    reward = "none" if result.outcome.reward is None else f"{result.outcome.reward:g}"
    actions = "".join(_action(environment, action, start) for action in result.attempt.actions)
    title = _comment(
        f"attempt {result.attempt.id}, {result.attempt.probe} ({result.attempt.arm}): {result.attempt.question}"
    )
    before, after = _conditions(environment, result.attempt.conditions)
    withheld = NETWORK_WITHHELD in result.outcome.substitutions or under.offline(result.attempt.conditions)
    network = "'--network none'" if environment.network == "none" or withheld else ""
    after = _just_made(start, result) + after
    return f"\n# {title}\nnetwork={network}\nfresh\n{before}{actions}{after}grade {result.attempt.id} {reward}\n"


def _conditions(environment: Environment, conditions: under.Conditions) -> tuple[str, str]:
    """What comes before the actions and before the grading."""
    if not conditions:
        return "under= times=1\n", ""
    prepared = under.prepare(conditions)
    launcher = shlex.quote(" ".join(prepared.wrap))
    before = f"under={launcher} times={under.times(conditions)}\n"
    if prepared.files:
        before += _action(environment, Put(prepared.files, under.PREFIX), None)
    before += _exec("-u 0 ", prepared.placed) if prepared.placed else ""
    wait = under.delay(conditions)
    after = _exec("-u 0 ", prepared.last) if prepared.last else ""
    return before, after + (f"sleep {wait:g}\n" if wait else "")


def _just_made(start: Delta | None, result: Result) -> str:
    """Where the age of the state is the question: what the work made gets time stamps of now, in order."""
    if "age" not in dict(result.attempt.conditions) or Restore() not in result.attempt.actions:
        return ""
    made = sorted((change.mtime, change.path) for change in under.made_by_work(start)) if start else []
    paths = [f"/{path}" for _, path in made]
    return "".join(
        _exec("-u 0 ", "touch -h -- " + shlex.join(paths[index : index + 200])) for index in range(0, len(paths), 200)
    )


def _action(environment: Environment, action: Action, start: Delta | None) -> str:
    user = f"-u {shlex.quote(environment.user)} " if environment.user else ""
    where = f"-w {shlex.quote(environment.workdir)} " if environment.workdir else ""
    match action:
        case Put(files, root):
            folders = sorted({str(Path("/", root.lstrip("/"), file.path).parent) for file in files})
            return _exec("-u 0 ", "mkdir -p " + shlex.join(folders)) + _unpack(root, _archive(files))
        case Copy(source, target):
            parent = shlex.quote(str(Path(target).parent))
            here, there = shlex.quote(source), shlex.quote(target)
            program = f"head -c 4 {there} | grep -aq -e '^#!' -e ELF"
            return _exec(user, f"mkdir -p {parent} && cat {here} >{there} && if {program}; then chmod 755 {there}; fi")
        case Run(script, _):
            return _exec(user + where, script, "$under ")
        case Solve():
            variables = "".join(f"-e {shlex.quote(f'{key}={value}')} " for key, value in environment.env)
            solve = '$under bash /solution/solve.sh >"$work/solve.log" 2>&1 || true'
            return (
                'docker cp "$work/solution" "$box:/solution" >/dev/null\n'
                f'docker exec {user}{where}{variables}"$box" {solve}\n'
            )
        case Remove(paths):
            return _exec("-u 0 ", "rm -rf " + shlex.join(paths))
        case Watch():
            return ""
        case Restore(without):
            left_out = {path.strip("/") for path in without}
            changes = [change for change in (start.changes if start else ()) if change.path not in left_out]
            gone = [f"/{change.path}" for change in changes if change.kind == "deleted"]
            return (_exec("-u 0 ", "rm -rf " + shlex.join(gone)) if gone else "") + _unpack("/", _restored(changes))


def _exec(options: str, script: str, under: str = "") -> str:
    return f'docker exec {options}"$box" {under}sh -c {shlex.quote(script)}\n'


def _unpack(root: str, archive: bytes) -> str:
    return f"into {shlex.quote(root)} <<'END'\n{_armoured(archive)}\nEND\n"


def _harbor_archive(environment: Environment) -> bytes:
    from river_envs.formats.writer import write_harbor

    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "task"
        write_harbor(environment, root)
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
            archive.add(root, arcname=".")
        return buffer.getvalue()


def _archive(files: Iterable[File]) -> bytes:
    return _tar((file.path, file.mode, 0, 0, file.content, file.link, 0) for file in files)


def _restored(changes: Iterable[Change]) -> bytes:
    kept = [change for change in changes if change.kind != "deleted"]
    return _tar(
        (
            change.path + ("/" if change.kind == "directory" else ""),
            change.mode,
            change.uid,
            change.gid,
            change.content,
            change.link,
            change.mtime,
        )
        for change in kept
    )


def _tar(entries: Iterable[tuple[str, int, int, int, bytes, str | None, int]]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for path, mode, uid, gid, content, link, mtime in entries:
            member = tarfile.TarInfo(path.strip("/"))
            member.mode, member.uid, member.gid, member.mtime = mode, uid, gid, mtime
            if path.endswith("/"):
                member.type = tarfile.DIRTYPE
            elif link is not None:
                member.type, member.linkname = tarfile.SYMTYPE, link
            else:
                member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def _armoured(content: bytes) -> str:
    return "\n".join(textwrap.wrap(base64.b64encode(content).decode(), 100))


def _comment(text: str) -> str:
    """Text of an environment on one comment line: nothing in it can end the line."""
    return "".join(character if character.isprintable() else " " for character in text)[:300]
