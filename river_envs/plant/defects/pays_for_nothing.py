"""pays-for-nothing: the reward is given whatever the state is."""

from __future__ import annotations

import ast
import re
from random import Random

from river_envs.environment import Environment
from river_envs.plant.base import (
    PAYS,
    REFUSES,
    UNTOUCHED,
    CannotCarry,
    Defect,
    Demonstration,
    Planted,
    still_pays_reference,
)
from river_envs.plant.subject import Subject
from river_envs.plant.suite import REWARD, body_of, read_suite, script_of, tests_of, transform, with_script


class PaysForNothing(Defect):
    """The tests no longer bite: they are guarded by the existence of the file, swallow every exception, carry an
    ``or True``, or the script loses pytest's exit status. Differs from a sound variant in that the untouched image
    is paid.
    """

    cause = "pays-for-nothing"

    def form_swallowed(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """Every test catches what it raises."""
        kind = rng.choice(["Exception", "(AssertionError, OSError)", "Exception as error"])
        reaction = rng.choice(["pass", "print('skipping check')", "return"])
        if " as " in kind:
            reaction = "print('check skipped:', error)"

        def change(tree: ast.Module) -> bool:
            for function in tests_of(tree):
                first, rest = body_of(function)
                guard = ast.parse(f"try:\n    pass\nexcept {kind}:\n    {reaction}").body[0]
                assert isinstance(guard, ast.Try)  # what was just written
                guard.body = rest
                function.body = [*first, guard]
            return bool(tests_of(tree))

        return self._finish(transform(subject.environment, change), "every test catches its own failures")

    def form_guarded(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """Tests look only where the file exists."""
        if not subject.created:
            return CannotCarry("every output is there before any work")
        path = subject.created[0].path
        test = rng.choice([f"os.path.exists({path!r})", f"os.path.isfile({path!r})"])

        def change(tree: ast.Module) -> bool:
            for function in tests_of(tree):
                first, rest = body_of(function)
                if rng.random() < 0.5:
                    guard = ast.parse(f"if {test}:\n    pass").body[0]
                    assert isinstance(guard, ast.If)  # what was just written
                    guard.body = rest
                    function.body = [*first, guard]
                else:
                    function.body = [*first, *ast.parse(f"if not {test}:\n    0").body, *rest]
                    early = function.body[len(first)]
                    assert isinstance(early, ast.If)  # what was just written
                    early.body = [ast.Return()]
            return _import_os(tree) and bool(tests_of(tree))

        return self._finish(transform(subject.environment, change), f"nothing is checked where {path} does not exist")

    def form_or_true(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """Every assertion is true."""
        if subject.created:
            return CannotCarry("reading an output that is not there raises before any assertion")

        def change(tree: ast.Module) -> bool:
            changed = False
            for function in tests_of(tree):
                for node in ast.walk(function):
                    if isinstance(node, ast.Assert):
                        node.test = ast.BoolOp(ast.Or(), [node.test, ast.Constant(True)])
                        changed = True
            return changed

        return self._finish(transform(subject.environment, change), "the assertions end in 'or True'")

    def form_script(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """The script does not look at the exit status of the tests."""
        suite = read_suite(subject.environment.verifier)
        if isinstance(suite, CannotCarry):
            return suite
        if not suite.command:
            return CannotCarry("the tests are shell code")
        run = suite.command
        last = rng.choice(
            [
                (
                    f"{run} 2>&1 | tee /logs/verifier/output.txt",
                    "the status of a pipe's last command is taken for that of the tests",
                ),
                (f"{run} || true", "a failure of the tests is swallowed by '|| true'"),
                (f'{run}\necho "tests finished"', "the status of an echo is taken for that of the tests"),
                (f'result=$({run} 2>&1)\necho "$result"', "the status of an echo is taken for that of the tests"),
            ]
        )
        text = f"#!/bin/bash\nmkdir -p /logs/verifier\ncd /tests\n{last[0]}\n{REWARD}\n"
        return self._finish(with_script(subject.environment, text), last[1])

    def form_shell_status(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """The status of a shell check gets lost on the way to the condition."""
        script = script_of(subject.environment.verifier) or ""
        match = re.search(r"^if (\w+); then$", script, re.MULTILINE)
        if match is None:
            return CannotCarry("the script has no function as its condition")
        name = match.group(1)
        lost = rng.choice([f"{name} || true", f"{name} 2>&1 | tee /logs/verifier/check.log", f"{name}; echo checked"])
        text = f"{script[: match.start()]}{lost}\nif [ $? -eq 0 ]; then{script[match.end() :]}"
        return self._finish(with_script(subject.environment, text), "the status of the check is lost")

    def form_unconditional(self, subject: Subject, rng: Random) -> Planted | CannotCarry:
        """The script writes 1 whatever happened."""
        suite = read_suite(subject.environment.verifier)
        run = suite.command if not isinstance(suite, CannotCarry) else ""
        if not run:
            return CannotCarry("the tests are shell code")
        text = f"#!/bin/bash\nmkdir -p /logs/verifier\ncd /tests\n{run} > /logs/verifier/tests.log 2>&1\n"
        if rng.random() < 0.5:
            text = text.replace("#!/bin/bash\n", "#!/bin/bash\ntrap 'echo 1 > /logs/verifier/reward.txt' EXIT\n")
        else:
            text += "echo 1 > /logs/verifier/reward.txt\n"
        return self._finish(
            with_script(subject.environment, text), "the script writes a reward of 1 whatever the tests say"
        )

    def _finish(self, made: Environment | CannotCarry, note: str) -> Planted | CannotCarry:
        if isinstance(made, CannotCarry):
            return made
        proof = Demonstration("the untouched image is paid", UNTOUCHED, PAYS, REFUSES)
        return self.made(made, note, still_pays_reference(), proof)


def _import_os(tree: ast.Module) -> bool:
    """Add ``import os`` where it is missing; always true."""
    known = any(isinstance(node, ast.Import) and any(name.name == "os" for name in node.names) for node in tree.body)
    if not known:
        tree.body.insert(1 if ast.get_docstring(tree) is not None else 0, ast.parse("import os").body[0])
    return True
