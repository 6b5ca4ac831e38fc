"""``river-envs audit``: attack the verifiers."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from river_cli.options import DEFAULT_CATALOG, CatalogOption, JsonOption, note, print_json
from river_cli.workshop import BackendOption, Effort, EffortOption, NetworkOption, seconds, watched


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("audit")(audit)


def audit(
    catalog: CatalogOption = DEFAULT_CATALOG,
    only: Annotated[str | None, typer.Option(help="A condition on environments_view, or an id or name.")] = None,
    effort: EffortOption = Effort.STANDARD,
    backend: BackendOption = "auto",
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=0, help="Attempts at once; 0 means one per core.")] = 0,
    budget: Annotated[str | None, typer.Option(help="Start no attempt after this long, as in 90s, 30m, 2h.")] = None,
    pass_at: Annotated[float, typer.Option(help="The least reward that counts as a pass.")] = 1.0,
    network: NetworkOption = False,
    retry: Annotated[bool, typer.Option("--retry", help="Run again what ended without a grade.")] = False,
    again: Annotated[bool, typer.Option("--again", help="Forget earlier attempts and run everything again.")] = False,
    memory_mb: Annotated[int | None, typer.Option(min=64, help="Cap the memory of one attempt.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be run and how long it takes.")] = False,
    json: JsonOption = False,
) -> None:
    """Put every probe to every verifier in a sandbox, and keep the proof.

    Results are committed as they arrive. Stop it with Ctrl-C or kill it: the next run does only what is missing.
    """
    from river_envs.audit.options import AuditOptions
    from river_envs.catalog import open_catalog

    opened = open_catalog(catalog)
    options = AuditOptions(
        only, effort.value, jobs, seconds(budget) if budget else None, pass_at, network, retry, again, memory_mb
    )
    recorded = opened.sql(
        "SELECT DISTINCT CAST(options->>'pass_at' AS DOUBLE) AS pass_at FROM audit_run"
        " WHERE options->>'pass_at' IS NOT NULL"
    )["pass_at"].tolist()
    if not again and any(value != pass_at for value in recorded):
        note(f"earlier attempts of this catalog were graded at --pass-at {recorded[0]:g}; --again grades them anew")
    if dry_run:
        _dry_run(opened, options, json)
        return
    from river_envs.scoring.run import score_catalog

    report = watched(opened, options, backend, " ".join(["river-envs", *sys.argv[1:]]))
    verdicts = score_catalog(opened, only)
    if json:
        print_json({**vars(report), "verdicts": dict(verdicts)})
    else:
        from river_cli.summary import print_summary

        print_summary(opened)
        note(
            f"{report.attempts} attempts on {report.finished} of {report.environments} environments"
            f" in {report.seconds:.1f} s ({report.errors} without a grade)"
        )
    if report.interrupted:
        note(f"stopped: {report.interrupted}; run the same command again to go on")
        raise typer.Exit(130 if report.interrupted == "interrupted" else 0)


def _dry_run(catalog: object, options: object, json: bool) -> None:
    from river_envs.audit.estimate import estimate

    found = estimate(catalog, options)  # type: ignore[arg-type]
    if json:
        print_json({**vars(found), "remaining": found.remaining, "seconds": found.seconds})
        return
    print(f"{found.environments} environments to audit, {found.remaining} attempts left:")
    for probe, count in found.attempts.items():
        print(f"  {count:>7}  {probe}")
    basis = "measured on this catalog" if found.measured else "assumed"
    each = f"{found.seconds_per_attempt:.2f} s an attempt, {basis}"
    print(f"about {found.seconds:.0f} s with {found.jobs} jobs ({each}), builds not counted")
