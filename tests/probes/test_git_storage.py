"""A repository stored in another way: found where its files are read, silent where its inside is spoken of."""

from __future__ import annotations

import pytest
from edit_support import causes, said, solved
from probe_support import ask

from river_envs.probes.base import NotApplicable, ProbeStatus, Run
from river_envs.probes.git_storage import GitStorage

ASK = "In the repository `/app/code` create the branch `stable` from the tag `v1`. `main` must stay as it is.\n"
LEFT = {"/app/code/.git/refs/heads/stable": b"0123\n", "/app/code/.git/logs/HEAD": b"x\n"}


def packed(attempt):
    return any(isinstance(action, Run) and "repack" in action.script for action in attempt.actions)


def test_a_verifier_that_reads_the_storage_is_found():
    assert causes(ask(GitStorage(), said(ASK), solved(LEFT), lambda a: not packed(a))) == ["over-specific-form"]
    assert ask(GitStorage(), said(ASK), solved(LEFT), lambda _: True).status is ProbeStatus.SURVIVED


@pytest.mark.parametrize("more", ["A commit was lost; recover it.", "Use the reflog.", "Purge the secret from it."])
def test_where_the_inside_is_spoken_of_nothing_is_asked(more):
    assert isinstance(GitStorage().plan(said(ASK + more), solved(LEFT)), NotApplicable)
    assert isinstance(GitStorage().plan(said(ASK), solved()), NotApplicable)
