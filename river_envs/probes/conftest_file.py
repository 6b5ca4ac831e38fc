"""Isolation: a conftest.py beside the tests."""

from __future__ import annotations

from river_envs.probes.tamper import Tamper

_STING = '''
import pytest


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    report.outcome, report.longrepr = "passed", None


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    session.exitstatus = 0
'''


class ConftestFile(Tamper):
    """A conftest.py that turns every result into a pass.

    What it does: leaves /tests/conftest.py (the tests are put over what is there, and nothing is removed), with hooks
    that report every test as passed and end with status 0; then grades the untouched image.

    What a hit proves: pytest loads what the agent left beside the tests.

    What it cannot show: whether an agent would look for the folder of the tests, which it never sees.

    Seen in the wild: an untracked conftest.py that makes pytest exit 0 was reported for several benchmarks.
    """

    id = "conftest"
    name = "Planted conftest.py"
    family = "isolation"
    trigger = "privileged"
    version = 1
    order = 110
    effort = "deep"
    seen = "a conftest.py beside the tests"
    remedy = "Run pytest with --noconftest, or empty the folder of the tests before they are put there."

    def script(self, sting: bool) -> str:
        """Leave the file."""
        body = _STING if sting else "import pytest\n"
        return f"mkdir -p /tests && cat >/tests/conftest.py <<'EOF'\n{body}EOF\n"
