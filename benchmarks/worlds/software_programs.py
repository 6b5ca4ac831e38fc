"""Software engineering: small programs written to a specification, judged on hidden inputs."""

from __future__ import annotations

import random

from . import pools
from .base import Task, family, fill, program
from .checks import suite
from .text import brief


@family("semver-resolver", domain="software_engineering", kind="fuzz_equivalence", skills=("versions", "parsing"),
        complexity="complex")
def semver_resolver(rng: random.Random) -> Task:
    """The highest version that satisfies a list of constraints."""
    path = f"{pools.root(rng)}/{rng.choice(('resolve', 'pick.py', 'semver'))}"
    none = rng.choice(("none", "-", "no match"))
    tilde = rng.random() < 0.5

    def parse(text: str) -> tuple[int, ...]:
        return tuple(int(part) for part in text.split("."))

    def fits(version: tuple[int, ...], rule: str) -> bool:
        if rule[0] == "^":
            want = parse(rule[1:])
            return version[0] == want[0] and version >= want
        if rule[0] == "~":
            want = parse(rule[1:])
            return (version[:2] == want[:2] if tilde else version[0] == want[0]
                and version[1] <= want[1] + 1) and version >= want
        sign = rule[:2] if rule[1] == "=" else rule[0]
        want = parse(rule[len(sign):])
        return {">=": version >= want, "<=": version <= want, ">": version > want, "<": version < want,
                "=": version == want, "!=": version != want}[sign]

    cases = []
    for _ in range(80):
        draw = lambda: ".".join(str(rng.choice((0, 1, 2, 9, 10, 11))) for _ in range(3))  # noqa: E731
        versions = list(dict.fromkeys(draw() for _ in range(rng.randrange(3, 12))))
        near = lambda: rng.choice(versions) if rng.random() < 0.8 else draw()  # noqa: B023, E731
        rules = [rng.choice((">=",
                             "<=",
                             ">",
                             "<",
                             "=",
                             "!=",
                             "^",
                             "~",
                             "^",
                             "~")) + near() for _ in range(rng.randrange(1, 3))]
        good = [v for v in versions if all(fits(parse(v), rule) for rule in rules)]
        cases.append([f"{','.join(rules)} {' '.join(versions)}", max(good, key=parse) if good else none])
    about_tilde = (
        "`~A.B.C` allows versions with the same A and B that are not lower than A.B.C" if tilde else
        "`~A.B.C` allows versions with the same A, a minor number of at most B+1, and not lower than A.B.C"
    )
    text = brief(
        rng, "Version resolver",
        (f"Write the version resolver `{path}`.",
         f"Please implement a dependency version picker as the executable `{path}`.",
         f"The build needs a tool `{path}` that picks versions."),
        ["Standard input has one question per line: a comma-separated list of constraints (no spaces), then the "
         "available versions, everything separated by single spaces. All versions have three numeric parts.",
         "Versions are compared part by part as numbers, so 1.10.0 is higher than 1.9.0.",
         "A constraint is an operator directly followed by a version. `>=`, `<=`, `>`, `<`, `=` and `!=` have their "
         "usual meaning.",
         f"`^A.B.C` allows versions with the same A that are not lower than A.B.C; {about_tilde}. This differs from "
         "some package managers, so do as it says here."],
        [(f"For each line print the highest available version that meets all constraints, or `{none}` when there is "
          "none.",
          f"Answer every line with one line: the greatest version satisfying all constraints; `{none}` if no version "
          "does."),
         "The program must be executable on its own. We try it on questions that you have not seen."],
        example=("", ">=7.0.0,<8.0.0 6.0.0 7.3.1 7.3.4 8.0.0   ->   7.3.4"),
    )
    code = '''
        #!/usr/bin/env python3
        import operator, re, sys
        OPS = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt,
               "=": operator.eq, "!=": operator.ne}
        def ok(v, rule):
            op, text = re.match(r"([^0-9]+)(.*)", rule).groups()
            w = [int(x) for x in text.split(".")]
            if op == "^":
                return v[0] == w[0] and v >= w
            if op == "~":
                return @tilde@ and v >= w
            return OPS[op](v, w)
        for line in sys.stdin:
            rules, *versions = line.split()
            best = None
            for text in versions:
                v = [int(x) for x in text.split(".")]
                if all(ok(v, r) for r in rules.split(",")) and (best is None or v > best):
                    best = v
            print(".".join(map(str, best)) if best else "@none@")
    '''
    make = {"none": none, "tilde": "v[:2] == w[:2]" if tilde else "v[0] == w[0] and v[1] <= w[1] + 1"}
    prelude = fill('''
        def answers(cases):
            return [line.strip() for line in run(["@path@"], "".join(case[0] + "\\n" for case in cases)).splitlines()]
    ''', path=path)
    checks = {"all_questions": "assert answers(CASES) == [case[1] for case in CASES]",
              "one_question": "assert answers(CASES[-1:]) == [CASES[-1][1]]"}
    return Task(
        text, suite(rng, checks, data={"CASES": cases}, prelude=prelude), program(path, code, **make),
            workdir=path.rsplit("/", 1)[0],
        wrong={
            "last": program(path, "#!/bin/sh\nawk '{print $NF}'"),
            "none": program(path, f"#!/bin/sh\nsed 's/.*/{none}/'"),
            "text order": program(path, code.replace("v > best", "str(v) > str(best)"), **make),
        },
        equal={"comment": program(path, code, **make) + f"sed -i '1a # picks versions' {path}\n"},
    )


