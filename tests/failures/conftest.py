"""A backend with an image cache of its own, and the audit that all cases go through."""

from __future__ import annotations

import pytest
from failures.failure_tasks import BASE, Audit, Audited, audit

from river_envs.sandbox.base import BackendOptions


@pytest.fixture(scope="session")
def failure_backend(tmp_path_factory):
    """Namespaces, with this machine's programs as the vouched base."""
    from river_envs.sandbox import open_backend

    store = str(tmp_path_factory.mktemp("failures-store"))
    backend = open_backend("bubblewrap", BackendOptions(store=store, aliases={BASE: "host"}))
    yield backend
    backend.close()


@pytest.fixture(scope="module")
def audited(failure_backend, tmp_path_factory) -> Audit:
    """Ingest, audit and score the task folders below a folder."""

    def run(folder, **options) -> Audited:
        return audit(failure_backend, folder, tmp_path_factory.mktemp("catalog") / "river.duckdb", **options)

    return run
