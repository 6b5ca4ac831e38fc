"""Why a reference is refused, from recorded outcomes: reading, networks, services, and healthy look-alikes."""

from __future__ import annotations

import subprocess
from dataclasses import replace

import pytest
from probe_support import controls, environment, graded, survey

from river_envs.audit.options import AuditOptions
from river_envs.audit.replay import replay
from river_envs.audit.script import replay_script
from river_envs.environment import File, RiverError
from river_envs.outcome import NETWORK_WITHHELD, Outcome, Status, TestResult
from river_envs.probes import services
from river_envs.probes.base import Judgement, ProbeStatus, Result
from river_envs.probes.reference import ReferencePasses
from river_envs.probes.refusal_grants import judged
from river_envs.probes.refusal_reading import Demand, Difference, asked
from river_envs.probes.untouched import Untouched
from river_envs.sandbox.base import Change, Delta
from river_envs.verify.failures import Failure, failures

REFERENCE, UNTOUCHED = ReferencePasses(), Untouched()
SERVER = "Write and start a service that listens on port 8123 and answers `GET /items`. Leave it running.\n"
REFUSED = """=========== ERRORS ===========
____________ ERROR at setup of test_x ____________

    @pytest.fixture
    def db():
>       return socket.create_connection(("127.0.0.1", 6400))
E       ConnectionRefusedError: [Errno 111] Connection refused

test_state.py:5: ConnectionRefusedError
=========== short test summary info ===========
ERROR test_state.py::test_x - ConnectionRefusedError: [Errno 111] Connection refused
"""


def refused_connection(attempt) -> Result:
    tests = (TestResult("test_state.py::test_x", "error", "ConnectionRefusedError: [Errno 111] Connection refused"),)
    return replace(graded(attempt, False), outcome=Outcome(Status.GRADED, 0.0, False, tests=tests, log=REFUSED))


def said(env, answer, background=None, left=None) -> tuple[Judgement, list[Result]]:
    """The reference probe put to ``answer`` (attempt to result), as the audit does it."""
    background = replace(background or controls(env), left=left)
    planned, results = REFERENCE.plan(env, survey()), []
    while planned:
        results += [answer(attempt) for attempt in planned]
        done = {result.attempt.id for result in results}
        planned = [attempt for attempt in REFERENCE.more(env, results, background) if attempt.id not in done]
    results.sort(key=lambda result: (result.attempt.repeat, result.attempt.arm))
    return REFERENCE.judge(env, results, replace(background, left=None)), results


def causes(judgement: Judgement) -> list[str]:
    return [finding.cause for finding in judgement.findings]


def served(env):
    background = controls(env)
    return replace(background, untouched=tuple(refused_connection(r.attempt) for r in background.untouched))


def test_a_service_that_nobody_is_asked_for_is_named():
    env = environment()
    judgement, _ = said(env, refused_connection, served(env))
    assert causes(judgement) == ["needs-service"]
    assert judgement.findings[0].claim == "broken"
    assert judgement.findings[0].evidence["places"] == ["port 6400"]


def test_a_service_that_the_agent_is_to_start_is_not():
    here = SERVER.replace("8123", "6400")
    for instruction in (here, "Store the sum in the database on port 6400.", "Bring up the redis server."):
        env = environment(instruction)
        assert causes(said(env, refused_connection, served(env))[0]) == ["reference-fails"]


def test_a_service_that_tests_image_or_reference_start_is_not():
    starts = environment(tests="import subprocess\nsubprocess.Popen(['/app/serve'])\n")
    env = environment()
    exposes = replace(env, image=replace(env.image, text="FROM x\nEXPOSE 6400\nCMD [\"serve\"]\n"))
    tries = replace(env, reference=replace(env.reference, files=(File("solve.sh", b"serve 6400 &\n"),)))
    for other in (starts, exposes, tries):
        assert causes(said(other, refused_connection, served(other))[0]) == ["reference-fails"]


def test_something_listens_after_all():
    env = environment()

    def answer(attempt):
        result = refused_connection(attempt)
        quiet = attempt.arm != "quiet"
        return replace(result, receipt=tuple(replace(step, done=step.done and quiet) for step in result.receipt))

    assert causes(said(env, answer, served(env))[0]) == ["reference-fails"]


def test_what_listens_is_read_by_a_plain_shell():
    script = services.nothing_listens(["port 6400", "/run/x.sock"])
    assert "1900" in script  # 6400 as the kernel prints it
    subprocess.run(["sh", "-n"], input=script.encode(), check=True)


