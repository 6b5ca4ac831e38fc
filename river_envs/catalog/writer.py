"""What a stage may add to the catalog, one method per kind of row; everything of one ``with`` is one transaction.

    with catalog.writer() as writer:
        results = writer.add_environments(environments, wheres, signatures)
        writer.add_inputs(run_id, rows)
"""

from __future__ import annotations

import getpass
import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from river_envs.catalog import codec, delta
from river_envs.catalog.records import (
    ImageRecord,
    IngestResult,
    InputRow,
    JudgedRecord,
    MarkKind,
    PlanRecord,
    ScoreRecord,
    SubsetRecord,
    SurveyRecord,
)
from river_envs.catalog.rows import (
    attempt_row,
    environment_file_rows,
    environment_row,
    files_of,
    judgement_rows,
    score_row,
    test_rows,
)
from river_envs.catalog.store import Store, clean, now
from river_envs.environment import Environment, sha256
from river_envs.probes.base import Result, Survey
from river_envs.processes import is_gone, this_process
from river_envs.sandbox.base import Base, Delta
from river_envs.signatures import VERSION, Signature, signature

if TYPE_CHECKING:
    import duckdb

_JUDGED = ("verdict", "score", "probe_result", "finding", "lead", "evidence")


class Writer:
    """Adds rows on an open connection. Made by ``Catalog.writer()``, which commits or rolls back."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._store = Store(connection)

    # -- ingest ------------------------------------------------------------------------------------------------------

    def add_environments(
        self, batch: Sequence[Environment], wheres: Sequence[str], signatures: Sequence[str] | None = None
    ) -> list[IngestResult]:
        """Add environments that are new, with their files; ``wheres`` names the input that each came from.

        Returns, in order: ``ingested`` or ``unsupported`` for a new one, ``unchanged`` when the same input gave the
        same environment before, ``duplicate`` when another input did. Each (where, signature) is remembered for
        ``Catalog.known_sources``.
        """
        marks = signatures if signatures is not None else [""] * len(batch)
        at = now()
        known = self._store.known("environment", "id", {environment.id for environment in batch})
        origins = self._origins(wheres)
        results: list[IngestResult] = []
        fresh: dict[str, Environment] = {}
        for environment, where in zip(batch, wheres, strict=True):
            if environment.id in known or environment.id in fresh:
                results.append("unchanged" if origins.get(where) == environment.id else "duplicate")
                continue
            fresh[environment.id] = environment
            results.append("unsupported" if environment.unsupported else "ingested")
        files: dict[str, bytes] = {}
        rows = [environment_row(environment, files.__setitem__, at) for environment in fresh.values()]
        for environment in fresh.values():
            files.update((file.sha256, file.content) for _, file in files_of(environment))
        self._add_files(files)
        self._store.insert("environment", rows)
        self._store.insert(
            "environment_file", [row for environment in fresh.values() for row in environment_file_rows(environment)]
        )
        self.add_signatures({name: signature(environment) for name, environment in fresh.items()})
        seen = [
            {"input": clean(where), "environment_id": environment.id, "name": clean(environment.name),
             "source": clean(environment.source), "signature": clean(signature)}
            for environment, where, signature in zip(batch, wheres, marks, strict=True)
        ]
        self._store.replace("origin", seen, by=["input"])
        return results

    def add_signatures(self, found: Mapping[str, Signature]) -> None:
        """Put signatures in the place of those that the environments had."""
        self._store.replace(
            "signature",
            [
                {"environment_id": name, "version": VERSION, "fixture": row.fixture, "tests": row.tests,
                 "minhash": row.minhash, "sketch": row.sketch, "grams": row.grams}
                for name, row in found.items()
            ],
            by=["environment_id"],
        )

    def _origins(self, wheres: Sequence[str]) -> dict[str, str]:
        return self._store.pairs("origin", "input", "environment_id", {clean(where) for where in wheres})

    def add_inputs(self, run_id: str, rows: Sequence[InputRow]) -> None:
        """Record what became of each input of one ingest run; an input named twice in a run keeps its last word."""
        at = now()
        self._store.replace(
            "ingest_input",
            [
                {"run_id": run_id, "input": clean(row.where), "signature": clean(row.signature), "result": row.result,
                 "environment_id": row.environment_id, "reason": clean(row.reason), "recorded_at": at}
                for row in rows
            ],
            by=["run_id", "input"],
        )

    def _add_files(self, files: Mapping[str, bytes]) -> None:
        """Contents by hash, in portions that keep memory bounded."""
        portion: list[dict[str, Any]] = []
        size = 0
        for name, content in files.items():
            portion.append({"sha256": name, "size": len(content), "content": content})
            size += len(content)
            if size > 64 << 20:
                self._store.insert("file", portion, unless=["sha256"])
                portion, size = [], 0
        self._store.insert("file", portion, unless=["sha256"])

    # -- audit -------------------------------------------------------------------------------------------------------

    def add_results(
        self, results: Sequence[Result], *, run_id: str = "", backend: str = "", deltas: Iterable[Delta] = (),
        times: Sequence[datetime] | None = None,
    ) -> int:
        """Record attempts that were run, with the deltas they kept; returns how many were new.

        An attempt whose id is known is ignored, and so is every later one of the same id. ``times`` says when each
        ended (default: now).
        """
        unique: dict[str, tuple[Result, datetime]] = {}
        for result, at in zip(results, _times(times, results), strict=True):
            unique.setdefault(result.attempt.id, (result, at))
        known = self._store.known("attempt", "id", unique)
        new = [(name, *pair) for name, pair in unique.items() if name not in known]
        files: dict[str, bytes] = {}
        rows = [
            {"id": name, "backend": backend, "run_id": run_id, "recorded_at": at, **attempt_row(result),
             "result": codec.dumps(Result, result, sink=files.__setitem__)}
            for name, result, at in new
        ]
        self._add_files(files)
        self.add_deltas(deltas)
        self._store.insert("attempt", rows)
        self._store.insert("test_result", [row for name, result, _ in new for row in test_rows(name, result)])
        return len(new)

    def add_deltas(self, deltas: Iterable[Delta]) -> None:
        """Keep deltas, packed, under their digests."""
        files: dict[str, bytes] = {}
        rows = []
        for kept in deltas:
            blob = delta.pack(kept)
            files[sha256(blob)] = blob
            rows.append({"digest": kept.digest, "sha256": sha256(blob), "changes": len(kept.changes)})
        self._add_files(files)
        self._store.insert("delta", rows, unless=["digest"])

    def add_images(
        self, records: Sequence[ImageRecord], *, run_id: str = "", times: Sequence[datetime] | None = None
    ) -> None:
        """Record image builds; the last word per environment and backend counts."""
        self._store.replace(
            "image",
            [
                {"environment_id": row.environment_id, "backend": row.backend, "status": row.status, "key": row.key,
                 "bases": codec.dumps(tuple[Base, ...], row.bases), "notes": [clean(note) for note in row.notes],
                 "log": clean(row.log), "seconds": row.seconds, "run_id": run_id, "recorded_at": at}
                for row, at in zip(records, _times(times, records), strict=True)
            ],
            by=["environment_id", "backend"], unless_newer=True,
        )

    def add_plans(
        self, records: Sequence[PlanRecord], *, run_id: str = "", times: Sequence[datetime] | None = None
    ) -> None:
        """Record which probes are put to which environment; the last word per environment, probe and version counts."""
        self._store.replace(
            "plan",
            [
                {"environment_id": row.environment_id, "probe": row.probe, "version": row.version, "status": row.status,
                 "reason": clean(row.reason), "run_id": run_id, "recorded_at": at}
                for row, at in zip(records, _times(times, records), strict=True)
            ],
            by=["environment_id", "probe", "version"], unless_newer=True,
        )

    def add_surveys(
        self, records: Sequence[SurveyRecord], *, run_id: str = "", times: Sequence[datetime] | None = None
    ) -> None:
        """Record surveys; the last one per environment counts."""
        self._store.replace(
            "survey",
            [
                {"environment_id": row.environment_id, "survey": codec.dumps(Survey, row.stored().survey),
                 "run_id": run_id, "recorded_at": at}
                for row, at in zip(records, _times(times, records), strict=True)
            ],
            by=["environment_id"], unless_newer=True,
        )

    def forget_attempts(self, ids: Iterable[str]) -> int:
        """Delete attempts, so that they are run again; returns how many there were."""
        names = list(ids)
        self._store.delete("test_result", "attempt_id", names)
        return self._store.delete("attempt", "id", names)

    def forget_plans(self, ids: Iterable[str]) -> int:
        """Delete the plans of environments, so that they are planned again; returns how many rows there were."""
        return self._store.delete("plan", "environment_id", ids)

    # -- score -------------------------------------------------------------------------------------------------------

    def replace_judgements(self, judged: Mapping[str, JudgedRecord]) -> None:
        """Put what was concluded about each environment in the place of what was concluded before."""
        self.forget_judgements(judged)
        for table, rows in judgement_rows(judged).items():
            self._store.insert(table, rows)

    def replace_scores(self, scores: Mapping[str, ScoreRecord]) -> None:
        """Put the numbers of environments in the place of those before; verdicts and findings stay."""
        self._store.delete("score", "environment_id", scores)
        self._store.insert("score", [score_row(name, record) for name, record in scores.items()])

    def set_calibration(self, model: Mapping[str, Any]) -> None:
        """Keep the model that says how likely an environment is sound, in the place of the one before."""
        self._store.update("DELETE FROM calibration", [])
        self._store.insert("calibration", [{"model": codec.dumps(dict[str, Any], dict(model)), "recorded_at": now()}])

    def forget_judgements(self, ids: Iterable[str]) -> None:
        """Delete what was concluded about environments."""
        names = list(ids)
        for table in _JUDGED:
            self._store.delete(table, "environment_id", names)

    # -- people, filter, runs ----------------------------------------------------------------------------------------

    def add_mark(self, environment_id: str, mark: MarkKind | None, note: str = "", who: str | None = None) -> None:
        """Record a person's word on an environment; ``None`` takes the standing one back. Earlier ones are kept."""
        self._store.insert("mark", [{
            "environment_id": environment_id, "mark": mark or "clear", "note": clean(note), "who": who or _user(),
            "recorded_at": now(),
        }])

    def add_subset(self, subset: SubsetRecord) -> None:
        """Record what a filter kept and dropped, in the place of a subset of the same id."""
        self._store.delete("subset_member", "subset_id", [subset.id])
        self._store.delete("subset", "id", [subset.id])
        self._store.insert("subset", [{
            "id": subset.id, "command": clean(subset.command), "seed": subset.seed, "keep": subset.keep,
            "options": codec.dumps(dict[str, Any], dict(subset.options)), "catalog_hash": subset.catalog_hash,
            "recorded_at": now(),
        }])
        self._store.insert("subset_member", [
            {"subset_id": subset.id, "environment_id": row.environment_id, "kept": row.kept, "rank": row.rank,
             "tier": row.tier, "reason": clean(row.reason), "score": row.score}
            for row in subset.members
        ])

    def start_run(
        self, command: str, options: Mapping[str, Any] | None = None, versions: Mapping[str, Any] | None = None,
        run_id: str | None = None,
    ) -> str:
        """Record that a command began, and that runs ended whose process is gone; returns the run's id.

        The option ``process`` is added: it tells later runs whether this one still lives.
        """
        self.settle_runs()
        started = now()
        options = {**(options or {}), "process": this_process()}
        run_id = run_id or f"{command.split()[0]}-{started:%Y%m%d-%H%M%S}-{os.urandom(3).hex()}"
        self._store.insert("audit_run", [{
            "id": run_id, "command": clean(command), "options": codec.dumps(dict[str, Any], options),
            "versions": codec.dumps(dict[str, Any], dict(versions or {})), "started": started, "ended": None,
            "state": "running",
        }])
        return run_id

    def settle_runs(self) -> int:
        """Mark runs as interrupted that were killed: they ended with the last attempt they recorded."""
        gone = [
            run_id for run_id, process in self._store.pairs(
                "audit_run", "id", "options", self._store.values("SELECT id FROM audit_run WHERE state = 'running'")
            ).items()
            if is_gone(codec.loads(dict[str, Any], process).get("process") or {})
        ]
        for run_id in gone:
            self._store.update(
                "UPDATE audit_run SET state = 'interrupted', ended = coalesce((SELECT max(recorded_at) FROM attempt "
                "WHERE run_id = audit_run.id), started) WHERE id = ?", [run_id],
            )
        return len(gone)

    def finish_run(self, run_id: str, state: str = "finished") -> None:
        """Record how a run ended: finished, interrupted or failed."""
        self._store.update("UPDATE audit_run SET ended = ?, state = ? WHERE id = ?", [now(), state, run_id])


def _times(times: Sequence[datetime] | None, rows: Sequence[Any]) -> Sequence[datetime]:
    return times if times is not None else [now()] * len(rows)


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"uid {os.getuid()}"
