"""Wording: the same requirements as a ticket, a mail, prose, numbered steps or headed notes.

A family hands over complete sentences, alternatives of a sentence as a tuple; :func:`brief` chooses among them and lays
them out. The example is optional in every layout, so the sentences must say all that the tests demand.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

Sentence = str | tuple[str, ...]

_GREETINGS = ("Hi,", "Hello,", "Good morning,", "Hey there,")
_THANKS = ("Thanks!", "Thank you.", "Cheers", "Much appreciated.", "Best regards,\nthe platform team")
_CONTEXT = (
    "This came out of the last handover and nobody has found the time for it.",
    "Another team consumes the result, so please stick to what is written here.",
    "We used to do this by hand, which went wrong more than once.",
    "There is no internet access on this machine; what is installed is all there is.",
    "Use whatever tools you like, as long as the end state is as described.",
    "How you get there is up to you.",
)
_CAPTIONS = (
    "For illustration, with invented values:",
    "The shape looks like this (the values are made up):",
    "An example of the form only, not of the content:",
    "Example with fictitious values:",
)
_OUTPUT_TITLES = ("Result", "Expected output", "Deliverable", "What to produce", "Output")
_FACT_TITLES = ("Details", "Rules", "What to do", "Requirements", "Specification")


def brief(
    rng: random.Random,
    title: str,
    opening: Sequence[str],
    facts: Sequence[Sentence],
    output: Sequence[Sentence],
    *,
    example: tuple[str, str] | None = None,
    table: Sequence[tuple[str, str]] = (),
) -> str:
    """An instruction. ``example`` is (language of the fence, text) and is shown in about two of three; ``table`` holds
    rows of a reference table (a field and its meaning).
    """
    pick: Callable[[Sentence], str] = lambda item: rng.choice(item) if isinstance(item, tuple) else item  # noqa: E731
    start = rng.choice(list(opening))
    said, wanted = [pick(item) for item in facts], [pick(item) for item in output]
    shown = _example(rng, example) if example and rng.random() < 0.66 else ""
    rows = _table(rng, table)
    context = rng.choice(_CONTEXT) if rng.random() < 0.4 else ""
    layout = rng.choice((_prose, _headed, _numbered, _ticket, _mail, _terse))
    text = layout(rng, title, start, said, wanted, rows, shown, context)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def _example(rng: random.Random, example: tuple[str, str]) -> str:
    language, text = example
    text = text.rstrip("\n")
    caption = rng.choice(_CAPTIONS)
    if "\n" not in text and len(text) < 70 and "`" not in text and rng.random() < 0.4:
        return f"{caption} `{text}`"
    fence = rng.choice(("```", "```", "~~~"))
    return f"{caption}\n\n{fence}{language if rng.random() < 0.7 else ''}\n{text}\n{fence}"


def _table(rng: random.Random, rows: Sequence[tuple[str, str]]) -> str:
    if not rows:
        return ""
    style = rng.randrange(3)
    if style == 0:
        head = rng.choice(("| name | meaning |", "| item | description |"))
        return "\n".join([head, "|---|---|", *(f"| `{name}` | {meaning} |" for name, meaning in rows)])
    if style == 1:
        return "\n".join(f"- `{name}`: {meaning}" for name, meaning in rows)
    return "\n".join(f"* **{name}** – {meaning}" for name, meaning in rows)


def _paragraph(sentences: Sequence[str]) -> str:
    return " ".join(sentences)


def _prose(rng, title, start, said, wanted, rows, shown, context) -> str:
    parts = [_paragraph([start, *said[:2]]), _paragraph(said[2:]), rows, _paragraph(wanted), shown, context]
    return "\n\n".join(part for part in parts if part)


def _headed(rng, title, start, said, wanted, rows, shown, context) -> str:
    mark = rng.choice(("-", "*"))
    lines = [f"# {title}", "", start, "", context, "", f"## {rng.choice(_FACT_TITLES)}", ""]
    lines += [f"{mark} {item}" for item in said]
    lines += ["", rows, "", f"## {rng.choice(_OUTPUT_TITLES)}", ""]
    lines += [f"{mark} {item}" for item in wanted] if rng.random() < 0.5 else [_paragraph(wanted)]
    return "\n".join([*lines, "", shown])


def _numbered(rng, title, start, said, wanted, rows, shown, context) -> str:
    steps = [f"{number}. {item}" for number, item in enumerate([*said, *wanted], 1)]
    return "\n\n".join(part for part in (start, "\n".join(steps), rows, shown, context) if part)


def _ticket(rng, title, start, said, wanted, rows, shown, context) -> str:
    lines = [f"**{title}**", "", f"**Summary:** {start}", "", f"**{rng.choice(_FACT_TITLES)}:**", ""]
    lines += [f"- {item}" for item in said]
    lines += ["", rows, "", "**Acceptance:**", "", *(f"- {item}" for item in wanted), "", shown]
    return "\n".join([*lines, "", f"_Note: {context}_" if context else ""])


def _mail(rng, title, start, said, wanted, rows, shown, context) -> str:
    parts = [rng.choice(_GREETINGS), _paragraph([start, context] if context else [start]), _paragraph(said), rows]
    return "\n\n".join(part for part in [*parts, _paragraph(wanted), shown, rng.choice(_THANKS)] if part)


def _terse(rng, title, start, said, wanted, rows, shown, context) -> str:
    return "\n\n".join(part for part in (start, "\n\n".join(said), rows, "\n\n".join(wanted), shown) if part)
