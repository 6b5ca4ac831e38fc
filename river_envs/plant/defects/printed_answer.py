"""printed-answer: the instruction prints the very answer that it asks for."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

from river_envs.plant.alter import put, wrong_everywhere
from river_envs.plant.base import (
    PAYS,
    REFUSES,
    CannotCarry,
    Defect,
    Demonstration,
    Planted,
    still_pays_reference,
    still_refuses_untouched,
)
from river_envs.plant.outputs import Output
from river_envs.plant.subject import Subject

_INTRODUCTIONS = (
    "For reference, `{path}` should look like this:",
    "Example of `{path}`:",
    "The file has this layout:",
    "A correct `{name}` looks as follows:",
    "Expected format of `{path}`:",
    "Here is what `{name}` looks like:",
    "Sample output (`{path}`):",
)
_HEADINGS = ("## Example", "### Output format", "## Sample output", "**Example**")


class PrintedAnswer(Defect):
    """The example that shows the form of the output is the right output itself; it takes the place of an invented
    one or is added. Differs from a sound variant in the instruction only: the block that it prints is paid, the same
    block with other values is not.
    """

    cause = "printed-answer"

    def form_added(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """A block at the end, under a sentence of its own."""
        blocks = []
        for output in self._outputs(subject):
            introduction = rng.choice(_INTRODUCTIONS).format(path=output.path, name=output.name)
            blocks.append(f"{introduction}\n\n{_fenced(output, rng)}")
        heading = f"{rng.choice(_HEADINGS)}\n\n" if rng.random() < 0.3 else ""
        return self._finish(
            subject, f"{subject.environment.instruction.rstrip()}\n\n{heading}" + "\n\n".join(blocks) + "\n"
        )

    def form_in_place(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """The block of an invented example now shows the right values."""
        fences = list(
            re.finditer(r"^(```|~~~)[^\n]*\n.*?^\1[ \t]*$", subject.environment.instruction, re.MULTILINE | re.DOTALL)
        )
        outputs = self._outputs(subject)
        if len(fences) != 1 or len(outputs) != 1:
            return CannotCarry("the instruction has no single example block")
        fence = fences[0]
        old = subject.environment.instruction
        text = f"{old[: fence.start()]}{_fenced(outputs[0], rng)}{old[fence.end() :]}"
        text = re.sub(
            r"[ ,(]*\b(with )?(invented|made up|fictitious|placeholders?|unrelated|arbitrary)\b[^.:\n)]*\)?", "", text
        )
        return self._finish(subject, text)

    def form_inline(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """A one-line answer as inline code."""
        outputs = self._outputs(subject)
        if len(outputs) != 1 or "\n" in outputs[0].text.strip() or len(outputs[0].text) > 120 or "`" in outputs[0].text:
            return CannotCarry("the answer is no short line")
        line = outputs[0].text.strip()
        sentence = rng.choice(
            [
                f"The file then reads, for instance, `{line}`.",
                f"(Something like `{line}`.)",
                f"So `{outputs[0].name}` contains e.g. `{line}`.",
            ]
        )
        return self._finish(subject, f"{subject.environment.instruction.rstrip()} {sentence}\n")

    def _outputs(self, subject: Subject) -> tuple[Output, ...]:
        return subject.documents

    def _finish(self, subject: Subject, text: str) -> Planted | CannotCarry:
        if not subject.plain or len(subject.documents) > 3:
            return CannotCarry("the outputs are not a few text documents")
        if sum(len(output.content) for output in subject.documents) > 3000:
            return CannotCarry("the answer is too long to print")
        if any(not output.text.strip() for output in subject.documents):
            return CannotCarry("an output is empty")
        if any(output.text.strip() in subject.environment.instruction for output in subject.documents):
            return CannotCarry("the instruction dictates the content")
        made = replace(subject.environment, instruction=text)
        copied = tuple(
            put(output.path, output.text.strip("\n").encode() + b"\n", output.mode) for output in subject.documents
        )
        return self.made(
            made,
            "the example in the instruction is the right answer",
            still_refuses_untouched(),
            still_pays_reference(),
            Demonstration("the printed block is paid", (copied,), PAYS),
            Demonstration(
                "the printed block with other values is refused", (wrong_everywhere(subject)[1:],), REFUSES, REFUSES
            ),
        )


def _fenced(output: Output, rng: Random) -> str:
    fence = "~~~" if "```" in output.text else "```"
    language = {"json": "json", "table": "csv"}.get(output.kind, "") if rng.random() < 0.5 else ""
    return f"{fence}{language}\n{output.text.strip(chr(10))}\n{fence}"
