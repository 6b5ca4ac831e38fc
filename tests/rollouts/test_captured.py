"""The driver of a captured reference, in a real bash: what a terminal remembers, and what it survives."""

import subprocess

import pytest

from river_envs.rollouts.captured import captured


def run(tmp_path, *commands, step_sec=20):
    reference = captured(commands, step_sec)
    for file in reference.files:
        target = tmp_path / "solution" / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.content)
    work = tmp_path / "work"
    work.mkdir()
    done = subprocess.run(
        ["bash", str(tmp_path / "solution" / reference.entry)], cwd=work, capture_output=True, text=True, timeout=60,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0
    return work


def test_directory_variables_functions_and_options_hold(tmp_path):
    work = run(
        tmp_path, "mkdir -p in && cd in", "NAME=ann; export SHOWN='a b'", 'greet() { echo hello "$1"; }',
        "alias twice='echo 2x'", "shopt -s nullglob; list=(1 'two words')",
        '{ pwd; greet "$NAME"; env | grep SHOWN; twice; echo none*; echo "${list[1]}"; } >../seen',
    )
    seen = (work / "seen").read_text().splitlines()
    assert seen == [str(work / "in"), "hello ann", "SHOWN=a b", "2x", "", "two words"]


def test_a_failing_exiting_or_hanging_command_ends_only_itself(tmp_path):
    work = run(tmp_path, "false", "X=1; exit 3", "set -e; false", "sleep 600; touch hung", "echo $X >seen", step_sec=1)
    assert (work / "seen").read_text() == "1\n"
    assert not (work / "hung").exists()


def test_background_processes_go_on_when_a_later_command_hangs(tmp_path):
    work = run(tmp_path, "(sleep 2; echo later >later) >/dev/null 2>&1 &", "sleep 600", "sleep 2", step_sec=1)
    assert (work / "later").read_text() == "later\n"


def test_here_documents_quotes_and_a_syntax_error(tmp_path):
    python = "python3 - <<'E'\nopen('c','w').write('é')\nE"
    work = run(tmp_path, "cat > a <<'EOF'\n$X `y`\nEOF", "echo \"it's\" > b", "if then", python)
    assert ((work / "a").read_text(), (work / "b").read_text(), (work / "c").read_text()) == ("$X `y`\n", "it's\n", "é")


def test_order_of_many_steps(tmp_path):
    work = run(tmp_path, *(f"echo {n} >>seen" for n in range(12)))
    assert (work / "seen").read_text().split() == [str(n) for n in range(12)]


def test_nothing_to_run():
    with pytest.raises(ValueError, match="without commands"):
        captured(["", "  \n"])
