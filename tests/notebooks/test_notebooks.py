"""Every notebook runs from top to bottom on a small catalog, and on an empty one."""

from pathlib import Path

import pytest

from river_envs.catalog import (
    Estimate,
    ImageRecord,
    InputRow,
    JudgedRecord,
    ProbeRecord,
    ScoreRecord,
    SubsetMember,
    SubsetRecord,
    open_catalog,
)
from river_envs.environment import Environment, File, ImageRecipe, Metadata, Verifier
from river_envs.outcome import Outcome, Status
from river_envs.probes.base import Attempt, Finding, Result

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("altair")
pytest.importorskip("ipykernel")

FOLDER = Path(__file__).parents[2] / "notebooks"


def fill(path):
    """Twelve environments, half of them defective, one failure of each kind, one mark, one subset."""
    catalog = open_catalog(path, create=True)
    domains, kinds = ("security", "databases", None), ("pytest", "script")
    environments = [
        Environment(
            f"task-{number}", "corpus", "harbor", f"Do {number}", ImageRecipe("dockerfile", "FROM ubuntu:22.04\n"),
            Verifier("harbor", (File("test.sh", b"exit 0"),), "test.sh"),
            metadata=Metadata(domain=domains[number % 3], verifier_kind=kinds[number % 2]),
        )
        for number in range(12)
    ]
    with catalog.writer() as writer:
        run = writer.start_run("ingest corpus")
        results = writer.add_environments(environments, [environment.name for environment in environments])
        rows = [InputRow(task.name, "", result, task.id) for task, result in zip(environments, results, strict=True)]
        writer.add_inputs(run, [*rows, InputRow("bad", "", "rejected", None, "no tests folder")])
        writer.add_images([ImageRecord(environments[0].id, "build-failed", "bubblewrap", log="404")])
        judged, members = {}, []
        for number, environment in enumerate(environments[:10]):
            attempt = Attempt(environment.id, "touch", 1)
            status = Status.SANDBOX_ERROR if number == 3 else Status.GRADED
            outcome = Outcome(status, None, None, detail="died") if number == 3 else Outcome(status, 1.0, True)
            writer.add_results([Result(attempt, outcome)], backend="bubblewrap")
            defective = number % 2 == 1
            finding = Finding(environment.id, "accepts-wrong", "existence-only", "rollout-visible", "touch",
                              "an empty file was paid for", "compare the content", (attempt.id,))
            judged[environment.id] = JudgedRecord(
                "defective" if defective else "sound", ("existence-only",) if defective else (), (),
                (ProbeRecord(environment.id, "touch", 1, "hit" if defective else "survived"),),
                (finding,) if defective else (), ScoreRecord(quality=Estimate(0.1 if defective else 0.9, 0.0, 1.0)),
            )
            members.append(
                SubsetMember(environment.id, number == 2, 1 if number == 2 else None, "sound", "defective: x", 0.9)
            )
        writer.replace_judgements(judged)
        writer.add_mark(environments[1].id, "exclude", "seen by hand", "ada")
        writer.add_subset(SubsetRecord("s", "river-envs filter", 0, 0.3, {}, "", members))
    return catalog


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.glob("*catalog*.ipynb")))
@pytest.mark.parametrize("filled", [True, False], ids=["filled", "empty"])
def test_notebook_runs(name, filled, tmp_path, monkeypatch):
    path = tmp_path / "river.duckdb"
    if filled:
        fill(path)
    else:
        open_catalog(path, create=True)
    monkeypatch.setenv("RIVER_CATALOG", str(path))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    notebook = nbformat.read(FOLDER / name, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "commit notebooks without their outputs"
    client = nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": tmp_path}})
    client.execute()
    charts = [output for cell in notebook.cells for output in cell.get("outputs", ()) if "alt.Chart" in str(output)]
    assert len(charts) == 8
