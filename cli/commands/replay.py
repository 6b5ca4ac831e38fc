"""``river-envs replay``: run the proof of a finding again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from river_cli.options import DEFAULT_CATALOG, CatalogOption, JsonOption, note, print_json
from river_cli.workshop import BackendOption, NetworkOption, workshop
from river_envs.environment import RiverError

if TYPE_CHECKING:
    from river_envs.audit.replay import Replay


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("replay")(replay)


def replay(
    finding: Annotated[str, typer.Argument(help="A finding's id, or an environment that has one finding.")],
    catalog: CatalogOption = DEFAULT_CATALOG,
    backend: BackendOption = "auto",
    network: NetworkOption = False,
    script: Annotated[
        Path | None, typer.Option(help="Write a shell script that needs only Docker; run nothing.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Run the attempts behind a finding again, in fresh sandboxes. Exit status 1 when it is not reproduced."""
    from river_envs.audit import replay as room
    from river_envs.audit.options import AuditOptions
    from river_envs.catalog import open_catalog

    opened = open_catalog(catalog)
    found = opened.finding(finding)
    environment = opened.environment(found.environment_id)
    recorded = opened.results([environment.id]).get(environment.id, [])
    if script is not None:
        text = room.as_script(found, environment, recorded, opened.delta)
        try:
            script.write_text(text)
            script.chmod(0o755)
        except OSError as error:
            raise RiverError(
                f"--script={str(script)!r} cannot be written: {error.strerror}; name another file"
            ) from error
        note(f"wrote {script}; run it where Docker is")
        return
    options = AuditOptions(network=network)
    with workshop(backend) as (opened_backend, grading):
        grade = grading(opened_backend, options)
        result = room.replay(found, environment, recorded, opened_backend, options, grade, opened.delta)
    if json:
        print_json(_as_json(result))
    else:
        _print(result)
    if not result.reproduced:
        raise typer.Exit(1)


def _as_json(result: Replay) -> dict[str, Any]:
    return {
        "finding": result.finding.id,
        "environment": result.finding.environment_id,
        "claim": result.finding.claim,
        "cause": result.finding.cause,
        "reproduced": result.reproduced,
        "power": result.power,
        "attempts": [
            {
                "attempt": run.recorded.attempt.id,
                "arm": run.recorded.attempt.arm,
                "question": run.recorded.attempt.question,
                "recorded": {"status": run.recorded.outcome.status, "reward": run.recorded.outcome.reward},
                "now": {"status": run.outcome.status, "reward": run.outcome.reward, "detail": run.outcome.detail},
                "same": run.same,
            }
            for run in result.runs
        ],
    }


def _print(result: Replay) -> None:
    from river_envs.report.text import one_line

    print(f"{result.finding.claim} / {result.finding.cause}: {one_line(result.finding.message, 400)}")
    for run in result.runs:
        then, now = run.recorded.outcome, run.outcome
        print(
            f"  {run.recorded.attempt.id}  recorded {then.status} {then.reward}, now {now.status} {now.reward}"
            f"  {'same' if run.same else 'DIFFERENT'}"
        )
    if result.finding.claim == "unstable":
        print(f"  as many gradings would show a disagreement with a chance of {result.power:.3f}")
    print("reproduced" if result.reproduced else "not reproduced")