def test_without_a_reference_only_data_and_no_server_accuses():
    data, server = environment(reference=False), environment(SERVER, reference=False)
    runs = environment(tests="import subprocess\nsubprocess.run(['nginx'])\n", reference=False)
    program = environment("Write /app/serve.py and the notes /app/notes.txt.", reference=False)
    for env, expected in ((data, ["needs-service"]), (server, []), (runs, []), (program, [])):
        results = [refused_connection(attempt) for attempt in UNTOUCHED.plan(env, survey())]
        assert causes(UNTOUCHED.judge(env, results, controls(env))) == expected


@pytest.mark.parametrize(("where", "expected"), [("6400", ["needs-service"]), ("8123", [])])
def test_a_plain_script_ends_at_its_first_refused_connection(where, expected):
    """Without a reference; the look-alike is a task that speaks of the port."""
    said_of_port = "Find the total of /app/orders.csv and write it to /app/total.json.\n"
    env = environment(said_of_port + ("" if expected else "The ledger is at port 8123.\n"), reference=False)
    log = f"""Traceback (most recent call last):
  File "/tests/grade.py", line 4, in <module>
    socket.create_connection(("127.0.0.1", {where})).close()
ConnectionRefusedError: [Errno 111] Connection refused
"""
    outcome = Outcome(Status.GRADED, 0.0, False, log=log)
    results = [replace(graded(attempt, False), outcome=outcome) for attempt in UNTOUCHED.plan(env, survey())]
    assert causes(UNTOUCHED.judge(env, results, controls(env))) == expected


def withheld(attempt):
    result = graded(attempt, False)
    return replace(result, outcome=replace(result.outcome, substitutions=(NETWORK_WITHHELD,)))


def test_a_declared_network_that_was_withheld_proves_nothing():
    env = environment(network="public", tests="import urllib.request\n")
    judgement, results = said(env, withheld)
    assert (judgement.status, len(results)) == (ProbeStatus.ERROR, 3)
    assert "--network" in judgement.reason


def test_a_withheld_network_explains_nothing_where_nothing_reaches_out():
    env = environment(network="public", tests="def test_value():\n    assert open('/app/x').read() == '1'\n")
    assert causes(said(env, withheld)[0]) == ["reference-fails"]


@pytest.mark.parametrize(("offline", "cause"), [(True, "network-dependent"), (False, "reference-fails")])
def test_a_refused_state_is_graded_without_the_network(offline, cause):
    env = environment(network="public")
    judgement, results = said(env, lambda attempt: graded(attempt, offline and bool(attempt.conditions)))
    assert causes(judgement) == [cause]
    text = replay_script(judgement.findings[0], env, results, Delta((Change("app/x", "file", content=b"1"),)))
    subprocess.run(["sh", "-n"], input=text.encode(), check=True)
    assert "network=\n" in text
    if offline:
        assert "network='--network none'\nfresh" in text
        with pytest.raises(RiverError, match="--network"):
            replay(judgement.findings[0], env, results, None, AuditOptions(), None, None)


def test_a_verifier_that_only_downloads_is_named_by_the_reference():
    def answer(attempt):
        return replace(graded(attempt, False), outcome=Outcome(Status.NEEDS_NETWORK, detail="no route"))

    assert causes(said(environment(), answer)[0]) == ["needs-network"]
    assert said(environment(network="public"), answer)[0].status is ProbeStatus.ERROR


def values(message: str, statement: str = "assert data['total'] == 17", test: str = "test_state.py::test_x") -> Outcome:
    log = f"==== FAILURES ====\n____ test_x ____\n\n>       {statement}\nE       {message}\n\nt.py: E\n=== x ===\n"
    tests = (TestResult("t::test_y", "passed"), TestResult(test, "failed"))
    return Outcome(Status.GRADED, 0.0, False, tests=tests, log=log)


LEFT = Delta((Change("app/total.json", "file", content=b'{"total": 12, "currency": "EUR"}\n'),))


def test_a_grant_needs_its_control():
    def answer(attempt, own=False):
        passes = attempt.arm == "granted" or (own and attempt.arm == "own")
        outcome = Outcome(Status.GRADED, 1.0, True) if passes else values("assert 12 == 18")
        return replace(graded(attempt, passes), outcome=outcome)

    judgement, results = said(environment(), answer, left=LEFT)
    assert causes(judgement) == ["wrong-expectation"]
    assert {result.attempt.arm for result in results} == {"probe", "looked", "granted", "own"}
    assert "gives 12, the tests expect 18" in judgement.findings[0].message
    assert causes(said(environment(), lambda attempt: answer(attempt, own=True), left=LEFT)[0]) == ["reference-fails"]


