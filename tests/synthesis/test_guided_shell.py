"""Scripts in many styles, run by bash on the files of each attempt below a folder."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace

import pytest
from probe_support import ask, environment, survey
from synthesis.styles import DATA, INTRO

from river_envs.environment import File, Verifier
from river_envs.probes.base import Attempt, NotApplicable, ProbeStatus, Put
from river_envs.probes.guided_shell import GuidedShell

SEEN = survey("/app/sales.csv")
FIND = INTRO + "Compute the total and the count of all amounts and write "
WEAK = {
    "grep-patterns": (
        FIND + "lines `Total: N` and `Count: N` to /app/report.txt.",
        "ok=1\n[ -f /app/report.txt ] || ok=0\ngrep -qE '^Total: [0-9]+(\\.[0-9]+)?$' /app/report.txt || ok=0\n"
        "grep -q '^Count: [0-9][0-9]*$' /app/report.txt || ok=0\necho $ok > REWARD\n",
    ),
    "jq-types": (
        FIND + "total and count as JSON to /app/report.json.",
        "set -e\necho 0 > REWARD\ntest -s /app/report.json\n"
        "jq -e 'has(\"total\") and has(\"count\")' /app/report.json\n"
        "jq -e '(.total | type) == \"number\" and .count > 0' /app/report.json\necho 1 > REWARD\n",
    ),
    "lines-and-values": (
        FIND + "one total per region, lines of the form region,total, to /app/totals.csv with a header region,total.",
        "if [ ! -f /app/totals.csv ]; then echo 0 > REWARD; exit 1; fi\n"
        "if [ \"$(head -n 1 /app/totals.csv)\" != \"region,total\" ]; then echo 0 > REWARD; exit 1; fi\n"
        "if [ $(wc -l < /app/totals.csv) -ge 3 ]; then echo 1 > REWARD; else echo 0 > REWARD; fi\n",
    ),
    "python-inside": (
        FIND + "total and count as JSON to /app/report.json.",
        "echo 0 > REWARD\npython3 - <<'EOF' && echo 1 > REWARD\nimport json\n"
        "data = json.load(open('/app/report.json'))\nassert isinstance(data['total'], float)\n"
        "assert data['count'] > 0\nEOF\n",
    ),
}
STRONG = {
    "grep-answer": (WEAK["grep-patterns"][0], "grep -q '^Total: 42.25$' /app/report.txt && echo 1 > REWARD\n"),
    "jq-value": (
        WEAK["jq-types"][0],
        "ok=0\n[ \"$(jq -r .total /app/report.json)\" = \"42.25\" ] && jq -e '.count > 0' /app/report.json && ok=1\n"
        "echo $ok > REWARD\n",
    ),
    "diff": (
        WEAK["lines-and-values"][0],
        "echo 0 > REWARD\nawk -F, 'NR>1 {t[$2]+=$3} END {for (r in t) print r \",\" t[r]}' /app/sales.csv | sort "
        "> /tmp/want\ntail -n +2 /app/totals.csv | sort | diff - /tmp/want && echo 1 > REWARD\n",
    ),
    "python-inside": (
        WEAK["python-inside"][0],
        "echo 0 > REWARD\npython3 - <<'EOF' && echo 1 > REWARD\nimport json\n"
        "data = json.load(open('/app/report.json'))\nassert isinstance(data['total'], float)\n"
        "assert data['total'] == sum(float(l.split(',')[2]) for l in open('/app/sales.csv').readlines()[1:])\nEOF\n",
    ),
}


def shell_environment(instruction: str, script: str):
    return replace(
        environment(instruction), verifier=Verifier("harbor", (File("test.sh", script.encode(), 0o755),), "test.sh")
    )


def accepts(script: str, folder, attempt: Attempt) -> bool:
    root = folder / "app"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    (root / "sales.csv").write_text(DATA)
    for action in attempt.actions:
        assert isinstance(action, Put)
        for file in action.files:
            (folder / file.path).write_bytes(file.content)
    reward = folder / "reward"
    reward.unlink(missing_ok=True)
    text = script.replace("/app/", f"{root}/").replace("REWARD", str(reward)).replace("/tmp/want", f"{folder}/want")
    subprocess.run(["bash", "-c", text], capture_output=True, check=False, timeout=20)
    return reward.exists() and reward.read_text().strip() == "1"


@pytest.mark.parametrize("name", WEAK)
def test_catches_scripts_that_check_the_form_alone(name: str, tmp_path):
    if "jq" in WEAK[name][1] and shutil.which("jq") is None:
        pytest.skip("this machine has no jq")
    instruction, script = WEAK[name]
    judgement = ask(
        GuidedShell(), shell_environment(instruction, script), SEEN, lambda a: accepts(script, tmp_path, a)
    )
    assert not isinstance(judgement, NotApplicable), judgement.reason
    assert [finding.cause for finding in judgement.findings] == ["shape-only"], judgement


@pytest.mark.parametrize("name", STRONG)
def test_never_accuses_scripts_that_know_the_values(name: str, tmp_path):
    instruction, script = STRONG[name]
    judgement = ask(
        GuidedShell(), shell_environment(instruction, script), SEEN, lambda a: accepts(script, tmp_path, a)
    )
    assert isinstance(judgement, NotApplicable) or judgement.status is ProbeStatus.SURVIVED


def test_is_silent_where_pytest_does_the_checking():
    assert isinstance(ask(GuidedShell(), environment(FIND + "/app/x.json"), SEEN, lambda _: True), NotApplicable)
