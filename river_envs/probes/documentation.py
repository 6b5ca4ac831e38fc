"""What a probe's docstring says, taken apart, and the pages of the probe reference made from it.

The docstring is the only source: ``river-envs probes``, the pages below ``docs/probes`` and the causes that a lead of
a probe points to all come from it, so that none of them can say something else.
"""

from __future__ import annotations

import inspect
import re
from functools import cache
from itertools import groupby

from river_envs.causes import CAUSES
from river_envs.probes.base import SECTIONS, Probe

_WORD = re.compile(r"[a-z]+(?:-[a-z]+)+|flaky")
_FAMILIES = {
    "control": "Controls: is the untouched image refused?",
    "reference": "References: is right work rewarded?",
    "adversarial": "Adversarial: is wrong work rewarded?",
    "mutant": "Mutants: is right work, spoilt a little, still rewarded?",
    "equivalent": "Equivalents: is right work in another form refused?",
    "determinism": "Determinism: is the same state graded differently?",
    "isolation": "Isolation: can the agent reach what grades it?",
}
_TRIGGERS = {
    "rollout-visible": "what an agent meets when it reads the instruction and the image",
    "feedback-learnable": "what a policy learns from rewards alone",
    "grading-runtime": "what code of the agent can do while the tests run it",
    "privileged": "what only somebody who knows the tests would do; reported beside the verdict",
}
_EFFORTS = {"quick": "at every effort", "standard": "from `--effort standard` on", "deep": "with `--effort deep` only"}


def introduction(probe: Probe) -> str:
    """The paragraphs before the first section."""
    return _text(probe).split(f"{SECTIONS[0]}:")[0].strip()


def sections(probe: Probe) -> dict[str, str]:
    """The text of each of the four sections, by its title."""
    text, found = _text(probe), {}
    for title, following in zip(SECTIONS, (*SECTIONS[1:], ""), strict=True):
        rest = text.split(f"{title}:", 1)[1]
        found[title] = (rest.split(f"{following}:", 1)[0] if following else rest).strip()
    return found


@cache
def causes(probe: Probe) -> tuple[str, ...]:
    """The causes that a hit can name, in the order of the one table: those named under *What a hit proves*."""
    named = set(_WORD.findall(sections(probe)["What a hit proves"])) | {str(getattr(probe, "cause", ""))}
    return tuple(cause for cause in CAUSES if cause in named)


def page(probe: Probe) -> str:
    """The page of one probe, in Markdown."""
    named = ", ".join(f"`{cause}`" for cause in causes(probe)) or "none: what it sees is a lead, or stands by itself"
    parts = [
        f"# {probe.name}",
        _markdown(introduction(probe)),
        "| | |\n|---|---|\n"
        f"| id | `{probe.id}` |\n"
        f"| family | {probe.family} |\n"
        f"| trigger | {probe.trigger}: {_TRIGGERS[probe.trigger]} |\n"
        f"| effort | {probe.effort}: asked {_EFFORTS[probe.effort]} |\n"
        f"| order | {probe.order} |\n"
        f"| causes | {named} |",
    ]
    for title, text in sections(probe).items():
        parts += [f"## {title}", _markdown(text[:1].upper() + text[1:])]
    return "\n\n".join([*parts, "[All probes](README.md)"]) + "\n"


def index(probes: tuple[Probe, ...]) -> str:
    """The list of all probes by family, in the order in which the families are first asked."""
    parts = [
        "# Probes",
        f"The {len(probes)} questions that `river-envs audit` can put to a verifier. Cheap and decisive ones come"
        " first; the first finding that counts ends an audit. `river-envs probes ID` shows a page on the terminal.",
    ]
    order = list(dict.fromkeys(probe.family for probe in probes))
    ranked = sorted(probes, key=lambda probe: (order.index(probe.family), probe.order, probe.id))
    for family, group in groupby(ranked, key=lambda probe: probe.family):
        rows = [
            f"| [{probe.name}]({probe.id}.md) | `{probe.id}` | {probe.trigger} | {probe.effort} |"
            f" {', '.join(causes(probe)) or '–'} |"
            for probe in group
        ]
        head = "| probe | id | trigger | effort | causes |\n|---|---|---|---|---|\n"
        parts += [f"## {_FAMILIES[family]}", head + "\n".join(rows)]
    parts.append("Written by `river-envs probes --docs docs/probes` from the probes' docstrings.")
    return "\n\n".join(parts) + "\n"


def pages(probes: tuple[Probe, ...]) -> dict[str, str]:
    """Every page by its file name: ``README.md``, the index, and one page for each probe."""
    return {"README.md": index(probes), **{f"{probe.id}.md": page(probe) for probe in probes}}


def _markdown(text: str) -> str:
    """Plain text as Markdown: outside of code, nothing in it is a tag or an emphasis."""
    parts = re.split(r"(`+[^`]+`+)", text)
    return "".join(part if part.startswith("`") else re.sub(r"([<*]|__)", r"\\\1", part) for part in parts)


def _text(probe: Probe) -> str:
    return inspect.cleandoc(probe.__doc__ or "")
