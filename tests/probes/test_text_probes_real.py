"""The text probes that run scripts inside the sandbox, on real ones: what they claim to do takes effect."""

from __future__ import annotations

import pytest
from real_probe_support import ask_really, real_environment

from river_envs.probes.comment_source import CommentSource
from river_envs.probes.degenerate_metric import DegenerateMetric
from river_envs.probes.fabricated_report import FabricatedReport
from river_envs.probes.input_as_answer import InputAsAnswer

pytestmark = pytest.mark.sandbox

TRAIN = "height,kind\n1,oak\n2,elm\n3,oak\n"
NEW = "id,height\na,1\nb,2\nc,3\n"
PREDICT = """Predict the kind for /app/new.csv, learning from /app/train.csv. Write `/app/p.csv` with the header
`id,kind` and a row for every id of /app/new.csv. At least 80 % of them have to be right."""
KNOWN = "test $(grep -cE '^[abc],(oak|elm)' /app/p.csv) = 3"


def test_constant_classes_of_the_training_file(bubblewrap_backend):
    files = {"train.csv": TRAIN, "new.csv": NEW}
    assert ask_really(DegenerateMetric(), real_environment(PREDICT, KNOWN, files), bubblewrap_backend).causes == [
        "shape-only"
    ]
    right = real_environment(PREDICT, "printf 'id,kind\\na,oak\\nb,elm\\nc,oak\\n' | cmp -s - /app/p.csv", files)
    assert ask_really(DegenerateMetric(), right, bubblewrap_backend).causes == []


def test_the_input_whole_and_damaged(bubblewrap_backend):
    task = "Compute the rolling median of /app/in.csv (column `v`) and write the rows to /app/out.csv."
    files = {"in.csv": "t,v\n1,5\n2,7\n3,9\n"}
    weak = real_environment(task, "test $(wc -l < /app/out.csv) = 4", files)
    sound = real_environment(task, "grep -qx '2,7' /app/out.csv", files)
    assert ask_really(InputAsAnswer(), weak, bubblewrap_backend).causes == ["shape-only"]
    asked = ask_really(InputAsAnswer(), sound, bubblewrap_backend)
    assert (asked.causes, [result.passed for result in asked.results]) == ([], [True, False])


def test_a_program_commented_out(bubblewrap_backend):
    task = "The script `/app/sum.sh` prints nonsense. Fix it so that it prints the `total` with `awk`."
    files = {"sum.sh": "#!/bin/sh\necho nonsense\n"}
    weak = real_environment(task, "grep -q awk /app/sum.sh", files)
    assert ask_really(CommentSource(), weak, bubblewrap_backend).causes == ["keyword-only"]
    sound = real_environment(task, 'test "$(sh /app/sum.sh)" = 3', files)
    assert ask_really(CommentSource(), sound, bubblewrap_backend).causes == []


def test_a_log_of_work_that_was_not_done(bubblewrap_backend):
    task = "Delete the stale files in /app/old. When done, append a line `STATUS: OK deleted=<n>` to `/app/clean.log`."
    build = "mkdir old; touch old/a old/b"
    weak = real_environment(task, "grep -qE '^STATUS: OK deleted=[0-9]+$' /app/clean.log", build=build)
    sound = real_environment(task, "grep -q 'STATUS: OK' /app/clean.log && ! test -e /app/old/a", build=build)
    assert ask_really(FabricatedReport(), weak, bubblewrap_backend).causes == ["self-report"]
    assert ask_really(FabricatedReport(), sound, bubblewrap_backend).causes == []
