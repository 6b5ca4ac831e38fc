"""The worlds are sound: what their authors vouch for holds in real namespaces.

The default run grades one instance of a quarter of the families (the quarter moves with the names, not with the day);
the slow run grades every family (RIVER_WORLD_SEEDS instances of each), its wrong and equal states, and every example
of an instruction.
"""

from __future__ import annotations

import csv
import hashlib
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from river_envs.environment import Environment, File
from river_envs.formats.detect import read_all
from river_envs.outcome import Outcome, Status
from river_envs.sandbox import open_backend
from river_envs.sandbox.base import Backend, BackendOptions
from river_envs.verifier import grade

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks"))

import worlds  # noqa: E402
from worlds.base import DOMAINS, KINDS, Family, family  # noqa: E402
from worlds.build import main  # noqa: E402

FAMILIES = {item.name: item for item in worlds.families()}
QUARTER = sorted(name for name in FAMILIES if int(hashlib.sha256(name.encode()).hexdigest(), 16) % 4 == 1)
BLOCK = re.compile(r"```\w*\n(.*?)```|~~~\w*\n(.*?)~~~|: `([^`]+)`", re.DOTALL)
PATH = re.compile(r"/(?:[\w.-]+/)+[\w.-]*\w")
SOLVE = "bash /solution/solve.sh"


@pytest.fixture(scope="module")
def backend(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Backend]:
    store = str(tmp_path_factory.mktemp("worlds"))
    opened = open_backend("bubblewrap", BackendOptions(store=store, aliases={"river-mini/base:1": "host"}))
    yield opened
    opened.close()


def after(backend: Backend, environment: Environment, script: str = "", grades: int = 1) -> list[Outcome]:
    """What the verifier says, ``grades`` times over, after ``script`` has run with the reference at /solution."""
    with backend.start(backend.build(environment.image)) as sandbox:
        if script:
            sandbox.put(environment.reference.files, "/solution")
            sandbox.put([File("tmp/state.sh", script.encode())])
            done = sandbox.exec(["bash", "/tmp/state.sh"], timeout_sec=120, cwd=environment.workdir)
            assert done.exit_code == 0, done.text
        outcomes = [grade(sandbox, environment) for _ in range(grades)]
    assert {outcome.status for outcome in outcomes} == {Status.GRADED}, outcomes[0].detail
    return outcomes


def pays(backend: Backend, environment: Environment, script: str = "", grades: int = 1) -> set[bool | None]:
    return {outcome.passed for outcome in after(backend, environment, script, grades)}


def pasted(environment: Environment) -> list[str]:
    """For every example of the instruction a script that writes it to every path the instruction names."""
    named = set(PATH.findall(environment.instruction))
    targets = sorted(path for path in named if not path.startswith(("/bin/", "/usr/", "/etc/")))
    lines = [f'[ -d {path} ] || {{ mkdir -p "$(dirname {path})"; printf "%s\\n" "$BLOCK" > {path}; }}'
        for path in targets]
    blocks = ["".join(found).strip("\n") for found in BLOCK.findall(environment.instruction)]
    return ["\n".join(["BLOCK=$(cat <<'EOF_BLOCK'", block, "EOF_BLOCK", ")", *lines, "true", ""]) for block in blocks]


def test_there_are_families_for_everything():
    assert len(FAMILIES) >= 44
    assert {item.domain for item in FAMILIES.values()} == set(DOMAINS)
    assert min(Counter(item.domain for item in FAMILIES.values()).values()) >= 4
    assert {item.kind for item in FAMILIES.values()} == set(KINDS)


def test_ten_families_are_held_out_in_all_domains():
    assert len(worlds.HELD_OUT) == 10
    assert set(FAMILIES) >= worlds.HELD_OUT
    assert {FAMILIES[name].domain for name in worlds.HELD_OUT} == set(DOMAINS)


