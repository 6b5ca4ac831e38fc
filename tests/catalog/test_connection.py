import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

from river_envs.catalog import CatalogBusy, connection, open_catalog
from river_envs.environment import RiverError

HOLD = """
import sys, duckdb
held = duckdb.connect(sys.argv[1], read_only=sys.argv[2] == "read")
print("held", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def holder(filled):
    """Another process that holds the catalog until ``release`` is called."""
    running = []

    def start(kind):
        process = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(filled.path), kind],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        running.append(process)
        process.stdout.readline()
        return process

    yield start
    for process in running:
        process.kill()
        process.wait()


def test_readers_wait_for_a_writer_elsewhere(filled, holder):
    process = holder("write")
    threading.Timer(0.3, process.kill).start()
    assert len(filled.ids()) == 5


def test_a_writer_waits_for_a_reader_elsewhere(filled, holder):
    process = holder("read")
    threading.Timer(0.3, process.kill).start()
    assert len(filled.ids()) == 5  # readers do not exclude each other
    with filled.writer() as writer:
        writer.add_mark(filled.ids()[0], "sound")


def test_patience_ends_with_the_name_of_the_holder(filled, holder, monkeypatch):
    process = holder("write")
    monkeypatch.setattr(connection, "PATIENCE_SEC", 0.1)
    with pytest.raises(CatalogBusy, match=f"has been held by process {process.pid}"):
        filled.ids()
    with pytest.raises(CatalogBusy), filled.writer():
        pass


def test_threads_read_and_write_at_once(filled, build):
    one = filled.ids()[0]
    errors = []

    def guarded(work):
        def run():
            try:
                for number in range(8):
                    work(number)
            except Exception as error:  # noqa: BLE001 - reported below
                errors.append(error)
        return run

    def write(worker):
        def work(number):
            with filled.writer() as writer:
                writer.add_results([build.result(one, probe=f"p{worker}", repeat=number)])
        return work

    jobs = [write(0), write(1), lambda _: filled.sql("FROM environments_view"), lambda _: filled.results([one]),
            lambda _: open_catalog(filled.path).load(filled.ids())]
    threads = [threading.Thread(target=guarded(job)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert errors == []
    assert len(filled.results()[one]) == 16


def test_a_thread_cannot_wait_for_itself(filled):
    refused = pytest.raises(RuntimeError, match="cannot open it for writing")
    with connection.reading(filled.path), connection.reading(filled.path), refused, filled.writer():
        pass
    with filled.writer(), pytest.raises(RuntimeError, match="cannot open it for writing"), filled.writer():
        pass


def test_a_waiting_writer_goes_before_new_readers():
    gate = connection.Gate()
    order = []

    def write():
        with gate.alone():
            order.append("write")

    def read():
        with gate.shared():
            order.append("read")

    with gate.shared():
        writer = threading.Thread(target=write)
        writer.start()
        while not gate._waiting:
            time.sleep(0.001)
        reader = threading.Thread(target=read)
        reader.start()
        with gate.shared():  # who reads already may go on
            pass
    writer.join()
    reader.join()
    assert order == ["write", "read"]


def child(code, *arguments):
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)


def test_a_catalog_that_cannot_be_written_has_a_sentence(build):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "river.duckdb"
        catalog = open_catalog(path, create=True)
        with catalog.writer() as writer:
            writer.add_environments([build.environment(1)], ["a"])
        path.chmod(0o444)
        folder.chmod(0o555)
        try:
            done = child(
                """
import os, sys, duckdb, pyarrow, pandas
from river_envs import open_catalog
catalog = open_catalog(sys.argv[1])
with catalog.writer() as w: pass  # loads what is loaded lazily, with the rights to do so
if os.getuid() == 0: os.setresuid(65534, 65534, 65534)
print(len(open_catalog(sys.argv[1]).ids()))
with catalog.writer() as writer:
    writer.add_mark(catalog.ids()[0], "sound")
""" if os.getuid() == 0 else """
import sys
from river_envs import open_catalog
catalog = open_catalog(sys.argv[1])
print(len(catalog.ids()))
with catalog.writer() as writer:
    writer.add_mark("x", "sound")
""", str(path))
        finally:
            folder.chmod(0o755)
    assert done.stdout == "1\n"
    assert "RiverError: the catalog" in done.stderr
    assert "cannot be written by this user" in done.stderr


def test_a_full_disk_has_a_sentence_and_loses_nothing(filled):
    limit = filled.path.stat().st_size + 200_000
    done = child(
        """
import os, resource, signal, sys
from river_envs import Environment, open_catalog
from river_envs.environment import *
catalog = open_catalog(sys.argv[1])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), -1))
files = (File("big", os.urandom(8 << 20)),)
with catalog.writer() as writer:
    writer.add_environments([Environment("n", "s", "harbor", "i", ImageRecipe("prebuilt"),
                             Verifier("harbor", files, "t"))], ["x"])
""", str(filled.path), str(limit))
    assert "RiverError: the disk that holds" in done.stderr, done.stderr
    assert len(open_catalog(filled.path).ids()) == 5


def test_a_killed_writer_leaves_the_last_commit(filled):
    process = subprocess.Popen([sys.executable, "-c", """
import os, sys, signal
from river_envs import open_catalog
catalog = open_catalog(sys.argv[1])
with catalog.writer() as writer:
    writer.add_mark("first", "sound")
with catalog.writer() as writer:
    writer.add_mark("second", "sound")
    os.kill(os.getpid(), signal.SIGKILL)
""", str(filled.path)])
    process.wait()
    assert list(filled.sql("SELECT environment_id FROM mark").environment_id) == ["first"]


def test_errors_of_a_query_are_left_alone():
    error = ValueError("x")
    assert connection.explain(error, Path("c")) is error
    assert isinstance(connection.explain(ValueError("IO Error: No space left on device"), Path("c")), RiverError)
