"""The limits hold, and a sandbox that met one can still be used."""

from __future__ import annotations

from river_envs.sandbox.base import Backend, Image, SandboxLimits
from river_envs.sandbox.conformance_tools import expect, say, shell


def check_memory_limit(backend: Backend, image: Image) -> None:
    """A process that takes too much is killed, and the result says so; the next command finds a working sandbox."""
    with backend.start(image, limits=SandboxLimits(memory_mb=128, disk_mb=32)) as sandbox:
        result = sandbox.exec(["tail", "/dev/zero"], timeout_sec=60)
        expect(not result.timed_out and result.exit_code != 0, "a killed process", result)
        expect(result.out_of_memory, "out_of_memory", result)
        after = shell(sandbox, "echo on")
        expect(after.output == b"on\n" and not after.out_of_memory, "the sandbox to be usable", after)


def check_memory_limit_of_a_child(backend: Backend, image: Image) -> None:
    """The flag is set although the command itself ends well."""
    with backend.start(image, limits=SandboxLimits(memory_mb=128, disk_mb=32)) as sandbox:
        result = shell(sandbox, "tail /dev/zero >/dev/null; exit 0")
        expect(result.exit_code == 0 and result.out_of_memory, "out_of_memory with status 0", result)


def check_memory_below_the_limit_is_fine(backend: Backend, image: Image) -> None:
    """Half of the memory can be used."""
    with backend.start(image, limits=SandboxLimits(memory_mb=256, disk_mb=32)) as sandbox:
        result = shell(sandbox, "head -c 100000000 /dev/zero | tail | wc -c")
        expect(result.text.strip() == "100000000" and not result.out_of_memory, "no kill", result)


def check_process_limit(backend: Backend, image: Image) -> None:
    """No more processes than allowed; as many as allowed."""
    with backend.start(image, limits=SandboxLimits(processes=40)) as sandbox:
        shell(sandbox, "i=0; while [ $i -lt 100 ]; do sleep 71100 & i=$((i+1)); done >/dev/null 2>&1", timeout_sec=30)
        with_names = "n=0; for f in /proc/[0-9]*/stat; do read x <$f && n=$((n+1)); done 2>/dev/null; echo $n"
        result = shell(sandbox, with_names)
        count = int(result.text.split()[-1]) if result.exit_code == 0 and result.text.split() else 40
        expect(count <= 45, "at most 40 processes and the backend's own", count)
    with backend.start(image, limits=SandboxLimits(processes=40)) as sandbox:
        text = say(sandbox, "n=0; while [ $n -lt 25 ]; do sleep 71101 >/dev/null 2>&1 & n=$((n+1)); done; echo $n")
        expect(text.split()[-1] == "25", "25 children", text)


def check_fork_bomb_is_contained(backend: Backend, image: Image) -> None:
    """It ends with its time, and the sandbox can be used afterwards."""
    with backend.start(image, limits=SandboxLimits(processes=64)) as sandbox:
        shell(sandbox, "bomb() { bomb | bomb & }; bomb; sleep 600", timeout_sec=2)
        result = shell(sandbox, "sleep 600", timeout_sec=1)
        expect(result.timed_out or result.exit_code is not None, "an answer")
        expect(say(sandbox, "echo on") == "on\n", "the sandbox to be usable")


def check_disk_limit_of_one_file(backend: Backend, image: Image) -> None:
    """A file cannot grow beyond the limit."""
    with backend.start(image, limits=SandboxLimits(disk_mb=32)) as sandbox:
        result = shell(sandbox, "dd if=/dev/zero of=/srv/big bs=1M count=200 2>/dev/null", timeout_sec=60)
        expect(result.exit_code != 0, "a failing write", result)
        size = int(say(sandbox, "rm -f /srv/none; stat -c %s /srv/big").strip())
        expect(size <= 32 << 20, "at most 32 MiB", size)


def check_disk_limit_of_many_files(backend: Backend, image: Image) -> None:
    """Many small files do not get around it for long."""
    script = "i=0; while [ $i -lt 2000 ]; do head -c 4000000 /dev/zero >/srv/$i || exit 9; i=$((i+1)); sleep 0.01; done"
    with backend.start(image, limits=SandboxLimits(disk_mb=64)) as sandbox:
        result = shell(sandbox, script, timeout_sec=120)
        expect(not result.timed_out and result.exit_code not in (0, None), "an end with an error", result)


def check_disk_limit_is_met_with_no_space_left(backend: Backend, image: Image) -> None:
    """The writer is told, and files that were there can still be read."""
    with backend.start(image, limits=SandboxLimits(disk_mb=32)) as sandbox:
        say(sandbox, "echo kept >/srv/kept")
        result = shell(sandbox, "LC_ALL=C dd if=/dev/zero of=/srv/big bs=1M count=200", timeout_sec=60)
        expect("No space left" in result.text, "the usual error", result)
        expect(sandbox.get("/srv/kept") == b"kept\n", "the files to stay")


def check_disk_limit_counts_inodes(backend: Backend, image: Image) -> None:
    """Empty files count too."""
    with backend.start(image, limits=SandboxLimits(disk_mb=64, inodes=1000)) as sandbox:
        script = "mkdir /srv/f; cd /srv/f; i=0; while [ $i -lt 3000 ]; do : >$i || exit 9; i=$((i+1)); done 2>/dev/null"
        result = shell(sandbox, script, timeout_sec=60)
        expect(result.exit_code not in (0, None), "a failing write", result)


def check_cpu_limit(backend: Backend, image: Image) -> None:
    """Half a processor is about half the work: read from the process times, not from a clock of ours."""
    with backend.start(image, limits=SandboxLimits(cpus=0.5)) as sandbox:
        script = "timeout 3 sh -c 'while :; do :; done'; cat /proc/uptime >/dev/null; times | tail -1"
        line = shell(sandbox, script, timeout_sec=60).text.strip().split("\n")[-1].split()[0]
        minutes, seconds = line.rstrip("s").split("m")
        used = int(minutes) * 60 + float(seconds)
        expect(used < 2.4, "about 1.5 s of processor time in 3 s", used)
