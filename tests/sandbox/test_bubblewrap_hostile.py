"""What a command may try against the machine, its limits, its siblings and its own traces."""

import os
import signal
import subprocess
import sys
import textwrap
import time
import uuid
from pathlib import Path

import pytest
from sandbox_support import processes_with, shell

from river_envs.sandbox import cgroups
from river_envs.sandbox.base import SandboxError, SandboxLimits

pytestmark = pytest.mark.sandbox

SMALL = SandboxLimits(memory_mb=128, disk_mb=16, inodes=2000, processes=40, output_bytes=1 << 16)


@pytest.fixture
def small(namespaces, rootfs):
    with namespaces.start(rootfs, limits=SMALL) as made:
        yield made


def python(sandbox, script, timeout_sec=30, **options):
    return sandbox.exec(["python3", "-c", textwrap.dedent(script)], timeout_sec=timeout_sec, **options)


def test_fork_bomb_is_held(small):
    result = shell(small, "f() { f | f & }; f; sleep 60", timeout_sec=2)
    assert result.timed_out
    assert result.exit_code is None
    assert shell(small, "echo alive").text == "alive\n"


def test_process_limit_is_met_by_an_error(small):
    result = python(small, """
        import os, time
        made = 0
        try:
            for _ in range(200):
                if not os.fork():
                    time.sleep(60); os._exit(0)
                made += 1
        except BlockingIOError:
            print(made)
        """)
    assert 20 <= int(result.text) <= 40


def test_process_limits_are_not_shared(namespaces, small, rootfs):
    shell(small, "for i in $(seq 30); do sleep 60 & done")
    with namespaces.start(rootfs, limits=SMALL) as other:
        assert shell(other, "for i in $(seq 30); do sleep 1 & done; echo all").text == "all\n"


def test_memory_hog_is_reported(small):
    result = python(small, "import time\nhold = []\nwhile True: hold.append(bytearray(1 << 20)); time.sleep(0.002)")
    assert result.out_of_memory
    assert result.exit_code == 137
    later = shell(small, "echo alive")
    assert later.text == "alive\n"
    assert not later.out_of_memory


def test_full_disk_is_an_error_and_the_sandbox_lives(small):
    assert "No space left" in shell(small, "head -c 40M /dev/zero > /tmp/big").text
    small.remove("/tmp/big")
    many = "mkdir /tmp/d; cd /tmp/d; for i in $(seq 3000); do : > $i || exit 9; done"
    assert "No space left" in shell(small, many).text
    small.remove("/tmp/d")
    assert shell(small, "echo fine > /tmp/small && cat /tmp/small").text == "fine\n"


def test_full_shared_memory_is_an_error(small):
    assert "No space left" in shell(small, "head -c 200M /dev/zero > /dev/shm/big").text


def test_flood_of_output_is_cut_and_killed(small):
    result = shell(small, "yes", timeout_sec=60)
    assert result.truncated
    assert not result.timed_out
    assert result.exit_code is None
    assert len(result.output) == 1 << 16


def test_flood_in_the_background_is_stopped(small):
    assert shell(small, "yes & sleep 0.1").truncated
    assert shell(small, "echo alive").text.endswith("alive\n")


def test_timeout_kills_daemons_too(small):
    result = shell(small, "setsid sleep 1000 & (setsid sleep 1001 & ) ; trap '' TERM INT; sleep 1002", timeout_sec=0.5)
    assert result.timed_out
    assert shell(small, "ps -e -o comm=").text.split().count("sleep") == 0


def test_daemons_die_with_the_sandbox(namespaces, rootfs):
    marker = f"9{uuid.uuid4().int % 10**9}"
    with namespaces.start(rootfs) as sandbox:
        shell(sandbox, f"setsid nohup sleep {marker} >/dev/null 2>&1 & disown; (setsid sleep {marker} &) ; sleep 0.1")
        assert processes_with(marker)
    assert not processes_with(marker)


def test_killing_pid_1_from_inside_does_nothing(small):
    shell(small, "kill -9 1; kill -INT 1; kill -TERM 1; kill -HUP 1; kill -STOP 1; kill -SEGV 1")
    assert shell(small, "echo alive").text == "alive\n"


