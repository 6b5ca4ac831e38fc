"""Running commands: status, output, variables, users, time, and what happens to processes left behind."""

from __future__ import annotations

import time

from river_envs.sandbox.base import Backend, Image, SandboxLimits
from river_envs.sandbox.conformance_tools import expect, running, say, shell


def check_output_is_joined_in_order(backend: Backend, image: Image) -> None:
    """Stdout and stderr come as they were written."""
    with backend.start(image) as sandbox:
        text = shell(sandbox, "for i in 1 2 3; do echo out $i; echo err $i >&2; done").text
        expect(text == "".join(f"out {i}\nerr {i}\n" for i in (1, 2, 3)), "the order of writing", text)


def check_exit_status_is_the_command_s_own(backend: Backend, image: Image) -> None:
    """Any status from 0 to 255."""
    with backend.start(image) as sandbox:
        for status in (0, 1, 3, 126, 127, 255):
            found = shell(sandbox, f"exit {status}").exit_code
            expect(found == status, f"status {status}", found)


def check_missing_command_is_127(backend: Backend, image: Image) -> None:
    """By name and by path."""
    with backend.start(image) as sandbox:
        for command in ("no-such-command", "/no/such/command"):
            found = sandbox.exec([command], timeout_sec=30).exit_code
            expect(found == 127, f"127 for {command}", found)


def check_command_that_cannot_be_executed_is_126(backend: Backend, image: Image) -> None:
    """A file without the executable bit, and a directory."""
    with backend.start(image) as sandbox:
        for command in ("/etc/passwd", "/etc"):
            found = sandbox.exec([command], timeout_sec=30).exit_code
            expect(found == 126, f"126 for {command}", found)


def check_signal_is_128_and_its_number(backend: Backend, image: Image) -> None:
    """As a shell reports it."""
    with backend.start(image) as sandbox:
        for signal in (6, 9, 15):
            found = shell(sandbox, f"kill -{signal} $$").exit_code
            expect(found == 128 + signal, f"{128 + signal} for signal {signal}", found)


def check_arguments_are_no_shell_line(backend: Backend, image: Image) -> None:
    """Arguments arrive as they were given: empty, with blanks, quotes, newlines, and long."""
    arguments = ["", "a b", "$HOME; ls", "'\"", "line\nline", "*", "x" * 60_000]
    with backend.start(image, limits=SandboxLimits(output_bytes=1 << 20)) as sandbox:
        result = sandbox.exec(["printf", "<%s>", *arguments], timeout_sec=30)
        expect(result.text == "".join(f"<{argument}>" for argument in arguments), "every argument", result.text[:200])


def check_environment_is_exactly_as_given(backend: Backend, image: Image) -> None:
    """PATH, HOME, the image's variables and the given ones; nothing of this process or of the backend."""
    given = {"GIVEN": "a b=c\nd", "EMPTY": ""}
    with backend.start(image) as sandbox:
        result = sandbox.exec(["env", "-0"], timeout_sec=30, env=given)
        seen = dict(item.partition("=")[::2] for item in result.text.split("\0") if item)
        expected = {"PATH", "HOME", *given, *(name for name, _ in image.env)}
        expect(set(seen) == expected, f"the names {sorted(expected)}", sorted(seen))
        expect(all(seen[name] == value for name, value in given.items()), "the given values", seen)


def check_given_variables_win_over_the_image(backend: Backend, image: Image) -> None:
    """Also over PATH and HOME."""
    given = {**{name: "given" for name, _ in image.env}, "PATH": "/usr/bin:/bin:/given", "HOME": "/srv"}
    with backend.start(image) as sandbox:
        result = sandbox.exec(["env", "-0"], timeout_sec=30, env=given)
        seen = dict(item.partition("=")[::2] for item in result.text.split("\0") if item)
        expect(seen == given, "the given values", seen)


def check_home_is_the_user_s(backend: Backend, image: Image) -> None:
    """HOME comes from the user database of the image."""
    with backend.start(image) as sandbox:
        home = say(sandbox, "echo $HOME; sed -n 's/^root:[^:]*:0:0:[^:]*:\\([^:]*\\):.*/\\1/p' /etc/passwd").split()
        expect(home[0] == home[1], "root's home", home)


def check_user_by_name_and_number(backend: Backend, image: Image) -> None:
    """A command runs as the user that was asked for, without root's rights."""
    with backend.start(image) as sandbox:
        say(sandbox, "install -m 600 /dev/null /srv/secret; chmod 777 /srv")
        expect(say(sandbox, "id -un; id -u", user="nobody").split()[0] == "nobody", "nobody")
        expect(say(sandbox, "id -u; id -g", user="1234:4321").split() == ["1234", "4321"], "the numbers")
        expect(shell(sandbox, "cat /srv/secret", user="nobody").exit_code != 0, "root's file to be unreadable")
        owner = say(sandbox, "touch /srv/own; stat -c %U /srv/own", user="nobody")
        expect(owner == "nobody\n", "a file of nobody's", owner)


