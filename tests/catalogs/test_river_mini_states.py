"""The bundled corpus behaves as its labels say, in real namespaces.

The scripts beside this file are the author's: ``solutions`` for environments that ship no reference, ``accepted``
exploits that prove a planted hole, ``rejected`` states that must earn nothing (right work that a planted defect
refuses, altered values, copied decoys).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from river_mini_support import CORPUS, LABELS

from river_envs.environment import Environment, File
from river_envs.formats.detect import read_all
from river_envs.images.options import default_build_options
from river_envs.outcome import Outcome, Status
from river_envs.sandbox import open_backend
from river_envs.sandbox.base import Backend, BackendUnavailable, BuildFailed
from river_envs.verifier import grade

pytestmark = pytest.mark.sandbox

SCRIPTS = Path(__file__).parent / "scripts"
BROKEN = {
    "build-fails": Status.BUILD_FAILED, "no-reward-file": Status.NO_REWARD_FILE, "needs-network": Status.NEEDS_NETWORK,
    "verifier-crashes": Status.VERIFIER_CRASHED, "too-slow": Status.VERIFIER_TIMEOUT,
}
REFERENCE_REJECTED = {"reference-fails"}
GRADES = 14
"""Of a flaky state: all alike with a probability under 0.05 % at a pass rate of 0.5."""


@pytest.fixture(scope="module")
def backend(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Backend]:
    options = default_build_options(aliases={"river-mini/base:1": "host"})
    try:
        opened = open_backend("bubblewrap", options)
    except BackendUnavailable as missing:
        pytest.skip(str(missing))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def corpus() -> dict[str, Environment]:
    return {item.environment.name: item.environment for item in read_all([CORPUS / "environments"])}


def after(backend: Backend, environment: Environment, files: tuple[File, ...] = (), grades: int = 1) -> list[Outcome]:
    """What the verifier says, ``grades`` times over, after /solution/solve.sh (where there is one) has run."""
    try:
        image = backend.build(environment.image)
    except BuildFailed as failure:
        return [Outcome(Status.BUILD_FAILED, detail=str(failure))]
    with backend.start(image) as sandbox:
        if files:
            sandbox.put(files, "/solution")
            done = sandbox.exec(["bash", "/solution/solve.sh"], timeout_sec=60)
            assert done.exit_code == 0, done.text
        return [grade(sandbox, environment) for _ in range(grades)]


def script(folder: str, name: str) -> tuple[File, ...]:
    path = SCRIPTS / folder / f"{name.removeprefix('river-mini/')}.sh"
    return (File("solve.sh", path.read_bytes()),) if path.exists() else ()


def named(folder: str) -> list[str]:
    short = {name.removeprefix("river-mini/"): name for name in LABELS}
    return sorted(short[path.stem] for path in (SCRIPTS / folder).glob("*.sh"))


@pytest.mark.parametrize("name", sorted(LABELS))
def test_control(backend, corpus, name):
    (outcome,) = after(backend, corpus[name])
    wanted = BROKEN.get(LABELS[name]["cause"], Status.GRADED)
    assert outcome.status is wanted, (outcome.detail, outcome.log)
    if wanted is Status.GRADED:
        assert outcome.passed == (LABELS[name]["cause"] == "pays-for-nothing"), outcome.log


@pytest.mark.parametrize("name", sorted(name for name in LABELS if LABELS[name]["cause"] not in BROKEN))
def test_right_work(backend, corpus, name):
    """References, and the author's solutions where none is shipped."""
    environment, cause = corpus[name], LABELS[name]["cause"]
    files = environment.reference.files if environment.reference else script("solutions", name)
    if not files:
        assert cause == "wrong-expectation"
        return
    outcomes = after(backend, environment, files, GRADES if cause == "flaky" else 1)
    assert {outcome.status for outcome in outcomes} == {Status.GRADED}, outcomes[0].detail
    wanted = {True, False} if cause == "flaky" else {cause not in REFERENCE_REJECTED}
    assert {outcome.passed for outcome in outcomes} == wanted, outcomes[0].log


@pytest.mark.parametrize("name", sorted(name for name in LABELS if LABELS[name]["cause"] == "no-reward-file"))
def test_a_set_e_script_still_rewards_right_work(backend, corpus, name):
    (outcome,) = after(backend, corpus[name], corpus[name].reference.files)
    assert outcome.passed, outcome.detail


@pytest.mark.slow
@pytest.mark.parametrize("name", named("accepted"))
def test_planted_holes_are_real(backend, corpus, name):
    assert LABELS[name]["claim"] in ("accepts-wrong", "leaks-answer")
    (outcome,) = after(backend, corpus[name], script("accepted", name))
    assert outcome.passed, (outcome.detail, outcome.log)


def test_every_hole_has_a_proof():
    holes = {name for name, label in LABELS.items() if label["claim"] in ("accepts-wrong", "leaks-answer")}
    assert holes == set(named("accepted"))


@pytest.mark.slow
@pytest.mark.parametrize("name", named("rejected"))
def test_what_must_earn_nothing(backend, corpus, name):
    (outcome,) = after(backend, corpus[name], script("rejected", name))
    assert outcome.status is Status.GRADED, outcome.detail
    assert not outcome.passed


BLOCK = re.compile(r"```\w*\n(.*?)```|`(\{.*?\})`", re.DOTALL)
OUTPUT = re.compile(r"/(?:app|home/user|workspace)/[\w./-]*\w")


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(name for name in LABELS if LABELS[name]["sound"] == "1"))
def test_pasted_examples_earn_nothing(backend, corpus, name):
    """Every example block of a sound instruction, written to every path that the instruction names."""
    environment = corpus[name]
    blocks = [first or second for first, second in BLOCK.findall(environment.instruction)]
    targets = sorted(set(OUTPUT.findall(environment.instruction)))
    for block in blocks:
        lines = [f"[ -d {path} ] || printf '%s\\n' \"$BLOCK\" > {path}" for path in targets]
        text = "\n".join(["BLOCK=$(cat <<'EOF_BLOCK'", block.rstrip("\n"), "EOF_BLOCK", ")", *lines, "true", ""])
        (outcome,) = after(backend, environment, (File("solve.sh", text.encode()),))
        assert outcome.passed is False, block
