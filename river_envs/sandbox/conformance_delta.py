"""What counts as a change, and that equal work gives equal digests."""

from __future__ import annotations

from river_envs.environment import File
from river_envs.sandbox.base import Backend, Change, Delta, Image, Sandbox
from river_envs.sandbox.conformance_tools import expect, say

WORK = """set -e; umask 022; cd /srv
mkdir -p made/deep; printf 'text\\n' >made/deep/file; ln -s deep/file made/link; ln made/deep/file made/hard
printf '\\377\\000' >bytes; chown 12:34 bytes; chmod 4711 bytes; mkdir -m 1777 shared; ln -s /nowhere dangling
rm -f /etc/passwd-; printf added >>/etc/issue; touch -d @1000000000 made/deep/file
"""
"""A bit of everything, the same on every image with a /srv that is empty."""


def _kinds(sandbox: Sandbox, root: str = "srv/") -> dict[str, str]:
    return {change.path: change.kind for change in sandbox.delta().changes if change.path.startswith(root)}


def check_delta_tells_kinds_modes_and_owners(backend: Backend, image: Image) -> None:
    """Everything that a solution may leave behind."""
    with backend.start(image) as sandbox:
        say(sandbox, WORK)
        changes = {change.path: change for change in sandbox.delta().changes if change.path.startswith("srv/")}
    expected = (
        Change("srv/bytes", "file", 0o4711, 12, 34, b"\xff\0"),
        Change("srv/dangling", "link", 0o777, link="/nowhere"),
        Change("srv/made", "directory", 0o755),
        Change("srv/made/deep", "directory", 0o755),
        Change("srv/made/deep/file", "file", 0o644, content=b"text\n"),
        Change("srv/made/hard", "file", 0o644, content=b"text\n"),
        Change("srv/made/link", "link", 0o777, link="deep/file"),
        Change("srv/shared", "directory", 0o1777),
    )
    expect(list(changes) == [change.path for change in expected], "these paths in order", list(changes))
    expect(changes["srv/made/deep/file"].mtime == 1_000_000_000, "the time", changes["srv/made/deep/file"].mtime)
    expect(Delta(tuple(changes.values())).digest == Delta(expected).digest, "these changes", tuple(changes.values()))


def check_delta_digest_is_the_same_everywhere(backend: Backend, image: Image) -> None:
    """Equal work in two sandboxes gives one digest, whatever the time."""
    with backend.start(image) as one, backend.start(image) as other:
        say(one, WORK)
        say(other, "sleep 1.1;" + WORK + "touch bytes made/hard")
        expect(one.delta().digest == other.delta().digest, "one digest")


def check_delta_drops_what_changed_nothing(backend: Backend, image: Image) -> None:
    """Touching, rewriting, copying in place, changing and changing back, making and removing."""
    with backend.start(image) as sandbox:
        say(sandbox, """touch /etc/passwd; cp /etc/group /tmp/x; cat /tmp/x >/etc/group; rm /tmp/x
            chmod 600 /etc/issue; chmod 644 /etc/issue; mv /etc/issue /tmp/y; mv /tmp/y /etc/issue
            cp -p /etc/profile /tmp/z; mv /tmp/z /etc/profile; mkdir /srv/d; rmdir /srv/d; touch /srv /etc""")
        delta = sandbox.delta()
        expect(delta == Delta(), "no change", delta)


def check_delta_sees_a_disguised_change(backend: Backend, image: Image) -> None:
    """A file rewritten with the same length and its old time has changed."""
    with backend.start(image) as sandbox:
        say(sandbox, """cp -p /etc/passwd /tmp/old; sed -i s/root/toor/ /etc/passwd
            touch -r /tmp/old /etc/passwd; rm /tmp/old""")
        change = sandbox.delta().get("/etc/passwd")
        expect(change is not None and b"toor" in change.content, "the changed file", change)


def check_delta_sees_modes_and_owners(backend: Backend, image: Image) -> None:
    """Of files and directories of the image, without a change of content."""
    with backend.start(image) as sandbox:
        say(sandbox, "chmod 600 /etc/issue; chown 7:8 /etc/profile; chmod 700 /opt")
        changes = {change.path: (change.kind, change.mode, change.uid) for change in sandbox.delta().changes}
        expected = {"etc/issue": ("file", 0o600, 0), "etc/profile": ("file", 0o644, 7), "opt": ("directory", 0o700, 0)}
        expect(changes == expected, f"{expected}", changes)


def check_delta_leaves_out_special_files(backend: Backend, image: Image) -> None:
    """FIFOs and sockets are named, not kept."""
    with backend.start(image) as sandbox:
        say(sandbox, "mkfifo /srv/fifo; echo 1 >/srv/file")
        delta = sandbox.delta()
        expect([change.path for change in delta.changes] == ["srv/file"], "the file only", delta.changes)
        expect([path.strip("/") for path in delta.skipped] == ["srv/fifo"], "the FIFO's name", delta.skipped)


