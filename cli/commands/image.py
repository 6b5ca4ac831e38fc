"""``river-envs image``: bases for builds (aliases, imports), what the image cache holds, and making it smaller."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from river_cli.options import JsonOption, note, print_json

if TYPE_CHECKING:
    from river_envs.images.store import Store

StoreOption = Annotated[
    str | None, typer.Option("--store", help="The image cache (default: ~/.cache/river-envs).", envvar="RIVER_STORE")
]


def register(app: typer.Typer) -> None:
    """Add the command group."""
    group = typer.Typer(no_args_is_help=True, help="Bases for image builds, and the cache of built images.")
    group.command("alias")(alias)
    group.command("import")(import_)
    group.command("list")(list_)
    group.command("prune")(prune)
    app.add_typer(group, name="image")


def alias(
    name: Annotated[str, typer.Argument(help="The name that recipes use, such as ubuntu:22.04.")],
    base: Annotated[str, typer.Argument(help="What stands for it: an imported name, a Docker image, or host.")],
    store: StoreOption = None,
) -> None:
    """Let BASE stand for NAME. Outcomes say that the base was substituted. `image alias NAME NAME` takes it back."""
    from river_envs.images.bases import set_alias

    with_store, _ = _open(store)
    if set_alias(with_store, name, base):
        note(f"{name} now stands for {base}")
    else:
        note(f"{name} stands for itself again")


def import_(
    name: Annotated[str, typer.Argument(help="The name that recipes use, such as ubuntu:22.04.")],
    source: Annotated[Path, typer.Argument(help="A directory, a tar, or what docker save or docker export wrote.")],
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a directory or an archive a base for image builds."""
    from river_envs.images.importer import import_base

    with_store, namespaces = _open(store)
    try:
        base = import_base(with_store, namespaces, name, source)
    finally:
        namespaces.close()
    if as_json:
        defaults = {"env": dict(base.env), "workdir": base.workdir, "user": base.user}
        print_json({"name": base.name, "layer": base.layer, **defaults})
    else:
        note(f"{source} is the base {base.name} now")


def list_(store: StoreOption = None, as_json: JsonOption = False) -> None:
    """What the image cache holds: bases, aliases, layers and their sizes."""
    from river_envs.images.importer import imported_bases

    with_store, _ = _open(store)
    layers = with_store.layers()
    bases = imported_bases(with_store)
    sizes = {layer.id: layer.size for layer in layers}
    used = sum(sizes.values())
    if as_json:
        print_json({
            "store": str(with_store.root),
            "bytes": used,
            "budget_bytes": with_store.budget_mb * 1_000_000,
            "bases": [{"name": b.name, "source": b.source, "bytes": sizes.get(b.layer, 0)} for b in bases.values()],
            "aliases": with_store.read("aliases"),
            "layers": [asdict(layer) for layer in layers],
        })
        return
    _print_tables(with_store, layers, bases, sizes)
    note(f"{with_store.root}: {len(layers)} layers, {used / 1e6:.0f} MB of {with_store.budget_mb} MB")


def _print_tables(store: Store, layers: list[Any], bases: dict[str, Any], sizes: dict[str, int]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console()
    names = Table("base", "from", "MB", title="Bases", title_justify="left")
    for base in bases.values():
        names.add_row(escape(base.name), escape(base.source), f"{sizes.get(base.layer, 0) / 1e6:.0f}")
    for name, target in store.read("aliases").items():
        names.add_row(escape(name), escape(f"alias of {target}"), "")
    console.print(names)
    table = Table("layer", "MB", "last used", "made by", title="Layers", title_justify="left")
    for layer in layers[:50]:
        used = time.strftime("%Y-%m-%d %H:%M", time.localtime(layer.used))
        title = "".join(char if char.isprintable() else " " for char in layer.title)
        table.add_row(layer.id, f"{layer.size / 1e6:.1f}", used, escape(title[:80]))
    console.print(table)
    if len(layers) > 50:
        console.print(f"... and {len(layers) - 50} older layers")


def prune(
    keep_mb: Annotated[int, typer.Option("--keep-mb", min=0, help="How much to keep, most recently used first.")] = 0,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Remove layers that nobody uses, oldest first, and what killed builds left. Imported bases stay."""
    with_store, namespaces = _open(store)
    try:
        left = with_store.sweep()
        freed = with_store.shrink(keep_mb)
    finally:
        namespaces.close()
    if as_json:
        print_json({"freed_bytes": freed, "leftovers": left})
    else:
        note(f"{freed / 1e6:.0f} MB freed, {left} leftovers removed")


def _open(store: str | None) -> tuple[Store, Any]:
    from river_envs.images.options import default_build_options
    from river_envs.images.store import Store
    from river_envs.sandbox.namespaces import Namespaces

    options = default_build_options(store=store)
    namespaces = Namespaces()
    opened = Store(options.store, budget_mb=options.store_budget_mb, remove=namespaces.rmtree)
    opened.claim(namespaces.id_map.uid_lines)
    return opened, namespaces
