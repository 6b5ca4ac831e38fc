"""Fill the report's facts from a catalog: the only SQL of this room."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from river_envs.causes import CAUSES
from river_envs.report.facts import Attempt, CauseCount, Cut, Detail, Finding, Group, Limits, Report, Subset
from river_envs.report.frames import LATEST_SUBSET, STATE, Queryable, quoted, read
from river_envs.report.suggested import leads_of, suggested
from river_envs.report.tables import VERDICTS

_KEPT = f"(SELECT environment_id FROM subset_member WHERE kept AND subset_id = {LATEST_SUBSET})"
_WORST_FIRST = (
    "CASE state WHEN 'defective' THEN 0 WHEN 'unverified' THEN 1 WHEN 'unsupported' THEN 2 WHEN 'not-audited' THEN 3 "
    "WHEN 'resisted' THEN 4 ELSE 5 END, quality, name, id"
)


def gather(catalog: Queryable, catalog_hash: str = "", limits: Limits | None = None) -> Report:
    """Read the report's facts from ``catalog``."""
    limits = limits or Limits()
    states = {row["state"]: row["n"] for row in read(
        catalog, f"SELECT {STATE} AS state, count(*) AS n FROM environments_view GROUP BY state")}
    total = sum(states.values())
    numbers = read(catalog, "SELECT (SELECT count(*) FROM attempt) AS attempts,"
                            " (SELECT count(*) FROM finding) AS findings,"
                            " (SELECT count(DISTINCT environment_id) FROM finding) AS found,"
                            " (SELECT count(*) FROM ingest_view WHERE result = 'rejected') AS refused")[0]
    environments = _environments(catalog, limits.environments)
    details = _details(catalog, limits)
    refused = read(catalog, f"SELECT input, reason FROM ingest_view WHERE result = 'rejected' ORDER BY input"
                            f" LIMIT {limits.inputs}")
    return Report(
        total=total,
        states={state: states[state] for state in VERDICTS if state in states},
        attempts=numbers["attempts"],
        findings=numbers["findings"],
        causes=_causes(catalog),
        domains=_groups(catalog, "domain"),
        verifier_kinds=_groups(catalog, "verifier_kind"),
        inputs={row["result"]: row["n"] for row in read(
            catalog, "SELECT result, count(*) AS n FROM ingest_view GROUP BY result ORDER BY n DESC, result")},
        refused=tuple(refused),
        refused_cut=Cut(len(refused), numbers["refused"], "SELECT * FROM ingest_view WHERE result = 'rejected'"),
        unsupported=tuple(read(
            catalog, "SELECT reason, count(*) AS n, min(name) AS example FROM"
                     " (SELECT unnest(unsupported) AS reason, name FROM environment)"
                     f" GROUP BY reason ORDER BY n DESC, reason LIMIT {limits.inputs}")),
        failures=tuple(read(
            catalog, "SELECT status, stage, count(*) AS n, count(DISTINCT environment_id) AS environments,"
                     " min(reason) FILTER (reason <> '') AS example, min(name) AS name FROM failures_view"
                     f" GROUP BY status, stage ORDER BY n DESC, status, stage LIMIT {limits.failures}")),
        substitutions=tuple(read(
            catalog, "SELECT what, count(*) AS n, count(DISTINCT environment_id) AS environments FROM"
                     " (SELECT unnest(substitutions) AS what, environment_id FROM attempt)"
                     f" GROUP BY what ORDER BY environments DESC, n DESC, what LIMIT {limits.failures}")),
        environments=tuple(environments),
        environments_cut=Cut(len(environments), total, "SELECT * FROM environments_view"),
        details=tuple(details),
        details_cut=Cut(len(details), numbers["found"], "SELECT * FROM findings_view"),
        subset=_subset(catalog, limits),
        catalog_hash=catalog_hash,
        leads=suggested(catalog, limits),
        marks=tuple(read(
            catalog, "SELECT id, name, mark, mark_note, verdict FROM environments_view WHERE mark IS NOT NULL"
                     f" ORDER BY name, id LIMIT {limits.inputs}")),
    )


def _environments(catalog: Queryable, limit: int) -> list[dict[str, Any]]:
    """Environments, worst first. When they are cut, every state gets its share of rows, so that none vanishes."""
    return read(
        catalog,
        f"WITH stated AS (SELECT *, {STATE} AS state, id IN {_KEPT} AS kept,"
        " (SELECT any_value(reasons) FROM verdict v WHERE v.environment_id = id) AS reasons FROM environments_view),"
        " taken AS (SELECT *, row_number() OVER (PARTITION BY state ORDER BY quality, name, id) AS turn FROM stated"
        f" ORDER BY turn, state LIMIT {limit}) SELECT * FROM taken ORDER BY {_WORST_FIRST}",
    )


def _causes(catalog: Queryable) -> tuple[CauseCount, ...]:
    rows = read(catalog, "SELECT cause, claim, environments FROM causes_view ORDER BY environments DESC, cause")
    return tuple(
        CauseCount(row["cause"], row["claim"], CAUSES[row["cause"]].seen if row["cause"] in CAUSES else "",
                   row["environments"])
        for row in rows
    )


