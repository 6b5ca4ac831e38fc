"""Directories made to hurt: links, special files, sizes, names. Each is rejected with a reason, and nothing blocks."""

import os
import socket

import pytest
from formats.format_tasks import harbor_files, read_one, tmax_files, write_tree

from river_envs.environment import RiverError
from river_envs.formats.base import Bounds, Found, Rejected
from river_envs.formats.detect import read_all


@pytest.fixture
def task(tmp_path):
    return write_tree(tmp_path / "corpus" / "t", harbor_files())


def rejection(path, bounds=None) -> str:
    item = read_one(path, bounds=bounds)
    assert isinstance(item, Rejected), item
    return item.reason


@pytest.mark.parametrize("target", ["/etc/passwd", "../../../secret", "../tests/test.sh", "data/../../tests"])
def test_link_out_of_the_tree(task, target):
    (task / "environment/link").symlink_to(target)
    assert "symbolic link out of the tree" in rejection(task)


def test_links_that_only_together_lead_out(task):
    """The text of ``deep/../x`` stays inside; ``deep`` being a link to the root makes it leave."""
    (task / "environment/a/b").mkdir(parents=True)
    (task / "environment/a/b/up").symlink_to("../..")
    (task / "environment/out").symlink_to("a/b/up/../secret")
    assert "symbolic link out of the tree" in rejection(task)


def test_link_loop(task):
    (task / "environment/a").symlink_to("b")
    (task / "environment/b").symlink_to("a")
    assert "loop of symbolic links" in rejection(task)


def test_link_inside_the_tree_is_kept(task):
    (task / "environment/link").symlink_to("data/numbers.txt")
    (task / "environment/dangling").symlink_to("not/there")
    item = read_one(task)
    assert isinstance(item, Found)
    assert {file.path: file.link for file in item.environment.image.context if file.link} == {
        "dangling": "not/there", "link": "data/numbers.txt",
    }


def test_instruction_may_be_a_link_inside_the_tree(task):
    (task / "instruction.md").rename(task / "README.md")
    (task / "instruction.md").symlink_to("README.md")
    assert read_one(task).environment.instruction == "Add the numbers.\n"


@pytest.mark.parametrize("name", ["environment/pipe", "instruction.md"])
def test_fifo_does_not_block(task, name):
    (task / name).unlink(missing_ok=True)
    os.mkfifo(task / name)
    assert "FIFO" in rejection(task)


def test_socket(task, monkeypatch):
    monkeypatch.chdir(task / "environment")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s")
        assert "a socket" in rejection(task)


def test_special_files_in_parts_that_are_not_used_do_not_matter(task):
    os.mkfifo(task / "pipe")
    assert isinstance(read_one(task), Found)


def test_instruction_is_a_directory(task):
    (task / "instruction.md").unlink()
    (task / "instruction.md").mkdir()
    assert "a directory" in rejection(task)


def test_huge_file_is_refused_unread(task):
    with open(task / "environment/huge.bin", "wb") as sparse:
        sparse.truncate(2 << 30)
    assert "too large: 2,147,483,648 bytes" in rejection(task)


def test_file_limit_can_be_set(task):
    (task / "environment/data.bin").write_bytes(b"x" * 2000)
    assert isinstance(read_one(task, bounds=Bounds(file_bytes=2000)), Found)
    assert "environment/data.bin is too large" in rejection(task, Bounds(file_bytes=1999))


def test_many_files_too_large_together(task):
    for number in range(3):
        (task / f"environment/{number}").write_bytes(b"x" * 1000)
    assert "too large together" in rejection(task, Bounds(environment_bytes=2500))


def test_too_many_files(task):
    for number in range(30):
        (task / f"environment/{number}").touch()
    assert "over 20 files" in rejection(task, Bounds(entries=20))


def test_million_line_instruction(task):
    (task / "instruction.md").write_text("\n" * 1_000_000 + "end")
    assert "instruction.md is too long" in rejection(task)


def test_instruction_of_three_megabytes(task):
    (task / "instruction.md").write_text("x" * (3 << 20))
    assert "instruction.md is too large" in rejection(task)


def test_long_description(tmp_path):
    assert "too long" in rejection(write_tree(tmp_path / "t", tmax_files({"description": "x" * (3 << 20)})))


def test_file_name_that_is_not_utf8(task):
    open(os.fsencode(task / "environment") + b"/\xff", "w").close()
    assert "not UTF-8" in rejection(task)


def test_task_name_that_is_not_utf8(tmp_path):
    write_tree(tmp_path / os.fsdecode(b"t\xff\n\x1b[2J"), tmax_files({"name": None}))
    [item] = read_all([tmp_path])
    assert isinstance(item, Found)
    assert "\\xff" in item.where
    item.where.encode()
    item.environment.name.encode()


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_unreadable_directory(task):
    (task / "environment/data").chmod(0)
    try:
        assert "unreadable" in rejection(task)
    finally:
        (task / "environment/data").chmod(0o755)


def test_a_very_deep_tree(task):
    path = task / "environment"
    for _ in range(80):
        path = path / "d"
    path.mkdir(parents=True)
    (path / "f").touch()
    assert "levels deep" in rejection(task)


def test_one_bad_task_does_not_stop_the_rest(tmp_path):
    write_tree(tmp_path / "a", harbor_files(**{"task.toml": "["}))
    write_tree(tmp_path / "b", harbor_files())
    os.mkfifo(tmp_path / "b/environment/pipe")
    write_tree(tmp_path / "c", harbor_files())
    assert [type(item) for item in read_all([tmp_path])] == [Rejected, Rejected, Found]


def test_path_that_does_not_exist(tmp_path):
    with pytest.raises(RiverError, match="does not exist"):
        read_all([tmp_path / "nowhere"])


def test_format_that_does_not_exist(tmp_path):
    with pytest.raises(RiverError, match="unknown format 'zip'"):
        read_all([tmp_path], "zip")
