"""The read side of a catalog: SQL, frames, and the project's own values back as they were stored."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from river_envs.catalog import codec, delta
from river_envs.catalog.records import ImageRecord, Known, PlanRecord
from river_envs.environment import Environment, RiverError, digest
from river_envs.probes.base import Finding, Result, Survey
from river_envs.sandbox.base import Base, Delta
from river_envs.scoring.evidence import Evidence
from river_envs.signatures.base import DIMENSIONS, PERMUTATIONS, VERSION, Grams, Signatures

if TYPE_CHECKING:
    import duckdb
    import numpy as np
    import pandas as pd
    import pyarrow as pa
    from numpy.typing import NDArray

_READS = {"SELECT", "EXPLAIN", "MULTI"}  # MULTI is what PIVOT becomes
_PORTION = 1000

_NAMED = "id = $text OR name = $text OR (length($text) >= 4 AND starts_with(id, $text))"
_KNOWN_SOURCES = """
SELECT coalesce(i.input, o.input), coalesce(i.signature, o.signature), coalesce(i.environment_id, o.environment_id),
    coalesce(i.result, 'ingested'), coalesce(i.reason, '')
FROM (
    SELECT input, arg_max(signature, recorded_at) AS signature,
        arg_max_null(environment_id, recorded_at) AS environment_id,
        arg_max(result, recorded_at) FILTER (result <> 'unchanged') AS result,
        arg_max(reason, recorded_at) FILTER (result <> 'unchanged') AS reason
    FROM ingest_input GROUP BY input
) i FULL JOIN origin o ON o.input = i.input
"""

_SEEN_BY_FILTER = """
WITH latest_mark AS (SELECT environment_id, arg_max(mark, recorded_at) AS mark FROM mark GROUP BY environment_id)
SELECT e.id, v.verdict, list_sort(coalesce(v.causes, [])), CASE WHEN m.mark <> 'clear' THEN m.mark END,
    round(s.quality, 9), round(s.p_sound, 9)
