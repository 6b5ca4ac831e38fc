"""Writing and removing files, against whatever stands in the way."""

from __future__ import annotations

import tempfile
from pathlib import Path

from river_envs.environment import File
from river_envs.sandbox.base import Backend, Image
from river_envs.sandbox.conformance_tools import expect, raises, say, shell


def check_put_writes_bytes_and_modes(backend: Backend, image: Image) -> None:
    """Content, permission bits and root as the owner; below ``root``."""
    content = bytes(range(256)) * 300
    files = [File("bytes", content), File("run.sh", b"#!/bin/sh\necho ran\n", 0o755), File("sub/empty")]
    with backend.start(image) as sandbox:
        sandbox.put(files, "/srv/put")
        expect(sandbox.get("/srv/put/bytes") == content, "the same bytes")
        expect(say(sandbox, "/srv/put/run.sh") == "ran\n", "an executable file")
        seen = say(sandbox, "cd /srv/put; stat -c '%n %a %U %G %s' bytes run.sh sub/empty")
        expect(seen == "bytes 644 root root 76800\nrun.sh 755 root root 19\nsub/empty 644 root root 0\n", "modes", seen)


def check_put_makes_parents(backend: Backend, image: Image) -> None:
    """Missing directories are made, 0o755 and root's; existing ones keep what they have."""
    with backend.start(image) as sandbox:
        say(sandbox, "mkdir -m 711 /srv/kept; chown 5:6 /srv/kept")
        sandbox.put([File("srv/kept/new/deep/file", b"1")])
        seen = say(sandbox, "stat -c '%a %u %g' /srv/kept /srv/kept/new /srv/kept/new/deep")
        expect(seen == "711 5 6\n755 0 0\n755 0 0\n", "the directories", seen)


def check_put_gives_files_to_a_user(backend: Backend, image: Image) -> None:
    """By name; the group is the user's own."""
    with backend.start(image) as sandbox:
        sandbox.put([File("file", b"1")], "/srv", user="nobody")
        seen = say(sandbox, "stat -c '%U' /srv/file; stat -c '%g' /srv/file; id -g nobody").split()
        expect(seen[0] == "nobody" and seen[1] == seen[2], "the user and its group", seen)


def check_put_writes_links(backend: Backend, image: Image) -> None:
    """A link is a link, dangling or not."""
    with backend.start(image) as sandbox:
        sandbox.put([File("srv/link", link="/etc/passwd"), File("srv/dangling", link="../nowhere")])
        seen = say(sandbox, "readlink /srv/link /srv/dangling")
        expect(seen == "/etc/passwd\n../nowhere\n", "the targets", seen)


def check_put_replaces_what_is_there(backend: Backend, image: Image) -> None:
    """A file, an empty and a full directory, a FIFO; without waiting for anybody."""
    with backend.start(image) as sandbox:
        say(sandbox, "cd /srv; mkdir -p empty full/sub; echo 1 | tee file full/sub/file; chmod 000 file; mkfifo fifo")
        names = ("file", "empty", "full", "fifo")
        sandbox.put([File(name, b"new\n") for name in names], "/srv")
        for name in names:
            expect(sandbox.get(f"/srv/{name}") == b"new\n", f"{name} to be replaced")
        expect(say(sandbox, "stat -c %a /srv/file") == "644\n", "the new mode")


def check_put_replaces_a_final_link(backend: Backend, image: Image) -> None:
    """The link goes, its target stays as it was, inside and outside."""
    with backend.start(image) as sandbox:
        say(sandbox, "echo target >/srv/target; ln -s /srv/target /srv/link; ln -s /srv/none /srv/dangling")
        sandbox.put([File("link", b"new\n"), File("dangling", b"new\n")], "/srv")
        expect(sandbox.get("/srv/target") == b"target\n", "the target to stay")
        plain = shell(sandbox, "test -f /srv/link && test ! -L /srv/link && test ! -e /srv/none")
        expect(plain.exit_code == 0, "plain files")


