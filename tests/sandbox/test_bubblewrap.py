import contextlib
import os
import threading

import pytest
from sandbox_support import shell

from river_envs.environment import File
from river_envs.sandbox.base import Change, Delta, SandboxError, SandboxLimits
from river_envs.sandbox.rootfs import Mount, Rootfs, upper_name

pytestmark = pytest.mark.sandbox

WORK = r"""
set -e
mkdir -p /app/new/deep /opt/tool
echo one > /app/new/one
echo two > /app/new/deep/two
ln -s one /app/new/link
ln -s /nowhere /app/dangling
ln /app/new/one /app/new/hard
chmod 600 /app/new/one
chmod 1777 /opt/tool
printf 'changed\n' > /etc/hosts
rm /etc/issue /etc/skel/.profile
rm -r /etc/alternatives
mkdir /etc/alternatives
echo fresh > /etc/alternatives/fresh
touch /etc/passwd
cat /etc/group > /tmp/copy && cat /tmp/copy > /etc/group
rm /etc/hostname && mkdir /etc/hostname
rm -r /etc/ld.so.conf.d && echo file > /etc/ld.so.conf.d
ln -sf /app /etc/mtab
mkfifo /app/pipe
echo log > /logs.txt; mkdir /logs; echo hidden > /logs/hidden
echo binary > /usr/local/bin/tool
: > /app/empty
printf '\377\000\n' > "$(printf '/app/odd \316\261\n name')"
"""


def paths(delta, kind=None):
    return {change.path for change in delta.changes if kind in (None, change.kind)}


def test_delta_of_assorted_changes(sandbox):
    assert shell(sandbox, WORK).exit_code == 0
    delta = sandbox.delta()
    assert paths(delta, "directory") == {"app", "app/new", "app/new/deep", "opt/tool", "etc/hostname"}
    assert paths(delta, "link") == {"app/new/link", "app/dangling", "etc/mtab"}
    assert {"etc/issue", "etc/skel/.profile"} <= paths(delta, "deleted")
    assert "etc/alternatives" not in paths(delta)
    assert any(path.startswith("etc/alternatives/") for path in paths(delta, "deleted"))
    assert paths(delta, "file") >= {
        "app/new/one", "app/new/hard", "app/new/deep/two", "app/empty", "etc/hosts", "etc/alternatives/fresh",
        "logs.txt", "etc/ld.so.conf.d", "usr/local/bin/tool", "tmp/copy", "app/odd α\n name",
    }
    assert not {"etc/passwd", "etc/group", "usr", "usr/local/bin"} & paths(delta), "rewritten with equal content"
    assert not any(path == "logs" or path.startswith(("logs/", "proc", "dev")) for path in paths(delta))
    assert delta.skipped == ("app/pipe",)
    assert delta.get("/app/new/one").mode == 0o600
    assert delta.get("opt/tool").mode == 0o1777
    assert delta.get("app/new/link").link == "one"
    assert delta.get("app/odd α\n name").content == b"\xff\x00\n"
    assert [change.path for change in delta.changes] == sorted(change.path for change in delta.changes)


def test_delta_round_trip(namespaces, rootfs, sandbox):
    assert shell(sandbox, WORK).exit_code == 0
    delta = sandbox.delta()
    with namespaces.start(rootfs, delta=delta) as again:
        assert again.delta().digest == delta.digest
        assert again.get("/app/new/deep/two") == b"two\n"
        assert shell(again, "test ! -e /etc/issue && cat /etc/alternatives/*").text == "fresh\n"


def test_delta_above_its_limit_is_an_error(namespaces, rootfs, monkeypatch):
    monkeypatch.setattr("river_envs.sandbox.namespace_sandbox.DELTA_BYTES", 1 << 20)
    with namespaces.start(rootfs) as sandbox:
        shell(sandbox, "head -c 2000000 /dev/zero > /tmp/big")
        with pytest.raises(SandboxError, match="tmp/big"):
            sandbox.delta()
        assert shell(sandbox, "echo alive").text == "alive\n"


def test_sparse_file_does_not_pass_the_limit(namespaces, rootfs):
    with namespaces.start(rootfs) as sandbox:
        shell(sandbox, "truncate -s 100G /tmp/sparse")
        with pytest.raises(SandboxError, match="more data than a delta may"):
            sandbox.delta()


