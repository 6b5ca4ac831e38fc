"""Rewriting a reference: commands added to its script, or the script replaced."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from river_envs.environment import Environment
from river_envs.plant.base import CannotCarry


def rewrite_reference(environment: Environment, change: Callable[[str], str | None]) -> Environment | CannotCarry:
    """The environment whose reference script is ``change`` of the old one; None says that it cannot be changed."""
    reference = environment.reference
    if reference is None:
        return CannotCarry("it has no reference")
    script = next((file for file in reference.files if file.path == reference.entry), None)
    if script is None:
        return CannotCarry("the reference's script is not among its files")
    text = change(script.content.decode("utf-8", "replace"))
    if text is None:
        return CannotCarry("the reference's script has no place for this change")
    files = tuple(replace(file, content=text.encode()) if file is script else file for file in reference.files)
    return replace(environment, reference=replace(reference, files=files))


def append_to_reference(environment: Environment, command: str) -> Environment | CannotCarry:
    """The environment whose reference also runs ``command`` at its end."""

    def change(text: str) -> str | None:
        last = [line for line in text.splitlines() if line.strip()][-1:]
        if last and last[0].lstrip().startswith(("exec ", "exit")):
            return None
        return f"{text.rstrip()}\n{command}\n"

    return rewrite_reference(environment, change)