def test_no_module_looks_at_the_probes():
    for path in (ROOT / "benchmarks" / "worlds").glob("*.py"):
        imports = [line for line in path.read_text().splitlines() if re.match(r"\s*(?:from|import) ", line)]
        assert not [line for line in imports if "probes" in line or "audit" in line], path.name


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_instances_are_deterministic_and_differ(name):
    item = FAMILIES[name]
    made = [item.make(seed) for seed in range(3)]
    assert item.make(0) == made[0]
    assert len({environment.id for environment in made}) == 3
    assert len({environment.instruction for environment in made}) == 3
    assert len({environment.image.digest for environment in made} | {environment.verifier.digest
        for environment in made}) > 3
    for seed, environment in enumerate(made):
        assert environment.name == f"worlds/{name}-{seed}"
        assert (environment.metadata.domain, environment.metadata.verifier_kind) == (item.domain, item.kind)
        assert environment.reference is not None
        assert item.make(seed, reference=False).reference is None
    assert len(item.world(0).wrong) >= 2
    assert worlds.instance(name, 1) == made[1]


def test_wording_varies():
    for name in QUARTER:
        texts = [FAMILIES[name].make(seed).instruction for seed in range(8)]
        assert len({re.sub(r"[\d/`]\S*", "", text.split("\n")[0]) for text in texts}) >= 3, name


def test_unknown_names_are_refused():
    with pytest.raises(KeyError):
        worlds.instance("no-such-family", 0)
    with pytest.raises(ValueError, match="unknown domain"):
        family("x", domain="astrology", kind="exact_text", skills=("x",))


def test_the_command_writes_harbor_directories(tmp_path, capsys):
    folder = tmp_path / "out"
    assert main(["-o", str(folder), "--per-family", "1", "--seed", "5", "--held-out", "only"]) == 0
    assert "10 environments of 10 families" in capsys.readouterr().out
    rows = list(csv.DictReader((folder / "labels.csv").read_text().splitlines()))
    assert {row["family"] for row in rows} == worlds.HELD_OUT
    assert {(row["sound"], row["cause"], row["has_reference"], row["format"]) for row in rows} == {("1", "", "1",
        "harbor")}
    found = {item.environment.name: item.environment for item in read_all([folder])}
    assert set(found) == {row["name"] for row in rows}
    for row in rows:
        made = worlds.instance(row["family"], 5)
        if made.verifier.protocol == "harbor":
            assert found[row["name"]].id == made.id
        assert (folder / row["path"] / "solution" / "solve.sh").is_file()
    assert main(["-o", str(folder)]) == 2
    assert "is not empty" in capsys.readouterr().err


def test_the_command_leaves_solutions_out(tmp_path):
    command = [sys.executable, "-m", "benchmarks.worlds.build", "-o", str(tmp_path / "out"), "--per-family", "1",
        "--no-reference",
               "--held-out", "without"]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    rows = list(csv.DictReader((tmp_path / "out" / "labels.csv").read_text().splitlines()))
    assert len(rows) == len(FAMILIES) - 10
    assert {row["has_reference"] for row in rows} == {"0"}
    assert not list((tmp_path / "out").glob("*/solution"))


@pytest.mark.sandbox
@pytest.mark.parametrize("name", QUARTER)
def test_only_the_reference_pays(backend, name):
    environment = FAMILIES[name].make(0)
    assert pays(backend, environment) == {False}
    assert pays(backend, environment, SOLVE) == {True}


SEEDS = int(os.environ.get("RIVER_WORLD_SEEDS", "1"))
"""How many instances of each family the slow run grades: one takes about five minutes in all."""


def _seeds(item: Family) -> list[object]:
    return [pytest.param(item, seed, id=f"{item.name}-{seed}") for seed in range(SEEDS)]


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("item", "seed"), [entry for item in FAMILIES.values() for entry in _seeds(item)])
def test_states_are_judged_rightly(backend, item, seed):
    world = item.world(seed)
    environment = world.environment
    assert pays(backend, environment) == {False}, "untouched"
    assert pays(backend, environment, SOLVE, grades=2) == {True}, "the reference, graded twice"
    assert pays(backend, environment, f"{SOLVE} && {SOLVE}") == {True}, "the reference, run twice"
    for label, script in world.wrong.items():
        assert pays(backend, environment, script) == {False}, label
    for label, script in world.equal.items():
        assert pays(backend, environment, script) == {True}, label
    for script in pasted(environment):
        assert pays(backend, environment, script) == {False}, script
