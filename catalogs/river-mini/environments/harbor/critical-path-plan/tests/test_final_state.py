"""Finish times and the critical path."""
import json
from pathlib import Path

FINISH = {"t00": 14, "t01": 22, "t02": 9, "t03": 6, "t04": 19, "t05": 42, "t06": 43, "t07": 58, "t08": 51, "t09": 38, "t10": 58, "t11": 55, "t12": 60, "t13": 54, "t14": 8, "t15": 71, "t16": 18, "t17": 43}
PATH = ["t00", "t01", "t06", "t07", "t15"]


def test_plan():
    plan = json.loads(Path("/app/plan.json").read_text())
    assert set(plan) == {"minutes", "path", "finish"}
    assert plan["finish"] == FINISH
    assert plan["minutes"] == max(FINISH.values())
    assert plan["path"] == PATH