FROM environment e
LEFT JOIN verdict v ON v.environment_id = e.id
LEFT JOIN score s ON s.environment_id = e.id
LEFT JOIN latest_mark m ON m.environment_id = e.id
ORDER BY e.id
"""  # the tables, not environments_view: that would count every attempt first


class Reader:
    """Everything that can be asked of a catalog. Each call opens the file for a short moment only."""

    path: Path

    def _reading(self) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        raise TypeError("made by open_catalog only")

    def _read_only(self) -> bool:
        """Whether what ``_reading`` gives cannot write: not so inside a ``with catalog.writer()``."""
        return True

    # -- SQL and frames ----------------------------------------------------------------------------------------------

    def sql(self, query: str, params: Sequence[Any] | Mapping[str, Any] | None = None) -> pd.DataFrame:
        """The rows of one SELECT as a frame. Statements that write, and the host's files, are out of reach."""
        import duckdb

        with self._reading() as connection:
            try:
                statements = connection.extract_statements(query)
                kinds = [str(statement.type).rpartition(".")[2] for statement in statements]
                if len(kinds) != 1 or kinds[0] not in (_READS if self._read_only() else {"SELECT"}):
                    found = ", ".join(kinds).lower() or "nothing"
                    raise RiverError(f"sql answers one SELECT, DESCRIBE or SHOW and writes nothing; got {found}")
                return connection.execute(query, params).df()
            except duckdb.IOException:
                raise
            except duckdb.Error as error:
                raise RiverError(f"the query failed: {_one_sentence(error)}") from error

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """The rows of one SELECT as plain Python values, quicker than a frame where there are very many."""
        with self._reading() as connection:
            return list(connection.execute(query).fetchall())

    def environments(self, where: str | None = None) -> pd.DataFrame:
        """``environments_view`` in id order; ``where`` is a SQL condition on it."""
        return self.sql(f"SELECT * FROM environments_view WHERE ({where or 'true'}) ORDER BY id")

    def findings(self) -> pd.DataFrame:
        """``findings_view`` by environment and cause."""
        return self.sql("SELECT * FROM findings_view ORDER BY environment_id, cause, id")

    def leads(self) -> pd.DataFrame:
        """``leads_view`` by environment and rule: what suggests a defect and proves none."""
        return self.sql("SELECT * FROM leads_view ORDER BY environment_id, rule, path, line, message")

    def attempts(self) -> pd.DataFrame:
        """``attempts_view`` by environment and probe."""
        return self.sql("SELECT * FROM attempts_view ORDER BY environment_id, probe, arm, repeat, id")

    def verdicts(self) -> pd.DataFrame:
        """id, verdict, causes and reasons of every environment; the verdict is missing where none was audited yet."""
        return self.sql(
            "SELECT e.id, e.name, v.verdict, v.causes, v.reasons FROM environment e "
            "LEFT JOIN verdict v ON v.environment_id = e.id ORDER BY e.id"
        )

    def subset(self, id: str | None = None) -> pd.DataFrame:
        """The members of a subset, kept ones first in rank order; by default of the latest."""
        return self.sql(
            "SELECT * FROM subset_view WHERE subset_id = coalesce(?, (SELECT arg_max(id, recorded_at) FROM subset)) "
            "ORDER BY kept DESC, rank, environment_id", [id],
        )

    # -- identities --------------------------------------------------------------------------------------------------

    def find(self, text: str) -> str:
        """The id of the environment that ``text`` names: an id, the beginning of one, a name that only one has, or
        the last part of one (``depot-stock`` for ``corpus/depot-stock``) where nothing is called so in full.
        """
        with self._reading() as connection:
            query = f"SELECT id, name FROM environment WHERE {_NAMED} ORDER BY id"
            rows = connection.execute(query, {"text": text}).fetchall()
            if not rows:
                query = "SELECT id, name FROM environment WHERE ends_with(name, '/' || $text) ORDER BY id"
                rows = connection.execute(query, {"text": text}).fetchall()
        exact = [row[0] for row in rows if row[0] == text]
        if exact or len(rows) == 1:
            return str((exact or [rows[0][0]])[0])
        if not rows:
            raise RiverError(f"no environment is called {text!r}; list them with: river-envs sql "
                             f"\"SELECT id, name FROM environments_view\" --catalog {self.path}")
        some = ", ".join([f"{name} ({id_})" for id_, name in rows[:5]] + ["..."] * (len(rows) > 5))
        raise RiverError(f"{text!r} names {len(rows)} environments, give an id: {some}")

    def ids(self, only: str | None = None) -> list[str]:
        """Ids in order: all, those of a SQL condition on ``environments_view``, or the one that ``only`` names."""
        if only is None:
            with self._reading() as connection:
                return [row[0] for row in connection.execute("SELECT id FROM environment ORDER BY id").fetchall()]
        with self._reading() as connection:
            named = connection.execute(
                "SELECT 1 FROM environment WHERE id = $only OR name = $only LIMIT 1", {"only": only}
            ).fetchall()
            columns = {row[0] for row in connection.execute("DESCRIBE environments_view").fetchall()}
        if named or (re.fullmatch(r"[\w./-]+", only) and only not in columns):
            return [self.find(only)]
        try:
            frame = self.sql(f"SELECT id FROM environments_view WHERE (\n{only}\n) ORDER BY id")
        except RiverError as error:
            raise RiverError(
                f"--only={only!r} is no condition on environments_view, and no id or name: {error}"
            ) from error
        return [str(name) for name in frame["id"]]

    def known_sources(self) -> dict[str, Known]:
        """What every input gave when it was last read, by where it is."""
        with self._reading() as connection:
            rows = connection.execute(_KNOWN_SOURCES).fetchall()
        return {where: Known(signature, name, result, reason) for where, signature, name, result, reason in rows}

    def content_hash(self) -> str:
        """A hash over ids, verdicts with causes, the numbers that rank and standing marks: what a filter sees, without
        any time."""
        with self._reading() as connection:
            rows = connection.execute(_SEEN_BY_FILTER).fetchall()
        return digest([list(row) for row in rows])

    # -- values ------------------------------------------------------------------------------------------------------

    def environment(self, id: str) -> Environment:
        """One environment with its contents, by its id."""
        return self.load([id])[0]

    def load(self, ids: Iterable[str]) -> list[Environment]:
        """Environments with their contents, in the order of ``ids``. Raises RiverError for an id that is not there."""
        return list(self.iterate(ids))

    def iterate(self, ids: Iterable[str]) -> Iterator[Environment]:
        """As ``load``, a thousand at a time."""
        names = list(ids)
        for start in range(0, len(names), _PORTION):
            portion = names[start:start + _PORTION]
            with self._reading() as connection:
                specs = dict(connection.execute("SELECT id, spec FROM environment WHERE id IN ?", [portion]).fetchall())
                contents = dict(connection.execute(
                    "SELECT sha256, content FROM file WHERE sha256 IN "
                    "(SELECT sha256 FROM environment_file WHERE environment_id IN ?)", [portion],
                ).fetchall())
            for name in portion:
                if name not in specs:
                    raise RiverError(f"there is no environment {name!r} in {self.path}")
                yield codec.loads(Environment, specs[name], source=contents.__getitem__)

    def file(self, sha256: str) -> bytes:
        """The content with this SHA-256."""
        with self._reading() as connection:
            return _file(connection, sha256)

    def delta(self, digest: str) -> Delta:
        """The delta with this digest (``Result.delta``)."""
        with self._reading() as connection:
            rows = connection.execute(
                "SELECT content FROM delta JOIN file USING (sha256) WHERE digest = ?", [digest]
            ).fetchall()
        if not rows:
            raise RiverError(f"the catalog {self.path} holds no delta {digest}")
        return delta.unpack(rows[0][0])

    def has_delta(self, digest: str) -> bool:
        """Whether the delta with this digest is kept."""
        with self._reading() as connection:
            return bool(connection.execute("SELECT 1 FROM delta WHERE digest = ?", [digest]).fetchall())

    def results(self, ids: Iterable[str] | None = None) -> dict[str, list[Result]]:
        """Recorded attempts by environment, ordered by probe, version, repeat, arm and id: the same on any machine."""
        found: dict[str, list[Result]] = {}
        with self._reading() as connection:
            rows = _select(connection, "result", "attempt", ids, "probe, version, repeat, arm, id")
            for name, text in rows:
                result = codec.loads(Result, text, source=lambda sha256: _file(connection, sha256))
                found.setdefault(name, []).append(result)
        return found

    def surveys(self, ids: Iterable[str] | None = None) -> dict[str, Survey]:
        """Surveys by environment."""
        with self._reading() as connection:
            return {name: codec.loads(Survey, text) for name, text in _select(connection, "survey", "survey", ids)}

    def plans(self, ids: Iterable[str] | None = None) -> dict[str, list[PlanRecord]]:
        """Planned and left-out probes by environment."""
        found: dict[str, list[PlanRecord]] = {}
        with self._reading() as connection:
            for row in _select(connection, "probe, version, status, reason", "plan", ids, "probe, version"):
                found.setdefault(row[0], []).append(PlanRecord(*row))
        return found

    def images(self, ids: Iterable[str] | None = None) -> dict[str, list[ImageRecord]]:
        """Image builds by environment, one per backend."""
        found: dict[str, list[ImageRecord]] = {}
        with self._reading() as connection:
            columns = "status, backend, key, bases, notes, log, seconds"
            for name, status, backend, key, bases, notes, log, seconds in _select(
                connection, columns, "image", ids, "backend"
            ):
                record = ImageRecord(
                    name, status, backend, key, codec.loads(tuple[Base, ...], bases), tuple(notes or ()), log, seconds
                )
                found.setdefault(name, []).append(record)
        return found

    def findings_of(self, ids: Iterable[str] | None = None) -> dict[str, list[Finding]]:
        """Findings by environment."""
        found: dict[str, list[Finding]] = {}
        with self._reading() as connection:
            columns = "claim, cause, trigger, probe, message, advice, attempts, evidence"
            for name, claim, cause, trigger, probe, message, advice, attempts, evidence in _select(
                connection, columns, "finding", ids, "cause, id"
            ):
                facts = codec.loads(dict[str, Any], evidence)
                finding = Finding(name, claim, cause, trigger, probe, message, advice, tuple(attempts), facts)
                found.setdefault(name, []).append(finding)
        return found

    def evidence(self, ids: Iterable[str] | None = None) -> dict[str, Evidence]:
        """What was counted by environment, in id order; those that no present release has scored are missing."""
        with self._reading() as connection:
            rows = _select(connection, "evidence", "evidence", ids)
            return {name: codec.loads(Evidence, text) for name, text in rows}

    def calibration(self) -> dict[str, Any] | None:
        """The model of the last ``river-envs calibrate``, as JSON values."""
        with self._reading() as connection:
            rows = connection.execute("SELECT model FROM calibration ORDER BY recorded_at DESC LIMIT 1").fetchall()
        return codec.loads(dict[str, Any], rows[0][0]) if rows else None

    # -- signatures --------------------------------------------------------------------------------------------------

    def without_signature(self, version: int) -> list[tuple[str, int]]:
        """(id, bytes of its files) of every environment without a signature of this version, in id order."""
        with self._reading() as connection:
            return [(str(name), int(size)) for name, size in connection.execute(
                "WITH missing AS (SELECT id FROM environment WHERE id NOT IN "
                "(SELECT environment_id FROM signature WHERE version = ?)) "
                "SELECT id, coalesce(sum(size), 0) FROM missing LEFT JOIN environment_file ON environment_id = id "
                "LEFT JOIN file USING (sha256) GROUP BY id ORDER BY id", [version],
            ).fetchall()]

    def signatures(self, ids: Sequence[str] | None = None) -> Signatures:
        """Signatures of all environments, or of ``ids``, in id order.

        Raises RiverError where one is missing: call ``river_envs.signatures.ensure_signatures`` first.
        """
        import numpy as np

        columns = "fixture, tests, minhash, sketch"
        parts: dict[str, list[Any]] = {"environment_id": [], "fixture": [], "tests": [], "minhash": [], "sketch": []}
        with self._reading() as connection:
            for batch in _signature_batches(connection, columns, ids):
                for name, found in parts.items():
                    column = batch.column(name)
                    found.append(_blobs(column) if name in ("minhash", "sketch") else column)
        names = _joined(parts["environment_id"]).to_pylist()
        self._all_signed(len(names), ids)
        codes = [
            _joined(parts[name]).dictionary_encode().indices.fill_null(-1).to_numpy(zero_copy_only=False)
            for name in ("fixture", "tests")
        ]
        return Signatures(
            names, codes[0].astype(np.int64), codes[1].astype(np.int64),
            np.concatenate([np.empty(0, np.uint8), *parts["minhash"]]).view("<u4").reshape(-1, PERMUTATIONS),
            np.concatenate([np.empty(0, np.uint8), *parts["sketch"]]).view(np.int8).reshape(-1, DIMENSIONS),
        )

    def grams(self, ids: Sequence[str] | None = None) -> Grams:
        """Winnowed fingerprints of all environments, or of ``ids``, in id order. Raises RiverError as ``signatures``.
        """
        import numpy as np

        names: list[str] = []
        lengths, values = [np.zeros(1, np.int64)], [np.empty(0, np.uint64)]
        with self._reading() as connection:
            for batch in _signature_batches(connection, "grams", ids):
                names += batch.column("environment_id").to_pylist()
                column = batch.column("grams")
                lengths.append(column.value_lengths().to_numpy(zero_copy_only=False).astype(np.int64))
                values.append(column.flatten().to_numpy())
        self._all_signed(len(names), ids)
        return Grams(names, np.cumsum(np.concatenate(lengths)), np.concatenate(values))

    def sharing_grams(self, grams: NDArray[np.uint64], ids: Sequence[str]) -> list[str]:
        """Those of ``ids`` that have one of these fingerprints, in order. Raises RiverError as ``signatures``."""
        import pyarrow as pa

        with self._reading() as connection:
            connection.register("river_wanted", pa.table({"id": pa.array(list(ids), pa.string())}))
            connection.register("river_grams", pa.table({"gram": pa.array(grams)}))
            signed = connection.execute(
                "SELECT count(*) FROM signature WHERE version = ? AND environment_id IN (SELECT id FROM river_wanted)",
                [VERSION],
            ).fetchall()[0][0]
            found = connection.execute(
                "WITH spread AS (SELECT environment_id, unnest(grams) AS gram FROM signature WHERE version = ? "
                "AND environment_id IN (SELECT id FROM river_wanted)) SELECT DISTINCT environment_id FROM spread "
                "WHERE gram IN (SELECT gram FROM river_grams) ORDER BY environment_id", [VERSION],
            ).fetchall()
        self._all_signed(int(signed), ids)
        return [row[0] for row in found]

    def instructions(self, ids: Sequence[str]) -> dict[str, str]:
        """Instructions by id, in id order."""
        with self._reading() as connection:
            return dict(connection.execute(
                "SELECT id, instruction FROM environment WHERE id IN ? ORDER BY id", [list(ids)]
            ).fetchall())

    def _all_signed(self, signed: int, ids: Sequence[str] | None) -> None:
        wanted = len(set(ids)) if ids is not None else self.count()
        if signed != wanted:
            raise RiverError(
                f"{wanted - signed} of {wanted} environments in {self.path} have no signature of this release; "
                "compute them with river_envs.signatures.ensure_signatures"
            )

    def count(self) -> int:
        """How many environments there are."""
        with self._reading() as connection:
            return int(connection.execute("SELECT count(*) FROM environment").fetchall()[0][0])

    def finding(self, id: str) -> Finding:
        """One finding, by its id or the beginning of it; or by the environment that has no other."""
        with self._reading() as connection:
            rows = connection.execute(
                "SELECT id, environment_id FROM finding WHERE starts_with(id, ?) ORDER BY id", [id]
            ).fetchall()
            environments = connection.execute(
                f"SELECT id FROM environment WHERE {_NAMED} OR ends_with(name, '/' || $text)", {"text": id}
            ).fetchall() if not rows else []
        if environments:
            found = self.findings_of([self.find(id)]).get(self.find(id), [])
            if len(found) == 1:
                return found[0]
            listed = ", ".join(f"{finding.id} ({finding.cause})" for finding in found[:8])
            raise RiverError(f"the environment {id!r} has {len(found)} findings, give one: {listed}" if found else
                             f"the environment {id!r} has no finding")
        if len(rows) != 1:
            problem = f"{len(rows)} findings begin with" if rows else "there is no finding"
            raise RiverError(f"{problem} {id!r}; list them with: river-envs sql \"FROM findings_view\" -c {self.path}")
        return next(finding for finding in self.findings_of([rows[0][1]])[rows[0][1]] if finding.id == rows[0][0])