def test_a_reference_that_ends_with_an_error_is_the_one_that_fails():
    def answer(attempt):
        result = replace(graded(attempt, False), outcome=values("assert 12 == 18"))
        return replace(result, receipt=tuple(replace(step, exit_code=1) for step in result.receipt))

    judgement, results = said(environment(), answer, left=LEFT)
    assert (causes(judgement), len(results)) == (["reference-fails"], 3)
    assert "ends with status 1" in judgement.findings[0].message


def test_what_the_instruction_states_is_not_hidden_and_not_wrong():
    env = environment()
    outcome = values("KeyError: 'currency'", "assert data['currency'] == 'EUR'")
    for left, failed in ((LEFT, values("assert 12 == 17")), (Delta(LEFT.changes), outcome)):
        judgement, results = said(env, lambda a, failed=failed: replace(graded(a, False), outcome=failed), left=left)
        assert (causes(judgement), len(results)) == (["reference-fails"], 4)


@pytest.mark.parametrize(
    ("instruction", "has", "cause"),
    [
        ("Write `/app/total.json` with the keys `total` and `currency`.", True, "wrong-expectation"),
        ("Write `/app/total.json` with the keys `total` and `currency`.", False, "hidden-requirement"),
        ("Write `/app/total.json` with the keys `total` and `curve`.", True, "hidden-requirement"),
    ],
)
def test_a_misspelt_key_is_the_tests_own_fault(instruction, has, cause):
    def answer(attempt):
        result = replace(graded(attempt, False), outcome=values("KeyError: 'curency'", "assert data['curency']"))
        if attempt.arm != "looked" or not has or not attempt.facts["near"]:
            return result
        return replace(result, receipt=(*result.receipt[:2], replace(result.receipt[2], output="has it\n")))

    assert causes(said(environment(instruction), answer, left=LEFT)[0]) == [cause]


@pytest.mark.parametrize(
    ("words", "statement", "found"),
    [
        ("assert 4 == 3", "assert d['n'] == 3", Difference(4, 3, ("n",))),
        ("AssertionError: 4 != 3 : wrong", "self.assertEqual(n, 3)", Difference(4, 3)),
        ("assert 4.0 == 3.0 ± 3.0e-06", "", Difference(4.0, 3.0)),
        ("AssertionError: expected 3 but got 4", "", Difference(4, 3)),
        ("assert 'a...f' == 'a...f'\n  - a b c f\n  + a b x f", "", Difference("a b x f", "a b c f")),
        ("KeyError: 'trail'", "", Demand("key", "trail")),
        ("assert 'trail' in {'a': 1}", "", Demand("key", "trail")),
        ("assert 'trail' in 'a text'", "", Demand("text", "trail")),
        ("FileNotFoundError: [Errno 2] No such file or directory: '/app/a.idx'", "", Demand("path", "/app/a.idx")),
        ("FileNotFoundError: [Errno 2] No such file or directory: '/tests/a.idx'", "", None),
        ("assert 420 == 416", "assert stat.S_IMODE(s.st_mode) == 0o640", Demand("mode", "640")),
        ("assert 1 == 0", "assert result.returncode == 0", None),
    ],
)
def test_what_an_assertion_asks_for(words, statement, found):
    assert asked(Failure("t", "call", tuple(words.split("\n")), statement, words)) == found


def test_an_order_or_a_form_that_nobody_states_is_hidden():
    env, sorts = environment("Write the names to /app/a.json."), environment("Write the sorted names to /app/a.json.")
    assert judged(env, ["b", "a"], ["a", "b"]) == "hidden-requirement"
    assert judged(sorts, ["b", "a"], ["a", "b"]) == ""
    assert judged(env, 3.33333, 3.33) == "hidden-requirement"
    assert judged(env, 3.33333, 3.4) == "wrong-expectation"


def test_a_value_with_fewer_digits_is_judged_by_the_precision_that_is_stated():
    long, short = 105.9298162075, 105.9298162
    assert judged(environment("Give the mean with 7 decimals."), short, long) == "wrong-expectation"
    assert judged(environment("Give the mean with seven decimal places."), short, long) == "wrong-expectation"
    for instruction in ("Give the mean with 10 decimals.", "Give the mean with at least 7 decimals.", "Give the mean."):
        assert judged(environment(instruction), short, long) == ""


def test_sections_of_the_log_are_told_apart():
    found = failures(Outcome(Status.GRADED, 0.0, False, log=REFUSED))
    assert [(failure.test, failure.phase) for failure in found] == [("test_x", "setup")]
    assert services.places(found[0]) == ("port 6400",)
    assert services.places(failures(values("assert 1 == 2"))[0]) == ()
