"""The dataset card of a subset: a README.md that says what was kept, what was not, and how the mix moved.

The YAML header follows the Hugging Face convention, so that the directory can be uploaded as it is. Everything that an
environment wrote is escaped for Markdown and for HTML, because card viewers render both.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from river_envs.report.text import one_line, percent, percent_below
from river_envs.selection.choose import Decision, counts
from river_envs.selection.gates import GROUNDS
from river_envs.selection.manifest import SCHEMA, Header
from river_envs.selection.mix import mix

LISTED = 50
"""Marks shown in the card; the manifest has all of them."""

SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
"""The names that Hugging Face gives to numbers of rows, with their upper bounds."""


def card(header: Header, decisions: Sequence[Decision]) -> str:
    """The text of README.md."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    templates = Environment(
        loader=PackageLoader("river_envs.selection", "."),
        undefined=StrictUndefined,
        autoescape=False,  # Markdown: names go through the md filter, code blocks through the code filter
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    templates.filters.update(md=escape, code=_code, percent=percent, percent_below=percent_below)
    kept = [decision for decision in decisions if decision.kept]
    return templates.get_template("card.md.j2").render(
        header=header,
        schema=SCHEMA,
        front_matter=_front_matter(header, len(kept)),
        total=len(decisions),
        kept=kept,
        tiers=Counter(decision.tier for decision in kept),
        grounds=[(ground, GROUNDS[ground], number) for ground, number in counts(decisions).items()],
        causes=Counter(
            cause for decision in decisions if not decision.kept for cause in decision.candidate.causes
        ).most_common(),
        mixes=[("Domain", mix(decisions, "domain")), ("Verifier kind", mix(decisions, "verifier_kind"))],
        marked=[decision for decision in decisions if decision.candidate.mark],
        listed=LISTED,
    )


def escape(value: object) -> str:
    """``value`` on one line, with nothing in it that Markdown, a table or HTML would act on."""
    text = one_line(str(value)).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = re.sub(r"([\\`*_\[\]|~$])", r"\\\1", text)
    return re.sub(r"(?i)\b(https?|ftp|www)(?=[:.])", r"\1&#8203;", text)


def _code(value: object) -> str:
    """``value`` for an indented code block: one line, so that it cannot end the block."""
    return one_line(str(value), 2000)


def _front_matter(header: Header, kept: int) -> str:
    import yaml

    size = next((name for bound, name in SIZES if kept < bound), "n>1M")
    content: dict[str, Any] = {
        "pretty_name": "Terminal-agent environments with an honest reward",
        "task_categories": ["reinforcement-learning"],
        "tags": ["reinforcement-learning", "terminal-agents", "harbor", "river-envs"],
        "size_categories": [size],
        "configs": [{"config_name": "manifest", "data_files": "manifest.parquet"}],
        "river_envs": {"keep": header.keep, "tier": header.tier, "seed": header.seed, "catalog": header.catalog_hash},
    }
    text: str = yaml.safe_dump(content, sort_keys=False, allow_unicode=True)
    return text
