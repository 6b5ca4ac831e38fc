"""Build the two archive corpora of river-mini from their sources: the forms in which TMax-15K is published.

    python catalogs/river-mini/build_archives.py [TARGET]

The sources lie below ``sources/`` with names that no reader takes for a task (``.txt`` is appended where needed), so
that a corpus is never found twice. The same sources and the same pyarrow give the same bytes: members are sorted, have
one fixed time and mode, and the archives are stored rather than compressed.
"""

from __future__ import annotations

import gzip
import io
import json
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
IMAGE = "river-mini/base:1"
EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time that a zip file can hold

TEST_SH = """#!/bin/bash
mkdir -p /logs/verifier
cat > /tests/test_final_state.py <<'END_OF_TESTS'
{tests}END_OF_TESTS
cd /tests
if python3 -m pytest -q -p no:cacheprovider test_final_state.py; then
    echo 1 > /logs/verifier/reward.txt
else
    echo 0 > /logs/verifier/reward.txt
fi
"""


def build(target: Path) -> list[Path]:
    """Write both corpora below ``target`` (``environments`` as a rule); returns the files written."""
    return [*build_tmax(HERE / "sources" / "tmax-15k", target / "tmax-15k"),
            *build_open_instruct(HERE / "sources" / "open-instruct", target / "open-instruct")]


def build_tmax(sources: Path, target: Path) -> list[Path]:
    """The table with one row per task, and ``tasks.zip`` with the corpus directories."""
    rows, members = [], {}
    for folder in sorted(path for path in sources.iterdir() if path.is_dir()):
        settings = json.loads((folder / "row.json.txt").read_text())
        texts = {"description": _text(folder / "description.md"), "truth": _text(folder / "truth.txt")}
        scripts = {name: (folder / f"{name}.txt").read_text()
                   for name in ("container.def", "test_initial_state.py", "test_final_state.py")}
        rows.append(_tmax_row(settings, texts, scripts))
        task = json.dumps(settings | texts, indent=2, ensure_ascii=False) + "\n"
        members[f"{folder.name}/task.json"] = task.encode()
        members |= {f"{folder.name}/{name}": text.encode() for name, text in scripts.items()}
        members |= _tree(folder / "fixtures", f"{folder.name}/fixtures")
    target.mkdir(parents=True, exist_ok=True)
    return [_write_table(rows, target / "train-00000-of-00001.parquet"), _write_zip(members, target / "tasks.zip")]


def _tmax_row(settings: dict[str, Any], texts: dict[str, str], scripts: dict[str, str]) -> dict[str, Any]:
    plain = ("domain", "skill_type", "task_complexity", "command_complexity", "scenario", "language", "verifier_kind")
    return {
        "task_id": settings["name"],
        **{key: settings[key] for key in plain},
        "primitive_skills": json.dumps(settings["primitive_skills"]),
        **texts,
        "test_initial_state": scripts["test_initial_state.py"],
        "test_final_state": scripts["test_final_state.py"],
        "container_def": scripts["container.def"],
    }


def build_open_instruct(sources: Path, target: Path) -> list[Path]:
    """The table of messages and images, and ``task-data.tar.gz`` with instruction, seeds and tests of every task."""
    rows, members = [], {}
    for folder in sorted(path for path in sources.iterdir() if path.is_dir()):
        instruction = (folder / "instruction.md").read_text()
        rows.append({
            "messages": [{"role": "user", "content": instruction}],
            "ground_truth": folder.name,
            "dataset": "river-mini",
            "env_config": {"env_name": "river_mini", "task_id": folder.name, "image": IMAGE},
            "source": "river-mini",
        })
        tests = TEST_SH.format(tests=(folder / "test_final_state.py.txt").read_text())
        members[f"{folder.name}/instruction.md"] = instruction.encode()
        members[f"{folder.name}/setup.sh"] = (folder / "setup.sh.txt").read_bytes()
        members[f"{folder.name}/tests/test.sh"] = tests.encode()
        members |= _tree(folder / "seeds", f"{folder.name}/environment/seeds")
    target.mkdir(parents=True, exist_ok=True)
    archive = _write_tar(members, target / "task-data.tar.gz")
    return [_write_table(rows, target / "train-00000-of-00001.parquet"), archive]


def _text(path: Path) -> str:
    return path.read_text().rstrip("\n")


def _tree(folder: Path, prefix: str) -> dict[str, bytes]:
    return {f"{prefix}/{path.relative_to(folder).as_posix()}": path.read_bytes()
            for path in folder.rglob("*") if path.is_file()}


def _write_table(rows: list[dict[str, Any]], path: Path) -> Path:
    import pyarrow as arrow
    import pyarrow.parquet as parquet

    parquet.write_table(arrow.Table.from_pylist(rows), path, compression="none")
    return path


def _write_zip(members: dict[str, bytes], path: Path) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, content in sorted(members.items()):
            info = zipfile.ZipInfo(name, EPOCH)
            info.external_attr = 0o100644 << 16
            info.create_system = 3
            archive.writestr(info, content)
    return path


def _write_tar(members: dict[str, bytes], path: Path) -> Path:
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, content in sorted(members.items()):
            info = tarfile.TarInfo(name)
            info.size = len(content)
            info.mode = 0o755 if name.endswith(".sh") else 0o644
            archive.addfile(info, io.BytesIO(content))
    path.write_bytes(gzip.compress(plain.getvalue(), compresslevel=0, mtime=0))
    return path


if __name__ == "__main__":
    for written in build(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "environments"):
        print(f"{written.stat().st_size:>8}  {written}")
