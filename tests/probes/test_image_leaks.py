"""Leak probes without a sandbox: what they take for an answer, and when they stay silent."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from types import MappingProxyType

import pytest
from probe_support import FIND_TOTAL, ask, environment, survey

from river_envs.environment import File, Reference
from river_envs.probes.answer_files import AnswerFiles
from river_envs.probes.archived_answer import ArchivedAnswer
from river_envs.probes.base import Attempt, Copy, NotApplicable, Peek, Probe, ProbeStatus, Run, Survey
from river_envs.probes.bytecode_answer import BytecodeAnswer
from river_envs.probes.git_objects import GitObjects
from river_envs.probes.hidden_directory import HiddenDirectory
from river_envs.probes.linked_answer import LinkedAnswer
from river_envs.probes.same_form_file import SameFormFile
from river_envs.probes.shipped_generator import ShippedGenerator
from river_envs.sandbox.base import Listing

IN = "/app/orders.csv"


def seen(*extra: str, peeks: Mapping[str, str] = MappingProxyType({}), folders: tuple[str, ...] = ()) -> Survey:
    entries = [Listing(path, "file", 20, 0o644) for path in (IN, *extra, *peeks)]
    entries += [Listing(path, "directory", 0, 0o755) for path in folders]
    return Survey(
        tuple(sorted(set(entries), key=lambda entry: entry.path)),
        "/app",
        peeks=tuple(Peek(path, content) for path, content in sorted(peeks.items())),
    )


def sources(attempt: Attempt) -> list[str]:
    return [action.source for action in attempt.actions if isinstance(action, Copy)]


def as_it_is(attempt: Attempt) -> bool:
    """Pays for what the probe hands in, and for nothing altered."""
    return attempt.arm == "probe"


@pytest.mark.parametrize(
    "path",
    [
        "/app/expected/a.json", "/opt/golden/x.json", "/app/.total.json", "/app/backup/total.json",
        "/app/total.json.truth", "/app/orders.label.txt", "/app/_answer_key.json", "/root/.solution/notes.json",
    ],
)  # fmt: skip
def test_these_sound_like_answers(path: str):
    judgement = ask(AnswerFiles(), environment(), seen(path), as_it_is)
    assert [finding.cause for finding in judgement.findings] == ["image-answer"]


@pytest.mark.parametrize("path", ["/app/readme.md", "/app/data/people.csv", "/root/.bashrc", "/app/.git/objects/ab/c"])
def test_these_do_not(path: str):
    assert isinstance(ask(AnswerFiles(), environment(), seen(path), as_it_is), NotApplicable)


def test_where_altered_values_pay_too_only_the_form_is_checked():
    judgement = ask(AnswerFiles(), environment(), seen("/app/expected.json"), lambda _: True)
    assert [finding.cause for finding in judgement.findings] == ["shape-only"]


def test_where_values_are_free_nothing_is_said_of_form():
    env = environment(FIND_TOTAL + "\nThe currency may be any name of your choice.")
    assert ask(AnswerFiles(), env, seen("/app/expected.json"), lambda _: True).status is ProbeStatus.SURVIVED


@pytest.mark.parametrize(
    "instruction",
    [
        FIND_TOTAL + "\nCopy `totals_old.json` to /app/total.json when nothing changed.",
        "The nightly job lost /app/total.json. Find an earlier version somewhere below /app and put it back.",
        "Several candidates lie below /app/old. Choose the newest and write it to /app/total.json.",
    ],
)
def test_taking_a_file_may_be_the_task(instruction: str):
    image = seen("/app/old/total.json", "/app/totals_old.json")
    for probe in (AnswerFiles(), HiddenDirectory(), LinkedAnswer()):
        assert isinstance(ask(probe, environment(instruction), image, as_it_is), NotApplicable)


def test_what_the_reference_reads_is_an_input():
    env = environment()
    reading = Reference("shipped", (File("solve.sh", b"jq .x /app/expected_x.json\n"),))
    env = type(env)(**{**env.__dict__, "reference": reading})
    assert isinstance(ask(AnswerFiles(), env, seen("/app/expected_x.json"), as_it_is), NotApplicable)


def test_what_the_agent_may_not_read_is_linked_at_most():
    env = environment(user="agent")
    private = Survey((Listing("/app/expected.json", "file", 20, 0o600), Listing(IN, "file", 9, 0o644)), "/app")
    assert isinstance(ask(AnswerFiles(), env, private, as_it_is), NotApplicable)
    assert ask(LinkedAnswer(), env, private, as_it_is).status is ProbeStatus.HIT
    assert ask(AnswerFiles(), environment(), private, as_it_is).status is ProbeStatus.HIT


def test_the_likeliest_file_comes_first_and_few_are_tried():
    image = seen(*(f"/app/data/label_{index}.json" for index in range(9)), "/app/expected/total.json")
    tried: list[list[str]] = []
    ask(AnswerFiles(), environment(), image, lambda attempt: bool(tried.append(sources(attempt))))
    assert tried[0] == ["/app/expected/total.json"]
    assert len(tried) == AnswerFiles.most


class TestSameForm:
    probe = SameFormFile()

    def test_catches_a_file_with_the_asked_keys(self):
        image = seen(peeks={"/app/data/run_3.json": '{"total": 4812, "currency": "EUR"}'})
        judgement = ask(self.probe, environment(), image, as_it_is)
        assert [finding.cause for finding in judgement.findings] == ["image-answer"]

    def test_passes_files_of_another_form(self):
        image = seen(peeks={"/app/data/run_3.json": '{"name": "x", "size": 1}', IN: "item,amount\nx,1\n"})
        assert isinstance(ask(self.probe, environment(), image, as_it_is), NotApplicable)

    def test_an_old_result_of_that_form_is_no_leak_when_it_is_rejected(self):
        image = seen(peeks={"/app/data/run_3.json": '{"total": 1, "currency": "EUR"}'})
        assert ask(self.probe, environment(), image, lambda _: False).status is ProbeStatus.SURVIVED


def test_a_file_out_of_sight_is_tried_and_a_named_place_is_not():
    probe = HiddenDirectory()
    assert ask(probe, environment(), seen("/tmp/build/q.json"), as_it_is).status is ProbeStatus.HIT
    assert isinstance(ask(probe, environment(), seen("/app/data/q.json"), as_it_is), NotApplicable)


SCRIPTED: list[tuple[Probe, Survey, str]] = [
    (GitObjects(), seen(folders=("/app/.git",)), FIND_TOTAL + "\nSee the commit before the last."),
    (ArchivedAnswer(), seen("/app/bundle.tgz"), FIND_TOTAL + "\nUnpack the archive first."),
    (ShippedGenerator(), seen("/app/make_total.py"), FIND_TOTAL + "\nRun the script /app/make_total.py first."),
    (BytecodeAnswer(), seen("/app/__pycache__/solver.cpython-311.pyc"),
     "Tell me about solver.cpython-311.pyc in /app/total.json"),
]  # fmt: skip


@pytest.mark.parametrize(("probe", "image", "silent"), SCRIPTED, ids=[row[0].id for row in SCRIPTED])
def test_probes_that_search_inside(probe: Probe, image: Survey, silent: str):
    judgement = ask(probe, environment(), image, as_it_is)
    assert [finding.cause for finding in judgement.findings] == [probe.cause]  # type: ignore[attr-defined]
    assert ask(probe, environment(), image, lambda _: False).status is ProbeStatus.SURVIVED
    assert isinstance(ask(probe, environment(), survey(IN), as_it_is), NotApplicable)
    assert isinstance(ask(probe, environment(silent), image, as_it_is), NotApplicable)


def test_a_source_beside_the_bytecode_makes_it_harmless():
    image = seen("/app/__pycache__/solver.cpython-311.pyc", "/app/solver.py")
    assert isinstance(ask(BytecodeAnswer(), environment(), image, as_it_is), NotApplicable)


def test_scripts_quote_what_the_image_calls_its_files():
    image = seen("/app/x'; rm -rf $HOME; '/make_it.py")
    planned = ShippedGenerator().plan(environment(), image)
    assert not isinstance(planned, NotApplicable)
    (action,) = planned[0].actions
    assert isinstance(action, Run)
    assert subprocess.run(["sh", "-n", "-c", action.script]).returncode == 0
