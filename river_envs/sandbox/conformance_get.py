"""Reading and listing, against names and files made to mislead."""

from __future__ import annotations

import tempfile
from pathlib import Path

from river_envs.sandbox.base import Backend, Image
from river_envs.sandbox.conformance_tools import expect, raises, say


def check_get_reads_up_to_a_limit(backend: Backend, image: Image) -> None:
    """The first bytes of a large (even endless-looking) file."""
    with backend.start(image) as sandbox:
        say(sandbox, "printf 0123456789 >/srv/file; truncate -s 900M /srv/sparse")
        expect(sandbox.get("/srv/file") == b"0123456789", "the whole file")
        expect(sandbox.get("/srv/file", limit=4) == b"0123", "four bytes")
        expect(sandbox.get("/srv/sparse", limit=1000) == bytes(1000), "a thousand zeros")


def check_get_of_nothing_is_not_found(backend: Backend, image: Image) -> None:
    """Missing names, missing parents, dangling links."""
    with backend.start(image) as sandbox:
        say(sandbox, "ln -s /srv/none /srv/dangling; echo 1 >/srv/file")
        for path in ("/srv/none", "/no/such/parent", "/srv/dangling"):
            raises(FileNotFoundError, f"FileNotFoundError for {path}", lambda path=path: sandbox.get(path))
        raises(OSError, "an OSError below a file", lambda: sandbox.get("/srv/file/below"))


def check_get_of_a_directory_is_an_error(backend: Backend, image: Image) -> None:
    """Also through a link."""
    with backend.start(image) as sandbox:
        say(sandbox, "ln -s /etc /srv/link")
        for path in ("/etc", "/srv/link", "/"):
            raises(IsADirectoryError, f"IsADirectoryError for {path}", lambda path=path: sandbox.get(path))


def check_get_never_waits(backend: Backend, image: Image) -> None:
    """FIFOs, devices, sockets and link loops are errors at once."""
    with backend.start(image) as sandbox:
        say(sandbox, "cd /srv; mkfifo fifo; ln -s fifo link; ln -s loop loop; ln -s b a; ln -s a b")
        for path in ("/srv/fifo", "/srv/link", "/srv/loop", "/srv/a", "/dev/null", "/dev/zero"):
            raises(OSError, f"an OSError for {path}", lambda path=path: sandbox.get(path))


def check_get_follows_links_inside(backend: Backend, image: Image) -> None:
    """Links lead to the sandbox's own files, however they are written."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as host, backend.start(image) as sandbox:
        (Path(host) / "secret").write_text("host")
        say(sandbox, f"""cd /srv; echo inside >file; ln -s /srv/file one; ln -s one two; ln -s {host}/secret out
            ln -s ../../../../../../../..{host}/secret up; ln -s /proc/1/root{host}/secret proc""")
        expect(sandbox.get("/srv/two") == b"inside\n", "the file behind two links")
        for path in ("/srv/out", "/srv/up", "/srv/proc", f"{host}/secret"):
            raises(OSError, f"nothing of the host behind {path}", lambda path=path: sandbox.get(path))


def check_get_reads_what_a_user_hides(backend: Backend, image: Image) -> None:
    """Permissions inside do not bind the judge."""
    with backend.start(image) as sandbox:
        say(sandbox, "chmod 777 /srv")
        say(sandbox, "mkdir /srv/own; echo 1 >/srv/own/file; chmod 000 /srv/own/file /srv/own", user="nobody")
        expect(sandbox.get("/srv/own/file") == b"1\n", "the file")


def check_list_names_everything_below(backend: Backend, image: Image) -> None:
    """Kinds, sizes and modes, in path order; links are not followed; FIFOs are left out."""
    with backend.start(image) as sandbox:
        say(sandbox, """cd /srv; mkdir -m 750 d; printf 123 >d/f; chmod 600 d/f; ln -s /etc d/l; mkfifo d/p
            echo 1 >d-e; mkdir z""")
        found = [(item.path, item.kind, oct(item.mode)) for item in sandbox.list(["/srv"])]
        expected = [("/srv/d", "directory", "0o750"), ("/srv/d-e", "file", "0o644"), ("/srv/d/f", "file", "0o600"),
                    ("/srv/d/l", "link", "0o777"), ("/srv/z", "directory", "0o755")]
        expect(found == expected, f"{expected}", found)
        sizes = {item.path: item.size for item in sandbox.list(["/srv"]) if item.kind == "file"}
        expect(sizes == {"/srv/d-e": 2, "/srv/d/f": 3}, "the sizes of files", sizes)


def check_list_stays_where_it_is_told(backend: Backend, image: Image) -> None:
    """Several roots, missing ones, overlapping ones; never the kernel's file systems; at most ``limit`` entries."""
    with backend.start(image) as sandbox:
        say(sandbox, "mkdir -p /srv/a /opt/b; for i in 1 2 3; do echo $i >/srv/a/$i; done")
        paths = [item.path for item in sandbox.list(["/srv/a", "/srv", "/nowhere", "/opt"])]
        expect(paths == sorted(set(paths)), "each entry once, in order", paths)
        expect({"/srv/a/1", "/opt/b"} <= set(paths), "both roots", paths)
        expect(len(sandbox.list(["/srv"], limit=2)) == 2, "two entries")
        tops = {item.path.split("/")[1] for item in sandbox.list(["/"], limit=100_000) if item.path.count("/") > 1}
        expect(not tops & {"proc", "sys", "dev"} and "etc" in tops, "no kernel file system", sorted(tops))
