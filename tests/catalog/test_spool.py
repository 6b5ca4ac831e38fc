import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from river_envs.catalog import ImageRecord, PlanRecord, SurveyRecord, open_catalog
from river_envs.catalog.spool import Spool
from river_envs.environment import RiverError
from river_envs.probes.base import Survey
from river_envs.sandbox.base import Delta


def home(catalog):
    return catalog.path.with_name(catalog.path.name + ".d")


def test_everything_spooled_is_absorbed_once(filled, build):
    one = filled.ids()[0]
    kept = build.delta()
    results = [build.result(one, repeat=number, size=10_000) for number in range(5)]
    with Spool(filled.path, "audit-1", "w0", backend="bubblewrap") as spool:
        for result in results:
            spool.append(result, delta=kept)
        spool.append(PlanRecord(one, "touch", 1, "planned"))
        spool.append(SurveyRecord(one, Survey(workdir="/w", reference=kept)))
        spool.append(ImageRecord(one, "built", "bubblewrap", notes=("EXPOSE ignored",)))
    assert len(list((home(filled) / "blobs").iterdir())) == 2
    assert filled.absorb_spool("other") == 0
    assert filled.absorb_spool("audit-1") == 8
    assert filled.absorb_spool() == 0
    assert filled.results() == {one: results}
    assert filled.delta(kept.digest) == kept
    assert filled.surveys() == {one: Survey(workdir="/w")}
    assert filled.plans()[one] == [PlanRecord(one, "touch", 1, "planned")]
    assert filled.images()[one][0].notes == ("EXPOSE ignored",)
    assert list((home(filled) / "blobs").iterdir()) == list((home(filled) / "spool").iterdir()) == []
    assert filled.sql("SELECT DISTINCT backend, run_id FROM attempt").values.tolist() == [["bubblewrap", "audit-1"]]


def test_absorbing_a_leftover_adds_nothing_twice_and_turns_nothing_back(filled, build):
    one = filled.ids()[0]
    with Spool(filled.path, "r", 0) as spool:
        spool.append(build.result(one))
        spool.append(PlanRecord(one, "touch", 1, "planned"))
        leftover = spool.path.read_bytes()
    filled.absorb_spool()
    with Spool(filled.path, "r", 1) as spool:
        spool.append(PlanRecord(one, "touch", 1, "not-run", "budget"))
    filled.absorb_spool()
    (home(filled) / "spool" / "r-0.123.taken").write_bytes(leftover)  # as after a kill between commit and removal
    filled.absorb_spool()
    assert len(filled.results()[one]) == 1
    assert filled.plans()[one] == [PlanRecord(one, "touch", 1, "not-run", "budget")]


def test_a_torn_last_line_is_dropped_and_the_file_goes_on(filled, build):
    one = filled.ids()[0]
    with Spool(filled.path, "r", 0) as spool:
        spool.append(build.result(one))
        with spool.path.open("ab") as stream:
            stream.write(b'{"v": 1, "kind": "Res')
    assert Spool(filled.path, "r", 0).path.read_bytes().count(b"\n") == 1
    with Spool(filled.path, "r", 0) as spool:
        spool.append(build.result(one, repeat=1))
    with Spool(filled.path, "r", 1) as spool:
        spool.append(build.result(one, repeat=2))
        with spool.path.open("ab") as stream:
            stream.write(b'{"v": 1, "kind"')
    assert filled.absorb_spool() == 3


def test_a_line_that_makes_no_sense_is_set_aside(filled, build, caplog):
    one = filled.ids()[0]
    with Spool(filled.path, "r", 0) as spool:
        spool.append(build.result(one))
        with spool.path.open("ab") as stream:
            stream.write(b'{"v": 99}\nnot json\n\n{"v": 1, "kind": "Evil", "data": {}}\n[]\n')
        spool.append(build.result(one, repeat=1))
    assert filled.absorb_spool() == 2
    assert (home(filled) / "rejected.jsonl").read_bytes().count(b"\n") == 4
    assert "set aside" in caplog.text


