"""``river-envs show``: everything about one environment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from river_cli.options import DEFAULT_CATALOG, CatalogOption, JsonOption, print_json

if TYPE_CHECKING:
    from rich.console import Console

LEADS = 15
"""Leads that the terminal shows without --full."""
NUMBERS = ("p_sound", "quality", "p_accepts_wrong", "p_rejects_right", "instability", "learnability")
_STYLES = {"hit": "red", "survived": "green", "error": "yellow", "not-run": "yellow", "not-applicable": "dim"}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("show")(show)


def show(
    environment: Annotated[str, typer.Argument(help="An id, the beginning of one, a name, or its last part.")],
    catalog: CatalogOption = DEFAULT_CATALOG,
    json: JsonOption = False,
    full: Annotated[bool, typer.Option("--full", help="Do not shorten instruction, recipe, leads and logs.")] = False,
) -> None:
    """Show one environment: what it asks, how it was probed, what was found and what to do about it."""
    from rich.console import Console

    from river_envs.catalog import open_catalog
    from river_envs.catalog.dossier import dossier

    opened = open_catalog(catalog)
    facts = dossier(opened, opened.find(environment))
    if json:
        print_json(facts)
        return
    console = Console(highlight=False)
    limit = 1 << 30 if full else 1500
    _head(console, facts)
    _block(console, "Instruction", facts["instruction"], limit)
    _block(console, f"Image ({facts['image_kind']})", facts["image_recipe"] or facts["docker_image"] or "", limit)
    _images(console, facts["images"], limit)
    _numbers(console, facts)
    _table(console, "Files", ("role", "path", "size"), facts["files"])
    _table(console, "Probes", ("probe", "version", "status", "reason"), facts["probes"])
    _findings(console, facts["findings"])
    _leads(console, facts["leads"], None if full else LEADS)
    _table(console, "Attempts", ("id", "probe", "arm", "repeat", "status", "reward", "passed", "seconds", "detail"),
           facts["attempts"])
    _table(console, "Marks", ("mark", "note", "who", "recorded_at"), facts["marks"])
    _table(console, "Subsets", ("subset_id", "kept", "rank", "tier", "reason"), facts["subsets"])


def _head(console: Console, facts: Mapping[str, Any]) -> None:
    from rich.table import Table

    from river_envs.report.tables import cell

    reference = facts["reference_provenance"] or "none"
    rows = {
        "name": facts["name"],
        "verdict": facts["verdict"] or "not audited",
        "causes": ", ".join(facts["causes"]),
        "reasons": "; ".join(facts["reasons"]),
        "mark": f"{facts['mark']} {facts['mark_note'] or ''}" if facts["mark"] else "",
        "unsupported": ", ".join(facts["unsupported"] or ()),
        "source": f"{facts['source']} ({facts['format']})",
        "found at": ", ".join(origin["input"] for origin in facts["origins"]),
        "domain": facts["domain"] or "",
        "verifier": f"{facts['verifier_protocol']}, {facts['verifier_kind'] or 'kind not stated'}, "
                    f"{facts['verifier_timeout_sec']:g} s",
        "reference": reference,
        "network": facts["network"],
    }
    table = Table(show_header=False, box=None, title=cell(facts["id"]), title_justify="left")
    for name, value in rows.items():
        if value:
            table.add_row(cell(name, "bold"), cell(value, limit=600))
    console.print(table)


def _numbers(console: Console, facts: Mapping[str, Any]) -> None:
    """The scores with their intervals and what they rest on."""
    rows = [
        {"number": name, "value": facts[name], "90 %": f"[{facts[f'{name}_low']:.2f}, {facts[f'{name}_high']:.2f}]",
         "rests on": (facts["basis"] or {}).get(name, "")}
        for name in NUMBERS if facts[name] is not None
    ]  # fmt: skip
    _table(console, "Score", ("number", "value", "90 %", "rests on"), rows)


def _block(console: Console, title: str, text: str, limit: int) -> None:
    from rich.text import Text

    from river_envs.report.text import excerpt

    if text:
        console.print(Text(f"\n{title}", "bold"))
        console.print(Text(excerpt(text, limit)))


def _images(console: Console, images: Sequence[Mapping[str, Any]], limit: int) -> None:
    for image in images:
        bases = ", ".join(
            base["requested"] + (f" is {base['resolved']} ({base['origin']})" if base["substituted"] else "")
            for base in image["bases"]
        )
        rows = [{"backend": image["backend"], "status": image["status"], "bases": bases, "seconds": image["seconds"],
                 "notes": "; ".join(image["notes"] or ())}]
        _table(console, "Build", ("backend", "status", "bases", "seconds", "notes"), rows)
        if image["status"] != "built":
            _block(console, "Build log", image["log"], limit)


def _findings(console: Console, findings: Sequence[Mapping[str, Any]]) -> None:
    from rich.text import Text

    from river_envs.report.text import one_line

    if findings:
        console.print(Text("\nFindings", "bold"))
    for finding in findings:
        console.print(Text(f"{finding['id']}  {finding['cause']} ({finding['claim']}, {finding['trigger']})", "red"))
        console.print(Text(f"  seen:   {one_line(finding['message'], 600)}"))
        console.print(Text(f"  advice: {one_line(finding['advice'], 600)}"))
        console.print(Text(f"  proof:  {len(finding['attempts'])} attempts; river-envs replay {finding['id']}"))


def _leads(console: Console, leads: Sequence[Mapping[str, Any]], most: int | None) -> None:
    from rich.text import Text

    rows = [
        {**lead, "causes": ", ".join(lead["causes"]), "where": f"{lead['path']}:{lead['line'] or ''}".rstrip(":")}
        for lead in leads[:most]
    ]
    _table(console, "Leads (they suggest, they prove nothing)", ("rule", "causes", "where", "message"), rows)
    if len(rows) < len(leads):
        console.print(Text(f"{len(leads) - len(rows)} more with --full or --json", "dim"))


def _table(console: Console, title: str, columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> None:
    from rich.table import Table
    from rich.text import Text

    from river_envs.report.tables import cell

    if not rows:
        return
    console.print(Text(f"\n{title}", "bold"))
    table = Table(box=None, pad_edge=False)
    for name in columns:
        table.add_column(name, justify="right" if isinstance(rows[0][name], int | float) else "left", overflow="fold")
    for row in rows:
        style = _STYLES.get(str(row.get("status")), "")
        table.add_row(*(cell(_shown(row[name]), style if name == "status" else "") for name in columns))
    console.print(table)


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.3g}" if isinstance(value, float) else str(value)
