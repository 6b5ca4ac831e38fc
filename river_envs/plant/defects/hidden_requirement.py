"""hidden-requirement: the verifier demands something that the instruction never says."""

from __future__ import annotations

from random import Random

from river_envs.plant.alter import quoted
from river_envs.plant.base import (
    PAYS,
    REFUSES,
    RESTORED,
    CannotCarry,
    Defect,
    Demonstration,
    Planted,
    still_refuses_untouched,
)
from river_envs.plant.outputs import Output
from river_envs.plant.reference import append_to_reference
from river_envs.plant.sheet import Sheet
from river_envs.plant.subject import Subject
from river_envs.plant.suite import add_checks
from river_envs.probes.base import Solve


class HiddenRequirement(Defect):
    """An assertion about something unstated is added to the sound tests: a further file, a file mode, a further key,
    a header line, an option of the program. In some variants the reference was made to fit, in others not. Differs
    from a sound variant in that the state which the original's reference left, and which is all that was asked for,
    is refused.
    """

    cause = "hidden-requirement"

    def form_further_file(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """A file that nobody asked for."""
        name = rng.choice(
            ["README.md", "run.log", "SUMMARY.txt", ".done", "metadata.json", "CHANGELOG.md", "notes.txt"]
        )
        path = f"{subject.workdir}/{name}"
        if name in subject.environment.instruction or path in {output.path for output in subject.outputs}:
            return CannotCarry(f"{name} is named")
        sheet = Sheet(rng)
        lines = [f"assert {sheet.exists(path)}{sheet.say(f'{name} is missing')}"]
        sheet.check(
            rng.choice(["documentation_present", "log_written", "companion_file"]), lines, "The run left its traces."
        )
        return self._finish(
            subject, rng, sheet, f"{path} has to exist, which the instruction does not say", f"echo ok > {quoted(path)}"
        )

    def form_mode(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """A mode that nobody asked for."""
        if not subject.outputs or any(
            word in subject.words for word in ("chmod", "mode", "permissions", "permission", "executable")
        ):
            return CannotCarry("the instruction speaks of modes")
        output = rng.choice(subject.outputs)
        mode = rng.choice([0o600, 0o640, 0o444] if output.kind != "program" else [0o700, 0o750])
        if output.mode & 0o777 == mode:
            return CannotCarry("the reference has that mode already")
        sheet = Sheet(rng)
        sheet.need("os", "stat")
        lines = [
            f"assert stat.S_IMODE(os.stat({output.path!r}).st_mode) == {oct(mode)}{sheet.say('wrong permissions')}"
        ]
        sheet.check(f"{output.stem}_permissions", lines, f"{output.name} has safe permissions.")
        return self._finish(
            subject,
            rng,
            sheet,
            f"{output.path} has to have mode {mode:o}, which the instruction does not say",
            f"chmod {mode:o} {quoted(output.path)}",
        )

    def form_further_key(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """A key that nobody asked for."""
        documents = [output for output in subject.documents if isinstance(output.value, dict)]
        key, value = rng.choice(
            [("version", 1), ("schema", "v1"), ("generated_by", "agent"), ("status", "ok"), ("format_version", 2)]
        )
        if not documents or key in subject.words:
            return CannotCarry("no output is a JSON object without that key")
        output = rng.choice(documents)
        sheet = Sheet(rng)
        lines = [*sheet.load(output), f"assert data.get({key!r}) == {value!r}{sheet.say('metadata missing')}"]
        sheet.check(f"{output.stem}_metadata", lines, f"{output.name} carries its metadata.")
        return self._finish(subject, rng, sheet, f"the key {key!r} is asserted but stated nowhere", None)

    def form_further_line(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """A header or a total that nobody asked for."""
        documents: list[Output] = [output for output in subject.documents if output.kind in ("lines", "table")]
        if not documents:
            return CannotCarry("no output has lines")
        output = rng.choice(documents)
        sheet = Sheet(rng)
        start = rng.choice(["# generated", "# total:", "TOTAL", "# end of report"])
        place = "[0]" if start == "# generated" else "[-1]"
        lines = [
            f"lines = {sheet.text(output)}.splitlines()",
            f"assert lines{place}.startswith({start!r}){sheet.say('line missing')}",
        ]
        sheet.check(f"{output.stem}_layout", lines, f"{output.name} is complete.")
        return self._finish(subject, rng, sheet, f"a line starting with {start!r} is asserted but stated nowhere", None)

    def form_option(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """An option of the program that nobody asked for."""
        if len(subject.programs) != 1 or not subject.observed.calls:
            return CannotCarry("the output is not one program that the tests call")
        program, call = subject.programs[0], subject.observed.calls[0]
        option = rng.choice(["--version", "--help", "--self-test"])
        if option in subject.environment.instruction:
            return CannotCarry(f"{option} is named")
        sheet = Sheet(rng)
        sheet.need("subprocess")
        wanted = {"--version": "1.", "--help": "usage", "--self-test": "ok"}[option]
        lines = [
            f"command = {[call.interpreter, program.path, option]!r}",
            'done = subprocess.run(command, input="", capture_output=True, text=True, timeout=30)',
            "assert done.returncode == 0",
            f"assert {wanted!r} in done.stdout.lower(){sheet.say(f'{option} is not supported')}",
        ]
        sheet.check(f"supports_{option.strip('-').replace('-', '_')}", lines, f"The program knows {option}.")
        return self._finish(subject, rng, sheet, f"the option {option} is asserted but stated nowhere", None)

    def _finish(self, subject: Subject, rng: Random, sheet: Sheet, note: str, fit: str | None) -> Planted | CannotCarry:
        made = add_checks(subject.environment, sheet)
        if isinstance(made, CannotCarry):
            return made
        proof = Demonstration("the state that is all that was asked for is refused", RESTORED, REFUSES, PAYS)
        if fit and rng.random() < 0.5:
            fitted = append_to_reference(made, fit)
            if not isinstance(fitted, CannotCarry):
                solved = Demonstration("the reference, made to fit, is paid", ((Solve(),),), PAYS)
                return self.made(fitted, f"{note}; the reference has it", still_refuses_untouched(), solved, proof)
        return self.made(made, note, still_refuses_untouched(), proof)
