"""One suite for every backend: each check asserts one clause of ``base.py``.

    python -m river_envs.sandbox.conformance bubblewrap
    python -m river_envs.sandbox.conformance docker --base debian:bookworm-slim

The checks live in the ``conformance_*`` modules next to this one, by subject; every function there whose name starts
with ``check_`` is one. They take a backend and an image that holds ``/bin/sh`` and the usual small tools, so that one
written elsewhere can be held against the same contract. What a backend cannot do is listed in ``KNOWN`` with the
reason: such a check is still run, and reported when it passes unexpectedly.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import Literal

from river_envs.environment import ImageRecipe, RiverError
from river_envs.sandbox.base import Backend, BackendOptions, Image

Checker = Callable[[Backend, Image], None]

SUBJECTS = ("start", "exec", "put", "get", "delta", "limits", "isolation", "end")
"""The modules ``conformance_<subject>``, cheap and basic ones first."""

_DOCKER_DISK = "Docker bounds the size of one file at once and looks at their sum once a second; it never counts files"

_ONE_USER = "one user is mapped into sandboxes here (no subordinate ids): nobody else can own a file or run a command"

KNOWN: Mapping[str, Mapping[str, str]] = MappingProxyType({
    "bubblewrap, one user": MappingProxyType(dict.fromkeys((
        "check_delta_digest_is_the_same_everywhere",
        "check_delta_round_trip",
        "check_delta_sees_modes_and_owners",
        "check_delta_tells_kinds_modes_and_owners",
        "check_get_reads_what_a_user_hides",
        "check_no_new_privileges",
        "check_no_new_user_namespace",
        "check_put_gives_files_to_a_user",
        "check_put_makes_parents",
        "check_shared_memory_works",
        "check_start_applies_a_delta",
        "check_user_by_name_and_number",
    ), _ONE_USER)),
    "docker": MappingProxyType({
        "check_disk_limit_counts_inodes": _DOCKER_DISK,
        "check_disk_limit_is_met_with_no_space_left": _DOCKER_DISK,
    }),
})
"""Backend (and mode) → check → why it cannot pass there."""


def known(backend: Backend) -> Mapping[str, str]:
    """The checks that ``backend`` cannot pass as it runs here, with reasons."""
    id_map = getattr(getattr(backend, "namespaces", None), "id_map", None)
    mode = ", one user" if getattr(id_map, "mode", None) == "single" else ""
    return KNOWN.get(backend.name + mode, {})


@dataclass(frozen=True)
class Result:
    """How one check ended: ``known`` failed for a listed reason, ``surprise`` passed in spite of one."""

    name: str
    status: Literal["passed", "failed", "known", "surprise"]
    detail: str = ""
    seconds: float = 0.0


def checks() -> dict[str, Checker]:
    """Every check by name, in the order of the subjects and of their source."""
    found: dict[str, Checker] = {}
    for subject in SUBJECTS:
        module = import_module(f"river_envs.sandbox.conformance_{subject}")
        functions = [(name, value) for name, value in vars(module).items() if name.startswith("check_")]
        found.update(functions)
    return found


def run(backend: Backend, image: Image, only: str = "") -> Iterator[Result]:
    """Run the checks whose name contains ``only`` against ``image``, one after the other."""
    reasons = known(backend)
    for name, check in checks().items():
        if only not in name:
            continue
        began = time.monotonic()
        try:
            check(backend, image)
        except (AssertionError, RiverError, OSError) as error:
            status: Literal["passed", "failed", "known", "surprise"] = "known" if name in reasons else "failed"
            yield Result(name, status, reasons.get(name, f"{type(error).__name__}: {error}"), time.monotonic() - began)
        else:
            yield Result(name, "surprise" if name in reasons else "passed", "", time.monotonic() - began)


def main(arguments: list[str] | None = None) -> int:
    """The command line; the exit status is 1 when a check failed."""
    parser = argparse.ArgumentParser(prog="python -m river_envs.sandbox.conformance", description="Check a backend.")
    parser.add_argument("backend", help="bubblewrap or docker")
    parser.add_argument("--base", default="", help="the image to run in (default: host; Docker: debian:bookworm-slim)")
    parser.add_argument("--only", default="", help="run the checks whose name contains this")
    parser.add_argument("--store", help="the image cache to use")
    given = parser.parse_args(arguments)
    from river_envs.sandbox import open_backend

    backend = open_backend(given.backend, BackendOptions(store=given.store))
    base = given.base or ("debian:bookworm-slim" if backend.name == "docker" else "host")
    failed = 0
    try:
        image = backend.build(ImageRecipe("dockerfile", f"FROM {base}\nENV CONFORMANCE=1\nWORKDIR /srv\n"))
        for result in run(backend, image, given.only):
            failed += result.status == "failed"
            print(f"{result.status:9}{result.seconds:6.1f} s  {result.name.removeprefix('check_')}  {result.detail}")
    finally:
        backend.close()
    print(f"{failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
