"""What a sandbox cannot reach: the network, the host's files, processes, devices and kernel settings."""

from __future__ import annotations

import tempfile
from pathlib import Path

from river_envs.sandbox.base import Backend, Image
from river_envs.sandbox.conformance_tools import expect, say, shell


def check_no_network(backend: Backend, image: Image) -> None:
    """Only the loopback interface, and no route."""
    with backend.start(image) as sandbox:
        lines = say(sandbox, "cat /proc/net/dev").split("\n")[2:]
        names = [line.split(":")[0].strip() for line in lines if ":" in line]
        expect(set(names) <= {"lo"}, "the loopback interface only", names)
        routes = say(sandbox, "cat /proc/net/route").strip().split("\n")[1:]
        expect(not routes, "no route", routes)


def check_loopback_is_up(backend: Backend, image: Image) -> None:
    """A server and its client in one sandbox can talk."""
    with backend.start(image) as sandbox:
        seen = say(sandbox, "grep -c 127.0.0.1 /proc/net/fib_trie; :").strip()
        expect(seen not in ("", "0"), "an address of the loopback interface", seen)


def check_host_files_are_not_there(backend: Backend, image: Image) -> None:
    """Neither to read nor to write."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as host, backend.start(image) as sandbox:
        secret = Path(host) / "secret"
        secret.write_text("host")
        paths = f"{host} /proc/1/root{host} /proc/self/root{host}"
        expect(shell(sandbox, f"ls {paths} 2>/dev/null").output == b"", "no such directory inside")
        shell(sandbox, f"mkdir -p {host}; echo inside >{host}/secret; echo inside >{host}/new")
        expect(secret.read_text() == "host" and len(list(Path(host).iterdir())) == 1, "the host's directory unchanged")


def check_host_processes_are_not_there(backend: Backend, image: Image) -> None:
    """A process namespace of its own, with few processes in it."""
    with backend.start(image) as sandbox:
        count = len(say(sandbox, "ls -d /proc/[0-9]*").split())
        expect(count < 12, "only processes of the sandbox", count)


def check_kernel_settings_are_read_only(backend: Backend, image: Image) -> None:
    """Writing back the value that is there fails for root."""
    with backend.start(image) as sandbox:
        for name in ("kernel/core_pattern", "vm/overcommit_memory", "fs/file-max", "kernel/panic"):
            script = f"value=$(cat /proc/sys/{name}) && echo \"$value\" >/proc/sys/{name}"
            expect(shell(sandbox, script).exit_code != 0, f"/proc/sys/{name} to be protected")
        expect(shell(sandbox, "echo h >/proc/sysrq-trigger").exit_code != 0, "sysrq to be protected")


def check_nothing_can_be_mounted(backend: Backend, image: Image) -> None:
    """Neither a new file system nor another look at one that is there."""
    with backend.start(image) as sandbox:
        for script in ("mount -t tmpfs none /mnt", "mount -t proc none /mnt", "mount --bind /etc /mnt",
                       "mount -o remount,rw /proc/sys", "umount -l /proc/sys"):
            expect(shell(sandbox, script).exit_code != 0, f"{script!r} to fail")


def check_no_new_user_namespace(backend: Backend, image: Image) -> None:
    """No way to more capabilities."""
    with backend.start(image) as sandbox:
        expect(shell(sandbox, "unshare -U true").exit_code != 0, "root's attempt to fail")
        expect(shell(sandbox, "unshare -Ur true", user="nobody").exit_code != 0, "a user's attempt to fail")


def check_no_new_privileges(backend: Backend, image: Image) -> None:
    """Setuid programs do not elevate; the filter for system calls is on."""
    with backend.start(image) as sandbox:
        lines = say(sandbox, "cat /proc/self/status").split("\n")
        status = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
        expect(status.get("NoNewPrivs") == "1", "NoNewPrivs 1", status.get("NoNewPrivs"))
        expect(status.get("Seccomp") == "2", "a filter for system calls", status.get("Seccomp"))
        say(sandbox, "cp /usr/bin/id /srv/id; chmod 4755 /srv/id; chmod 755 /srv")
        expect(say(sandbox, "/srv/id -u", user="nobody").strip() != "0", "an unprivileged id")


def check_host_devices_are_not_there(backend: Backend, image: Image) -> None:
    """No disk, no kernel memory; none can be made to work."""
    with backend.start(image) as sandbox:
        names = set(say(sandbox, "ls /dev").split())
        dangerous = names & {"mem", "kmsg", "port", "fuse", "vda", "sda", "nvme0n1", "loop-control"}
        expect(not dangerous, "harmless devices", dangerous)
        expect({"null", "zero", "urandom", "tty", "shm"} <= names, "the usual devices", names)
        for device in ("b 254 0", "b 8 0", "c 1 1"):
            opened = shell(sandbox, f"rm -f /srv/x; mknod /srv/x {device} && head -c 1 /srv/x >/dev/null")
            expect(opened.exit_code != 0, "a made device to be useless", opened)


def check_shared_memory_works(backend: Backend, image: Image) -> None:
    """/dev/shm, /tmp and /var/tmp can be written by everybody."""
    with backend.start(image) as sandbox:
        say(sandbox, "for d in /dev/shm /tmp /var/tmp; do echo 1 >$d/x$$ && rm $d/x$$ || exit 1; done", user="nobody")


def check_own_environment_is_not_leaked(backend: Backend, image: Image) -> None:
    """No process of the sandbox carries variables of this process."""
    import os

    os.environ["RIVER_CONFORMANCE_SECRET"] = "do-not-leak"
    try:
        with backend.start(image) as sandbox:
            text = shell(sandbox, "cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n'").text
            expect("do-not-leak" not in text, "no variable of this process", text[:300])
    finally:
        del os.environ["RIVER_CONFORMANCE_SECRET"]