def check_delta_leaves_out_logs_and_kernel_files(backend: Backend, image: Image) -> None:
    """/logs, /dev, /proc and /sys belong to nobody's solution."""
    with backend.start(image) as sandbox:
        say(sandbox, "mkdir -p /logs/verifier; echo 1 | tee /logs/verifier/reward.txt /dev/shm/x /srv/file")
        paths = [change.path for change in sandbox.delta().changes]
        expect(paths == ["srv/file"], "the file only", paths)


def check_delta_of_deletions(backend: Backend, image: Image) -> None:
    """A removed tree is one deletion; one that was made again is a deletion of what is gone."""
    with backend.start(image) as sandbox:
        say(sandbox, """ls -d /usr/share/doc /etc/default; rm -rf /usr/share/doc /etc/passwd-; mv /etc/default /tmp/keep
            mkdir /etc/default; cp -p /tmp/keep/useradd /etc/default 2>/dev/null; rm -r /tmp/keep""")
        names = say(sandbox, "ls -A /etc/default").split()
        changes = {change.path: change.kind for change in sandbox.delta().changes}
        expect(changes.get("usr/share/doc") == "deleted", "one deletion", changes.get("usr/share/doc"))
        below = [path for path in changes if path.startswith("usr/share/doc/")]
        expect(not below, "nothing below it", below)
        expect("etc/default" not in changes, "the directory itself to be unchanged", changes)
        put_back = [name for name in names if f"etc/default/{name}" in changes]
        expect(not put_back, "what was put back to be unchanged", put_back)
        expect(all(kind == "deleted" for kind in changes.values()), "only deletions", changes)


def check_delta_of_replaced_kinds(backend: Backend, image: Image) -> None:
    """A file for a directory, a directory for a file, a link for both; and a directory emptied by a rename."""
    with backend.start(image) as sandbox:
        say(sandbox, """rm -r /etc/default; echo 1 >/etc/default; rm /etc/issue; mkdir /etc/issue; echo 1 >/etc/issue/in
            rm -r /usr/share/doc; ln -s /srv /usr/share/doc; rm /etc/profile; ln -s /srv /etc/profile""")
        changes = {change.path: change.kind for change in sandbox.delta().changes}
        expected = {"etc/default": "file", "etc/issue": "directory", "etc/issue/in": "file", "etc/profile": "link",
                    "usr/share/doc": "link"}
        expect(changes == expected, f"{expected}", changes)


def check_delta_round_trip(backend: Backend, image: Image) -> None:
    """A sandbox started from a delta has that delta, and the work in it."""
    with backend.start(image) as first:
        say(first, WORK + """rm -r /usr/share/doc; mv /etc/default /etc/moved; rm /etc/profile; mkdir /etc/profile
            rm /etc/issue; ln -s /srv /etc/issue""")
        delta = first.delta()
    with backend.start(image, delta=delta) as second:
        again = second.delta()
        expect(again.digest == delta.digest, "the same digest", set(again.changes) ^ set(delta.changes))
        expect(say(second, "cat /srv/made/link; stat -c %Y /srv/made/deep/file") == "text\n1000000000\n", "the work")
        say(second, "echo more >/srv/more; rm /srv/bytes")
        kinds = _kinds(second)
        expect("srv/more" in kinds and "srv/bytes" not in kinds, "changes on top of it", kinds)


def check_delta_keeps_names_as_they_are(backend: Backend, image: Image) -> None:
    """Blanks, newlines, leading dashes, long names and names that are no text."""
    with backend.start(image) as sandbox:
        say(sandbox, """cd /srv; odd=$(printf 'b\\377d'); long=$(printf '%0200d' 0)
            for name in 'a b' 'new\nline' -x "$odd" "$long"; do echo 1 >"$name"; done
            deep=$(printf 'd%.0s/' $(seq 150)); mkdir -p $deep; echo 1 >${deep}f""")
        delta = sandbox.delta()
        names = {change.path for change in delta.changes if change.kind == "file"}
        expected = {"srv/a b", "srv/new\nline", "srv/-x", "srv/b\udcffd", "srv/" + "0" * 200, "srv/" + "d/" * 150 + "f"}
        expect(names == expected, "every name", names ^ expected)
    with backend.start(image, delta=delta) as again:
        expect(again.delta().digest == delta.digest, "the same digest after a round trip")


def check_delta_holds_put_files(backend: Backend, image: Image) -> None:
    """What ``put`` wrote is part of it."""
    with backend.start(image) as sandbox:
        sandbox.put([File("srv/put/file", b"1", 0o755)])
        sandbox.remove("/etc/issue")
        kinds = {change.path: (str(change.kind), change.mode) for change in sandbox.delta().changes}
        expect(kinds.pop("etc/issue", ("", 0))[0] == "deleted", "the deletion")
        expect(kinds == {"srv/put": ("directory", 0o755), "srv/put/file": ("file", 0o755)}, "file and parent", kinds)
