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

_USAGE = typer.BadParameter.__bases__[0]
"""The error for arguments that do not fit a command; Typer does not export it under a name of its own."""


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
    """Entry point: what is wrong is said in one sentence with exit status 2; SIGTERM ends a run as Ctrl-C does."""
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        sys.exit(build_app()(standalone_mode=False))
    except _USAGE as error:
        if type(error).__name__ != "NoArgsIsHelpError":  # that one has printed the help already
            print(f"river-envs: {_sentence(error)}", file=sys.stderr)
        sys.exit(2)
    except RiverError as error:
        print(f"river-envs: {error}", file=sys.stderr)
        sys.exit(2)
    except (KeyboardInterrupt, typer.Abort):
        print("river-envs: interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)


def _sentence(error: _USAGE) -> str:
    """A mistake in the arguments, on one line, and where to look."""
    said = " ".join(error.format_message().split()).replace("Value error, ", "").rstrip(".")
    command = error.ctx.command_path if error.ctx else "river-envs"
    return f"{said[:1].lower()}{said[1:]}; see: {command} --help"


def _interrupt(_: int, __: FrameType | None) -> None:
    raise KeyboardInterrupt
