"""TMax-15K (parquet + tasks.zip) and open-instruct (parquet + task-data.tar.gz)."""

import io
import tarfile
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from formats.format_tasks import RECIPE, read_one, tmax_files, write_tree

from river_envs.formats.base import Found, Rejected, Unsupported
from river_envs.formats.detect import discover, read_all

PLAIN = "Bootstrap: docker\nFrom: ubuntu:22.04\n%post\n    true\n"


def row(task_id, **changed):
    return {
        "task_id": task_id, "domain": "security", "skill_type": "s", "primitive_skills": '["grep", "awk"]',
        "task_complexity": "short and easy", "command_complexity": "bash and code, mixed", "scenario": "x",
        "language": "en", "description": f"Do {task_id}.", "truth": "t", "test_initial_state": "",
        "test_final_state": "def test_it():\n    pass\n", "container_def": PLAIN, **changed,
    }  # fmt: skip


def write_parquet(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=2)
    return path


def write_tasks_zip(path, tasks):
    with zipfile.ZipFile(path, "w") as archive:
        for name, files in tasks.items():
            for inner, content in files.items():
                archive.writestr(f"tasks/{name}/{inner}", content)


def test_parquet_alone(tmp_path):
    write_parquet(tmp_path / "train.parquet", [row("task_1"), row("task_2"), row("task_3")])
    items = list(read_all([tmp_path]))
    assert [item.where for item in items] == [f"{tmp_path}/train.parquet#task_{n}" for n in (1, 2, 3)]
    environment = items[0].environment
    assert isinstance(items[0], Found)
    assert (environment.name, environment.format) == ("task_1", "tmax-parquet")
    assert environment.instruction == "Do task_1."
    assert environment.metadata.primitive_skills == ("grep", "awk")
    assert (environment.metadata.task_complexity, environment.metadata.command_complexity) == ("short", "bash and code")
    assert environment.metadata.verifier_kind == "exact_text"


def test_fixtures_without_the_archive(tmp_path):
    item = read_one(write_parquet(tmp_path / "train.parquet", [row("task_1", container_def=RECIPE)]))
    assert isinstance(item, Unsupported)
    assert "tasks.zip" in item.reason


@pytest.mark.parametrize("folder", ["", "data/"])
def test_joined_with_the_archive(tmp_path, folder):
    rows = [row("task_2", container_def=RECIPE), row("task_1", container_def=RECIPE)]
    write_parquet(tmp_path / f"{folder}train-00000-of-00001.parquet", rows)
    tasks = {f"task_{n}": tmax_files({"name": f"task_{n}", "description": f"Do task_{n}."}) for n in (1, 2, 3)}
    write_tasks_zip(tmp_path / "tasks.zip", tasks)
    items = {item.where.rpartition("/")[2]: item for item in read_all([tmp_path])}
    assert all(isinstance(item, Found) for item in items.values())
    names = sorted(item.environment.name for item in items.values())
    assert names == ["task_1", "task_2", "task_3"]
    joined = next(item for item in items.values() if item.environment.name == "task_1")
    assert [file.path for file in joined.environment.image.context] == ["fixtures/data.csv", "setup.sh"]


def test_the_same_id_as_the_corpus_directory(tmp_path):
    files = tmax_files({"name": "task_1"})
    (tmp_path / "hub").mkdir()
    write_tasks_zip(tmp_path / "hub/tasks.zip", {"task_1": files})
    write_parquet(tmp_path / "hub/train.parquet", [row("task_1", description="Sum the csv.", container_def=RECIPE)])
    directory = read_one(write_tree(tmp_path / "corpus/task_1", files))
    [joined] = read_all([tmp_path / "hub"])
    assert joined.environment.id == directory.environment.id


def test_only_the_named_table_is_read(tmp_path):
    path = write_parquet(tmp_path / "train.parquet", [row("task_1", container_def=RECIPE)])
    write_tasks_zip(tmp_path / "tasks.zip", {name: tmax_files() for name in ("task_1", "task_2")})
    assert [item.where for item in read_all([path])] == [f"{path}#task_1"]