def test_a_delta_with_hostile_paths_stays_inside(namespaces, rootfs, tmp_path):
    target = tmp_path / "outside"
    changes = (
        Change("../../../../../../.." + str(target), "file", content=b"x"),
        Change("etc/out", "link", link=str(tmp_path)),
        Change("etc/out/inside", "file", content=b"y"),
    )
    with namespaces.start(rootfs, delta=Delta(changes)) as sandbox:
        assert not target.exists()
        assert not (tmp_path / "inside").exists()
        assert sandbox.get(f"{tmp_path}/inside") == b"y"


def test_layers_of_builds_stack(namespaces, rootfs, tmp_path):
    layer = tmp_path / "layer"
    with namespaces.start(rootfs, upper=layer) as build:
        assert shell(build, "echo built > /opt/built; rm /etc/issue; echo tool > /usr/local/bin/mine").exit_code == 0
    try:
        assert {path.name for path in layer.iterdir()} == {upper_name(mount.dest) for mount in rootfs.mounts}
        with namespaces.start(rootfs.stacked(layer)) as sandbox:
            result = shell(sandbox, "cat /opt/built /usr/local/bin/mine; ls /etc/issue")
            assert result.text.startswith("built\ntool\nls:")
            assert sandbox.delta().changes == ()
    finally:
        namespaces.rmtree(layer)
    assert not layer.exists()


def test_binds_are_read_only_and_leave_no_trace(namespaces, rootfs, tmp_path):
    source, layer = tmp_path / "source", tmp_path / "layer"
    source.write_text("shown\n")
    with namespaces.start(rootfs, upper=layer, binds={"/etc/resolv.conf": str(source)}) as sandbox:
        result = shell(sandbox, "cat /etc/resolv.conf; echo more >> /etc/resolv.conf")
        assert result.text.startswith("shown\n")
        assert result.exit_code != 0
    assert not (layer / "root" / "etc" / "resolv.conf").exists()
    namespaces.rmtree(layer)


def test_a_missing_layer_is_a_sandbox_error(namespaces, rootfs):
    broken = Rootfs((Mount("/", ("/nonexistent/layer",)),))
    with pytest.raises(SandboxError):
        namespaces.start(broken)
    with namespaces.start(rootfs) as sandbox:
        assert shell(sandbox, "echo fine").text == "fine\n"


def test_untar_stays_in_its_destination(namespaces, tmp_path):
    import io
    import tarfile

    archive, dest = tmp_path / "hostile.tar", tmp_path / "dest"
    with tarfile.open(archive, "w") as tar:
        members = (("a", None), ("up", "../../.."), ("up/escaped", None), ("/absolute", None), ("../dots", None))
        for name, link in members:
            info = tarfile.TarInfo(name)
            if link:
                info.type, info.linkname = tarfile.SYMTYPE, link
                tar.addfile(info)
            else:
                info.size = 1
                tar.addfile(info, io.BytesIO(b"x"))
    with contextlib.suppress(SandboxError):  # refusing the archive is as good as containing it
        namespaces.untar(archive, dest)
    assert {path.name for path in tmp_path.iterdir()} == {"hostile.tar", "dest"}
    namespaces.rmtree(dest)


def test_copy_keeps_everything(namespaces, tmp_path):
    source = tmp_path / "source"
    (source / "d").mkdir(parents=True)
    (source / "d" / "f").write_text("x")
    (source / "d" / "f").chmod(0o751)
    os.link(source / "d" / "f", source / "g")
    (source / "l").symlink_to("d/f")
    namespaces.copy(source, tmp_path / "copy")
    copied = tmp_path / "copy"
    with namespaces.start(Rootfs((Mount("/", (str(copied),)),))) as sandbox:
        assert [(entry.path, entry.kind, entry.mode) for entry in sandbox.list(["/"]) if entry.path[1] in "dgl"] == [
            ("/d", "directory", 0o755), ("/d/f", "file", 0o751), ("/g", "file", 0o751), ("/l", "link", 0o777)]
    assert (copied / "g").stat().st_nlink == 2
    namespaces.rmtree(copied)


def test_many_layers(namespaces, rootfs, tmp_path):
    layers = []
    for number in range(120):
        layer = tmp_path / f"a-rather-long-name-for-a-layer-{number:04}" / "root" / "opt"
        layer.mkdir(parents=True)
        (layer / f"file{number}").write_text(str(number))
        layers.append(str(layer.parent))
    base = rootfs.mounts[0]
    deep = Rootfs((Mount("/", (*reversed(layers), *base.lowers)), *rootfs.mounts[1:]))
    with namespaces.start(deep) as sandbox:
        assert shell(sandbox, "ls /opt | grep -c file; cat /opt/file0 /opt/file119").text == "120\n0119"


