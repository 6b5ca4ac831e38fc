"""Reported failures of the machine under the audit: cases 14 to 18. What is left behind, and what a full disk says.

| case | also asserted in detail by |
|---|---|
| 14 | tests/images/test_store.py, tests/catalog/test_spool.py, tests/catalog/test_connection.py (full disks by name) |
| 15 | tests/sandbox/test_conformance.py (no_network, loopback_is_up, on both backends) |
| 16 | tests/sandbox/test_docker_sandbox.py, tests/sandbox/test_bubblewrap_hostile.py (killed parents, sweeps) |
| 17 | tests/images/test_store.py (oldest first, what stays) |
| 18 | tests/sandbox/test_conformance.py (threads_do_not_disturb_each_other, on both backends) |
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

import pytest
from failures.failure_tasks import BASE, RECIPE, RIGHT, SOLVE, audit, harbor, pays
from sandbox_support import processes_with

from river_cli import main as command
from river_envs.audit.grading import grading
from river_envs.audit.options import AuditOptions
from river_envs.audit.run import Run
from river_envs.catalog import open_catalog
from river_envs.formats.ingest import ingest
from river_envs.images.store import DiskFull, Store
from river_envs.sandbox import cgroups, open_backend
from river_envs.sandbox.base import BackendOptions

COMMAND = str(Path(sys.executable).with_name("river-envs"))


def eventually(condition, seconds: float = 20.0) -> bool:
    """Whether the condition holds before the time is over."""
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)
    return bool(condition())


def groups() -> set[str]:
    """The control groups of this process's sandboxes."""
    mine = f"river-{os.getpid()}-"
    return {path.name for place in cgroups.hierarchy().places.values() for path in place.glob(f"{mine}*")}


def mounts(*places: Path) -> list[str]:
    """The mounts of sandboxes, and those at or from ``places``, that this process sees."""
    signs = [" - tmpfs river ", *map(str, places)]
    return [row for row in Path("/proc/self/mountinfo").read_text().splitlines() if any(sign in row for sign in signs)]


@pytest.mark.sandbox
def test_an_audit_leaves_nothing_behind(tmp_path: Path, monkeypatch):
    """Case 14: daemons of solution and verifier, large files, odd nodes: no process, mount, group or folder is left."""
    marker = f"6{uuid.uuid4().int % 10**9}"
    daemon = f"(setsid sleep {marker} &) >/dev/null 2>&1\nhead -c 20M /dev/zero >/tmp/big\nmkfifo /tmp/fifo\n"
    harbor(tmp_path / "tasks", "leaves-daemons", solve=SOLVE + daemon, test=daemon + pays())
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    monkeypatch.setattr(tempfile, "tempdir", None)
    before = groups(), set(Path("/sys/class/net").iterdir())
    store = tmp_path / "store"
    backend = open_backend("bubblewrap", BackendOptions(store=str(store), aliases={BASE: "host"}))
    try:
        told = audit(backend, tmp_path / "tasks", tmp_path / "c.duckdb")
    finally:
        backend.close()
    assert told.verdict("leaves-daemons") == ("sound", [])
    assert eventually(lambda: not processes_with(marker))
    assert mounts(store, scratch) == []
    assert eventually(lambda: (groups(), set(Path("/sys/class/net").iterdir())) == before)
    assert list(scratch.iterdir()) == []
    assert [path for path in (store / "tmp").iterdir() if path.suffix != ".lock"] == []
    assert list((tmp_path / "c.duckdb.d" / "spool").glob("*")) == []


@pytest.mark.sandbox
def test_a_full_disk_stops_the_run_with_its_name(tmp_path: Path, monkeypatch):
    """Case 14: no attempt is made on a full disk, so none is a 0; the run fails, and goes on once there is room."""
    harbor(tmp_path / "tasks", "sound")
    catalog = open_catalog(tmp_path / "c.duckdb", create=True)
    ingest(catalog, [tmp_path / "tasks"])
    backend = open_backend("bubblewrap", BackendOptions(store=str(tmp_path / "store"), aliases={BASE: "host"}))
    run = Run(catalog, backend, AuditOptions(effort="quick"), grading, command="river-envs audit")
    with monkeypatch.context() as full:
        full.setattr(Store, "free_mb", lambda self: 3)
        with pytest.raises(DiskFull, match=r"image cache .* has 3 MB left and 512 MB are needed: free some space"):
            run()
    assert catalog.sql("SELECT * FROM attempt").empty
    assert catalog.sql("SELECT * FROM plan").empty
    assert catalog.sql("SELECT state FROM audit_run ORDER BY started")["state"].tolist()[-1] == "failed"
    told = audit(backend, tmp_path / "tasks", tmp_path / "c.duckdb")
    backend.close()
    assert told.verdict("sound") == ("sound", [])


@pytest.mark.sandbox
def test_the_command_says_that_the_disk_is_full(tmp_path: Path, monkeypatch, capsys):
    """Case 14: one sentence on standard error, exit status 2, no table of zeros."""
    harbor(tmp_path / "tasks", "sound", recipe=RECIPE.replace(BASE, "host"))
    catalog = tmp_path / "c.duckdb"
    ingest(open_catalog(catalog, create=True), [tmp_path / "tasks"])
    monkeypatch.setenv("RIVER_STORE", str(tmp_path / "store"))
    monkeypatch.setattr(Store, "free_mb", lambda self: 3)
    monkeypatch.setattr(sys, "argv", ["river-envs", "audit", "-c", str(catalog), "--backend", "bubblewrap"])
    previous = signal.getsignal(signal.SIGTERM)
    try:
        with pytest.raises(SystemExit) as ended:
            command.main()
    finally:
        signal.signal(signal.SIGTERM, previous)
    assert ended.value.code == 2
    shown = capsys.readouterr()
    assert "river-envs: the disk that holds the image cache" in shown.err
    assert shown.out == ""


