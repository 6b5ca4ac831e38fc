"""Readers of rollouts: real trials where they are at hand, and everything that can be wrong with a file."""

import json
from pathlib import Path

import pandas
import pytest

from river_envs.outcome import Status
from river_envs.rollouts import harbor, plain, summaries, tables
from river_envs.rollouts.reading import Read, Unread
from river_envs.rollouts.records import Rollout, Turn

SHARED = next((at for up in Path(__file__).parents if (at := up / "shared" / "data" / "rollouts").is_dir()), None)
real = pytest.mark.skipif(SHARED is None, reason="the sample rollouts are not here")


@real
def test_the_published_tables_are_read_whole():
    (pair,) = tables.pairs([SHARED / "turns.parquet", SHARED / "trials.parquet"])
    items = list(tables.read(pair, "t"))
    rollouts = [item.rollout for item in items if isinstance(item, Read)]
    trials = pandas.read_parquet(SHARED / "trials.parquet")
    assert len(rollouts) == len(items) == len(trials) == 1778
    assert sum(len(rollout.turns) for rollout in rollouts) == len(pandas.read_parquet(SHARED / "turns.parquet"))
    column = "model" if "model" in trials else next(name for name in trials if "model" in name)
    for model, mean in trials.groupby(column)["reward"].mean().items():
        rewards = [rollout.reward for rollout in rollouts if rollout.model == model and rollout.reward is not None]
        assert sum(rewards) / len(rewards) == pytest.approx(mean)
    assert sum(rollout.reward is None for rollout in rollouts) == trials["reward"].isna().sum()


@real
def test_job_directories_are_read_whole():
    folders = sorted(path for path in (SHARED / "harbor_job").glob("*/*") if path.is_dir())
    items = [item for folder in folders for item in harbor.read(folder, str(folder))]
    rollouts = [item.rollout for item in items if isinstance(item, Read)]
    assert len(rollouts) == len(folders)
    assert all(rollout.turns for rollout in rollouts if "no-trajectory" not in rollout.problems)
    assert all((rollout.reward is None) == (rollout.status is not Status.GRADED) for rollout in rollouts)
    assert {rollout.task for rollout in rollouts} >= {"extract-elf", "fix-git"}


def summary(tmp_path, results):
    folder = tmp_path / "task_1" / "solutions"
    folder.mkdir(parents=True)
    path = folder / "some_model_summary.json"
    path.write_text(json.dumps({"num_runs": len(results), "num_success": 1, "results": results}))
    return path


def test_summaries_of_a_solver(tmp_path):
    messages = [
        {"role": "system", "content": "say <command>"},
        {"role": "user", "content": "make a file"},
        {"role": "assistant", "content": "<command>touch /a</command>"},
        {"role": "user", "content": "ok\n\n(exit_code=0)"},
        {"role": "assistant", "content": "<action>done</action>"},
    ]
    path = summary(tmp_path, [
        {"success": True, "reward": 1, "messages": messages, "output": "1 passed"},
        {"success": False, "reward": 0, "messages": messages[:3], "output": "1 failed"},
    ])
    assert summaries.is_summary(path)
    passed, failed = [item.rollout for item in summaries.read(path, "s")]
    assert (passed.task, passed.reward, failed.reward) == ("task_1", 1, 0)
    assert passed.turns[0].command == "touch /a"
    assert passed.turns[-1].submits


def test_our_own_form_comes_back(tmp_path):
    turns = (Turn(0, "ls", "a\nb", 0, 0.5, 7), Turn(1, None, "what?", submits=True))
    written = [
        Rollout("task", "trial-1", "model", turns, reward=1.0),
        Rollout("task", "trial-2", "model", (), Status.SANDBOX_ERROR, exception="gone"),
    ]
    for name in ("r.jsonl", "r.parquet"):
        path = tmp_path / name
        assert plain.write_rollouts(path, written) == 2
        assert plain.is_ours(path) == name.endswith("parquet")
        read = plain.read_lines if name.endswith("jsonl") else plain.read_table
        assert [item.rollout for item in read(path, "r")] == written


@pytest.mark.parametrize(
    ("file", "content", "problem"),
    [
        ("agent/trajectory.json", b'{"schema_version": "ATIF-v1.4", "steps": [{"st', "broken-trajectory"),
        ("agent/trajectory.json", b'{"schema_version": "ATIF-v99", "steps": []}', "unknown-version"),
        (None, b"", "no-trajectory"),
    ],
)
def test_what_is_wrong_with_a_trial_is_named(tmp_path, file, content, problem):
    trial = tmp_path / "some-task__abcDEFG"
    (trial / "verifier").mkdir(parents=True)
    (trial / "config.json").write_text("{}")
    (trial / "result.json").write_text(json.dumps({"task_name": "some-task", "trial_name": trial.name}))
    (trial / "verifier" / "reward.txt").write_text("1\n")
    if file:
        (trial / file).parent.mkdir(parents=True)
        (trial / file).write_bytes(content)
    (item,) = harbor.read(trial, "x")
    assert isinstance(item, Read)
    assert problem in item.rollout.problems


def test_a_trial_without_a_result_has_no_reward(tmp_path):
    trial = tmp_path / "some-task__abcDEFG"
    (trial / "agent").mkdir(parents=True)
    (trial / "config.json").write_text("{}")
    items = list(harbor.read(trial, "x"))
    assert [item for item in items if isinstance(item, Unread)] or items[0].rollout.reward is None


def test_a_reward_and_a_failure_contradict_each_other():
    with pytest.raises(ValueError, match="contradict"):
        Rollout("t", "x", status=Status.SANDBOX_ERROR, reward=1.0)