def test_appending_goes_on_while_mergers_race(filled, build):
    one = filled.ids()[0]
    total, workers = 30, 3

    def work(worker):
        with Spool(filled.path, "r", worker) as spool:
            for number in range(total):
                spool.append(build.result(one, probe=f"p{worker}", repeat=number), delta=Delta())

    threads = [threading.Thread(target=work, args=(number,)) for number in range(workers)]
    added = []


    def take():
        added.append(sum(filled.absorb_spool() for _ in range(4)))

    mergers = [threading.Thread(target=take) for _ in range(2)]
    for thread in threads + mergers:
        thread.start()
    for thread in threads + mergers:
        thread.join()
    added.append(filled.absorb_spool())
    assert sum(added) == total * workers
    assert len(filled.results()[one]) == total * workers


WORKER = """
import sys
from river_envs.catalog.spool import Spool
from river_envs.outcome import Outcome, Status
from river_envs.probes.base import Attempt, Result
with Spool(sys.argv[1], "r", sys.argv[2]) as spool:
    for number in range(100_000):
        attempt = Attempt(sys.argv[3], "p" + sys.argv[2], 1, repeat=number)
        spool.append(Result(attempt, Outcome(Status.GRADED, 0.0, False)))
        print(number, flush=True)
"""


def test_a_killed_worker_loses_nothing_that_it_reported(filled):
    one = filled.ids()[0]
    for worker in range(3):
        process = subprocess.Popen(
            [sys.executable, "-c", WORKER, str(filled.path), str(worker), one], stdout=subprocess.PIPE, text=True
        )
        for _ in range(20 * (worker + 1)):
            process.stdout.readline()
        filled.absorb_spool()
        process.send_signal(signal.SIGKILL)
        reported = [line for line in process.stdout.read().splitlines() if line.isdigit()]
        process.wait()
        filled.absorb_spool()
        known = filled.sql("SELECT count(*) AS n FROM attempt WHERE probe = ?", [f"p{worker}"]).n[0]
        assert known >= 20 * (worker + 1) + len(reported) - 1


def absorb_forever(path):
    catalog = open_catalog(path)
    while True:
        catalog.absorb_spool()


def test_a_killed_merger_loses_nothing(filled, build):
    one = filled.ids()[0]
    merger = multiprocessing.get_context("spawn").Process(target=absorb_forever, args=(filled.path,), daemon=True)
    merger.start()
    with Spool(filled.path, "r", 0) as spool:
        for number in range(150):
            spool.append(build.result(one, repeat=number))
            time.sleep(0.01)
    os.kill(merger.pid, signal.SIGKILL)
    merger.join()
    filled.absorb_spool()
    assert sorted(result.attempt.repeat for result in filled.results()[one]) == list(range(150))


def test_a_full_disk_and_a_missing_folder_have_clear_sentences(filled, build, monkeypatch):
    one = filled.ids()[0]
    spool = Spool(filled.path, "r", 0)
    spool.append(build.result(one))
    before = spool.path.read_bytes()
    code = f"""
import resource, signal
from river_envs.catalog.spool import Spool
from river_envs.catalog.records import PlanRecord
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, ({len(before) + 100}, -1))
Spool({str(filled.path)!r}, "r", 0).append(PlanRecord("e", "p" * 500, 1, "planned"))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "RiverError: the disk that holds" in done.stderr
    assert spool.path.read_bytes() == before
    with pytest.raises(RiverError, match="cannot be written: Not a directory"):
        Spool(filled.path / "below", "r", 0)


def test_lines_are_readable_json(filled, build):
    with Spool(filled.path, "r", 0) as spool:
        spool.append(build.result("e"))
    line = json.loads(spool.path.read_text())
    assert line["kind"] == "Result"
    assert line["data"]["attempt"]["probe"] == "control"
