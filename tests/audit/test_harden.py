"""Hardening: what is changed, and that the proof is a proof."""

from __future__ import annotations

from dataclasses import replace

import pytest
from probe_support import environment, graded

from river_envs.audit import harden as room
from river_envs.audit.attempt import run_attempt
from river_envs.audit.hardening import Tools, harden_tests, rewritten
from river_envs.audit.harness import HarnessAudit, ask, groups, script_digest
from river_envs.audit.options import AuditOptions
from river_envs.environment import Environment, File, ImageRecipe, Reference
from river_envs.probes.base import Attempt, Copy, Finding

OPTIONS = ["-c", "/dev/null", "--rootdir=/tests", "--noconftest", "-p", "no:cacheprovider"]
SCRIPT = b"""#!/bin/bash
mkdir -p /logs/verifier
cd /tests
if python3 -m pytest -q -p no:cacheprovider test_state.py; then echo 1 >/logs/verifier/reward.txt
else echo 0 >/logs/verifier/reward.txt; fi
"""
INSTRUCTION = """Compute the total of the column amount in /app/orders.csv and write it to /app/total.json, for example:

```json
{"total": 4812}
```
"""
RECIPE = (
    "FROM host\nWORKDIR /app\nRUN mkdir -p /app && printf 'id,amount\\n1,4000\\n2,812\\n' >/app/orders.csv"
    " && printf '{\"total\": 4812}' >/app/.expected.json\n"
)
TESTS = "import json\ndef test_total(): assert json.load(open('/app/total.json'))['total'] == 4812\n"
SOLVE = b"""python3 -c "import csv, json
total = sum(int(row['amount']) for row in csv.DictReader(open('/app/orders.csv')))
json.dump({'total': total}, open('/app/total.json', 'w'))"
"""


def made(**changes: object) -> Environment:
    env = environment(INSTRUCTION, tests=TESTS)
    files = (File("test.sh", SCRIPT, 0o755), env.verifier.files[1])
    return replace(
        env,
        image=ImageRecipe("dockerfile", RECIPE),
        verifier=replace(env.verifier, files=files),
        reference=Reference("shipped", (File("solve.sh", SOLVE, 0o755),)),
        **changes,  # type: ignore[arg-type]
    )


def finding(env: Environment, cause: str, probe: str, attempts: tuple[str, ...], **evidence: object) -> Finding:
    return Finding(env.id, "leaks-answer", cause, "rollout-visible", probe, "seen", "advice", attempts, evidence)


def copying(env: Environment) -> Attempt:
    return Attempt(env.id, "answer-files", 1, actions=(Copy("/app/.expected.json", "/app/total.json"),))


@pytest.mark.parametrize(
    ("script", "wanted"),
    [
        ("python3 -m pytest -q t.py", "river_pytest -q t.py"),
        ("/usr/bin/python3 -B -m pytest t.py", "river_pytest t.py"),
        ("pytest t.py && echo ok", "river_pytest t.py && echo ok"),
        ("if pytest t.py; then :; fi", "if river_pytest t.py; then :; fi"),
        ("uvx -p 3.13 -w pytest==8.4.1 pytest t.py", f"uvx -p 3.13 -w pytest==8.4.1 pytest {' '.join(OPTIONS)} t.py"),
        ("echo pytest", "echo pytest"),
        ("python3 check.py pytest", "python3 check.py pytest"),
    ],
)
def test_how_a_script_is_rewritten(script: str, wanted: str):
    assert rewritten(script.encode(), OPTIONS).decode() == wanted


def test_a_script_that_brings_its_own_pytest_keeps_it():
    assert rewritten(b"pytest t.py", OPTIONS, own_python=False).decode() == f"pytest {' '.join(OPTIONS)} t.py"


def test_own_settings_and_conftest_count():
    env = made()
    own = (*env.verifier.files, File("conftest.py", b""), File("pytest.ini", b"[pytest]\n"))
    text = harden_tests(replace(env, verifier=replace(env.verifier, files=own)), Tools()).verifier.files[0].content
    assert b"-c /tests/pytest.ini --rootdir=/tests --confcutdir=/tests" in text
    assert b"--noconftest" not in text


def test_a_leaking_file_is_removed_by_a_last_step():
    env = made()
    proof = graded(copying(env), True)
    found = finding(env, "image-answer", "answer-files", (proof.attempt.id,))
    repaired, changes, left = room.remove_leaks(env, [found], [proof], user="agent")
    assert repaired.image.text.endswith("USER root\nRUN rm -rf -- /app/.expected.json\nUSER agent\n")
    assert ([change.finding for change in changes], left) == ([found.id], ())


