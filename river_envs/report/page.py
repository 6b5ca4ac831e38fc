"""The report as one static HTML page that works offline, is safe to open, and is safe to send round.

All text from environments is hostile. Three layers keep it text: Jinja escapes everything, ``visible`` writes out the
characters that act instead of showing, and a content security policy allows exactly this page's own style and script,
by their hashes, and no request of any kind.
"""

from __future__ import annotations

import base64
import hashlib
import os
import shlex
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from river_envs.environment import RiverError
from river_envs.report.facts import CauseCount, Report
from river_envs.report.tables import VERDICTS
from river_envs.report.text import excerpt, one_line, percent, percent_below, plural, visible

if TYPE_CHECKING:
    from river_envs.catalog import Catalog

CLAIMS: dict[str, str] = {
    "accepts-wrong": "a wrong result earns the reward",
    "leaks-answer": "the answer can be copied instead of worked out",
    "rejects-right": "a right result is refused",
    "unstable": "the same state is graded differently",
    "broken": "no reward can be had",
}
"""What each claim means, worst first."""

WORDS: tuple[tuple[str, str], ...] = (
    ("environment", "One task: instruction, image, verifier, metadata and, for some, a reference solution. Counted "
                    "once, by the hash of its content, however often it was found."),
    ("verifier", "The script and tests that turn a final state into a reward."),
    *((verdict, meaning[0].upper() + meaning[1:] + ".") for verdict, meaning in VERDICTS.items()),
    ("probe", "One question put to a verifier, such as: does an empty file at the named path earn the reward?"),
    ("attempt", "One execution of a probe in a fresh sandbox, with a receipt of what was done there."),
    ("finding", "A claim about one environment, backed by attempts that were run. Nothing is accused on a hint."),
    ("cause", "The name of the defect, from one fixed table that the catalog, the labels and this page share."),
    ("rollout-visible", "An agent could come upon it from the instruction and the image alone. Such findings rank "
                        "environments; privileged ones, which need the tests, are only reported."),
    ("quality", "From 0 to 1: how likely the verifier is to pay for right work and for nothing else."),
    ("sound 93 %", "How likely the environment is sound, by a model fitted to labelled ones. It ranks, and decides "
                   "nothing."),
    ("subset", "What the filter kept: sound environments first, resisted ones only below them, always strictly under "
               "the share that was asked for."),
    ("mark", "A person's word on an environment. It overrules the machine and is always shown."),
)
"""The words of the page, in reading order."""

GROUP_LIMIT = 60
"""Domains, and verifier kinds, that the page shows."""


def write_page(catalog: Catalog, path: Path) -> Path:
    """Write the page about ``catalog`` to ``path`` and return its absolute path.

    Raises:
        RiverError: the catalog cannot be read, or the file cannot be written.
    """
    from datetime import UTC, datetime

    from river_envs import __version__
    from river_envs.report.gather import gather

    facts = gather(catalog, catalog.content_hash())
    made = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return save(render(facts, catalog=catalog.path, made=made, version=__version__), path)


def render(facts: Report, *, catalog: Path, made: str, version: str) -> str:
    """The page as text.

    Args:
        facts: what to show.
        catalog: the catalog's path as the user typed it; it goes into the commands that the page offers.
        made: when the page was made, as text.
        version: of river-envs.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    templates = Environment(
        loader=PackageLoader("river_envs.report", "."),
        undefined=StrictUndefined,
        autoescape=True,
        finalize=lambda value: value if isinstance(value, Markup) or not isinstance(value, str) else visible(value),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters.update(
        line=lambda value, limit: one_line(str(value), limit),
        excerpt=lambda value, limit: excerpt(str(value), limit),
        number=lambda value: f"{value:,}",
        percent=percent,
        percent_below=percent_below,
        plural=plural,
    )
    css, script = _own("page.css.j2"), _own("page.js.j2")
    return templates.get_template("page.html.j2").render(
        facts=facts,
        headline=headline(facts),
        catalog=shlex.quote(str(catalog)),
        catalog_name=catalog.name,
        made=made,
        version=version,
        css=Markup(css),
        script=Markup(script),
        policy=_policy(css, script),
        order=list(VERDICTS),
        verdicts=VERDICTS,
        claims=_by_claim(facts.causes),
        claim_meanings=CLAIMS,
        most=max((cause.environments for cause in facts.causes), default=0),
        words=WORDS,
        detailed={detail.environment["id"] for detail in facts.details},
        group_limit=GROUP_LIMIT,
    )


def save(text: str, path: Path) -> Path:
    """Write the page whole or not at all; returns its absolute path.

    Raises:
        RiverError: the file cannot be written.
    """
    path = path.absolute()
    partial = path.with_name(f".{path.name}.partial-{os.getpid()}")
    try:
        if path.is_dir():
            raise RiverError(f"{path} is a directory; give -o the name of a file, for example {path.name}/report.html.")
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    except OSError as error:
        raise RiverError(f"Cannot write {path}: {error.strerror or error}; choose another -o.") from error
    finally:
        if partial.exists():
            partial.unlink()
    return path


def headline(facts: Report) -> str:
    """The one sentence that a reader takes away."""
    if not facts.total:
        return "This catalog is empty"
    if not facts.audited:
        return f"{plural(facts.total, 'environment')}, none audited yet"
    defective, sound = facts.states.get("defective", 0), facts.states.get("sound", 0)
    audited = plural(facts.audited, "audited environment")
    first = f"{defective:,} of {audited} {'has' if defective == 1 else 'have'} a proven defect"
    if not defective:
        first = f"No defect was proved in {audited}"
    return f"{first}; {sound:,} {'is' if sound == 1 else 'are'} sound"


def _by_claim(causes: tuple[CauseCount, ...]) -> list[tuple[str, list[CauseCount]]]:
    """Causes grouped by claim, in the order of ``CLAIMS``; claims that this version does not know come last."""
    order = [*CLAIMS, *sorted({cause.claim for cause in causes} - set(CLAIMS))]
    grouped = [(claim, [cause for cause in causes if cause.claim == claim]) for claim in order]
    return [(claim, rows) for claim, rows in grouped if rows]


def _policy(css: str, script: str) -> str:
    own = f"style-src {_source(css)}; script-src {_source(script)}"
    return f"default-src 'none'; {own}; base-uri 'none'; form-action 'none'"


def _source(text: str) -> str:
    """A content security policy source that matches exactly ``text``."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _own(name: str) -> str:
    return resources.files("river_envs.report").joinpath(name).read_text(encoding="utf-8")

