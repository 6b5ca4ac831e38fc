import os
import subprocess
import sys

from river_envs.processes import is_gone, this_process


def states(catalog):
    return dict(catalog.sql("SELECT command, state FROM audit_run").itertuples(index=False, name=None))


def start_elsewhere(catalog):
    """A run that another process started and did not end."""
    script = (
        "import sys, os; from river_envs.catalog import open_catalog\n"
        "with open_catalog(sys.argv[1]).writer() as writer: writer.start_run('audit killed')\n"
        "os.kill(os.getpid(), 9)"
    )
    assert subprocess.run([sys.executable, "-c", script, str(catalog.path)], check=False).returncode == -9


def test_a_killed_run_is_marked_when_the_next_one_starts(filled):
    start_elsewhere(filled)
    assert states(filled) == {"audit killed": "running"}
    with filled.writer() as writer:
        writer.start_run("audit lives")
    with filled.writer() as writer:
        writer.start_run("audit second")
    assert states(filled) == {"audit killed": "interrupted", "audit lives": "running", "audit second": "running"}
    assert filled.sql("SELECT ended FROM audit_run WHERE command = 'audit killed'").ended.notna().all()


def test_a_killed_run_ended_with_its_last_attempt(filled, build):
    start_elsewhere(filled)
    run = filled.sql("SELECT id FROM audit_run").id[0]
    with filled.writer() as writer:
        writer.add_results([build.result(filled.ids()[0])], run_id=run)
        writer.settle_runs()
    assert filled.sql("SELECT ended = (SELECT max(recorded_at) FROM attempt) AS same FROM audit_run").same[0]


def test_whether_a_process_is_gone():
    me = this_process()
    assert not is_gone(me)
    assert is_gone({**me, "started": 1})  # the number was given to another process since
    assert is_gone({**me, "boot": "before"})
    assert not is_gone({**me, "machine": "another", "started": 1})
    assert not is_gone({})
    child = subprocess.Popen(["true"])
    child.wait()
    assert is_gone({**me, "pid": child.pid})
    assert os.getpid() == me["pid"]
