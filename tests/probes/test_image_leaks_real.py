"""Leak probes in real sandboxes: an image that gives the answer away, and a healthy look-alike."""

# ruff: noqa: E501 - one leak on one line
from __future__ import annotations

import pytest
from real_probe_support import ask_really, real_environment

from river_envs.probes.answer_files import AnswerFiles
from river_envs.probes.archived_answer import ArchivedAnswer
from river_envs.probes.base import NotApplicable
from river_envs.probes.bytecode_answer import BytecodeAnswer
from river_envs.probes.git_objects import GitObjects
from river_envs.probes.hidden_directory import HiddenDirectory
from river_envs.probes.linked_answer import LinkedAnswer
from river_envs.probes.same_form_file import SameFormFile
from river_envs.probes.shipped_generator import ShippedGenerator

pytestmark = pytest.mark.sandbox

TASK = 'Compute the total of /app/in.csv and write it to /app/out.json as `{"total": 0}`.'
RIGHT = "grep -q '\"total\": 4812' /app/out.json"
INPUT = {"in.csv": "amount\n4800\n12\n"}
GIT = "export HOME=/tmp GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b\ncd /app\n"
GIT += "git init -q .\ngit add .\ngit commit -qm one\n"
ANSWER = """echo '{"total": 4812}' """


CASES = [
    (AnswerFiles(), "mkdir /app/expected; " + ANSWER + "> /app/expected/data1.json", "image-answer"),
    (AnswerFiles(), ANSWER + "> /app/in.truth", "image-answer"),
    (AnswerFiles(), "mkdir /opt/x; " + ANSWER + "> /opt/x/out.json", "image-answer"),
    (LinkedAnswer(), ANSWER + "> /app/.expected.json", "image-answer"),
    (SameFormFile(), "mkdir /app/data; " + ANSWER + "> /app/data/run_03.json", "image-answer"),
    (HiddenDirectory(), "mkdir /app/.work; " + ANSWER + "> /app/.work/q7.json", "image-answer"),
    (GitObjects(), GIT + ANSWER + "> out.json\ngit add .\ngit commit -qm two\ngit reset -q --hard HEAD~1", "image-answer"),
    (GitObjects(), GIT + ANSWER + "> out.json\ngit add .\ngit stash -q", "image-answer"),
    (GitObjects(), GIT + ANSWER + "| git hash-object -w --stdin", "image-answer"),
    (GitObjects(), GIT + ANSWER + "> out.json\ngit add .\ngit commit -qm two\ngit rm -q out.json\ngit commit -qm three",
     "image-answer"),
    (ArchivedAnswer(), "mkdir /tmp/x; " + ANSWER + "> /tmp/x/out.json; tar -C /tmp/x -czf /app/data.tgz out.json; rm -r /tmp/x",
     "image-answer"),
    (ArchivedAnswer(), ANSWER + "> /tmp/out.json; gzip -c /tmp/out.json > /app/run.gz; rm /tmp/out.json", "image-answer"),
    (BytecodeAnswer(), "cd /app; echo 'total = 4812; answer = {\"total\": total}' > solver.py; python3 -m compileall -q solver.py;"
     "rm solver.py", "image-answer"),
    (BytecodeAnswer(), "cd /app; echo 'print(\"{\\\"total\\\": 4812}\")' > solver.py; python3 -m compileall -q -b solver.py;"
     "rm solver.py", "image-answer"),
    (ShippedGenerator(), "mkdir /app/tools; echo 'open(\"/app/tools/truth.json\", \"w\").write(\"{\\\"total\\\": 4812}\")'"
     "> /app/tools/make_data.py", "derivable-answer"),
    (ShippedGenerator(), "cd /app; echo 'echo \"{\\\"total\\\": 4812}\"' > gen.sh", "derivable-answer"),
    (ShippedGenerator(), "cd /app; echo 'import sys; open(sys.argv[1], \"w\").write(\"{\\\"total\\\": 4812}\")' > build_report.py",
     "derivable-answer"),
]  # fmt: skip


@pytest.mark.parametrize(("probe", "build", "cause"), CASES, ids=[f"{c[0].id}-{i}" for i, c in enumerate(CASES)])
def test_catches_the_leak_and_passes_a_decoy(probe, build, cause, bubblewrap_backend):
    assert ask_really(probe, real_environment(TASK, RIGHT, INPUT, build), bubblewrap_backend).causes == [cause]
    decoy = ask_really(probe, real_environment(TASK, RIGHT, INPUT, build.replace("4812", "37")), bubblewrap_backend)
    assert not isinstance(decoy.judgement, NotApplicable)
    assert decoy.causes == []


def test_a_check_of_form_only_is_named_so(bubblewrap_backend):
    env = real_environment(TASK, "[ -s /app/out.json ]", INPUT, ANSWER + "> /app/expected.json")
    asked = ask_really(AnswerFiles(), env, bubblewrap_backend)
    assert asked.causes == ["shape-only"]
