"""over-specific-form: the verifier insists on one way of writing the right values."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Callable
from random import Random

from river_envs.plant.alter import put
from river_envs.plant.base import (
    PAYS,
    REFUSES,
    Actions,
    CannotCarry,
    Defect,
    Demonstration,
    Planted,
    still_pays_reference,
    still_refuses_untouched,
)
from river_envs.plant.outputs import Output
from river_envs.plant.sheet import Sheet
from river_envs.plant.subject import Subject
from river_envs.plant.suite import add_checks
from river_envs.probes.base import Restore

Lines = Callable[[Sheet, Output], list[str] | None]


class OverSpecificForm(Defect):
    """An assertion about the bytes is added to the sound tests: exact text, digest, length, indentation, key order, the
    newline at the end. Differs from a sound variant in that the reference's own bytes are paid, and the same value
    written another way is refused.
    """

    cause = "over-specific-form"

    def form_exact_text(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """The whole text is compared."""

        def lines(sheet: Sheet, output: Output) -> list[str]:
            return [f"assert {sheet.text(output)} == {output.text!r}{sheet.say('content differs')}"]

        return self._plant(subject, rng, lines, most=1500, note="the text is compared as a whole")

    def form_digest(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """A digest of the file is compared."""
        kind = rng.choice(["sha256", "md5", "sha1"])

        def lines(sheet: Sheet, output: Output) -> list[str]:
            sheet.need("hashlib")
            data = f"open({output.path!r}, 'rb').read()"
            return [
                f"digest = hashlib.{kind}({data}).hexdigest()",
                f"assert digest == {hashlib.new(kind, output.content).hexdigest()!r}{sheet.say('digest mismatch')}",
            ]

        return self._plant(subject, rng, lines, note=f"the {kind} digest of the file is compared")

    def form_size(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """The size in bytes is compared."""

        def lines(sheet: Sheet, output: Output) -> list[str]:
            return [f"assert {sheet.size(output)} == {len(output.content)}{sheet.say('unexpected file size')}"]

        return self._plant(subject, rng, lines, note="the size of the file in bytes is compared")

    def form_layout(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """Indentation, separators, or the newline at the end."""

        def lines(sheet: Sheet, output: Output) -> list[str]:
            text = output.text
            if output.kind == "json" and text.strip().startswith(("{\n", "[\n")):
                start = text.strip().split('"')[0]
                return [f"assert {sheet.text(output)}.startswith({start!r}){sheet.say('not indented')}"]
            if output.kind == "json":
                return [f'assert "\\n" not in {sheet.text(output)}.strip(){sheet.say("not on one line")}']
            if text.endswith("\n"):
                return [f"assert {sheet.text(output)}.endswith({text[-3:]!r}){sheet.say('no newline at end of file')}"]
            return [f'assert not {sheet.text(output)}.endswith("\\n"){sheet.say("newline at end of file")}']

        return self._plant(subject, rng, lines, note="indentation or the end of the file is asserted")

    def form_key_order(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """The order of keys."""

        def lines(sheet: Sheet, output: Output) -> list[str] | None:
            value = output.value[0] if isinstance(output.value, list) and output.value else output.value
            if output.kind != "json" or not isinstance(value, dict) or len(value) < 2:
                return None
            first = "data[0]" if isinstance(output.value, list) else "data"
            return [*sheet.load(output), f"assert list({first}) == {list(value)!r}{sheet.say('unexpected keys')}"]

        return self._plant(subject, rng, lines, note="the order of the keys is asserted")

    def _plant(
        self, subject: Subject, rng: Random, lines: Lines, *, note: str, most: int = 1 << 20
    ) -> Planted | CannotCarry:
        documents = [output for output in subject.documents if len(output.content) <= most and output.content]
        if not documents:
            return CannotCarry("no text output of a fitting size")
        output = rng.choice(documents)
        sheet = Sheet(rng)
        written = lines(sheet, output)
        others = rewritings(output)
        if not written or not others:
            return CannotCarry("the output has no such form, or no other form")
        sheet.check(
            f"{output.stem}_{rng.choice(['format', 'exact', 'bytes', 'formatting'])}",
            written,
            f"{output.name} is as agreed.",
        )
        made = add_checks(subject.environment, sheet)
        if isinstance(made, CannotCarry):
            return made
        proof = Demonstration("the same value written another way is refused", others, REFUSES, PAYS)
        return self.made(made, f"{note} ({output.path})", still_refuses_untouched(), still_pays_reference(), proof)


def rewritings(output: Output) -> tuple[Actions, ...]:
    """The reference's state with the same value of ``output`` in other bytes."""
    forms: list[bytes] = []
    if output.kind == "json":
        value = output.value
        forms += [json.dumps(value, indent=4).encode(), json.dumps(value, separators=(",", ":")).encode()]
        forms.append(json.dumps(_reversed(value), indent=1).encode())
        forms.append(json.dumps(_reversed(value)).encode())
    if output.kind == "table":
        buffer = io.StringIO()
        csv.writer(buffer, delimiter=output.delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(
            output.value
        )
        forms.append(buffer.getvalue().encode())
    text = output.content
    forms.append(text.rstrip(b"\n") if text.endswith(b"\n") else text + b"\n")
    if output.kind != "json":
        forms += [text.rstrip(b"\n") + b"\n\n", text.replace(b"\n", b" \n")]
    return tuple((Restore(), put(output.path, form, output.mode)) for form in forms if form != text)


def _reversed(value: object) -> object:
    if isinstance(value, dict):
        return {key: _reversed(value[key]) for key in reversed(value)}
    return [_reversed(item) for item in value] if isinstance(value, list) else value
