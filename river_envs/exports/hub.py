"""A Hugging Face dataset: one row for each environment, and a card that says what was left out and why.

Environments in TMax's own form (an Apptainer recipe, one pytest file) come back from ``river-envs ingest`` as they
were. Others are rows too, with everything that a reader looks for; their files lie in ``harbor.tar.gz`` as Harbor
directories, which ingest reads as well.
"""

from __future__ import annotations

import json
import zipfile
from collections import Counter
from typing import TYPE_CHECKING, Any

from river_envs.environment import Environment
from river_envs.exports.archives import Tarball
from river_envs.formats import tmax
from river_envs.report.text import percent
from river_envs.selection.card import escape
from river_envs.selection.gates import GROUNDS

if TYPE_CHECKING:
    from river_envs.exports.forms import Job
    from river_envs.exports.subsets import Member, Subset

_ROWS = 1000
_DATE = (1980, 1, 1, 0, 0, 0)


def write(job: Job) -> None:
    """``data/train-*.parquet``, ``tasks.zip`` or ``harbor.tar.gz`` where they hold something, and ``README.md``."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from river_envs.exports.forms import task_name

    (job.folder / "data").mkdir()
    rows: list[dict[str, Any]] = []
    parts = 0
    schema = _schema(pa)
    harbor = Tarball(job.folder / "harbor.tar.gz")
    with zipfile.ZipFile(job.folder / "tasks.zip", "w", zipfile.ZIP_DEFLATED) as tasks:
        for member, environment in job.environments():
            name, form = task_name(member), "tmax" if is_tmax(environment) else "harbor"
            if form == "tmax":
                for path, content in sorted(_fixtures(environment).items()):
                    tasks.writestr(zipfile.ZipInfo(f"tasks/{name}/{path}", _DATE), content)
            else:
                reason = harbor.add(environment, name)
                if reason:
                    job.leave_out(member, reason)
                    continue
            rows.append(_row(member, environment, name, form))
            if len(rows) == _ROWS:
                pq.write_table(pa.Table.from_pylist(rows, schema), job.folder / f"data/train-{parts:05}.parquet")
                rows, parts = [], parts + 1
        empty = not tasks.namelist()
    harbor.close()
    if rows:
        pq.write_table(pa.Table.from_pylist(rows, schema), job.folder / f"data/train-{parts:05}.parquet")
    if empty:
        (job.folder / "tasks.zip").unlink()
    (job.folder / "README.md").write_text(card(job.subset, job.left_out), "utf-8")


def is_tmax(environment: Environment) -> bool:
    """Whether TMax's columns hold all that can change a reward."""
    verifier, image = environment.verifier, environment.image
    plain = environment.limits.agent_timeout_sec == tmax.AGENT_TIMEOUT_SEC and not environment.reference
    one_file = [file.path for file in verifier.files] == [tmax.ENTRY] and verifier.protocol == "pytest"
    return plain and one_file and image.kind == "apptainer" and not environment.unsupported


def _fixtures(environment: Environment) -> dict[str, bytes]:
    described = {key: value for key, value in _settings(environment).items() if value}
    task = {"name": environment.name, "description": environment.instruction, **described}
    return {
        "task.json": json.dumps(task, ensure_ascii=False).encode("utf-8", "surrogatepass"),
        tmax.RECIPE: environment.image.text.encode("utf-8", "surrogatepass"),
        tmax.ENTRY: environment.verifier.files[0].content,
        **{file.path: file.content for file in environment.image.context if file.link is None},
    }


def _settings(environment: Environment) -> dict[str, Any]:
    known = environment.metadata
    return {
        "domain": known.domain,
        "skill_type": known.skill_type,
        "primitive_skills": list(known.primitive_skills),
        "task_complexity": known.task_complexity,
        "command_complexity": known.command_complexity,
        "scenario": known.scenario,
        "language": known.language,
        "verifier_kind": known.verifier_kind,
        "fixture_kind": known.fixture_kind,
        "corpus_kind": known.corpus_kind,
    }


