"""What an environment asks for, seen by a probe: each data output with its stated form and its example.

Shared by the probes that fill forms in. Two questions decide whether values may be judged at all: whether the
instruction asks for values that follow from something, and whether it leaves them free.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from river_envs.environment import Environment, File
from river_envs.probes import instruction as text
from river_envs.probes import wording
from river_envs.probes.answers import alter
from river_envs.probes.artefacts import stub
from river_envs.probes.base import NotApplicable, Put, Run, Survey
from river_envs.probes.filling import Values, fill, rows_script
from river_envs.probes.output_format import Format, stated_format
from river_envs.probes.templates import has_places, templated

_HOLDS_DATA = frozenset("csv tsv json jsonl ndjson log txt xml db sqlite sql dat bin md parquet out gz ics vcf".split())  # noqa: SIM905


@dataclass(frozen=True)
class Asked:
    """One output that holds data: its path, the form that is stated for it, and the text of its example."""

    path: str
    form: Format | None
    example: str | None


def asked(environment: Environment, survey: Survey) -> tuple[Asked, ...]:
    """The data outputs of an environment, in order of appearance."""
    instruction = environment.instruction
    named = text.data_outputs(instruction, survey.listing, survey.workdir)
    sources = text.inputs(instruction, survey.listing, survey.workdir)
    found = []
    for path in named:
        blocks = [b for b in text.blocks(instruction, named) if b.path == path and b.role in {"example", "unclear"}]
        templates = [block.text for block in blocks if has_places(block.text)]
        examples = [block.text for block in blocks if block.text not in templates]
        form = stated_format(instruction, path, named, sources)
        if templates:
            template, fields = templated(templates[0].rstrip("\n"))
            form = Format("text", fields, template=template)
        found.append(Asked(path, form, examples[0] if examples else None))
    return tuple(found)


def accounts(environment: Environment, survey: Survey) -> tuple[str, ...]:
    """The paths (new, or old ones to append to) that are to tell of work whose effect is elsewhere; none where the
    instruction asks for no such work.
    """
    instruction = environment.instruction
    named = [path for path in text.paths(instruction, survey.workdir) if not path.endswith("/")]
    present = {entry.path: entry.kind for entry in survey.listing}
    new = text.data_outputs(instruction, survey.listing, survey.workdir)
    told = [
        path
        for path in named
        if wording.only_tells(instruction, path)
        and (path in new or (present.get(path) == "file" and wording.appends(instruction, path)))
    ]
    worked = [path for path in named if path not in told and (path in present or path in new)]
    return tuple(told) if worked and wording.asks_for_work(instruction) else ()


def determined(environment: Environment, survey: Survey) -> NotApplicable | None:
    """Why values may not be judged here, or None where the instruction asks for determined values."""
    if not text.asks_to_find(environment.instruction):
        return NotApplicable("the instruction does not ask for a value that has to be found")
    if not wording.asks_to_compute(environment.instruction) and not _data(environment, survey):
        return NotApplicable("the instruction names no data from which a value would follow")
    if text.leaves_free(environment.instruction):
        return NotApplicable("the instruction leaves values free: two answers may both be right")
    told = accounts(environment, survey)
    if told and all(
        path in told for path in text.data_outputs(environment.instruction, survey.listing, survey.workdir)
    ):
        return NotApplicable("the outputs only tell of work done elsewhere: the fabricated report asks that")
    return None


def _data(environment: Environment, survey: Survey) -> bool:
    """Whether the instruction names a directory or a file of the image that may hold data (no program, no setting)."""
    present = {entry.path: entry.kind for entry in survey.listing}
    named = [path.rstrip("/") for path in text.paths(environment.instruction, survey.workdir)]
    return any(
        present.get(path) == "directory" or (path in present and path.rsplit(".", 1)[-1].lower() in _HOLDS_DATA)
        for path in named
    )


def filled(outputs: Sequence[Asked], values: Values, salt: int, prose: str = "") -> dict[str, str]:
    """Path to content for the outputs whose form is known: the stated form with ``values``, or the example altered."""
    contents = {}
    for output in outputs:
        if output.form is not None:
            contents[output.path] = fill(output.form, values)
        elif output.example is not None:
            table = output.path.endswith((".csv", ".tsv"))
            contents[output.path] = alter(output.example, stated=prose, salt=salt, table=table)
    return contents


def row_scripts(outputs: Sequence[Asked], values: Values) -> dict[str, str]:
    """Path to script for the outputs that have one row for each row of an input."""
    return {
        output.path: rows_script(output.form, output.form.per, output.path, values)
        for output in outputs
        if output.form is not None and output.form.per is not None and output.form.kind in {"csv", "lines"}
    }


def hand_in(
    environment: Environment, survey: Survey, contents: Mapping[str, str], scripts: Mapping[str, str] | None = None
) -> tuple[Put | Run, ...]:
    """Actions that write ``contents``, stubs for every other file that is asked for, and run ``scripts``."""
    scripts = scripts or {}
    named = text.outputs(environment.instruction, survey.listing, survey.workdir)
    files = [path for path in named if not path.endswith("/") and path not in scripts]
    put = tuple(
        File(path.strip("/"), contents[path].encode()) if path in contents else stub(path)
        for path in dict.fromkeys([*files, *(path for path in contents if path not in scripts)])
    )
    actions: list[Put | Run] = [Put(put)] if put else []
    return (*actions, *(Run(script) for script in scripts.values()))


def as_reference(contents: Mapping[str, str], survey: Survey) -> bool:
    """Whether the reference leaves just these contents: then handing them in proves nothing."""
    if survey.reference is None or not contents:
        return False
    changes = {path: survey.reference.get(path) for path in contents}
    return all(
        change is not None and change.content.decode("utf-8", "replace").split() == contents[path].split()
        for path, change in changes.items()
    )