def check_working_directory_is_as_given(backend: Backend, image: Image) -> None:
    """``cwd`` wins over the image's default."""
    with backend.start(image) as sandbox:
        expect(say(sandbox, "pwd", cwd="/etc") == "/etc\n", "/etc")


def check_stdin_is_empty(backend: Backend, image: Image) -> None:
    """A command that reads gets the end of file at once."""
    with backend.start(image) as sandbox:
        result = sandbox.exec(["cat"], timeout_sec=20)
        expect((result.exit_code, result.output) == (0, b""), "nothing to read", result)


def check_bytes_pass_unchanged(backend: Backend, image: Image) -> None:
    """Output need not be text."""
    with backend.start(image) as sandbox:
        output = shell(sandbox, "printf '\\377\\000\\001\\r\\n'").output
        expect(output == b"\xff\x00\x01\r\n", "five bytes", output)


def check_timeout_ends_a_command(backend: Backend, image: Image) -> None:
    """In about the time given; what was written before is kept."""
    with backend.start(image) as sandbox:
        began = time.monotonic()
        result = shell(sandbox, "echo before; sleep 600", timeout_sec=1)
        expect(result.timed_out and result.exit_code is None, "a timeout", result)
        expect(result.output == b"before\n", "the output before it", result.output)
        expect(time.monotonic() - began < 30, "an end soon after the limit", time.monotonic() - began)


def check_timeout_ends_one_that_ignores_signals(backend: Backend, image: Image) -> None:
    """SIGTERM is not the last word."""
    with backend.start(image) as sandbox:
        result = shell(sandbox, "trap '' TERM INT HUP; while :; do sleep 1; done", timeout_sec=1)
        expect(result.timed_out, "a timeout", result)


def check_timeout_kills_every_process(backend: Backend, image: Image) -> None:
    """Also those of earlier commands, in sessions of their own; files stay and the sandbox can be used."""
    with backend.start(image) as sandbox:
        say(sandbox, "echo kept >/srv/kept; setsid sleep 71001 >/dev/null 2>&1 </dev/null &")
        expect(running(sandbox, "71001"), "a process in the background")
        expect(shell(sandbox, "(setsid sleep 71002 &); sleep 600", timeout_sec=1).timed_out, "a timeout")
        expect(not running(sandbox, "71001") and not running(sandbox, "71002"), "no process left")
        expect(sandbox.get("/srv/kept") == b"kept\n", "the files to stay")


def check_processes_outlive_their_command(backend: Backend, image: Image) -> None:
    """A server started by one command is there for the next."""
    with backend.start(image) as sandbox:
        say(sandbox, "(sleep 3; echo later >/srv/later; exec sleep 71003) >/dev/null 2>&1 &")
        say(sandbox, "for i in $(seq 100); do test -s /srv/later && break; sleep 0.1; done")
        expect(sandbox.get("/srv/later") == b"later\n", "the process to go on")
        expect(running(sandbox, "71003"), "the process to be there")


def check_background_process_does_not_hold_a_command(backend: Backend, image: Image) -> None:
    """A command ends when its own process ends, whoever still holds its output."""
    with backend.start(image) as sandbox:
        result = shell(sandbox, "sleep 71004 & echo done; exit 4", timeout_sec=30)
        expect((result.exit_code, result.output) == (4, b"done\n"), "the command's own end", result)
        expect(running(sandbox, "71004"), "the other one to go on")


def check_output_is_cut_at_the_limit(backend: Backend, image: Image) -> None:
    """A command that writes somewhat more than is kept ends by itself."""
    with backend.start(image, limits=SandboxLimits(output_bytes=1000)) as sandbox:
        result = shell(sandbox, "printf '%01500d' 0; exit 5")
        expect((result.exit_code, result.output, result.truncated) == (5, b"0" * 1000, True), "1000 bytes", result)
        exact = shell(sandbox, "printf '%01000d' 0")
        expect(not exact.truncated and len(exact.output) == 1000, "an output of exactly the limit to be whole", exact)


def check_flood_is_stopped(backend: Backend, image: Image) -> None:
    """A command that writes without end is killed long before its time is up."""
    with backend.start(image, limits=SandboxLimits(output_bytes=10_000)) as sandbox:
        result = shell(sandbox, "yes", timeout_sec=60)
        expect(result.exit_code is None and result.truncated and not result.timed_out, "a kill for output", result)
        expect(len(result.output) == 10_000, "the first bytes", len(result.output))
        expect(say(sandbox, "echo on") == "on\n", "the sandbox to be usable")