@pytest.mark.sandbox
def test_a_killed_audit_leaves_no_orphan(tmp_path: Path):
    """Case 16: killed while a solution runs, the command takes all of it along; a sweep clears the rest."""
    marker = f"5{uuid.uuid4().int % 10**9}"
    harbor(tmp_path / "tasks", "long", solve=f"sleep {marker} &\nwait\n", agent_sec=300)
    catalog = tmp_path / "c.duckdb"
    ingest(open_catalog(catalog, create=True), [tmp_path / "tasks"])
    settings = tmp_path / "home" / ".config" / "river-envs" / "config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(f'[build]\nstore = "{tmp_path / "store"}"\n[build.aliases]\n"{BASE}" = "host"\n')
    process = subprocess.Popen(
        [COMMAND, "audit", "-c", str(catalog), "--backend", "bubblewrap", "--effort", "quick"],
        env={**os.environ, "HOME": str(tmp_path / "home")}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    try:
        assert eventually(lambda: processes_with(f"sleep {marker}"), 60)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert eventually(lambda: not processes_with(marker))
    left = f"river-{process.pid}-"
    backend = open_backend("bubblewrap", BackendOptions(store=str(tmp_path / "store"), aliases={BASE: "host"}))
    backend.sweep()
    backend.close()
    places = cgroups.hierarchy().places.values()
    assert not [path for place in places for path in place.glob(f"{left}*")]
    opened = open_catalog(catalog)
    opened.absorb_spool()
    assert set(opened.sql("SELECT probe FROM attempt")["probe"]) == {"untouched"}


@pytest.mark.slow
@pytest.mark.sandbox
def test_the_image_cache_keeps_its_budget_oldest_out_first(tmp_path: Path):
    """Case 17: images of an earlier run make room for new ones, the oldest first, whatever the corpus would need."""
    store = tmp_path / "store"
    for number in range(3):
        recipe = RECIPE + f"RUN head -c 4000000 /dev/urandom >/srv/image-{number}\n"
        harbor(tmp_path / f"tasks-{number}", f"image-{number}", recipe=recipe, solve=None)
        options = BackendOptions(store=str(store), store_budget_mb=10, aliases={BASE: "host"})
        backend = open_backend("bubblewrap", options)
        told = audit(backend, tmp_path / f"tasks-{number}", tmp_path / "c.duckdb")
        backend.close()
    layers = Store(store, budget_mb=10).layers()
    assert sum(layer.size for layer in layers) <= 10_000_000
    titles = " ".join(layer.title for layer in layers)
    assert [number for number in range(3) if f"image-{number}" in titles] == [1, 2]
    assert len(told.catalog.sql("SELECT * FROM verdict WHERE verdict = 'resisted'")) == 3


@pytest.mark.sandbox
def test_logs_of_parallel_attempts_are_kept_apart(tmp_path: Path, audited):
    """Case 18: verifiers that talk at the same time: each attempt's log is its own and whole."""
    for word in ("alpha", "beta", "gamma", "delta"):
        talk = f"for i in $(seq 200); do echo {word} $i; [ $((i % 50)) = 0 ] && sleep 0.02; done\n"
        harbor(tmp_path, word, test=talk + pays(RIGHT), solve=None)
    told = audited(tmp_path, jobs=4)
    for word in ("alpha", "beta", "gamma", "delta"):
        logs = {row["log"] for row in told.attempts(word)}
        assert logs == {"".join(f"{word} {number}\n" for number in range(1, 201))}
        assert {row["status"] for row in told.attempts(word)} == {"graded"}


@pytest.mark.docker
class TestDocker:
    """The same on a daemon: what is there before an audit is all that is there after it."""

    @pytest.fixture
    def client(self, docker_backend):
        """The daemon's interface."""
        return docker_backend._client.api

    def test_volumes_and_networks(self, docker_backend, client, shared_base, tmp_path: Path):
        """Cases 14 and 15: an image with a volume, a solution that fills it: no volume, network or container stays."""
        recipe = f"FROM {shared_base}\nWORKDIR /app\nCOPY orders.csv /app/orders.csv\nVOLUME /data\n"
        harbor(tmp_path / "tasks", "volume", recipe=recipe, solve="head -c 5M /dev/zero >/data/big\n" + SOLVE)

        def there() -> set[str]:
            volumes = {f"volume {volume['Name']}" for volume in client.volumes()["Volumes"] or ()}
            networks = {f"network {network['Name']}" for network in client.networks()}
            containers = {f"container {made['Image']} {made['Id']}" for made in client.containers(all=True)}
            return volumes | networks | containers

        before = there()  # some of it may be on its way out: what an earlier test made
        told = audit(docker_backend, tmp_path / "tasks", tmp_path / "c.duckdb")
        assert told.statuses("volume", "untouched") == {"graded"}
        eventually(lambda: there() <= before)
        assert there() - before == set(), "an attempt left something"

    def test_no_network_per_attempt(self, docker_backend, docker_image, client):
        """Case 15: an attempt has the daemon's ``none`` and makes no network of its own."""
        before = {network["Id"] for network in client.networks()}
        with docker_backend.start(docker_image) as sandbox:
            settings = client.inspect_container(sandbox.container)
            assert settings["HostConfig"]["NetworkMode"] == "none"
            assert {network["Id"] for network in client.networks()} == before
