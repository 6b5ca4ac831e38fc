"""A mode that nobody stated: found where the tests look at it, silent where it could be known."""

from __future__ import annotations

import pytest
from edit_support import causes, modes_of, said, solved
from probe_support import ask

from river_envs.probes.base import NotApplicable, ProbeStatus, Survey
from river_envs.probes.hidden_mode import HiddenMode
from river_envs.sandbox.base import Listing

ASK = "Render the configuration of the group `web` from `/app/sales.csv` to `/app/web.conf`.\n"
TESTS = 'assert os.stat("/app/web.conf").st_mode & 0o777 == 0o640\n'
FILES = {"/app/web.conf": b"port = 80\n"}
PRIVATE = {"/app/web.conf": 0o640}


def keeps(attempt):
    return modes_of(attempt).get("/app/web.conf", 0o640) == 0o640


def test_a_mode_that_only_the_tests_know_is_found():
    judgement = ask(HiddenMode(), said(ASK, TESTS), solved(FILES, modes=PRIVATE), keeps)
    assert causes(judgement) == ["hidden-requirement"]
    assert len(judgement.findings[0].attempts) == 3


def test_a_mode_that_does_not_matter_is_no_requirement():
    assert ask(HiddenMode(), said(ASK, TESTS), solved(FILES, modes=PRIVATE), lambda _: True).status is (
        ProbeStatus.SURVIVED
    )


@pytest.mark.parametrize(
    "more",
    [
        "Its mode is 640.",
        "Create it (0640).",
        "Everyone else is kept out.",
        "Restrict it to the deploy user.",
        "It is executable only by root.",
        "Only its owner may read it: it is private.",
        "Keep it secure.",
    ],
)
def test_a_mode_that_is_spoken_of_is_not_asked(more):
    assert isinstance(HiddenMode().plan(said(ASK + more, TESTS), solved(FILES, modes=PRIVATE)), NotApplicable)


def test_usual_modes_copied_modes_and_tests_that_look_at_none_are_not_asked():
    seen = solved(FILES, modes=PRIVATE)
    assert isinstance(HiddenMode().plan(said(ASK, "pass"), seen), NotApplicable)
    assert isinstance(HiddenMode().plan(said(ASK, TESTS), solved(FILES)), NotApplicable)
    model = Survey((*seen.listing, Listing("/app/web.tmpl", "file", 9, 0o640)), seen.workdir, seen.reference)
    assert isinstance(HiddenMode().plan(said(ASK, TESTS), model), NotApplicable)


def test_a_program_of_its_owner_alone_and_a_binary_file_are_asked_too():
    program, tests = {"/app/tool.py": b"#!/usr/bin/env python3\nprint(3)\n"}, TESTS.replace("web.conf", "tool.py")
    ask_for = "Write `/app/tool.py`, which prints the sum of `/app/sales.csv`. It must be executable.\n"
    seen = solved(program, modes={"/app/tool.py": 0o700})
    own = lambda attempt: modes_of(attempt).get("/app/tool.py", 0o700) == 0o700  # noqa: E731
    judgement = ask(HiddenMode(), said(ask_for, tests), seen, own)
    assert causes(judgement) == ["hidden-requirement"]
    assert "mode 0755 in place of 0700" in judgement.findings[0].message
    assert ask(HiddenMode(), said(ask_for, tests), seen, lambda _: True).status is ProbeStatus.SURVIVED
    packed = {"/app/web.conf": b"\x00\xff\x01"}
    judgement = ask(HiddenMode(), said(ASK, TESTS), solved(packed, modes=PRIVATE), keeps)
    assert causes(judgement) == ["hidden-requirement"]
