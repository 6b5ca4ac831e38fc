"""Adversarial: constant answers where a threshold is to be reached."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from river_envs.environment import Environment
from river_envs.probes import wording
from river_envs.probes.asked import Asked, asked, determined, filled, hand_in, row_scripts
from river_envs.probes.base import Attempt, Background, Judgement, NotApplicable, Probe, Put, Result, Run, Survey
from river_envs.probes.fields import Field
from river_envs.probes.filling import Values
from river_envs.probes.proofs import contradicted, kept, second

FAR = (1, 987_654)


class DegenerateMetric(Probe):
    """Where predictions or a fit are judged by a threshold, constants are handed in.

    What it does: gives every row the same class (the first of the training file, where the instruction names one with
    that column) or the number 1, fills stated parameters with 1, grades; if that is rewarded, the same with another
    class or with 987654.

    What a hit proves: two constant answers that exclude each other both reach a threshold that at most one of them can
    reach (shape-only): no row can belong to both classes, no curve lies near both constants.

    What it cannot show: thresholds below one half; a threshold that one constant truly reaches, which is easy but no
    defect. Silent where no threshold is stated.

    Seen in the wild: "every prediction is a known class", "the score file holds a number above the threshold".
    """

    id = "degenerate-metric"
    name = "Constant predictions"
    family = "adversarial"
    trigger = "rollout-visible"
    version = 1
    order = 38
    effort = "standard"

    def plan(self, environment: Environment, survey: Survey) -> Sequence[Attempt] | NotApplicable:
        """The first constant; the second is kept in its facts."""
        silent = determined(environment, survey)
        if silent:
            return silent
        if not wording.has_metric(environment.instruction) and not wording.has_tolerance(environment.instruction):
            return NotApplicable("no threshold is stated")
        if wording.low_threshold(environment.instruction):
            return NotApplicable("two constants may both reach a threshold below one half")
        outputs = asked(environment, survey)
        if not any(output.form for output in outputs):
            return NotApplicable("the prose states no form of an output")
        arms = []
        for arm in (0, 1):
            values = _constant(arm)
            contents, scripts = filled(outputs, values, arm + 1), row_scripts(outputs, values)
            actions = hand_in(environment, survey, contents, scripts)
            if not wording.has_error(environment.instruction):
                actions = self._with_classes(actions, outputs, survey, arm)
            arms.append((contents, actions))
        (contents, first), (others, other) = arms
        if first == other or (contents == others and not any(isinstance(action, Run) for action in first)):
            return NotApplicable("the form has no place for a value that could differ")
        return [
            self.attempt(
                environment,
                *first,
                question="Do two constant answers both reach the threshold?",
                answers=contents,
                other=kept(other),
                other_answers=others,
            )
        ]

    def _with_classes(
        self, actions: Sequence[Put | Run], outputs: Sequence[Asked], survey: Survey, arm: int
    ) -> tuple[Put | Run, ...]:
        """The actions, behind them one that replaces the constant in the last column by a class of the training file,
        where a table of the image has a column of that name (for plain lines: its last column).
        """
        scripts: list[Put | Run] = []
        tables = [entry.path for entry in survey.listing if entry.path.endswith((".csv", ".tsv")) and entry.size]
        for output in outputs:
            form = output.form
            if form is None or form.per is None or not row_scripts([output], _constant(arm)):
                continue
            sources = [path for path in tables if path not in {output.path, form.per}][:40]
            column = form.fields[-1].name if form.kind == "csv" else ""
            scripts.append(Run(_classes(output.path, column, form.separator, sources, arm)))
        return (*actions, *scripts)

    def more(self, environment: Environment, results: Sequence[Result], background: Background) -> Sequence[Attempt]:
        """The other constant, once the first was rewarded."""
        return second(self, environment, results, "Is another constant, far from the first, rewarded as well?")

    def enough(self, results: Sequence[Result]) -> bool:
        """Never: one constant may truly reach the threshold."""
        return False

    def judge(self, environment: Environment, results: Sequence[Result], background: Background) -> Judgement:
        """Both rewarded: shape-only."""
        message = "Two constant answers that cannot both reach the threshold are both rewarded."
        advice = "Compute the metric against held-out truth, and set the threshold above what constants reach."
        return contradicted(self, environment, results, background, message, advice)


def _constant(arm: int) -> Values:
    def value(field: Field, row: int) -> object:
        match field.type:
            case "integer" | "number":
                return float(FAR[arm]) if field.type == "number" else FAR[arm]
            case "boolean":
                return arm == 0
            case "list":
                return []
            case "object":
                return {}
            case _:
                return ("alpha", "bravo")[arm]

    return value


def _classes(target: str, column: str, separator: str, sources: Sequence[str], arm: int) -> str:
    """A shell script: the ``arm``-th different value of the column ``column`` ("": the last one) of the first table
    that has it replaces the last column of ``target``. It changes nothing where there is none.
    """
    place = f'for (i = 1; i <= NF; i++) if ($i == "{column}") c = i' if column else "c = NF > 1 ? NF : 0"
    find = f"FNR == 1 {{ c = 0; if (!found) {{ {place} }}; if (c) found = 1; next }} c && !seen[$c]++ {{ print $c }}"
    files = " ".join(shlex.quote(path) for path in sources) or "/dev/null"
    change = "NR > 1 { $NF = value } { print }" if column else "{ print value }"
    quoted = shlex.quote(target)
    inside, outside = shlex.quote(separator if column else ","), shlex.quote(separator)
    return (
        f"value=$(awk -F {inside} {shlex.quote(find)} {files} | tr -d '\\r' | sort | sed -n '{arm + 1}p'); "
        f'[ -z "$value" ] || {{ awk -F {outside} -v OFS={outside} -v value="$value" {shlex.quote(change)} '
        f"{quoted} > {quoted}.new && mv {quoted}.new {quoted}; }}"
    )
