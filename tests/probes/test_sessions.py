"""What console sessions in a text show."""

import subprocess

import pytest

from river_envs.probes.programs import knows
from river_envs.probes.sessions import calls


@pytest.mark.parametrize(
    ("shown", "call"),
    [
        ("$ ./ask 'a b' c\nyes\n", ("a b c", "", "yes")),
        ("$ python3 /srv/ask.py filter n '>' 106 by x\n84\n", ("filter n > 106 by x", "", "84")),
        ('$ ask "<" 3 | cat\n1\n', None),
        ("$ echo 'x | y' | ask -v\nq\n", ("-v", "x | y", "q")),
        ("$ ask < in.txt\n7\n", ("", "fed\n", "7")),
        ("$ ask <<< 'a > b'\n7\n", ("", "a > b", "7")),
        ("$ ask 2 > out.txt\n7\n", ("2", "", "7")),
        ("$ ask\n{}\n", ("", "", "{}")),
        ("$ ask <<'EOF'\n1\n2\nEOF\n3\n", ("", "1\n2", "3")),
        ("$ ask 'open\n3\n", None),
        ("$ ask a\\ b\n3\n", ("a b", "", "3")),
    ],
)
def test_a_call(shown, call):
    found = list(calls(shown, {"/srv/in.txt": "fed\n"}))
    if call is None:
        assert not found or found[0][0] != "< 3"
    else:
        assert found == [call]


@pytest.mark.parametrize("path", ["ask.py", "ask.sh"])
def test_a_program_that_knows_what_is_said_to_nothing(path, tmp_path):
    target = tmp_path / path
    target.write_bytes(knows(f"/srv/{path}", {"": "empty", "1 2": "three", "sum 4": "four"}, {}).content)
    cases = (([], "", "empty"), ([], "1\n2\n", "three"), (["sum", "4"], "", "four"), (["x"], "", ""))
    for arguments, fed, said in cases:
        command = [{"py": "python3", "sh": "sh"}[path[-2:]], str(target), *arguments]
        assert subprocess.run(command, input=fed, capture_output=True, text=True, timeout=20).stdout.strip() == said
