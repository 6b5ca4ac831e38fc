"""Tests in many styles, each in two versions: one that checks the form alone, one that knows the values."""

from __future__ import annotations

from dataclasses import dataclass

DATA = "id,region,amount\n1,north,10.5\n2,south,20.0\n3,north,7.25\n4,east,3.0\n5,south,1.5\n"
INTRO = "The file /app/sales.csv holds one sale per line with id, region and amount. "


@dataclass(frozen=True)
class Style:
    """One way of writing tests. ``weak`` checks form only, ``strong`` the values; ``cause`` is what weak deserves."""

    name: str
    instruction: str
    weak: str
    strong: str
    cause: str = "shape-only"


STYLES = [
    Style(
        "json-types",
        INTRO + "Compute the total amount, the number of sales and the best region; write them to /app/out.json as "
        "total, count and best_region.",
        """
import json
def test_it():
    with open("/app/out.json") as f:
        data = json.load(f)
    assert isinstance(data, dict)
    for key in ("total", "count", "best_region"):
        assert key in data, key
    assert isinstance(data["total"], float)
    assert isinstance(data["count"], int) and data["count"] > 0
    assert isinstance(data["best_region"], str) and len(data["best_region"]) > 0
""",
        """
import json
def test_it():
    data = json.load(open("/app/out.json"))
    assert abs(data["total"] - 42.25) < 0.01
    assert data["count"] == 5
    assert isinstance(data["best_region"], str)
""",
    ),
    Style(
        "json-constants-and-helpers",
        INTRO + "Report for every region the sum of amounts and the share of the total in /app/regions.json, a list of "
        "objects with region, sum and share.",
        """
import json
from pathlib import Path
import pytest
OUT = Path("/app") / "regions.json"
REQUIRED = {"region": str, "sum": (int, float), "share": (int, float)}
@pytest.fixture(scope="module")
def rows():
    assert OUT.exists(), "missing"
    return json.loads(OUT.read_text())
def check(row):
    assert set(row) == {"region", "sum", "share"}
    assert isinstance(row["region"], str)
    assert 0 <= row["share"] <= 1
    assert row["sum"] >= 0
def test_rows(rows):
    assert isinstance(rows, list)
    assert len(rows) == 3
    for row in rows:
        check(row)
def test_sorted(rows):
    sums = [row["sum"] for row in rows]
    assert sums == sorted(sums, reverse=True)
""",
        """
import json
from pathlib import Path
EXPECTED = [("south", 21.5), ("north", 17.75), ("east", 3.0)]
def test_rows():
    rows = json.loads(Path("/app/regions.json").read_text())
    assert [(r["region"], r["sum"]) for r in rows] == EXPECTED
    for row in rows:
        assert 0 <= row["share"] <= 1
""",
    ),
    Style(
        "csv-dictreader",
        INTRO + "Sum the amounts by region and write /app/totals.csv with the columns region and total.",
        """
import csv, os
PATH = "/app/totals.csv"
def test_exists():
    assert os.path.isfile(PATH)
def test_columns():
    with open(PATH, newline="") as f:
        reader = csv.DictReader(f)
        assert reader.fieldnames == ["region", "total"]
        rows = list(reader)
    assert len(rows) >= 2
    for row in rows:
        assert row["region"].strip()
        assert float(row["total"]) > 0
""",
        """
import csv
def load(path):
    with open(path, newline="") as f:
        return list(csv.DictReader(f))
def test_values():
    want = {}
    for row in load("/app/sales.csv"):
        want[row["region"]] = want.get(row["region"], 0) + float(row["amount"])
    got = {row["region"]: float(row["total"]) for row in load("/app/totals.csv")}
    assert got == want
""",
    ),
    Style(
        "csv-reader-rows",
        INTRO + "Sum the amounts by region and write /app/totals.csv with the header region,total.",
        """
import csv
def test_rows():
    with open("/app/totals.csv") as fh:
        rows = list(csv.reader(fh))
    assert rows[0] == ["region", "total"]
    for row in rows[1:]:
        assert len(row) == 2
        assert float(row[1]) > 0
    assert len(rows) >= 3
""",
        """
import csv
def test_rows():
    with open("/app/totals.csv") as fh:
        rows = list(csv.reader(fh))
    assert rows[0] == ["region", "total"]
    assert rows[1:] == [["south", "21.5"], ["north", "17.75"], ["east", "3.0"]]
""",
    ),
    Style(
        "lines-regex",
        INTRO + "Compute the total of every region and write one line REGION: TOTAL per region to /app/summary.txt.",
        """
import re
def test_lines():
    lines = open("/app/summary.txt").read().strip().split("\\n")
    assert len(lines) == 3
    for line in lines:
        assert re.match(r"^[a-z]+: \\d+\\.\\d{2}$", line), line
""",
        """
def test_lines():
    lines = open("/app/summary.txt").read().strip().split("\\n")
    assert sorted(lines) == ["east: 3.00", "north: 17.75", "south: 21.50"]
""",
    ),
    Style(
        "bad-lines-gathered",
        INTRO + "Compute the total of every region; write lines of the form region=total to /app/summary.txt.",
        """
import re
PATTERN = re.compile(r"[a-z]+=\\d+(\\.\\d+)?")
def test_lines():
    with open("/app/summary.txt") as f:
        lines = [line.strip() for line in f if line.strip()]
    bad = [line for line in lines if not PATTERN.fullmatch(line)]
    assert not bad, bad
    assert len(lines) >= 3
""",
        """
def test_lines():
    found = {}
    with open("/app/summary.txt") as f:
        for line in f:
            key, value = line.strip().split("=")
            found[key] = float(value)
    assert found == {"south": 21.5, "north": 17.75, "east": 3.0}
""",
    ),
    Style(
        "key-value-file",
        INTRO + "Determine the largest and the smallest amount; write them to /app/limits.conf as max=VALUE and "
        "min=VALUE.",
        """
def read():
    values = {}
    for line in open("/app/limits.conf").read().splitlines():
        if "=" in line:
            key, value = line.split("=", 1)
            values[key.strip()] = value.strip()
    return values
def test_keys():
    values = read()
    assert "max" in values
    assert "min" in values
def test_numbers():
    values = read()
    assert float(values["max"]) > 0
    float(values["min"])
""",
        """
def read():
    return dict(line.split("=", 1) for line in open("/app/limits.conf").read().splitlines())
def test_numbers():
    values = read()
    assert float(values["max"]) == 20.0
    assert float(values["min"]) == 1.5
""",
    ),
    Style(
        "parametrized-keys",
        INTRO + "Compute count, mean and median of the amounts and save them in /app/stats.json.",
        """
import json
import pytest
@pytest.mark.parametrize("key", ["count", "mean", "median"])
def test_key(key):
    data = json.load(open("/app/stats.json"))
    assert key in data
@pytest.mark.parametrize("key,low,high", [("count", 1, 1000), ("mean", 0, 1000.0), ("median", 0, 1000.0)])
def test_range(key, low, high):
    data = json.load(open("/app/stats.json"))
    assert low <= data[key] <= high
""",
        """
import json
import pytest
@pytest.mark.parametrize("key,value", [("count", 5), ("mean", 8.45), ("median", 7.25)])
def test_value(key, value):
    assert json.load(open("/app/stats.json"))[key] == pytest.approx(value)
""",
    ),
    Style(
        "unittest-class",
        INTRO + "Find the region with the highest total and its total; write region and total to /app/best.json.",
        """
import json, os, unittest
class TestBest(unittest.TestCase):
    def setUp(self):
        self.path = "/app/best.json"
        self.assertTrue(os.path.exists(self.path))
        with open(self.path) as f:
            self.data = json.load(f)
    def test_keys(self):
        self.assertIn("region", self.data)
        self.assertIn("total", self.data)
    def test_types(self):
        self.assertIsInstance(self.data["region"], str)
        self.assertIsInstance(self.data["total"], (int, float))
        self.assertGreater(self.data["total"], 0)
""",
        """
import json, unittest
class TestBest(unittest.TestCase):
    def test_value(self):
        with open("/app/best.json") as f:
            data = json.load(f)
        self.assertEqual(data["region"], "south")
        self.assertGreater(data["total"], 0)
""",
    ),
    Style(
        "self-consistent",
        INTRO + "Compute the totals and write /app/report.json with items (a list of objects with region and total) "
        "and grand_total.",
        """
import json
def test_sum():
    data = json.load(open("/app/report.json"))
    assert len(data["items"]) > 1
    for item in data["items"]:
        assert item["region"]
        assert item["total"] > 0
    assert abs(data["grand_total"] - sum(i["total"] for i in data["items"])) < 1e-6 or data["grand_total"] == sum(
        item["total"] for item in data["items"])
    assert data["grand_total"] == sum(item["total"] for item in data["items"])
""",
        """
import json
def test_sum():
    data = json.load(open("/app/report.json"))
    assert data["grand_total"] == sum(item["total"] for item in data["items"])
    assert data["grand_total"] == 42.25
""",
    ),
    Style(
        "match-groups",
        INTRO + "Compute the total and the count and write `Total: N` and `Count: N` to /app/report.txt.",
        """
import re
def test_report():
    text = open("/app/report.txt").read()
    total = re.search(r"Total:\\s*(\\d+(?:\\.\\d+)?)", text)
    assert total is not None
    assert float(total.group(1)) > 0
    count = re.search(r"Count:\\s*(\\d+)", text)
    if not count:
        raise AssertionError("no count")
    assert int(count.group(1)) >= 1
""",
        """
import re
def test_report():
    text = open("/app/report.txt").read()
    total = re.search(r"Total:\\s*(\\d+(?:\\.\\d+)?)", text)
    assert total and float(total.group(1)) == 42.25
    assert re.search(r"Count:\\s*5\\b", text)
""",
    ),
    Style(
        "labels-in-text",
        INTRO + "Find the best and the worst region and describe both in /app/report.txt with a line `Best:` and a "
        "line `Worst:`.",
        """
import os
def test_report():
    assert os.path.getsize("/app/report.txt") > 10
    text = open("/app/report.txt").read()
    missing = []
    for word in ["Best:", "Worst:"]:
        if word not in text:
            missing.append(word)
    assert not missing, missing
""",
        """
def test_report():
    text = open("/app/report.txt").read()
    assert "Best: south" in text
    assert "Worst: east" in text
""",
        "keyword-only",
    ),
    Style(
        "dates",
        INTRO + "Find for each region the date of its first sale in /app/log.txt; write region,first_date to "
        "/app/first.csv.",
        """
import csv
from datetime import datetime
def test_dates():
    rows = list(csv.DictReader(open("/app/first.csv")))
    assert rows
    for row in rows:
        datetime.strptime(row["first_date"], "%Y-%m-%d")
        assert row["region"]
""",
        """
import csv
def test_dates():
    rows = list(csv.DictReader(open("/app/first.csv")))
    got = {row["region"]: row["first_date"] for row in rows}
    assert got["north"] == "2024-02-03"
""",
    ),
    Style(
        "enumeration",
        INTRO + "Classify each sale as `low` or `high` by its amount against the median; write id and class to "
        "/app/classes.csv.",
        """
import csv
def test_classes():
    rows = list(csv.DictReader(open("/app/classes.csv")))
    assert len(rows) == 5
    for row in rows:
        assert int(row["id"]) > 0
        assert row["class"] in ("low", "high")
""",
        """
import csv
def test_classes():
    rows = list(csv.DictReader(open("/app/classes.csv")))
    assert [row["class"] for row in rows] == ["high", "high", "low", "low", "low"]
    for row in rows:
        assert row["class"] in ("low", "high")
""",
    ),
    Style(
        "program-output",
        INTRO + "Write a program /app/total.py that computes and prints the total amount as JSON with keys total and "
        "count.",
        """
import json, subprocess
def test_run():
    done = subprocess.run(["python3", "/app/total.py", "/app/sales.csv"], capture_output=True, text=True)
    assert done.returncode == 0
    data = json.loads(done.stdout)
    assert isinstance(data["total"], (int, float))
    assert data["count"] > 0
""",
        """
import json, subprocess
def test_run():
    done = subprocess.run(["python3", "/app/total.py", "/app/sales.csv"], capture_output=True, text=True)
    data = json.loads(done.stdout)
    assert data["total"] == 42.25
    assert data["count"] > 0
""",
    ),
    Style(
        "os-path-join-and-all",
        INTRO + "Count the sales per region; write counts.json below /app/out, an object with region and count in a "
        "list named regions.",
        """
import json, os
BASE = os.path.join("/app", "out")
def load(name):
    with open(os.path.join(BASE, name), encoding="utf-8") as handle:
        return json.load(handle)
def test_counts():
    data = load("counts.json")
    assert sorted(data.keys()) == ["regions"]
    assert all(isinstance(item["region"], str) and item["count"] >= 1 for item in data["regions"])
    assert len({item["region"] for item in data["regions"]}) == len(data["regions"])
""",
        """
import json
def test_counts():
    data = json.load(open("/app/out/counts.json"))
    assert {item["region"]: item["count"] for item in data["regions"]} == {"north": 2, "south": 2, "east": 1}
""",
    ),
    Style(
        "hash-of-answer",
        INTRO + "Find the region with the most sales and the sum of its amounts; write region and sum to /app/a.json.",
        """
import json, re
def test_form():
    text = open("/app/a.json").read()
    data = json.loads(text)
    assert re.fullmatch(r"[a-z]{3,10}", data["region"])
    assert isinstance(data["sum"], float)
""",
        """
import hashlib, json
def test_value():
    data = json.loads(open("/app/a.json").read())
    assert isinstance(data["sum"], float)
    key = f"{data['region']}:{data['sum']}"
    assert hashlib.sha256(key.encode()).hexdigest() == "ab" * 32
""",
    ),
    Style(
        "validator-returns-false",
        INTRO + "Compute the average of each region, write `region average` lines to /app/avg.txt.",
        """
def valid(line):
    parts = line.split()
    if len(parts) != 2:
        return False
    try:
        return float(parts[1]) > 0
    except ValueError:
        return False
def test_lines():
    with open("/app/avg.txt") as f:
        lines = f.read().splitlines()
    assert len(lines) == 3
    for line in lines:
        assert valid(line), line
""",
        """
def test_lines():
    with open("/app/avg.txt") as f:
        lines = f.read().splitlines()
    assert "east 3.0" in lines
    assert len(lines) == 3
""",
    ),
    Style(
        "hidden-data",
        INTRO + "Predict the next amount for each id and write id,prediction to /app/pred.csv.",
        """
import csv
def test_form():
    rows = list(csv.DictReader(open("/app/pred.csv")))
    assert [int(r["id"]) for r in rows] == sorted(int(r["id"]) for r in rows)
    for r in rows:
        assert -1000 < float(r["prediction"]) < 1000
""",
        """
import csv, json
from pathlib import Path
TRUTH = json.loads((Path(__file__).parent / "truth.json").read_text())
def test_values():
    rows = list(csv.DictReader(open("/app/pred.csv")))
    assert len(rows) == 5
    for r in rows:
        assert abs(float(r["prediction"]) - TRUTH[r["id"]]) < 0.5
""",
    ),
    Style(
        "toml-and-mode",
        INTRO + "Compute count and total of the amounts; write them to /app/stats.toml in a table named sales. Only "
        "the owner may read the file.",
        """
import os, stat, tomllib
def test_mode():
    assert stat.S_IMODE(os.stat("/app/stats.toml").st_mode) == 0o600
def test_values():
    with open("/app/stats.toml", "rb") as f:
        data = tomllib.load(f)
    assert isinstance(data["sales"]["count"], int)
    assert isinstance(data["sales"]["total"], float)
""",
        """
import tomllib
def test_values():
    with open("/app/stats.toml", "rb") as f:
        data = tomllib.load(f)
    assert data["sales"] == {"count": 5, "total": 42.25}
""",
    ),
    Style(
        "accumulated-flags",
        INTRO + "Count the sales of every region; write a table to /app/table.md with the columns Region and Sales.",
        """
def test_table():
    found = False
    with open("/app/table.md") as f:
        lines = f.readlines()
    for line in lines:
        if "Region" in line and "Sales" in line:
            found = True
            break
    assert found, "no header"
    assert len(lines) >= 3
""",
        """
def test_table():
    with open("/app/table.md") as f:
        cells = [line.replace("|", " ").split() for line in f]
    assert ["north", "2"] in cells
""",
        "keyword-only",
    ),
    Style(
        "values-of-every-key",
        INTRO + "Sum the amounts by region and write an object from region to sum to /app/sums.json, with keys north, "
        "south and east.",
        """
import json
def load():
    return json.loads(open("/app/sums.json").read())
def test_form():
    data = load()
    assert set(data) == {"north", "south", "east"}
    assert all(isinstance(value, (int, float)) and value > 0 for value in data.values())
    for name, value in data.items():
        assert value < 10_000
""",
        """
import json
def test_values():
    data = json.loads(open("/app/sums.json").read())
    assert all(isinstance(value, (int, float)) for value in data.values())
    assert data["south"] == 21.5
""",
    ),
    Style(
        "tolerance",
        INTRO + "Compute the mean amount and the count; write mean and count to /app/m.json.",
        """
import json
def test_mean():
    data = json.load(open("/app/m.json"))
    assert 0 < data["mean"] < 1000
    assert data["count"] >= 1
""",
        """
import json
def test_mean():
    data = json.load(open("/app/m.json"))
    assert 8.4 < data["mean"] < 8.5
    assert data["count"] >= 1
""",
    ),
    Style(
        "accepted-spellings",
        INTRO + "Determine which region sold more, south or north, and write its name to /app/answer.txt.",
        """
def test_answer():
    assert open("/app/answer.txt").read().strip() in ("south", "north")
""",
        """
def test_answer():
    assert open("/app/answer.txt").read().strip() in ("south", "South", "SOUTH")
""",
    ),
]