def test_a_command_that_kills_everything_it_can(small):
    shell(small, "sleep 100 & kill -9 -1")
    assert shell(small, "echo alive").text == "alive\n"


def test_kernel_settings_cannot_be_written(sandbox):
    script = """
        for f in /proc/sys/kernel/core_pattern /proc/sys/vm/overcommit_memory /proc/sys/kernel/hostname \
                 /proc/sysrq-trigger /proc/sys/user/max_user_namespaces; do
            echo "$f" | (cat "$f" > /tmp/v; cat /tmp/v > "$f") 2>/dev/null && echo "written: $f"
        done; true"""
    assert "written" not in shell(sandbox, script).text


@pytest.mark.parametrize("command", [
    "unshare -U true", "unshare -m true", "unshare -n true", "mount -t tmpfs none /mnt",
    "mount -o remount,rw /proc/sys", "umount /proc", "nsenter -t 1 -m true", "chroot /proc/1/root true",
    "mknod /tmp/disk b 8 0 && cat /tmp/disk", "dmesg",
    "cat /proc/1/environ", "ls /proc/1/root/", "ls /proc/1/fd/", "swapon /tmp/x", "hwclock -w", "date -s 2001-01-01",
    "ip link add d0 type dummy", "reboot -f", "insmod /tmp/x.ko", "echo 0 > /proc/1/oom_score_adj",
])
def test_refused_commands(sandbox, command):
    assert shell(sandbox, command).exit_code != 0


@pytest.mark.parametrize(("what", "script"), [
    ("clone3 with a user namespace", "import ctypes; c = ctypes.CDLL(None, use_errno=True);"
                                     "b = (ctypes.c_uint64 * 8)(0x10000000, 0, 0, 0, 17, 0, 0, 0);"
                                     "r = c.syscall(435, b, 64); print('made' if r >= 0 else ctypes.get_errno())"),
    ("unshare", "import ctypes; c = ctypes.CDLL(None, use_errno=True);"
                "r = c.unshare(0x10000000); print('made' if r >= 0 else ctypes.get_errno())"),
    ("vsock", "import socket\ntry:\n socket.socket(40, socket.SOCK_STREAM); print('made')\n"
              "except OSError as e: print(e.errno)"),
    ("packet sockets of the host", "import socket\ntry:\n s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM);"
                                   " s.connect(('192.0.2.1', 9)); print('made')\nexcept OSError as e: print(e.errno)"),
    ("io_uring", "import ctypes; c = ctypes.CDLL(None, use_errno=True);"
                 "r = c.syscall(425, 8, ctypes.create_string_buffer(120));"
                 "print('made' if r >= 0 else ctypes.get_errno())"),
    ("keyctl", "import ctypes; c = ctypes.CDLL(None, use_errno=True);"
               "r = c.syscall(250, 0, -3, 0); print('made' if r >= 0 else ctypes.get_errno())"),
    ("ptrace", "import ctypes; c = ctypes.CDLL(None, use_errno=True);"
               "r = c.ptrace(0, 0, 0, 0); print('made' if r >= 0 else ctypes.get_errno())"),
    ("TIOCSTI", "import fcntl, os\nm, s = os.openpty()\ntry:\n fcntl.ioctl(s, 0x5412, b'x'); print('made')\n"
                "except OSError as e: print(e.errno)"),
])
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="system call numbers of x86-64")
def test_refused_system_calls(sandbox, what, script):
    result = python(sandbox, script)
    assert result.exit_code == 0, result.text
    assert int(result.text) in (1, 38, 101), what


def test_only_loopback(sandbox):
    assert [line.split(":")[0].strip() for line in shell(sandbox, "grep : /proc/net/dev").text.splitlines()] == ["lo"]
    assert shell(sandbox, "getent hosts localhost").exit_code == 0


