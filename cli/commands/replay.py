"""``river-envs replay``: run the proof of a finding again."""

from __future__ import annotations

from typing import Annotated

import typer

from river_cli.options import DEFAULT_CATALOG, CatalogOption, JsonOption, print_json
from river_cli.workshop import BackendOption, NetworkOption, workshop


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("replay")(replay)


def replay(
    finding: Annotated[
        str, typer.Argument(help="The id of a finding, or the beginning of it (`river-envs show ENV` prints them).")
    ],
    catalog: CatalogOption = DEFAULT_CATALOG,
    backend: BackendOption = "auto",
    network: NetworkOption = False,
    json: JsonOption = False,
) -> None:
    """Run the attempts behind a finding again in fresh sandboxes and say whether it is reproduced. Exit status 1
    when it is not.
    """
    from river_envs.audit import replay as room
    from river_envs.audit.options import AuditOptions
    from river_envs.catalog import open_catalog

    opened = open_catalog(catalog)
    found = opened.finding(finding)
    environment = opened.environment(found.environment_id)
    recorded = opened.results([environment.id]).get(environment.id, [])
    options = AuditOptions(network=network)
    with workshop(backend) as (opened_backend, grading):
        result = room.replay(
            found, environment, recorded, opened_backend, options, grading(opened_backend, options), opened.delta
        )
    runs = [
        {
            "attempt": run.recorded.attempt.id,
            "arm": run.recorded.attempt.arm,
            "question": run.recorded.attempt.question,
            "recorded": {"status": run.recorded.outcome.status, "reward": run.recorded.outcome.reward},
            "now": {"status": run.outcome.status, "reward": run.outcome.reward, "detail": run.outcome.detail},
            "same": run.same,
        }
        for run in result.runs
    ]
    if json:
        print_json(
            {
                "finding": found.id,
                "environment": environment.id,
                "claim": found.claim,
                "cause": found.cause,
                "reproduced": result.reproduced,
                "power": result.power,
                "attempts": runs,
            }
        )
    else:
        from river_envs.report.text import one_line

        print(f"{found.claim} / {found.cause}: {one_line(found.message, 400)}")
        for run in runs:
            print(
                f"  {run['attempt']}  recorded {run['recorded']['status']} {run['recorded']['reward']}"
                f"  now {run['now']['status']} {run['now']['reward']}  {'same' if run['same'] else 'DIFFERENT'}"
            )
        if found.claim == "unstable":
            print(f"  as many gradings would show a disagreement with a chance of {result.power:.3f}")
        print("reproduced" if result.reproduced else "not reproduced")
    if not result.reproduced:
        raise typer.Exit(1)
