"""Git objects and shipped programs in real sandboxes: what a repository or a program gives away, and look-alikes."""

# ruff: noqa: E501 - one leak on one line
from __future__ import annotations

import pytest
from real_probe_support import ask_really, real_environment

from river_envs.probes.answer_files import AnswerFiles
from river_envs.probes.archived_answer import ArchivedAnswer
from river_envs.probes.base import NotApplicable
from river_envs.probes.git_objects import GitObjects
from river_envs.probes.oracle_output import OracleOutput
from river_envs.probes.oracle_wrapper import OracleWrapper
from river_envs.probes.shipped_generator import ShippedGenerator

pytestmark = pytest.mark.sandbox

TASK = 'Compute the total of /app/in.csv and write it to /app/out.json as `{"total": 0}`.'
RIGHT = "grep -q '\"total\": 4812' /app/out.json"
INPUT = {"in.csv": "amount\n4800\n12\n"}
GIT = "export HOME=/tmp GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b\n"
ANSWER = """echo '{"total": 4812}' """
NEW = GIT + "git init -q /srv/x && cd /srv/x && "
FORMS = {
    "loose blob without a commit": NEW + ANSWER + "| git hash-object -w --stdin",
    "no references at all": NEW + ANSWER + "| git hash-object -w --stdin; rm -r .git/refs .git/config",
    "packed and deltified": NEW + "seq 3000 > n; git add n; git commit -qm 1; (seq 3000; " + ANSWER + ") > n; git commit -qam 2; "
    + ANSWER + "> t.json; git add .; git commit -qm 3; git rm -q t.json; git commit -qm 4; git gc -q --aggressive; [ ! -d .git/objects/00 ]",
    "another branch": NEW + "git commit -qm 1 --allow-empty; git checkout -qb fix; " + ANSWER + "> r.json; git add .; git commit -qm 2; git checkout -q -",
    "bare repository": NEW + ANSWER + "> out.json; git add .; git commit -qm 1; git clone -q --bare /srv/x /opt/mirror; rm -r /srv/x",
    "git file": NEW + ANSWER + "> r.json; git add .; git commit -qm 1; git rm -q r.json; git commit -qm 2; mkdir /opt/store; mv .git /opt/store/r; echo 'gitdir: /opt/store/r' > .git",
}  # fmt: skip


@pytest.mark.parametrize("build", FORMS.values(), ids=FORMS)
def test_a_repository_that_keeps_the_answer(build, bubblewrap_backend):
    asked = ask_really(GitObjects(), real_environment(TASK, RIGHT, INPUT, build), bubblewrap_backend)
    assert asked.causes == ["image-answer"], asked.results[-1].receipt
    decoy = ask_really(
        GitObjects(), real_environment(TASK, RIGHT, INPUT, build.replace("4812", "37")), bubblewrap_backend
    )
    assert not isinstance(decoy.judgement, NotApplicable)
    assert decoy.causes == []


def test_another_repository_than_the_tasks_own(bubblewrap_backend):
    task = "In the repository /app/src find the commit that broke it. Write the total to /app/out.json."
    own = (
        GIT
        + "mkdir /app/src; cd /app/src; git init -q .; "
        + ANSWER
        + "> out.json; git add .; git commit -qm 1; git rm -q out.json; git commit -qm 2"
    )
    asked = ask_really(GitObjects(), real_environment(task, RIGHT, INPUT, own), bubblewrap_backend)
    assert isinstance(asked.judgement, NotApplicable)
    both = own + "\n" + FORMS["loose blob without a commit"]
    assert ask_really(GitObjects(), real_environment(task, RIGHT, INPUT, both), bubblewrap_backend).causes == [
        "image-answer"
    ]


def script(path: str, body: str) -> str:
    return f"mkdir -p $(dirname {path})\ncat >{path} <<'BODY'\n#!/usr/bin/env python3\nimport csv, json, os, sys\n{body}\nBODY\nchmod 755 {path}\n"


