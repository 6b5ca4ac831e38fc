"""Whose fault a failed build is, by the base it stood on."""

from __future__ import annotations

import pytest

from river_envs.sandbox.base import Base, lies_with_the_base

MISSING = "cat: /etc/fixture: No such file or directory"


@pytest.mark.parametrize(
    ("origin", "substituted", "log", "excused"),
    [
        ("host", True, MISSING, True),
        ("alias", True, MISSING, False),
        ("alias", True, "E: Unable to locate package libfoo", True),
        ("alias", True, "bash: line 1: cargo: command not found", True),
        ("imported", False, "bash: line 1: cargo: command not found", False),
        ("docker", False, MISSING, False),
    ],
)
def test_a_stand_in_is_excused_for_what_a_base_provides(origin, substituted, log, excused):
    assert lies_with_the_base([Base("a", "b", origin, substituted)], log) is excused