def _row(member: Member, environment: Environment, name: str, form: str) -> dict[str, Any]:
    settings = _settings(environment)
    tests = next((f for f in environment.verifier.files if f.path.endswith(".py")), environment.verifier.files[0])
    return {
        "task_id": name,
        **{key: value for key, value in settings.items() if key != "primitive_skills"},
        "primitive_skills": json.dumps(settings["primitive_skills"]),
        "description": environment.instruction,
        "test_final_state": tests.content.decode("utf-8", "replace"),
        "container_def": environment.image.text,
        "id": member.id,
        "name": environment.name,
        "source": environment.source,
        "form": form,
        "tier": member.tier,
        "verdict": member.verdict,
        "quality": member.quality,
        "p_sound": member.p_sound,
        "rank": member.rank,
        "reason": member.reason,
        "has_reference": environment.reference is not None,
    }


_COLUMNS = (
    "task_id", "domain", "skill_type", "primitive_skills", "task_complexity", "command_complexity", "scenario",
    "language", "verifier_kind", "fixture_kind", "corpus_kind", "description", "test_final_state", "container_def",
    "id", "name", "source", "form", "tier", "verdict", "quality", "p_sound", "rank", "reason", "has_reference",
)  # fmt: skip


def _schema(pa: Any) -> Any:
    """The columns with their types, so that an all-empty column is no ``null`` column."""
    types = {"quality": pa.float64(), "p_sound": pa.float64(), "rank": pa.int64(), "has_reference": pa.bool_()}
    return pa.schema([(name, types.get(name, pa.string())) for name in _COLUMNS])


LOAD = """```python
from datasets import load_dataset

rows = load_dataset("PATH_OF_THIS_FOLDER", split="train")
```"""


def card(subset: Subset, left_out: list[tuple[str, str, str]]) -> str:
    """README.md: the YAML header of a dataset, how to load it, exclusions and reasons."""
    import yaml

    header = {
        "pretty_name": "Terminal-agent environments with an honest reward",
        "task_categories": ["reinforcement-learning"],
        "tags": ["reinforcement-learning", "terminal-agents", "river-envs"],
        "configs": [{"config_name": "default", "data_files": [{"split": "train", "path": "data/train-*.parquet"}]}],
    }
    total, kept = len(subset.members), len(subset.kept)
    grounds = Counter(member.ground for member in subset.members if not member.kept)
    causes = Counter(cause for member in subset.members if not member.kept for cause in member.causes)
    lines = [
        "---\n" + yaml.safe_dump(header, sort_keys=False) + "---",
        "# Terminal-agent environments with an honest reward",
        f"{kept - len(left_out):,} of {total:,} environments, chosen by river-envs, which attacked each verifier in a"
        " sandbox. `reason` tells why each is here; `quality` and `p_sound` rank them and promise nothing. The licence"
        " is that of the corpora in the column `source`.",
        LOAD,
        "`tasks.zip` holds the files of environments whose `form` is `tmax`, `harbor.tar.gz` those of the others as"
        " Harbor directories; `river-envs ingest` reads both.",
        "## What was left out",
        "| decision | environments | share | meaning |\n|---|---:|---:|---|\n"
        + "\n".join(
            f"| {escape(ground)} | {count} | {percent(count, total)} | {escape(GROUNDS.get(ground, ''))} |"
            for ground, count in grounds.most_common()
        ),
    ]
    if causes:
        rows = "\n".join(f"| {escape(cause)} | {count} |" for cause, count in causes.most_common())
        head = "Causes among them (one environment can have several):\n\n| cause | environments |\n|---|---:|\n"
        lines.append(head + rows)
    if left_out:
        rows = "\n".join(f"| {escape(name)} | {escape(reason)} |" for _, name, reason in left_out[:50])
        lines.append(f"{len(left_out)} kept ones cannot be held by this form:\n\n| name | reason |\n|---|---|\n" + rows)
    return "\n\n".join(lines) + "\n"
