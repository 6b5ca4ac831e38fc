"""A sandbox starts from exactly image + delta, and the image is never changed."""

from __future__ import annotations

from river_envs.environment import File
from river_envs.sandbox.base import Backend, Change, Delta, Image
from river_envs.sandbox.conformance_tools import expect, say, shell


def check_fresh_sandbox_has_an_empty_delta(backend: Backend, image: Image) -> None:
    """Nothing that the backend does counts as a change."""
    with backend.start(image) as sandbox:
        delta = sandbox.delta()
        expect(delta == Delta(), "an empty delta", delta)


def check_start_applies_a_delta(backend: Backend, image: Image) -> None:
    """Files, directories, links and deletions are all there when the sandbox starts."""
    delta = Delta((
        Change("etc/passwd-", "deleted"),
        Change("srv/new", "directory", 0o700),
        Change("srv/new/file", "file", 0o640, 1, 2, b"content\n"),
        Change("srv/new/link", "link", 0o777, link="file"),
    ))
    with backend.start(image, delta=delta) as sandbox:
        expect(sandbox.get("/srv/new/link") == b"content\n", "the file behind the link")
        seen = say(sandbox, "stat -c '%a %u %g' /srv/new /srv/new/file; test -e /etc/passwd- || echo gone").split("\n")
        expect(seen[:3] == ["700 0 0", "640 1 2", "gone"], "modes and owners of the delta", seen)


def check_start_deletes_whole_trees(backend: Backend, image: Image) -> None:
    """A deleted directory takes everything below it along."""
    delta = Delta((Change("etc/default", "deleted"), Change("usr/share/doc", "deleted")))
    with backend.start(image, delta=delta) as sandbox:
        gone = shell(sandbox, "test ! -e /etc/default && test ! -e /usr/share/doc")
        expect(gone.exit_code == 0, "both trees to be gone")


def check_start_deletes_a_link_not_its_target(backend: Backend, image: Image) -> None:
    """A deletion never follows a link."""
    with backend.start(image) as sandbox:
        say(sandbox, "mkdir -p /srv/real && echo 1 >/srv/real/file && ln -s /srv/real /srv/link")
        first = sandbox.delta()
    changes = tuple(change for change in first.changes if change.path != "srv/link")
    with backend.start(image, delta=Delta(changes)) as sandbox:
        expect(sandbox.get("/srv/real/file") == b"1\n", "the target to stay")


def check_sandboxes_share_no_files(backend: Backend, image: Image) -> None:
    """What one sandbox writes is seen neither by one that runs beside it nor by one that starts later."""
    with backend.start(image) as one, backend.start(image) as other:
        one.put([File("srv/mine", b"1")])
        say(one, "echo 1 >/tmp/mine; echo 1 >/dev/shm/mine; rm -rf /etc/passwd")
        seen = say(other, "ls /tmp/mine /srv/mine /dev/shm/mine 2>/dev/null; cat /etc/passwd")
        expect("mine" not in seen and "root" in seen, "a sandbox of its own", seen)
    with backend.start(image) as later:
        expect(later.delta() == Delta(), "an unchanged image")


def check_image_defaults_apply(backend: Backend, image: Image) -> None:
    """Working directory, user and variables of the image hold for every command."""
    with backend.start(image) as sandbox:
        result = sandbox.exec(["/bin/sh", "-c", "pwd; id -un; env"], timeout_sec=30)
        lines = result.text.split("\n")
        expect(lines[0] == image.workdir, f"the working directory {image.workdir}", lines[0])
        expect(image.user.partition(":")[0] in (lines[1], "0"), f"the user {image.user}", lines[1])
        missing = [pair for pair in image.env if "=".join(pair) not in lines]
        expect(not missing, "the image's variables", missing)


def check_layer_adds_to_an_image(backend: Backend, image: Image) -> None:
    """A layer holds the files put there and what its command did; the image below stays as it was."""
    files, command = [File("srv/layer/given", b"given\n")], ["/bin/sh", "-c", "cat /srv/layer/given >/srv/layer/made"]
    layered = backend.layer(image, files, command, key="conformance-1", network=False)
    again = backend.layer(image, files, command, key="conformance-1", network=False)
    expect(layered.key == again.key and layered.layers == again.layers, "one layer for one key")
    expect((layered.workdir, layered.user) == (image.workdir, image.user), "the image's defaults", layered)
    with backend.start(layered) as sandbox:
        expect(sandbox.get("/srv/layer/made") == b"given\n", "the command's file")
        expect(sandbox.delta() == Delta(), "an empty delta on the layer")
    with backend.start(image) as sandbox:
        expect(shell(sandbox, "test -e /srv/layer").exit_code == 1, "the image below to be unchanged")


def check_layer_that_fails_is_no_layer(backend: Backend, image: Image) -> None:
    """A command that fails raises BuildFailed with its output, and is run again the next time."""
    from river_envs.sandbox.base import BuildFailed

    for _ in range(2):
        try:
            backend.layer(image, [], ["/bin/sh", "-c", "echo because; exit 3"], key="conformance-2", network=False)
        except BuildFailed as error:
            expect("because" in error.log, "the output in the log", error.log)
        else:
            raise AssertionError("expected BuildFailed")
