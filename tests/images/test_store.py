"""The image cache: once per layer, atomic, budgeted, nothing removed that is used."""

import multiprocessing
import os
import threading
import time

import pytest

from river_envs.environment import RiverError
from river_envs.images import store as store_module
from river_envs.images.store import LOG_BYTES, DiskFull, Store, cut_log


def make(size=1000, log="log"):
    def write(directory):
        (directory / "root").mkdir()
        (directory / "root" / "file").write_bytes(b"x" * size)
        return log

    return write


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store", budget_mb=1000)


def add(store, name, parent=None, size=1000, used=None):
    store.layer(name, parent, f"step {name}", make(size))
    if used is not None:
        os.utime(store.root / "layers" / f"{name}.json", (used, used))


def names(store):
    return sorted(layer.id for layer in store.layers())


def test_a_layer_is_made_once(store):
    calls = []
    for _ in range(2):
        path = store.layer("a", None, "step", lambda directory: calls.append(directory) or "out")
    assert len(calls) == 1
    assert path == store.path("a")
    assert (store.root / "layers" / "a.log").read_text() == "out"
    assert list((store.root / "tmp").iterdir()) == []


def test_a_failed_step_leaves_nothing(store):
    def fail(directory):
        (directory / "half").write_text("x")
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        store.layer("a", None, "step", fail)
    assert not store.ready("a")
    assert list((store.root / "tmp").iterdir()) == []
    add(store, "a")
    assert store.ready("a")


def test_threads_wait_for_each_other(store):
    calls = []

    def slow(directory):
        calls.append(1)
        time.sleep(0.05)
        return ""

    threads = [threading.Thread(target=store.layer, args=("a", None, "step", slow)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(calls) == 1


def _build_in_process(root, counter):
    def slow(directory):
        with counter.get_lock():
            counter.value += 1
        time.sleep(0.05)
        return ""

    Store(root).layer("a", None, "step", slow)


def test_processes_wait_for_each_other(tmp_path):
    context = multiprocessing.get_context("fork")
    counter = context.Value("i", 0)
    processes = [context.Process(target=_build_in_process, args=(tmp_path / "s", counter)) for _ in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert counter.value == 1


def test_oldest_first_within_the_budget(store):
    for index, name in enumerate("abcd"):
        add(store, name, size=400_000, used=1000 + index)
    store.shrink(1)
    assert names(store) == ["c", "d"]
    assert not store.path("a").exists()


def test_layers_under_others_stay_until_those_are_gone(store):
    add(store, "below", size=600_000, used=1)
    add(store, "top", "below", size=600_000, used=2)
    add(store, "other", size=600_000, used=3)
    store.shrink(1)
    assert names(store) == ["other"]
    add(store, "below", size=600_000, used=1)
    add(store, "top", "below", size=10, used=9)
    store.shrink(0)
    assert names(store) == []


def test_pinned_layers_stay_also_for_other_processes(store):
    add(store, "a", used=1)
    store.pin(["a", "a"])
    other = Store(store.root)
    assert other.shrink(0) == 0
    store.unpin(["a"])
    assert other.shrink(0) == 0
    store.unpin(["a"])
    assert other.shrink(0) > 0
    assert names(store) == []


def test_bases_stay(store):
    add(store, "a", used=1)
    store.update("bases", lambda table: {**table, "x:1": {"layer": "a"}})
    store.shrink(0)
    assert names(store) == ["a"]


def test_use_moves_a_layer_to_the_front(store):
    add(store, "a", used=1)
    add(store, "b", used=2)
    assert Store(store.root).ready("a")
    assert [layer.id for layer in store.layers()] == ["a", "b"]


def test_a_full_disk_has_a_name(store, monkeypatch):
    add(store, "a", used=1)
    monkeypatch.setattr(Store, "free_mb", lambda self: 3)
    with pytest.raises(DiskFull, match=r"image cache .* has 3 MB left"):
        store.layer("b", None, "step", make())
    assert names(store) == []  # room was made before giving up


def test_sweep_removes_what_killed_builds_left(store):
    left = store.root / "tmp" / "999-dead"
    left.mkdir()
    (left / "x").write_text("x")
    with store.workspace() as busy:
        assert store.sweep() == 1
        assert busy.exists()
    assert not left.exists()


def test_a_half_renamed_layer_is_made_again(store):
    store.path("a").mkdir()
    assert not store.ready("a")
    add(store, "a")
    assert (store.path("a") / "root" / "file").exists()


def test_logs_are_bounded(store, monkeypatch):
    log = cut_log("a" * (3 * LOG_BYTES))
    assert len(log) < LOG_BYTES + 100
    assert "left out" in log
    monkeypatch.setattr(store_module, "MAX_LOGS", 3)
    for number in range(5):
        store.keep_log(f"build{number}", "text")
    assert len(list((store.root / "logs").iterdir())) == 3


def test_a_store_belongs_to_one_mapping_of_ids(store):
    store.claim([(0, 1000, 1)])
    store.claim([(0, 1000, 1)])
    store.claim([(0, 1000, 1), (1, 100000, 65536)])  # more ids than before: nothing is lost
    with pytest.raises(RiverError, match="another mapping"):
        store.claim([(0, 1000, 1)])


def test_a_damaged_table_is_named(store):
    (store.root / "aliases.json").write_text("{")
    with pytest.raises(RiverError, match=r"aliases.json is damaged"):
        store.read("aliases")