def test_missing_and_repeated_ids(tmp_path):
    path = write_parquet(tmp_path / "t.parquet", [row("a"), row("a"), row(None), row("b", description=None)])
    items = list(read_all([path]))
    assert [item.where.partition("#")[2] for item in items] == ["a", "a@row-1", "row-2", "b"]
    assert isinstance(items[3], Rejected)
    assert "description" in items[3].reason


def test_signatures_need_no_contents(tmp_path, monkeypatch):
    path = write_parquet(tmp_path / "t.parquet", [row("a"), row("b")])
    from river_envs.formats.tables import Table

    monkeypatch.setattr(Table, "row", lambda *_: pytest.fail("a row was read"))
    assert len({source.signature() for source in discover([path])}) == 2


def test_tables_that_are_no_corpus(tmp_path):
    write_parquet(tmp_path / "rollouts.parquet", [{"prompt": "x", "reward": 1}])
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 not really")
    items = list(read_all([tmp_path]))
    assert ["not a readable parquet" in items[0].reason, "prompt, reward" in items[1].reason] == [True, True]


def test_wrong_column_type(tmp_path):
    item = read_one(write_parquet(tmp_path / "t.parquet", [row("a", container_def=3)]))
    assert "column container_def holds int" in item.reason


def config(task_id, image="org/image:1"):
    return {
        "messages": [{"role": "system", "content": "Be good."}, {"role": "user", "content": f"Do {task_id}."}],
        "ground_truth": task_id, "dataset": "passthrough", "source": "tmax",
        "env_config": {"env_name": "swerl_sandbox", "task_id": task_id, "image": image},
    }  # fmt: skip


TASK_DATA = {"instruction.md": "Do it.\n", "setup.sh": "true\n", "tests/test.sh": "cat > t.py <<'E'\nE\n"}


def write_task_data(path, tasks):
    with tarfile.open(path, "w:gz") as archive:
        for name, files in tasks.items():
            for inner, content in files.items():
                info = tarfile.TarInfo(f"{name}/{inner}")
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content.encode()))


def test_open_instruct(tmp_path):
    write_parquet(tmp_path / "data/train.parquet", [config(f"task_{n}") for n in (3, 2, 1)])
    write_task_data(tmp_path / "task-data.tar.gz", {f"task_{n}": TASK_DATA for n in (1, 2)})
    items = list(read_all([tmp_path]))
    assert [item.where.partition("#")[2] for item in items] == ["task_1", "task_2", "task_3"]
    environment = items[0].environment
    assert (environment.image.kind, environment.image.docker_image) == ("prebuilt", "org/image:1")
    assert environment.instruction == "Do it.\n"
    assert environment.verifier.protocol == "harbor"
    assert [file.path for file in environment.verifier.files] == ["test.sh"]
    assert "holds no task" in items[2].reason


def test_open_instruct_without_its_archive(tmp_path):
    item = read_one(write_parquet(tmp_path / "train.parquet", [config("task_1")]))
    assert "task-data.tar.gz is missing" in item.reason


def test_open_instruct_seeds_and_image_file(tmp_path):
    write_parquet(tmp_path / "train.parquet", [config("task_1", image=None), config("task_2", image="a b")])
    seeds = {"environment/seeds/in.txt": "x", "image.txt": "org/seeded:2\n"}
    write_task_data(tmp_path / "task-data.tar.gz", {"task_1": TASK_DATA | seeds, "task_2": TASK_DATA})
    items = list(read_all([tmp_path]))
    assert items[0].environment.image.text.startswith("FROM org/seeded:2\nCOPY seeds/ /workspace/")
    assert "no image is named" in items[1].reason


def test_open_instruct_instruction_from_the_messages(tmp_path):
    write_parquet(tmp_path / "train.parquet", [config("task_1")])
    data = {name: text for name, text in TASK_DATA.items() if name != "instruction.md"}
    write_task_data(tmp_path / "task-data.tar.gz", {"task_1": data})
    [item] = read_all([tmp_path])
    assert item.environment.instruction == "Do task_1."


def test_unpacked_task_data_asks_for_the_table(tmp_path):
    item = read_one(write_tree(tmp_path / "task_1", TASK_DATA))
    assert isinstance(item, Rejected)
    assert "parquet" in item.reason
