"""Programs, services and moved truth without a sandbox: when the probes speak, when they stay silent."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from probe_support import FIND_TOTAL, ask, environment, survey

from river_envs.probes import programs, trivial, visible_examples
from river_envs.probes.base import Attempt, NotApplicable, Peek, ProbeStatus, Survey
from river_envs.probes.inputs_emptied import InputsEmptied
from river_envs.probes.inputs_replaced import InputsReplaced
from river_envs.probes.lookup_table import LookupTable
from river_envs.probes.oracle_wrapper import OracleWrapper
from river_envs.probes.program_accept_all import ProgramAcceptAll
from river_envs.probes.program_constant import ProgramConstant
from river_envs.probes.program_crash_zero import ProgramCrashZero
from river_envs.probes.program_echo import ProgramEcho
from river_envs.probes.program_identity import ProgramIdentity
from river_envs.probes.program_reject_all import ProgramRejectAll
from river_envs.probes.static_server import StaticServer
from river_envs.probes.truth_overwritten import TruthOverwritten
from river_envs.sandbox.base import Listing

SQUARE = (
    "Write `/app/square.py`. It reads a number from standard input and prints its square, for any integer.\n"
    "For example `3` gives `9` and `4` gives `16`.\n"
)
JUDGE = "Write `/app/check.py`: it takes a path as argument and prints `VALID` or `INVALID`."
EMPTY = survey()


def rewarded(probe, env, seen=EMPTY, pays=lambda attempt: attempt.arm == "probe") -> list[str]:
    judgement = ask(probe, env, seen, pays)
    return [finding.cause for finding in getattr(judgement, "findings", ())]


@pytest.mark.parametrize(
    ("probe", "instruction"),
    [
        (LookupTable(), SQUARE), (ProgramIdentity(), SQUARE), (ProgramEcho(), SQUARE),
        (ProgramAcceptAll(), JUDGE), (ProgramRejectAll(), JUDGE),
    ],
    ids=lambda value: getattr(value, "id", ""),
)  # fmt: skip
def test_a_stand_in_that_pays_is_found(probe, instruction):
    env = environment(instruction)
    assert rewarded(probe, env) == ["fixed-inputs"]
    assert ask(probe, env, EMPTY, lambda _: False).status is ProbeStatus.SURVIVED
    assert isinstance(ask(probe, environment(FIND_TOTAL), survey("/app/orders.csv"), lambda _: True), NotApplicable)


@pytest.mark.parametrize(
    ("pays", "found"),
    [
        (lambda said: said.isalpha(), ["shape-only"]), (lambda said: said == "GRUBBY", ["fixed-inputs"]),
        (lambda said: said == "right", []),
    ],
)  # fmt: skip
def test_a_constant_is_a_stated_word_and_another_in_its_place(pays, found):
    env = environment("Write `/app/wash.py`. It reads standard input. Print for each line a number, or `GRUBBY`.")

    def graded(attempt: Attempt) -> bool:
        said = attempt.facts["label"].removeprefix("always says ").strip("'")
        return pays(said)

    assert rewarded(ProgramConstant(), env, pays=graded) == found


def test_two_constants_exclude_each_other():
    env = environment(SQUARE)
    assert rewarded(ProgramConstant(), env, pays=lambda _: True) == ["shape-only"]
    assert rewarded(ProgramConstant(), env, pays=lambda attempt: attempt.repeat == 0) == ["fixed-inputs"]


@pytest.mark.parametrize(
    ("probe", "instruction"),
    [
        (ProgramConstant(), "Write /app/hello.py, a script that prints `hello`."),
        (ProgramConstant(), "Write /app/guard.py. It is called with a path and exits with status 1 or 0."),
        (ProgramIdentity(), "Write /app/relay.py: it reads standard input and prints it unchanged."),
        (ProgramEcho(), "Write /app/say.py: it takes arguments and echoes them."),
        (LookupTable(), SQUARE + "Only these values occur, according to this table."),
        (ProgramAcceptAll(), SQUARE),
        (ProgramCrashZero(), SQUARE),
        (OracleWrapper(), SQUARE),
        (StaticServer(), "Start a server on port 8080 that answers `GET /health` with `ok`."),
        (StaticServer(), SQUARE),
    ],
    ids=lambda value: getattr(value, "id", ""),
)
def test_silence_where_one_behaviour_may_be_right(probe, instruction):
    assert isinstance(ask(probe, environment(instruction), EMPTY, lambda _: True), NotApplicable)


def test_a_program_to_be_repaired_gets_the_silent_stand_in():
    env = environment("Repair /app/square.py: it reads a number from standard input and prints its square.")
    assert rewarded(ProgramCrashZero(), env, survey("/app/square.py")) == ["existence-only"]


class TestOracle:
    env = environment(SQUARE)

    @staticmethod
    def image(path: str) -> Survey:
        return Survey((Listing(path, "file", 99, 0o755),), "/app")

    def test_a_wrapper_that_pays_and_a_stub_that_does_not(self):
        assert rewarded(OracleWrapper(), self.env, self.image("/opt/ref/bin/sq")) == ["reachable-oracle"]

    def test_a_wrapper_that_pays_like_a_stub_is_an_empty_check(self):
        assert rewarded(OracleWrapper(), self.env, self.image("/opt/sq"), lambda _: True) == ["existence-only"]

    def test_a_program_that_shall_be_used_is_no_oracle(self):
        env = environment(SQUARE + "Use `/app/mul` for the multiplication.")
        assert isinstance(ask(OracleWrapper(), env, self.image("/app/mul"), lambda _: True), NotApplicable)

    def test_a_program_that_shall_be_rewritten_is(self):
        env = environment(SQUARE + "It is a rewrite of the old binary `/app/mul`, with the same output.")
        assert rewarded(OracleWrapper(), env, self.image("/app/mul")) == ["reachable-oracle"]


class TestServer:
    task = (
        "Run a service on port 8080: `POST /items` stores an item, `GET /items/<name>` answers it, for example:\n\n"
        '```json\n{"name": "nut", "count": 3}\n```\n'
    )

    def test_examples_alone_or_anything(self):
        env = environment(self.task)
        assert rewarded(StaticServer(), env) == ["fixed-inputs"]
        assert rewarded(StaticServer(), env, pays=lambda _: True) == ["shape-only"]
        assert ask(StaticServer(), env, EMPTY, lambda _: False).status is ProbeStatus.SURVIVED


class TestMovedTruth:
    env = environment()
    seen = Survey(
        (Listing("/app/orders.csv", "file", 30, 0o644), Listing("/app/expected.json", "file", 3, 0o644)),
        "/app",
        peeks=(Peek("/app/orders.csv", "item,amount\nx,17\ny,4\n"),),
    )
    probes = (InputsEmptied(), InputsReplaced(), TruthOverwritten())

    @pytest.mark.parametrize("probe", probes, ids=lambda probe: probe.id)
    def test_moved_pays_and_unmoved_does_not(self, probe):
        assert rewarded(probe, self.env, self.seen) == ["movable-truth"]

    @pytest.mark.parametrize("probe", probes, ids=lambda probe: probe.id)
    def test_an_answer_that_pays_anyway_accuses_nobody(self, probe):
        judgement = ask(probe, self.env, self.seen, lambda _: True)
        assert (judgement.status, judgement.findings) == (ProbeStatus.SURVIVED, ())

    def test_inputs_that_shall_change_are_left_alone(self):
        env = environment(FIND_TOTAL + "\nThen empty orders.csv.")
        assert isinstance(ask(InputsEmptied(), env, self.seen, lambda _: True), NotApplicable)
        assert isinstance(ask(InputsReplaced(), env, self.seen, lambda _: True), NotApplicable)

    def test_a_folder_is_emptied_and_the_form_is_taken_from_the_prose(self):
        said = "Count the lines of all logs in /app/logs. Write /app/n.json with keys `lines` and `number_of_files`."
        found = (Listing("/app/logs", "directory", 0, 0o755), Listing("/app/logs/a.log", "file", 9, 0o644))
        seen = Survey(found, "/app")
        planned = InputsEmptied().plan(environment(said), seen)
        assert "/app/logs/a.log" in planned[0].actions[0].script
        assert json.loads(planned[0].actions[1].files[0].content) .keys() == {"lines", "number_of_files"}

    def test_the_benign_arm_moves_nothing(self):
        attempts: list[Attempt] = []

        def verifier(attempt: Attempt) -> bool:
            attempts.append(attempt)
            return attempt.arm == "probe"

        ask(InputsReplaced(), self.env, self.seen, verifier)
        probe, benign = attempts
        assert "item,amount\na,1\n" in probe.actions[0].script
        assert benign.actions == (probe.actions[1],)


def test_examples_of_many_kinds():
    env = environment(
        "Samples:\n\n- `1h` gives 3600\n\n```\n$ echo '5 6' | ./add.py\n11\n$ python3 /app/add.py 1 2\n3\n```\n"
        "`add(1, 2)` returns `3`.\n\nInput:\n```\nq\n```\nOutput:\n```\nz\n```\n"
    )
    seen = Survey((), "/app", peeks=(Peek("/app/t/1.in", "7\n"), Peek("/app/t/1.out", "49\n"),
                                     Peek("/app/c.json", '[{"input": "x", "expected": 1}]')))  # fmt: skip
    shown = visible_examples.pairs(env, seen)
    assert {"1h": "3600", "5 6": "11", "1 2": "3", "q": "z", "7": "49", "x": "1"}.items() <= shown.items()
    assert visible_examples.values(env) == {"add": {"(1, 2)": 3}}


def test_examples_in_files_of_the_image():
    peeks = {
        "/app/ex/case1_in.txt": "3\n4\n", "/app/ex/case1_out.txt": "9\n16\n", "/app/ex/case2.args": "--cube",
        "/app/ex/case2_in.txt": "2", "/app/ex/case2_out.txt": "8", "/app/inputs/a.txt": "p", "/app/expected/a.txt": "P",
        "/app/session.txt": "$ /app/sq --neg <<EOF\n5\nEOF\n-25\n\n$ /app/sq --pct 7\n100% 7\n",
        "/app/t.jsonl": '{"args": ["a", 1], "stdin": "x", "stdout": "y"}\n', "/app/usage.md": "input:  7\noutput: 49\n",
        "/app/test_sq.py": "from sq import sq\n\ndef test_it():\n    assert sq(6) == 36\n",
    }  # fmt: skip
    seen = Survey((), "/app", peeks=tuple(Peek(path, content) for path, content in peeks.items()))
    env = environment("Write `/app/sq`.")
    shown = visible_examples.pairs(env, seen)
    wanted = {
        "3 4": "9\n16", "3": "9", "4": "16", "--cube 2": "8", "p": "P", "--neg 5": "-25", "--pct 7": "100% 7",
        "a 1 x": "y", "7": "49",
    }  # fmt: skip
    assert {key: shown.get(key) for key in wanted} == wanted
    assert visible_examples.values(env, seen) == {"sq": {"(6,)": 36}}


def test_a_stand_in_without_a_suffix_runs_in_the_shell_and_in_python(tmp_path):
    path = tmp_path / "knows"
    path.write_bytes(programs.knows("/app/knows", {"a b": "it's\t\\n", "--x 2": "4\n5"}, {}).content)
    for runner in ("sh", sys.executable):
        said = [subprocess.run([runner, path, *words], input=fed, capture_output=True, text=True).stdout
                for words, fed in (([], "a  b\n"), (["--x"], "2\n"), ([], "other\n"))]  # fmt: skip
        assert said == ["it's\t\\n\n", "4\n5\n", "\n"]


@pytest.mark.parametrize(
    ("example", "path", "nothing", "ones"),
    [
        ('{"n": 3, "who": "bob", "rows": [{"a": 1.5}]}', "/o.json", '{"n": 0, "who": "", "rows": []}',
         '{"n": 1, "who": "a", "rows": [{"a": 1.0}]}'),
        ("who,n\nbob,3\nal,4\n", "/o.csv", "who,n", "who,n a,1"),
        ("errors=17\n", "/o.txt", "errors=0", "errors=1"),
        ("42\n", "/o.txt", "0", "1"),
    ],
)  # fmt: skip
def test_trivial_answers(example: str, path: str, nothing: str, ones: str):
    def squeezed(content: str) -> str:
        return "".join(content.split())

    assert squeezed(trivial.reduced(example, path, 0, "", rows=0).decode()) == squeezed(nothing)
    assert squeezed(trivial.reduced(example, path, 1, "a", rows=1).decode()) == squeezed(ones)
