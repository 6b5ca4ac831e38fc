"""The stand-alone script of a finding: it carries the conditions of its attempts."""

from __future__ import annotations

import os
import subprocess

from probe_support import environment, graded

from river_envs.audit.script import replay_script
from river_envs.probes.base import Attempt, Finding, Restore, Run
from river_envs.sandbox.base import Change, Delta

LEFT = Delta((Change("app/x", "file", content=b"1"),))


def script(attempt: Attempt, left: Delta = LEFT) -> str:
    env = environment()
    finding = Finding(env.id, "unstable", "time-dependent", "rollout-visible", "clock-shift", "m", "a", (attempt.id,))
    return replay_script(finding, env, [graded(attempt, False)], left)


def shell(text: str) -> None:
    """The script is one that a shell can read."""
    subprocess.run(["sh", "-n"], input=text.encode(), check=True)


def test_conditions_are_carried():
    env = environment()
    conditions = (("clock", "86400"), ("again", "2"), ("delay", "5"))
    text = script(Attempt(env.id, "clock-shift", 1, actions=(Restore(), Run("true")), conditions=conditions))
    shell(text)
    assert "under='/bin/sh /opt/river-conditions/under' times=2" in text
    assert "into /opt/river-conditions" in text
    assert "sleep 5\n" in text
    assert '"$box" $under sh -c true' in text


def test_without_conditions_nothing_stands_before_the_tests():
    env = environment()
    text = script(Attempt(env.id, "untouched", 1))
    shell(text)
    assert "under= times=1" in text
    assert "river-conditions" not in text


def test_a_base_that_is_missing_is_named_with_what_to_do(tmp_path):
    docker = tmp_path / "docker"
    docker.write_text("#!/bin/sh\necho 'pull access denied' >&2\nexit 1\n")
    docker.chmod(0o755)
    text = script(Attempt(environment().id, "untouched", 1))
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(["sh"], input=text, env=path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert "it starts from: river-mini/base:1" in done.stderr
    assert "docker tag IMAGE NAME" in done.stderr


def test_the_age_of_a_state_is_carried():
    made = Delta((Change("app/b", "file", mtime=2_000), Change("app/a", "file", mtime=2_005), Change("app/o", "file")))
    attempt = Attempt(environment().id, "state-age", 1, actions=(Restore(),), conditions=(("age", "86400"),))
    text = script(attempt, made)
    assert text.index("touch -h -- /app/b /app/a") < text.index("age.py 86400") < text.index("grade " + attempt.id)
    assert "/app/o" not in text
    shell(text)
