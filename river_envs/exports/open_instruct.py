"""The columns and task files of ``allenai/tmax-15k-open-instruct``, which open-instruct trains on.

That form names a published image and never builds one: environments without ``docker_image`` are left out, and so are
those whose verifier is more than ``tests/test.sh`` with its files, since the trainer runs nothing else.
"""

from __future__ import annotations

import tarfile
from typing import TYPE_CHECKING, Any

from river_envs.environment import Environment
from river_envs.exports.archives import Tarball
from river_envs.formats.open_instruct import ARCHIVE, SEEDS, VERIFIER_TIMEOUT_SEC

if TYPE_CHECKING:
    from river_envs.exports.forms import Job

ENVIRONMENT = "swerl_sandbox"


def write(job: Job) -> None:
    """``data/train.parquet`` and the archive beside it."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from river_envs.exports.forms import task_name

    (job.folder / "data").mkdir()
    rows: list[dict[str, Any]] = []
    archive = Tarball(job.folder / "data" / ARCHIVE)
    for member, environment in job.environments():
        image, reason = _image(environment)
        if reason:
            job.leave_out(member, reason)
            continue
        name = task_name(member)
        files = [("instruction.md", environment.instruction.encode("utf-8", "surrogatepass"), 0o644)]
        files += [(f"tests/{file.path}", file.content, file.mode) for file in environment.verifier.files]
        files += [(f"environment/{file.path}", file.content, file.mode) for file in environment.image.context]
        for path, content, mode in files:
            entry = tarfile.TarInfo(f"{name}/{path}")
            entry.mode = mode
            archive.add_bytes(entry, content)
        rows.append({
            "messages": [{"role": "user", "content": environment.instruction}],
            "ground_truth": name,
            "dataset": "passthrough",
            "env_config": {"env_name": ENVIRONMENT, "task_id": name, "image": image},
            "source": environment.source,
        })  # fmt: skip
    archive.close()
    if rows:
        pq.write_table(pa.Table.from_pylist(rows), job.folder / "data" / "train.parquet")


def _image(environment: Environment) -> tuple[str, str]:
    """The published image, or why there is none that would do."""
    recipe, verifier = environment.image, environment.verifier
    seeds = all(file.path.startswith(SEEDS.removeprefix("environment/") + "/") for file in recipe.context)
    first = recipe.text.splitlines()[0].split() if recipe.text else []
    seeded = recipe.kind == "dockerfile" and recipe.text == f"FROM {first[-1]}\nCOPY seeds/ /workspace/\n"
    image = first[1] if seeded and seeds else recipe.docker_image if recipe.kind == "prebuilt" else None
    if not image:
        return "", "its image is a recipe: this form names published images only"
    if verifier.protocol != "harbor" or verifier.entry != "test.sh" or verifier.timeout_sec > VERIFIER_TIMEOUT_SEC:
        return "", "its verifier is no tests/test.sh that the trainer could run"
    if any(file.link for file in (*verifier.files, *recipe.context)):
        return "", "it holds links"
    return image, ""