def test_get_refuses_what_is_no_regular_file(sandbox):
    shell(sandbox, "mkfifo /tmp/fifo; ln -s /proc/1/root/etc/passwd /tmp/magic; ln -s ../../../../etc/hostname /tmp/up")
    for path in ("/tmp/fifo", "/dev/null"):
        with pytest.raises(OSError, match="not a regular file"):
            sandbox.get(path)
    with pytest.raises(OSError, match=r"."):
        sandbox.get("/tmp/magic")
    assert sandbox.get("/tmp/up") == b"sandbox\n"
    with pytest.raises(FileNotFoundError):
        sandbox.get("/tmp/nothing")
    with pytest.raises(IsADirectoryError):
        sandbox.get("/tmp")


def test_put_through_hostile_links(sandbox, tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("untouched")
    shell(sandbox, f"ln -s {victim} /tmp/final; ln -s /proc/1/root /tmp/root; ln -s {tmp_path} /tmp/parent; "
          f"mkdir -p {tmp_path}")
    sandbox.put([File("tmp/final", b"new"), File("tmp/parent/victim", b"inside")])
    assert victim.read_text() == "untouched"
    assert sandbox.get("/tmp/final") == b"new"
    assert sandbox.get(f"{tmp_path}/victim") == b"inside"
    with pytest.raises(OSError, match=r"."):
        sandbox.put([File("tmp/root/etc/owned", b"x")])


def test_background_server_survives_between_commands(sandbox):
    script = "mkdir /srv/web; echo hello > /srv/web/index; cd /srv/web; setsid python3 -m http.server 8000 & disown"
    assert shell(sandbox, script).exit_code == 0
    fetch = "for i in $(seq 100); do exec 3<>/dev/tcp/127.0.0.1/8000 && break || sleep 0.1; done 2>/dev/null; " \
            "printf 'GET /index HTTP/1.0\\r\\n\\r\\n' >&3; cat <&3"
    assert shell(sandbox, fetch).text.endswith("hello\n")
    assert shell(sandbox, fetch).text.endswith("hello\n")


def test_commands_share_processes_and_shared_memory(sandbox):
    shell(sandbox, "sleep 1000 & echo $! > /tmp/pid; echo shared > /dev/shm/note")
    assert shell(sandbox, "kill -0 $(cat /tmp/pid) && cat /dev/shm/note").text == "shared\n"


def test_environment_is_clean(sandbox, monkeypatch):
    monkeypatch.setenv("RIVER_SECRET", "leak")
    lines = dict(line.split("=", 1) for line in sandbox.exec(["env"], timeout_sec=10).text.splitlines())
    assert set(lines) == {"PATH", "HOME"}
    assert lines["HOME"] == "/root"


def test_sandboxes_in_threads(namespaces, rootfs):
    failures = []

    def work(number):
        for _ in range(5):
            with namespaces.start(rootfs) as sandbox:
                shell(sandbox, f"echo {number} > /tmp/mine")
                if sandbox.get("/tmp/mine") != f"{number}\n".encode():
                    failures.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_a_thread_that_ends_takes_nothing_along(namespaces, rootfs):
    made = []
    thread = threading.Thread(target=lambda: made.append(namespaces.start(rootfs)))
    thread.start()
    thread.join()
    with made[0] as sandbox:
        assert shell(sandbox, "sleep 0.2; echo alive").text == "alive\n"


def test_output_keeps_its_beginning(namespaces, rootfs):
    with namespaces.start(rootfs, limits=SandboxLimits(output_bytes=100)) as sandbox:
        result = shell(sandbox, "for i in $(seq 1000); do echo $i; done")
        assert result.truncated
        assert len(result.output) == 100
        assert result.exit_code == 0
        assert result.output.startswith(b"1\n2\n")


def test_user_with_a_group(sandbox, namespaces):
    if namespaces.id_map.mode == "single":
        pytest.skip("one user is mapped: nobody else to be")
    assert shell(sandbox, "id -u; id -g", user="nobody").text == "65534\n65534\n"
    assert shell(sandbox, "id -u; id -g", user="www-data:games").text == "33\n60\n"
    assert shell(sandbox, "true", user="nosuchuser").exit_code == 126