def check_put_does_not_touch_hard_linked_files(backend: Backend, image: Image) -> None:
    """Replacing one name leaves the other names of the old file alone."""
    with backend.start(image) as sandbox:
        say(sandbox, "echo old >/srv/one; ln /srv/one /srv/two")
        sandbox.put([File("one", b"new\n")], "/srv")
        expect(sandbox.get("/srv/two") == b"old\n", "the other name to stay")


def check_put_resolves_parents_inside(backend: Backend, image: Image) -> None:
    """A link among the parents leads to a place of the sandbox, never of the host."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as host, backend.start(image) as sandbox:
        say(sandbox, f"mkdir -p {host}; ln -s {host} /srv/absolute; ln -s ../../../../../..{host} /srv/relative")
        sandbox.put([File("absolute/one", b"1"), File("relative/two", b"2")], "/srv")
        expect(not list(Path(host).iterdir()), "nothing on the host", list(Path(host).iterdir()))
        expect((sandbox.get(f"{host}/one"), sandbox.get(f"{host}/two")) == (b"1", b"2"), "both files inside")


def check_put_below_something_else_is_an_error(backend: Backend, image: Image) -> None:
    """A parent that is a file, a dangling link or a loop: OSError, and nothing is changed."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as host, backend.start(image) as sandbox:
        say(sandbox, f"cd /srv; echo 1 >file; ln -s {host}/none dangling; ln -s loop loop")
        for root in ("/srv/file", "/srv/dangling", "/srv/loop"):
            raises(OSError, f"an OSError below {root}", lambda root=root: sandbox.put([File("new", b"1")], root))
        expect(say(sandbox, "ls /srv; cat /srv/file").split() == ["dangling", "file", "loop", "1"], "nothing changed")
        expect(not list(Path(host).iterdir()), "nothing on the host")


def check_put_of_nothing_does_nothing(backend: Backend, image: Image) -> None:
    """An empty list is no error."""
    with backend.start(image) as sandbox:
        sandbox.put([])
        expect(not sandbox.delta().changes, "no change")


def check_put_many_files(backend: Backend, image: Image) -> None:
    """Hundreds of files in one call."""
    with backend.start(image) as sandbox:
        sandbox.put([File(f"many/{i % 10}/{i}", str(i).encode()) for i in range(500)], "/srv")
        expect(say(sandbox, "cat /srv/many/*/* | wc -c").strip() == "1390", "500 files")


def check_remove_takes_whole_trees(backend: Backend, image: Image) -> None:
    """Files, trees with unreadable directories, names with odd characters; nothing where there is nothing."""
    with backend.start(image) as sandbox:
        say(sandbox, "cd /srv; echo 1 >file; mkdir -p 'tree/a b' tree/-rf; echo 1 >'tree/a b/file'; chmod 000 tree/-rf")
        for path in ("/srv/file", "/srv/tree", "/srv/nothing", "/no/such/parent"):
            sandbox.remove(path)
        expect(say(sandbox, "ls -A /srv") == "", "an empty directory")


def check_remove_does_not_follow_links(backend: Backend, image: Image) -> None:
    """A link goes, its target stays."""
    with backend.start(image) as sandbox:
        say(sandbox, "cd /srv; mkdir real t; echo 1 >real/file; ln -s real link; ln -s ../real t/l")
        sandbox.remove("/srv/link")
        sandbox.remove("/srv/t")
        expect(say(sandbox, "ls /srv; cat /srv/real/file") == "real\n1\n", "the target to stay")


def check_remove_resolves_parents_inside(backend: Backend, image: Image) -> None:
    """A link among the parents leads to a place of the sandbox, never of the host."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as host, backend.start(image) as sandbox:
        (Path(host) / "file").write_text("host")
        say(sandbox, f"mkdir -p {host}; echo 1 >{host}/file; ln -s {host} /srv/link")
        sandbox.remove("/srv/link/file")
        expect((Path(host) / "file").exists(), "the host's file to stay")
        expect(shell(sandbox, f"test -e {host}/file").exit_code == 1, "the file inside to be gone")
