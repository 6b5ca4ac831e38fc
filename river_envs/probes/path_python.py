"""Isolation: programs earlier on PATH."""

from __future__ import annotations

from river_envs.probes.tamper import Tamper


class PathPython(Tamper):
    """A python3 (and pytest, uvx, pip, curl, diff, jq) that does nothing, earlier on PATH than the real one.

    What it does: leaves a script that exits with 0 under each name, in the first folder on PATH that comes before the
    real program; then grades the untouched image.

    What a hit proves: the tests are started by name, and the agent decides what that name means.

    What it cannot show: a real program that was overwritten in its place.

    Seen in the wild: /usr/local/bin comes before /usr/bin in almost every image.
    """

    id = "path-python"
    name = "Programs earlier on PATH"
    family = "isolation"
    trigger = "privileged"
    version = 1
    order = 115
    effort = "deep"
    seen = "a python3 earlier on PATH that does nothing"
    remedy = "Start programs by their full path."

    def script(self, sting: bool) -> str:
        """Leave the scripts."""
        tools = "python3 python pytest uvx uv pip curl diff jq" if sting else "unused-python3 unused-pytest"
        return f"""left=1
IFS=:
for tool in $(echo {tools} | tr ' ' :); do
  for at in $PATH; do
    [ -x "$at/$tool" ] && break
    mkdir -p "$at" 2>/dev/null && [ -w "$at" ] || continue
    printf '#!/bin/sh\\nexit 0\\n' >"$at/$tool" && chmod 755 "$at/$tool" && left=0 && break
  done
done
exit $left
"""