SAYS = "print(json.dumps({'total': 4812}))"
COMPUTES = "print(json.dumps({'total': sum(int(row['amount']) for row in csv.DictReader(open(sys.argv[1])))}))"
WRITES = "os.makedirs('/opt/tools/made')\njson.dump({'total': 4812}, open('/opt/tools/made/out.json', 'w'))"
RUNNING = [
    (OracleOutput(), script("/opt/tools/check-total", SAYS), "reachable-oracle"),
    (OracleOutput(), script("/opt/tools/solver", COMPUTES), "reachable-oracle"),
    (OracleOutput(), script("/opt/tools/solution", WRITES), "derivable-answer"),
    (ShippedGenerator(), script("/opt/x/generate_task.py", SAYS), "derivable-answer"),
]


@pytest.mark.parametrize(("probe", "build", "cause"), RUNNING, ids=range(len(RUNNING)))
def test_an_oracle_answers_and_a_generator_makes(probe, build, cause, bubblewrap_backend):
    asked = ask_really(probe, real_environment(TASK, RIGHT, INPUT, build), bubblewrap_backend)
    assert asked.causes == [cause], [step.output for result in asked.results for step in result.receipt]
    silent = real_environment(TASK + " Run the script that the team uses.", RIGHT, INPUT, build)
    assert isinstance(ask_really(probe, silent, bubblewrap_backend).judgement, NotApplicable)
    decoy = real_environment(TASK, RIGHT.replace("4812", "4813"), INPUT, build)
    assert ask_really(probe, decoy, bubblewrap_backend).causes == []


SQUARE = "Write the program `/app/square`. It reads a number from standard input and prints its square."
PROGRAM = "#!/usr/bin/env python3\nprint(int(input()) ** 2)\n"
RUN = '[ "$(echo 4 | /app/square)" = 16 ]'


@pytest.mark.parametrize(
    ("probe", "build", "cause"),
    [
        (OracleWrapper(), "mkdir /opt/y; mv /app/p.v2 /opt/y/square.v2", "reachable-oracle"),
        (AnswerFiles(), "chmod 644 p.v2; mv p.v2 /app/square.expected", "image-answer"),
        (ArchivedAnswer(), "chmod 644 p.v2; mv p.v2 square; tar -czf /app/old.tgz square; rm square", "image-answer"),
    ],
)
def test_a_program_stays_executable(probe, build, cause, bubblewrap_backend):
    env = real_environment(SQUARE, RUN, {"p.v2": PROGRAM}, "cd /app\n" + build)
    assert ask_really(probe, env, bubblewrap_backend).causes == [cause]
    decoy = real_environment(SQUARE, RUN.replace("16", "17"), {"p.v2": PROGRAM}, "cd /app\n" + build)
    assert ask_really(probe, decoy, bubblewrap_backend).causes == []


def test_an_altered_database_is_still_a_database(bubblewrap_backend):
    """Where any database with the table pays, the altered one does too: no leak."""
    task = "Normalise `/app/library.db`, which is a database; the values are those of the table."
    make = 'import sqlite3, sys; b = sqlite3.connect(sys.argv[1]); b.execute(sys.argv[2]); b.execute("insert into t values (4812)"); b.commit()'
    build = f"cd /app; python3 -c '{make}' expected_library.db 'create table t (n)'; python3 -c '{make.replace('t values', 's values')}' library.db 'create table s (n)'"
    check = 'python3 -c \'import sqlite3; print(sqlite3.connect("/app/library.db").execute("select * from t{}").fetchone()[0])\' 2>/dev/null'
    exact = real_environment(task, f'[ "$({check.format("")})" = 4812 ]', {}, build)
    assert ask_really(AnswerFiles(), exact, bubblewrap_backend).causes == ["image-answer"]
    form = real_environment(task, f'[ -n "$({check.format("")})" ]', {}, build)
    assert ask_really(AnswerFiles(), form, bubblewrap_backend).causes == ["shape-only"]