@family("stack-calculator", domain="software_engineering", kind="fuzz_equivalence",
    skills=("interpreters", "integer_arithmetic"),
        complexity="complex")
def stack_calculator(rng: random.Random) -> Task:
    """An interpreter of a small stack language with macros and errors."""
    path = f"{pools.root(rng)}/{rng.choice(('calc', 'stack.py', 'rpn'))}"
    modulus = rng.choice((9973, 65521, 1_000_003))
    dup, swap, roll = rng.choice((("dup", "swap", "rot"), ("copy", "flip", "turn"), ("D", "S", "R")))
    empty, unknown = rng.choice((("underflow", "unknown"), ("E1", "E2"), ("stack!", "word!")))

    def evaluate(line: str) -> str:
        words: dict[str, list[str]] = {}
        parts = line.split()
        if ":" in parts:
            end = parts.index(";")
            words[parts[1]], parts = parts[2:end], parts[end + 1:]
        stack: list[int] = []
        for word in [item for part in parts for item in words.get(part, [part])]:
            need = {"+": 2, "-": 2, "*": 2, dup: 1, swap: 2, roll: 3}.get(word, 0)
            if word.isdigit():
                stack.append(int(word) % modulus)
            elif not need:
                return unknown
            elif len(stack) < need:
                return empty
            elif word in "+-*":
                b, a = stack.pop(), stack.pop()
                stack.append({"+": a + b, "-": a - b, "*": a * b}[word] % modulus)
            elif word == dup:
                stack.append(stack[-1])
            elif word == swap:
                stack[-2:] = stack[:-3:-1]
            else:
                stack.append(stack.pop(-3))
        return " ".join(map(str, stack)) or "empty"

    cases = []
    for number in range(90):
        depth, parts, name = 0, [], rng.choice(pools.WORDS)
        for _ in range(rng.randrange(3, 16)):
            if depth < 2 or rng.random() < 0.4:
                parts.append(str(rng.randrange(0, 3 * modulus)))
                depth += 1
            else:
                word = rng.choice(("+", "-", "*", dup, swap, roll if depth > 2 or rng.random() < 0.1 else dup))
                parts.append(word)
                depth += {dup: 1, swap: 0, roll: 0}.get(word, -1)
        if number % 4 == 0:
            parts = [":", name, *[rng.choice((dup, "+", "*", "7", swap)) for _ in range(rng.randrange(1, 4))], ";",
                *parts, name]
        if number % 11 == 0:
            parts.append(rng.choice((f"{name}x", "-", "+")))
        cases.append([" ".join(parts), evaluate(" ".join(parts))])
    for line in (f": {name} {dup} ;", f"5 {name}y", f"{dup} 8"):  # each word that is stated is asked for
        cases.insert(rng.randrange(len(cases)), [line, evaluate(line)])
    text = brief(
        rng, "Stack machine",
        (f"Implement an interpreter for a tiny stack language: `{path}`.",
         f"Please write the executable `{path}`, a stack calculator.",
         f"We are replacing an old calculator. The new one is to be `{path}`; here is what it must do."),
        ["Each input line (standard input) is a program of words separated by blanks, run on a stack of its own "
         "that begins empty.",
         f"A word of decimal digits pushes that number. All numbers are kept modulo {modulus}, in the range 0 to "
         f"{modulus - 1}.",
         ("`+`, `-` and `*` pop the top value b, then a, and push a+b, a-b, a*b (modulo, never negative).",
          "The operators `+` `-` `*` take b from the top and a from below it and push a op b, reduced to the "
          "non-negative residue."),
         f"`{dup}` pushes the top value once more, `{swap}` exchanges the two top values, `{roll}` moves the third "
         "value from the top to the top (1 2 3 becomes 2 3 1, the top being on the right).",
         "A line may begin with one definition `: NAME WORDS... ;`. After it NAME stands for these words; they "
         "contain no defined names."],
        [("Print one line per program: the stack from bottom to top separated by blanks, or `empty` for an empty "
          f"stack. If a word finds too few values print only `{empty}`; if a word is not known print only "
          f"`{unknown}`. The first error ends the program.",
          "For every line print the final stack (bottom first, blanks between), the word `empty` when nothing is on "
          f"it, `{empty}` alone when a word needs more values than there are, `{unknown}` alone for an undefined "
          "word; whichever error comes first counts."),
         "It must be directly executable and will be run on many hidden programs."],
        example=("", f"1 2 3 {roll} +   ->   2 4\n+              ->   {empty}"),
    )
    code = '''
        #!/usr/bin/env python3
        import sys
        M = @modulus@
        def play(line):
            todo = line.split()
            macro = {}
            if todo[:1] == [":"]:
                stop = todo.index(";")
                macro[todo[1]] = todo[2:stop]
                todo = todo[stop + 1:]
            code = []
            for w in todo:
                code += macro.get(w, [w])
            s = []
            for w in code:
                if w.isdigit():
                    s.append(int(w) % M)
                    continue
                if w not in ("+", "-", "*", "@dup@", "@swap@", "@roll@"):
                    return "@unknown@"
                if len(s) < {"@dup@": 1, "@roll@": 3}.get(w, 2):
                    return "@empty@"
                if w == "@dup@":
                    s += s[-1:]
                elif w == "@swap@":
                    s[-1], s[-2] = s[-2], s[-1]
                elif w == "@roll@":
                    s[-3:] = [s[-2], s[-1], s[-3]]
                else:
                    b = s.pop()
                    a = s.pop()
                    s.append((a + b if w == "+" else a - b if w == "-" else a * b) % M)
            return " ".join(map(str, s)) if s else "empty"
        for line in sys.stdin:
            print(play(line))
    '''
    make = {"modulus": modulus, "dup": dup, "swap": swap, "roll": roll, "empty": empty, "unknown": unknown}
    checks = {"programs": fill('''
        lines = [line.split() for line in run(["@path@"], "\\n".join(case[0] for case in CASES) + "\\n").splitlines()]
        for got, (source, wanted) in zip(lines, CASES):
            assert got == wanted.split(), source
        assert len(lines) == len(CASES)
    ''', path=path)}
    return Task(
        text, suite(rng, checks, data={"CASES": cases}), program(path, code, **make), workdir=path.rsplit("/", 1)[0],
        wrong={
            "no modulo": program(path, code.replace(") % M)", "))"), **make),
            "constant": program(path, "#!/bin/sh\nsed 's/.*/empty/'"),
            "no macros": program(path, code.replace("macro.get(w, [w])", "[w]"), **make),
        },
        equal={"comment": program(path, code, **make) + f"sed -i '1a # stack machine' {path}\n"},
    )