def _signature_batches(
    connection: duckdb.DuckDBPyConnection, columns: str, ids: Sequence[str] | None
) -> Iterator[pa.RecordBatch]:
    """Rows of table ``signature`` in id order, as Arrow batches."""
    import pyarrow as pa

    condition = ""
    if ids is not None:
        connection.register("river_wanted", pa.table({"id": pa.array(list(ids), pa.string())}))
        condition = " AND environment_id IN (SELECT id FROM river_wanted)"
    yield from connection.sql(
        f"SELECT environment_id, {columns} FROM signature WHERE version = ?{condition} ORDER BY environment_id",
        params=[VERSION],
    ).to_arrow_table().to_batches()


def _blobs(column: pa.Array) -> NDArray[np.uint8]:
    """The bytes of an Arrow column of blobs, one after the other, as one array: no Python object per value."""
    import numpy as np

    _, offsets, content = column.buffers()
    if content is None:
        return np.empty(0, np.uint8)
    width = np.int64 if str(column.type).startswith("large") else np.int32
    ends = np.frombuffer(offsets, width)[column.offset:column.offset + len(column) + 1]
    return np.frombuffer(content, np.uint8)[ends[0]:ends[-1]].copy()


def _joined(arrays: Sequence[pa.Array]) -> pa.Array:
    import pyarrow as pa

    return pa.concat_arrays(arrays) if arrays else pa.array([], pa.string())


def _one_sentence(error: Exception) -> str:
    """What DuckDB says of a query, without the picture of it that follows."""
    return " ".join(str(error).split("\n\n")[0].split())


def _file(connection: duckdb.DuckDBPyConnection, sha256: str) -> bytes:
    rows = connection.execute("SELECT content FROM file WHERE sha256 = ?", [sha256]).fetchall()
    if not rows:
        raise RiverError(f"the catalog holds no file {sha256}")
    return bytes(rows[0][0])


def _select(
    connection: duckdb.DuckDBPyConnection, columns: str, table: str, ids: Iterable[str] | None, order: str = "",
) -> Iterator[tuple[Any, ...]]:
    """Rows (environment_id, columns...) of the environments ``ids``, or of all."""
    order = f"environment_id, {order}" if order else "environment_id"
    condition = "" if ids is None else " WHERE environment_id IN ?"
    cursor = connection.execute(
        f"SELECT environment_id, {columns} FROM {table}{condition} ORDER BY {order}", [] if ids is None else [list(ids)]
    )
    yield from cursor.fetchall()