def _groups(catalog: Queryable, trait: str) -> tuple[Group, ...]:
    rows = read(catalog, f"SELECT coalesce({trait}, 'not stated') AS name, {STATE} AS state, count(*) AS n,"
                         f" count(*) FILTER (id IN {_KEPT}) AS kept FROM environments_view GROUP BY 1, 2 ORDER BY 1, 2")
    names: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        names.setdefault(row["name"], []).append(row)
    groups = [
        Group(name, sum(row["n"] for row in part), {row["state"]: row["n"] for row in part},
              sum(row["kept"] for row in part))
        for name, part in names.items()
    ]
    return tuple(sorted(groups, key=lambda group: (-group.total, group.name)))


def _details(catalog: Queryable, limits: Limits) -> list[Detail]:
    """The environments with findings, worst first: those a rollout can exploit, then by name."""
    environments = read(
        catalog,
        f"SELECT *, {STATE} AS state, id IN {_KEPT} AS kept, (SELECT left(instruction, 1500) FROM environment e"
        " WHERE e.id = environments_view.id) AS instruction FROM environments_view WHERE findings > 0"
        f" ORDER BY {_WORST_FIRST} LIMIT {limits.details}",
    )
    if not environments:
        return []
    ids = quoted(row["id"] for row in environments)
    findings = read(
        catalog,
        "SELECT * EXCLUDE (evidence), left(evidence::VARCHAR, 4000) AS evidence,"
        " count(*) OVER (PARTITION BY environment_id) AS number"
        f" FROM finding WHERE environment_id IN ({ids})"
        " QUALIFY row_number() OVER (PARTITION BY environment_id ORDER BY cause, probe, id)"
        f" <= {limits.findings} ORDER BY cause, probe, id",
    )
    shown = {attempt for row in findings for attempt in row["attempts"][: limits.attempts]}
    attempts = {row["id"]: _attempt(row) for row in read(
        catalog,
        "SELECT id, arm, question, status, reward, passed, left(actions::VARCHAR, 8000) AS actions,"
        f" right(log, 1500) AS log, seconds FROM attempt WHERE id IN ({quoted(shown)})",
    )} if shown else {}
    hints = leads_of(catalog, [row["id"] for row in environments], limits)
    by_environment: dict[str, list[Finding]] = {}
    numbers: dict[str, int] = {}
    for row in findings:
        numbers[row["environment_id"]] = row["number"]
        proof = tuple(attempts[id] for id in row["attempts"][: limits.attempts] if id in attempts)
        by_environment.setdefault(row["environment_id"], []).append(
            Finding(row["id"], row["claim"], row["cause"], row["trigger"], row["probe"], row["message"], row["advice"],
                    _pretty(row["evidence"]), proof, len(row["attempts"]))
        )
    return [
        Detail(row, row["instruction"] or "", tuple(by_environment.get(row["id"], ())), numbers.get(row["id"], 0),
               hints.get(row["id"], ()), row["leads"])
        for row in environments
    ]


def _attempt(row: Mapping[str, Any]) -> Attempt:
    return Attempt(row["id"], row["arm"], row["question"], row["status"], row["reward"], row["passed"],
                   describe(row["actions"]), row["log"], row["seconds"])


def _subset(catalog: Queryable, limits: Limits) -> Subset | None:
    columns = "id, command, keep, seed, recorded_at::VARCHAR AS at"
    made = read(catalog, f"SELECT {columns} FROM subset WHERE id = {LATEST_SUBSET}")
    if not made:
        return None
    head = made[0]
    members = f"subset_view WHERE subset_id = {quoted([head['id']])}"
    kept = read(catalog, f"SELECT * FROM {members} AND kept ORDER BY rank, environment_id LIMIT {limits.kept}")
    number = read(catalog, f"SELECT count(*) AS n FROM {members} AND kept")[0]["n"]
    dropped = read(
        catalog,
        "SELECT regexp_extract(reason, '^[^:(,]+') AS reason, count(*) AS n, min(reason) AS example, min(name) AS name"
        f" FROM {members} AND NOT kept GROUP BY 1 ORDER BY n DESC, 1 LIMIT {limits.inputs}",
    )
    cut = Cut(len(kept), number, "SELECT * FROM subset_view WHERE kept ORDER BY recorded_at DESC, rank")
    return Subset(head["id"], head["command"], head["keep"], head["seed"], head["at"][:19], tuple(kept), number,
                  tuple(dropped), cut)


def describe(actions: str) -> tuple[str, ...]:
    """An attempt's actions, one sentence each; a text too long to be stored whole is shown as it is."""
    try:
        values = json.loads(actions)
        return tuple(_sentence(value) for value in values) or ("do nothing",)
    except (ValueError, KeyError, TypeError):
        return (actions,)


def _sentence(action: Mapping[str, Any]) -> str:
    match action["is"]:
        case "Put":
            paths = [f"{action['root'].rstrip('/')}/{file['path']}" for file in action["files"]]
            more = f" and {len(paths) - 5} more" if len(paths) > 5 else ""
            return f"write {', '.join(paths[:5])}{more}"
        case "Run":
            return f"run {action['script']}"
        case "Copy":
            return f"copy {action['source']} to {action['target']}"
        case "Solve":
            return "run the reference"
        case "Restore":
            return "start from the state that the reference left"
        case other:
            return str(other)


def _pretty(text: Any) -> str:
    """JSON text indented; text that was cut in the middle stays as it is, an empty value becomes nothing."""
    try:
        value = json.loads(text)
    except (TypeError, ValueError):
        return str(text or "")
    if isinstance(value, Sequence | Mapping) and not value:
        return ""
    return json.dumps(value, indent=2, ensure_ascii=False)
