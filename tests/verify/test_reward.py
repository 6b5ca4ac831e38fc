"""Harbor's reward rules, and what hostile reward files come to."""

import dataclasses

import pytest

from river_envs.outcome import Status
from river_envs.sandbox.base import ExecResult, SandboxError
from river_envs.verifier import grade

TEXT, JSON = "/logs/verifier/reward.txt", "/logs/verifier/reward.json"


def writes(content, path=TEXT, code=0, output="done"):
    def script(sandbox, command, env):
        if content is not None:
            sandbox.files[path] = content
        return code, output
    return script


@pytest.mark.parametrize(("content", "path", "status", "reward"), [
    (b"1\n", TEXT, Status.GRADED, 1.0),
    (b" 0.25 ", TEXT, Status.GRADED, 0.25),
    (b"", TEXT, Status.NO_REWARD_FILE, None),
    (b"nan", TEXT, Status.MALFORMED_REWARD, None),
    (b"1 2", TEXT, Status.MALFORMED_REWARD, None),
    (b"\xff\xfe", TEXT, Status.MALFORMED_REWARD, None),
    (b"1" * 100_000, TEXT, Status.MALFORMED_REWARD, None),
    (None, TEXT, Status.NO_REWARD_FILE, None),
    (b'{"reward": 1}', JSON, Status.GRADED, 1.0),
    (b'{"only": 0.5}', JSON, Status.GRADED, 0.5),
    (b'{"reward": 0, "speed": 3}', JSON, Status.GRADED, 0.0),
    (b'{"a": 0, "b": 3}', JSON, Status.UNSUPPORTED, None),
    (b'{"reward": true}', JSON, Status.MALFORMED_REWARD, None),
    (b'{"reward": NaN}', JSON, Status.MALFORMED_REWARD, None),
    (b'{"reward": Infinity}', JSON, Status.MALFORMED_REWARD, None),
    (b'{"reward": {"a": 1}}', JSON, Status.MALFORMED_REWARD, None),
    (b'{"reward": "1"}', JSON, Status.MALFORMED_REWARD, None),
    (b'{"reward": ' + b"9" * 400 + b"}", JSON, Status.MALFORMED_REWARD, None),
    (b"[" * 60_000, JSON, Status.MALFORMED_REWARD, None),
    (b"[1]", JSON, Status.MALFORMED_REWARD, None),
    (b"{}", JSON, Status.MALFORMED_REWARD, None),
])
def test_reward_files(sandbox, environment, content, path, status, reward):
    outcome = grade(sandbox(writes(content, path)), environment())
    assert (outcome.status, outcome.reward) == (status, reward)
    assert outcome.passed == (None if reward is None else reward >= 1)
    assert bool(outcome.detail) == (status is not Status.GRADED)


def test_json_comes_first_and_a_malformed_one_is_not_skipped(sandbox, environment):
    def both(content):
        def script(box, command, env):
            box.files[TEXT], box.files[JSON] = b"1", content
            return 0, ""
        return script
    assert grade(sandbox(both(b'{"reward": 0}')), environment()).reward == 0
    assert grade(sandbox(both(b"garbage")), environment()).status is Status.MALFORMED_REWARD


def test_declared_key_and_pass_at(sandbox, environment):
    script = writes(b'{"a": 0.6, "b": 3}', JSON)
    outcome = grade(sandbox(script), environment(reward_key="a"), pass_at=0.5)
    assert (outcome.reward, outcome.passed, outcome.rewards) == (0.6, True, {"a": 0.6, "b": 3.0})
    assert grade(sandbox(script), environment(reward_key="a")).passed is False


def test_exit_status_is_not_the_verdict(sandbox, environment):
    assert grade(sandbox(writes(b"1", code=1)), environment()).passed is True
    assert grade(sandbox(writes(b"0", code=0)), environment()).passed is False


def test_planted_rewards_are_removed_first(sandbox, environment):
    box = sandbox(writes(None), {TEXT: b"1", JSON: b'{"reward": 1}'})
    assert grade(box, environment()).status is Status.NO_REWARD_FILE


def test_what_is_no_regular_file(sandbox, environment):
    for special in (sandbox.FIFO, sandbox.DIRECTORY):
        assert grade(sandbox(writes(special)), environment()).status is Status.MALFORMED_REWARD
    box = sandbox(writes(b"1"))
    box.links.add(TEXT)
    outcome = grade(box, environment())
    assert outcome.status is Status.MALFORMED_REWARD
    assert "link" in outcome.detail


def test_timeout_and_flood_are_no_rewards(sandbox, environment):
    def stopped(**flags):
        def script(box, command, env):
            box.files[TEXT] = b"1"
            return ExecResult(None, b"", 9.0, **flags)
        return script
    assert grade(sandbox(stopped(timed_out=True)), environment()).status is Status.VERIFIER_TIMEOUT
    assert grade(sandbox(stopped(truncated=True)), environment()).status is Status.VERIFIER_CRASHED


def test_a_lost_sandbox_is_a_status(sandbox, environment):
    def script(box, command, env):
        raise SandboxError("the sandbox is gone")
    outcome = grade(sandbox(script), environment())
    assert (outcome.status, outcome.detail) == (Status.SANDBOX_ERROR, "the sandbox is gone")


def test_env_user_workdir_and_tests(sandbox, environment):
    task = dataclasses.replace(
        environment(env=(("KEY", "v"),), user="tester"), workdir="/app", env=(("KEY", "outer"), ("OTHER", "o"))
    )
    box = sandbox(writes(b"1"))
    assert grade(box, task).passed
    (call,) = box.calls
    assert call == {"command": ["bash", "/tests/test.sh"], "env": {"KEY": "v", "OTHER": "o"}, "user": "tester",
                    "cwd": "/app"}
    assert "/tests/test.sh" in box.files


def test_unsupported_environments_are_not_run(sandbox, environment):
    box = sandbox(writes(b"1"))
    outcome = grade(box, dataclasses.replace(environment(), unsupported=("docker-compose.yaml",)))
    assert outcome.status is Status.UNSUPPORTED
    assert box.calls == []


def test_the_log_keeps_both_ends(sandbox, environment):
    outcome = grade(sandbox(writes(b"1", output="start" + "x" * 200_000 + "end")), environment())
    assert outcome.log.startswith("start")
    assert outcome.log.endswith("end")
    assert len(outcome.log) < 66_000