def test_printed_values_are_altered_and_nothing_else():
    env = made()
    found = finding(env, "printed-answer", "example-block", (), answer={"/app/total.json": '{"total": 4812}\n'})
    repaired, changes, _ = room.remove_leaks(env, [found], [])
    assert "4812" not in repaired.instruction
    assert '{"total": ' in repaired.instruction
    assert "/app/orders.csv" in repaired.instruction
    assert len(changes) == 1


def test_what_needs_a_person_is_named():
    env = made()
    found = replace(finding(env, "shape-only", "example-block", ()), claim="accepts-wrong")
    repaired, changes, left = room.remove_leaks(env, [found], [])
    assert (repaired, changes) == (env, ())
    assert "shape-only" in left[0]


def test_groups_share_bases_and_script():
    other = replace(
        made(),
        instruction="other",
        verifier=replace(
            made().verifier,
            files=(
                File("test.sh", SCRIPT.replace(b"test_state.py", b"test_other.py") + b"# a remark\n"),
                File("test_other.py", b""),
            ),
        ),
    )
    assert script_digest(other) == script_digest(made())
    third = replace(made(), image=ImageRecipe("dockerfile", "FROM other:1\n"))
    assert [len(group.environments) for group in groups([made(), other, third])] == [2, 1]


@pytest.mark.sandbox
class TestReal:
    def audit(self, backend: object) -> HarnessAudit:
        from river_envs.audit.grading import grading

        options = AuditOptions()
        return HarnessAudit(backend, options, grading(backend, options))  # type: ignore[arg-type]

    def test_an_image_answer_is_repaired_and_proved(self, bubblewrap_backend):
        env, audit = made(), self.audit(bubblewrap_backend)
        proof = run_attempt(audit.place(env), env, copying(env), None)[0]
        assert proof.passed, proof
        found = finding(env, "image-answer", "answer-files", (proof.attempt.id,))
        hardened = room.harden(audit, env, [found], [proof])
        assert hardened.proved, hardened.checks
        assert {check.what for check in hardened.checks} >= {
            "the untouched image is not rewarded",
            "the reference passes",
            "answer-files finds no image-answer",
        }

    def test_a_printed_answer_is_repaired_and_proved(self, bubblewrap_backend, tmp_path):
        from river_envs.formats.detect import read_all
        from river_envs.formats.writer import write_harbor
        from river_envs.probes.base import Background, Survey
        from river_envs.probes.example_block import ExampleBlock

        env, audit = made(), self.audit(bubblewrap_backend)
        place = audit.place(env)
        untouched = run_attempt(place, env, Attempt(env.id, "untouched", 1), None)[0]
        judgement = ask(place, env, ExampleBlock(), Survey(workdir="/app"), Background((untouched,)))
        assert [found.cause for found in judgement.findings] == ["printed-answer"]
        hardened = room.harden(audit, env, judgement.findings, [])
        assert hardened.proved, hardened.checks
        write_harbor(hardened.environment, tmp_path / "copy")
        (item,) = read_all([tmp_path / "copy"])
        again, copy = item.environment, hardened.environment
        assert (again.instruction, again.image.text) == (copy.instruction, copy.image.text)
        assert again.verifier.files == copy.verifier.files

    def test_a_leak_that_the_reference_needs_is_not_proved(self, bubblewrap_backend):
        env, audit = made(), self.audit(bubblewrap_backend)
        env = replace(
            env, reference=Reference("shipped", (File("solve.sh", b"cp /app/.expected.json /app/total.json\n"),))
        )
        proof = run_attempt(audit.place(env), env, copying(env), None)[0]
        found = finding(env, "image-answer", "answer-files", (proof.attempt.id,))
        hardened = room.harden(audit, env, [found], [proof])
        assert not hardened.proved
        assert [check.what for check in hardened.checks if not check.ok] == ["the reference passes"]

    @pytest.mark.slow
    def test_the_harness_finds_holes_and_closes_them(self, bubblewrap_backend):
        (group,) = groups([made()])
        report = self.audit(bubblewrap_backend).ask(group)
        assert report.problem == ""
        open_holes = {hole.probe: hole.closed for hole in report.holes if hole.open}
        assert {"conftest", "pytest-ini", "sitecustomize", "pth-file", "shadow-module", "path-python"} <= set(
            open_holes
        )
        assert all(open_holes.values()), open_holes
        assert (report.reference, report.kill) == (True, True)
