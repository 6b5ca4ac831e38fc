import os

import pytest

from river_envs.sandbox import cgroups


@pytest.fixture
def delegated(tmp_path, monkeypatch):
    """A version 2 hierarchy like a user's: controllers reach the slice's children, the scope holds the process."""
    scope = tmp_path / "user.slice" / "app.slice" / "run.scope"
    scope.mkdir(parents=True)
    for group, enabled in ((tmp_path, "cpu memory pids"), (scope.parent, "memory pids"), (scope, "")):
        (group / "cgroup.subtree_control").write_text(enabled + "\n")
        (group / "cgroup.procs").write_text("")
    (scope.parent.parent / "cgroup.subtree_control").write_text("memory\n")
    monkeypatch.setattr(cgroups, "_own_group", lambda controller: "/user.slice/app.slice/run.scope")
    return tmp_path


def test_version_2_groups_are_made_next_to_our_own(delegated):
    place = cgroups._find_unified(str(delegated), "/")
    assert place == delegated / "user.slice" / "app.slice"
    hierarchy = cgroups.Hierarchy({"unified": place})
    assert (hierarchy.version, hierarchy.limits("memory"), hierarchy.limits("cpu")) == (2, True, False)


def test_version_2_without_controllers_is_no_place(delegated):
    for file in delegated.rglob("cgroup.subtree_control"):
        file.write_text("")
    assert cgroups._find_unified(str(delegated), "/") is None


def test_version_2_limits_are_written(delegated, monkeypatch):
    place = delegated / "user.slice" / "app.slice"
    monkeypatch.setattr(cgroups, "hierarchy", lambda: cgroups.Hierarchy({"unified": place}))
    group = cgroups.Group.create(memory_bytes=1 << 20, processes=7, cpus=0.5)
    path = group.paths[0]
    assert path.name.startswith(f"river-{os.getpid()}-")
    assert {name: (path / name).read_text() for name in ("memory.max", "pids.max", "cpu.max")} == {
        "memory.max": str(1 << 20), "pids.max": "7", "cpu.max": "50000 100000"}
    (path / "memory.events").write_text("low 0\noom 3\noom_kill 2\n")
    assert group.out_of_memory()
    assert not group.out_of_memory()


def test_a_mount_of_a_part_of_the_hierarchy():
    assert cgroups._locate("/sys/fs/cgroup/pids", "/docker/abc", "/docker/abc/x").as_posix() == "/sys/fs/cgroup/pids/x"
    assert cgroups._locate("/sys/fs/cgroup/pids", "/", "/a/b").as_posix() == "/sys/fs/cgroup/pids/a/b"


def test_a_process_is_known_by_its_start():
    assert cgroups.start_time(os.getpid()) == cgroups.start_time(os.getpid())
    assert cgroups.start_time(2**22 + 1) is None
