"""Audit a catalog: a local pool of workers, each spooling what it does, and one merger that holds the database for
moments.

Killed at any time, a run loses nothing that was spooled: the next one merges what lies there and does only what is
missing. The pool is one way to execute; another one needs ``EnvironmentAudit`` and a sink, nothing else from here.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from river_envs.audit.attempt import Grade
from river_envs.audit.environment import EnvironmentAudit, History, Stopped
from river_envs.audit.options import EFFORTS, AuditOptions, AuditReport, Progress, Show
from river_envs.catalog.records import PlanRecord
from river_envs.catalog.spool import Spool
from river_envs.environment import Environment, RiverError
from river_envs.outcome import Status
from river_envs.probes.base import Effort, Result
from river_envs.probes.registry import probes
from river_envs.sandbox.base import Backend, Image

if TYPE_CHECKING:
    from river_envs.catalog import Catalog

CHUNK = 32
MERGE_EVERY_SEC = 10.0


def chosen(catalog: Catalog, only: str | None) -> list[str]:
    """The ids that ``only`` names. Raises RiverError when there is none: nothing to do is no success."""
    ids = catalog.ids(only)
    if not ids and only is not None:
        raise RiverError(f"no environment matches --only={only!r}; look with: river-envs sql 'FROM environments_view'")
    if not ids:
        raise RiverError(f"the catalog {catalog.path} holds no environment; fill it with: river-envs ingest PATH")
    return ids


def unfinished(catalog: Catalog, ids: Sequence[str], effort: Effort) -> list[str]:
    """Those of ``ids`` whose plan lacks a probe of its present version, or left one out that ``effort`` may pay for.

    Unsupported environments have nothing to run.
    """
    current = {(probe.id, probe.version) for probe in probes()}
    supported = set(catalog.sql("SELECT id FROM environment WHERE status = 'supported'")["id"])
    plans = catalog.plans(ids)

    def settled(identifier: str) -> set[tuple[str, int]]:
        return {(plan.probe, plan.version) for plan in plans.get(identifier, ()) if not _payable(plan, effort)}

    return [identifier for identifier in ids if identifier in supported and current - settled(identifier)]


def _payable(plan: PlanRecord, effort: Effort) -> bool:
    """Whether a probe was left out by a smaller effort than this one."""
    levels: list[str] = list(EFFORTS)
    return plan.status == "left-out" and levels.index(effort) > levels.index(plan.reason.split()[-1])


def forgotten(result: Result, options: AuditOptions) -> bool:
    """Whether a recorded attempt is to be done again."""
    if options.again or result.outcome.status is Status.SANDBOX_ERROR:
        return True
    return options.retry and not result.graded


def to_forget(catalog: Catalog, ids: Sequence[str], options: AuditOptions) -> list[Result]:
    """The recorded attempts of ``ids`` that are to be done again."""
    return [result for results in catalog.results(ids).values() for result in results if forgotten(result, options)]


def forget(catalog: Catalog, ids: Sequence[str], options: AuditOptions) -> None:
    """Forget the attempts that this run is to do again: sandbox errors always, the rest as the options say."""
    again = to_forget(catalog, ids, options)
    if again:
        with catalog.writer() as writer:
            writer.forget_attempts([result.attempt.id for result in again])
            writer.forget_plans(sorted({result.attempt.environment_id for result in again}))


@dataclass
class Run:
    """One run of the audit over the environments ``ids`` of ``catalog``."""

    catalog: Catalog
    backend: Backend
    options: AuditOptions
    grade: Callable[[Backend, AuditOptions], Callable[[Image, Environment], Grade]]
    show: Show = lambda _: None
    command: str = ""
    stop: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _counts: Counter[str] = field(default_factory=Counter)
    _began: float = field(default_factory=time.monotonic)

    def __call__(self) -> AuditReport:
        """Run until everything is done, the budget is spent, or somebody interrupts; then merge and report."""
        self.catalog.absorb_spool()
        self.backend.sweep()
        ids = chosen(self.catalog, self.options.only)
        forget(self.catalog, ids, self.options)
        targets = unfinished(self.catalog, ids, self.options.effort)
        self._counts["environments"] = len(targets)
        with self.catalog.writer() as writer:
            run_id = writer.start_run(self.command, {**asdict(self.options), "backend": self.backend.name})
        merger = threading.Thread(target=self._merge, args=(run_id,), daemon=True)
        merger.start()
        reason, state = "", "failed"
        try:
            self._pool(run_id, targets)
            reason = "the budget is spent" if self.stop.is_set() else ""
            state = "interrupted" if reason else "finished"
        except KeyboardInterrupt:
            reason = state = "interrupted"
        finally:
            self.stop.set()
            merger.join()
            self.catalog.absorb_spool(run_id)
            with self.catalog.writer() as writer:
                writer.finish_run(run_id, state)
        counts = self._counts
        seconds = time.monotonic() - self._began
        return AuditReport(
            run_id, len(targets), counts["finished"], counts["attempts"], counts["errors"], seconds, reason
        )

    def _pool(self, run_id: str, targets: Sequence[str]) -> None:
        """Keep every worker busy; environments are read from the catalog in chunks, just ahead of their turn."""
        workers = self.options.workers
        with ThreadPoolExecutor(workers, thread_name_prefix="audit") as pool:
            running: set[Future[None]] = set()
            try:
                for environment, history in self._read(targets):
                    running.add(pool.submit(self._one, run_id, environment, history))
                    while len(running) >= 2 * workers:
                        done, running = wait(running, timeout=0.5, return_when=FIRST_COMPLETED)
                        self._raise(done)
                    if self.stop.is_set():
                        break
                while running:
                    done, running = wait(running, timeout=0.5, return_when=FIRST_COMPLETED)
                    self._raise(done)
            except BaseException:
                self.stop.set()
                for future in running:
                    future.cancel()
                raise

    @staticmethod
    def _raise(done: set[Future[None]]) -> None:
        for future in done:
            future.result()

    def _read(self, targets: Sequence[str]) -> Iterator[tuple[Environment, History]]:
        for start in range(0, len(targets), CHUNK):
            chunk = list(targets[start : start + CHUNK])
            results, surveys = self.catalog.results(chunk), self.catalog.surveys(chunk)
            for environment in self.catalog.load(chunk):
                known = {result.attempt.id: result for result in results.get(environment.id, ())}
                yield environment, History(known, surveys.get(environment.id), self.catalog.delta)

    def _one(self, run_id: str, environment: Environment, history: History) -> None:
        grade = self.grade(self.backend, self.options)
        sink = Spool(self.catalog.path, run_id, threading.current_thread().name, backend=self.backend.name)
        try:
            EnvironmentAudit(
                environment,
                history,
                self.backend,
                sink,
                self.options,
                lambda image: grade(image, environment),
                self._check,
                self._count,
            ).run()
        except Stopped:
            return
        finally:
            sink.close()
        with self._lock:
            self._counts["finished"] += 1
        self._tell(environment.name)

    def _check(self) -> None:
        """Raise Stopped when no further attempt may start."""
        budget = self.options.budget_sec
        if budget is not None and time.monotonic() - self._began > budget:
            self.stop.set()
        if self.stop.is_set():
            raise Stopped

    def _count(self, result: Result) -> None:
        with self._lock:
            self._counts["attempts"] += 1
            self._counts["errors"] += not result.graded
        self._tell("")

    def _tell(self, current: str) -> None:
        with self._lock:
            counts = dict(self._counts)
        self.show(
            Progress(
                counts.get("environments", 0),
                counts.get("finished", 0),
                counts.get("attempts", 0),
                counts.get("errors", 0),
                time.monotonic() - self._began,
                current,
            )
        )

    def _merge(self, run_id: str) -> None:
        while not self.stop.wait(MERGE_EVERY_SEC):
            self.catalog.absorb_spool(run_id)