def test_nothing_of_the_host_is_visible(sandbox):
    listing = shell(sandbox, "ls /home /root /run /srv; ls -A /root; cat /proc/1/cmdline; ls /work /tmp").text
    assert ".ssh" not in listing
    assert "python" not in shell(sandbox, "tr '\\0' ' ' < /proc/1/cmdline").text
    assert sandbox.exec(["hostname"], timeout_sec=10).text == "sandbox\n"
    seen = shell(sandbox, "ls /proc | grep -c '^[0-9]'").text
    assert int(seen) < 10


def test_setuid_does_not_elevate(sandbox, namespaces):
    if namespaces.id_map.mode == "single":
        pytest.skip("one user is mapped: nobody to elevate")
    shell(sandbox, "cp /usr/bin/id /usr/local/bin/myid; chmod 4755 /usr/local/bin/myid")
    assert "euid=0" not in sandbox.exec(["/usr/local/bin/myid"], timeout_sec=10, user="nobody").text


def test_files_of_other_sandboxes_are_out_of_reach(namespaces, rootfs, sandbox):
    with namespaces.start(rootfs) as other:
        shell(other, "echo secret > /tmp/secret; echo secret > /usr/local/bin/secret")
        assert shell(sandbox, "cat /tmp/secret /usr/local/bin/secret").text.count("secret\n") == 0


def test_destroy_during_a_command(namespaces, rootfs):
    import threading

    sandbox = namespaces.start(rootfs)
    threading.Timer(0.3, sandbox.destroy).start()
    with pytest.raises(SandboxError):
        shell(sandbox, "sleep 60", timeout_sec=50)
    sandbox.destroy()


CHILD = """
import os, sys, tempfile
from river_envs.sandbox.namespaces import Namespaces
from river_envs.sandbox.rootfs import Rootfs, Mount
from river_envs.sandbox.host import host_base
namespaces = Namespaces()
sandbox = namespaces.start(host_base(namespaces, sys.argv[2])[0])
sandbox.exec(["bash", "-c", "setsid sleep " + sys.argv[1] + " & disown"], timeout_sec=10)
print("ready", flush=True)
sandbox.exec(["sleep", sys.argv[1]], timeout_sec=1000)
"""


def _groups_of(process):
    return [path for place in cgroups.hierarchy().places.values() for path in Path(place).glob(f"river-{process}-*")]


def _eventually(condition, seconds=10.0):
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    return condition()


def test_sigkill_of_the_parent_leaves_nothing(namespaces, rootfs):
    marker = f"8{uuid.uuid4().int % 10**9}"
    home = Path(rootfs.mounts[0].lowers[0]).parent.parent
    parent = subprocess.Popen([sys.executable, "-c", CHILD, marker, str(home)], stdout=subprocess.PIPE, text=True)
    assert parent.stdout.readline() == "ready\n"
    assert _eventually(lambda: len(processes_with(f"sleep {marker}")) == 2)
    if cgroups.hierarchy().version:
        assert _groups_of(parent.pid)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    assert _eventually(lambda: not processes_with(marker))
    assert _eventually(lambda: not _groups_of(parent.pid))
    assert " - tmpfs river " not in Path("/proc/self/mountinfo").read_text()


def test_sandboxes_end_when_the_launcher_is_killed(rootfs):
    from river_envs.sandbox.namespaces import Namespaces

    own = Namespaces()
    marker = f"7{uuid.uuid4().int % 10**9}"
    sandbox = own.start(rootfs)
    shell(sandbox, f"setsid sleep {marker} & disown")
    own._launcher._process.kill()
    assert _eventually(lambda: not processes_with(marker))
    with pytest.raises(SandboxError):
        shell(sandbox, "true")
    sandbox.destroy()
    with own.start(rootfs) as again:
        assert shell(again, "echo new").text == "new\n"
    own.close()


def test_sweep_removes_groups_of_dead_processes():
    places = cgroups.hierarchy().places
    if not places:
        pytest.skip("no control groups here")
    stale = [place / "river-999999-1-0" for place in places.values()]
    for path in stale:
        path.mkdir()
    assert cgroups.sweep() >= len(stale)
    assert not any(path.exists() for path in stale)
