"""Every backend keeps the whole contract of ``base.py``."""

import pytest

from river_envs.environment import RiverError
from river_envs.sandbox import conformance

CHECKS = conformance.checks()


@pytest.mark.parametrize("name", CHECKS)
def test_contract(place, name):
    backend, image = place
    reason = conformance.known(backend).get(name)
    try:
        CHECKS[name](backend, image)
    except (AssertionError, RiverError) as error:
        if reason:
            pytest.xfail(f"{reason} ({error})")
        raise
    assert not reason, f"{name} passes: take it out of KNOWN"


def test_the_suite_is_complete():
    assert len(CHECKS) >= 40
    assert all(check.__doc__ for check in CHECKS.values())
    assert {name for table in conformance.KNOWN.values() for name in table} <= set(CHECKS)


def test_a_backend_that_lies_is_found_out():
    class Liar:
        name = "liar"

        def start(self, image, **_):
            raise OSError("no sandbox at all")

    results = list(conformance.run(Liar(), None, only="destroy_twice"))
    assert [(result.status, result.detail) for result in results] == [("failed", "OSError: no sandbox at all")]


@pytest.mark.sandbox
def test_command_line(capsys, backend_options):
    assert conformance.main(["bubblewrap", "--only", "stdin", "--store", backend_options.store]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("passed")
    assert printed[0].split()[-1] == "stdin_is_empty"
    assert printed[-1] == "0 failed"
