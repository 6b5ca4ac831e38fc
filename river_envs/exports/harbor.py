"""Harbor directories with the manifest that makes a repository of them a dataset."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from river_envs.environment import RiverError

if TYPE_CHECKING:
    from river_envs.exports.forms import Job

NAME, VERSION = "river-subset", "1.0"


def write(job: Job) -> None:
    """Directories and ``registry.json``; paths are relative to it, the repository is the one that holds it."""
    from river_envs.exports.forms import task_name
    from river_envs.formats.writer import write_harbor

    tasks = []
    (job.folder / "environments").mkdir()
    for member, environment in job.environments():
        name = task_name(member)
        try:
            write_harbor(environment, job.folder / "environments" / name)
        except RiverError as error:
            job.leave_out(member, str(error))
            continue
        tasks.append({"name": name, "path": f"environments/{name}"})
    dataset = {
        "name": NAME,
        "version": VERSION,
        "description": "Terminal-agent environments with an honest reward, chosen by river-envs",
        "tasks": tasks,
    }
    (job.folder / "registry.json").write_text(json.dumps([dataset], indent=1, ensure_ascii=False) + "\n", "utf-8")
