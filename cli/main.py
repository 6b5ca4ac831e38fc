"""The Typer app. Every command lives in its own module below ``commands`` and registers itself by being found there."""

from __future__ import annotations

import pkgutil
import signal
import sys
from importlib import import_module
from types import FrameType

import typer

from river_cli import commands
from river_envs.environment import RiverError


def build_app() -> typer.Typer:
    """The app with every command that a module in ``commands`` offers through ``register(app)``."""
    app = typer.Typer(
        name="river-envs",
        help="Find out which of your terminal-agent environments pay an honest reward, and keep those.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
    )
    for module in pkgutil.iter_modules(commands.__path__):
        import_module(f"{commands.__name__}.{module.name}").register(app)
    return app


def main() -> None:
    """Entry point: a RiverError is printed as one sentence with exit status 2; SIGTERM ends a run as Ctrl-C does."""
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        build_app()()
    except RiverError as error:
        print(f"river-envs: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("river-envs: interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)


def _interrupt(_: int, __: FrameType | None) -> None:
    raise KeyboardInterrupt
