"""Data processing: programs that work on streams."""

from __future__ import annotations

import random

from . import pools
from .base import Task, family, fill, program
from .checks import suite
from .text import brief


@family("window-aggregator", domain="data_processing", kind="fuzz_equivalence", skills=("streams", "windows"),
    complexity="complex")
def window_aggregator(rng: random.Random) -> Task:
    """A filter that sums events per key and time window, dropping late ones."""
    path, size = f"{pools.root(rng)}/{rng.choice(('windows', 'aggregate.py', 'tumble'))}", rng.choice((10, 60, 100))
    late, fold = rng.choice((5, 20, 45)), rng.choice(("sum", "max"))

    def expected(events: list[list]) -> list[dict]:
        newest, table, dropped = -1, {}, 0
        for at, key, value in events:
            newest = max(newest, at)
            if at < newest - late:
                dropped += 1
                continue
            place = (at // size * size, key)
            old = table.get(place)
            table[place] = [value if old is None else old[0] + value if fold == "sum" else max(old[0], value),
                1 if old is None else old[1] + 1]
        return [{"window": w, "key": k, fold: v, "events": n} for (w, k),
            (v, n) in sorted(table.items())] + [{"dropped": dropped}]

    cases = []
    for _ in range(5):
        keys, clock, events = pools.some(rng, pools.WORDS, 4), rng.randrange(0, 500), []
        for _ in range(rng.randrange(20, 60)):
            clock += rng.randrange(0, size // 2)
            events.append([max(0, clock - rng.choice((0, 0, 0, 1, late, late + 1, late // 2, 2 * late))),
                rng.choice(keys), rng.randrange(-50, 200)])
        newest = max(event[0] for event in events) + late
        events += [[newest, keys[0], 3], [newest - late, keys[1], 199], [newest - late - 1, keys[2], 198]]
        cases.append([events, expected(events)])
    cases.append([[], [{"dropped": 0}]])
    how = "the sum of its values" if fold == "sum" else "the greatest of its values"
    text = brief(
        rng, "Aggregate a stream",
        (f"Write the executable `{path}`, which aggregates a stream of events.",
         f"We need a stream aggregator: `{path}`.",
         f"Please implement windowed aggregation as `{path}`."),
        ["Input (standard input) are lines of JSON arrays `[TIME, KEY, VALUE]`: a non-negative integer, a string "
         "and an integer. They come in order of arrival, which is not always the order of time.",
         ("An event is late if its time is smaller than the greatest time seen so far (its own included) minus "
          f"{late}. Late events are dropped and counted.",
          f"Keep the greatest time seen so far. Events more than {late} time units older than it are late: they are "
          "counted as dropped and otherwise ignored."),
         f"All others go into windows of {size} units: window W (a multiple of {size}) covers the times from W up "
         f"to, not including, W+{size}."],
        [("At the end of input print for each window and key that got events one JSON object per line with "
          f"`window`, `key`, `{fold}` ({how}) and `events` (their number), sorted by window, then key; and as last "
          "line an object with `dropped`, the number of late events.",
          f"Print JSON Lines when the input ends: an object (`window`, `key`, `{fold}`: {how}, `events`: how many) "
          "for every non-empty pair of window and key, ascending by window and key, and finally one object with the "
          "single key `dropped`."),
         "The program must be directly executable. It will see streams that are not on this machine."],
        example=("json", f'{{"window": 0, "key": "sample", "{fold}": 999, "events": 88}}\n{{"dropped": 77}}'),
    )
    code = '''
        #!/usr/bin/env python3
        import json, sys
        top, dropped, table = 0, 0, {}
        for line in sys.stdin:
            if line.strip():
                t, key, value = json.loads(line)
                top = max(top, t)
                if top - t > @late@:
                    dropped += 1
                else:
                    table.setdefault((t - t % @size@, key), []).append(value)
        for (w, key), values in sorted(table.items()):
            print(json.dumps({"window": w, "key": key, "@fold@": @fold@(values), "events": len(values)}))
        print(json.dumps({"dropped": dropped}))
    '''
    make = {"late": late, "size": size, "fold": fold}
    checks = {"streams": fill('''
        for events, wanted in CASES:
            said = run(["@path@"], "".join(json.dumps(event) + "\\n" for event in events))
            assert same([json.loads(line) for line in said.splitlines() if line.strip()], wanted)
    ''', path=path)}
    return Task(
        text, suite(rng, checks, data={"CASES": cases}), program(path, code, **make), workdir=path.rsplit("/", 1)[0],
        wrong={
            "late kept": program(path, code.replace("> @late@", "> 99999"), **make),
            "off by one": program(path, code.replace("> @late@", ">= @late@"), **make),
            "constant": program(path, "#!/bin/sh\necho '{\"dropped\": 0}'"),
        },
        equal={
            "compact": program(path, code.replace('"events": len(values)}', '"events": len(values)}, separators=(",", '
                '":")'), **make),
        },
    )


@family("phone-normaliser", domain="data_processing", kind="adversarial_corpus", skills=("normalisation", "validation"),
    complexity="complex")
def phone_normaliser(rng: random.Random) -> Task:
    """Telephone numbers brought to one form; look-alikes refused."""
    path = f"{pools.root(rng)}/{rng.choice(('phones', 'normalise.py', 'e164'))}"
    country = rng.choice(("49", "44", "31", "351"))
    low, bad = rng.choice((7, 8)), rng.choice(("invalid", "-", "REJECT"))
    separators = rng.choice((" -./", " -.", " -/"))

    def decide(text: str) -> str:
        body, plus = text.strip(" "), False
        if body.startswith("+"):
            body, plus = body[1:], True
        depth = 0
        digits = ""
        for c in body:
            if c == "(":
                depth += 1
                if depth > 1 or "(" in digits:
                    return bad
                digits += "("
            elif c == ")":
                depth -= 1
                if depth < 0 or digits.endswith("("):
                    return bad
            elif c.isascii() and c.isdigit():
                digits += c
            elif c not in separators:
                return bad
        if depth:
            return bad
        digits = digits.replace("(", "")
        if plus:
            number = digits
        elif digits.startswith("00"):
            number = digits[2:]
        elif digits.startswith("0"):
            number = country + digits[1:]
        else:
            return bad
        return f"+{number}" if low <= len(number) <= 15 and number[0] != "0" else bad

    def shape(digits: str) -> str:
        return "".join(c + (rng.choice(separators) if rng.random() < 0.25 else "") for c in digits[:-1]) + digits[-1:]

    lines = []
    for _ in range(90):
        digits = "".join(rng.choice("123456789") if n == 0 else rng.choice("0123456789")
            for n in range(rng.choice((low - 1, low, 9, 10, 12, 14, 15, 16))))
        lead = rng.choice(("+", "+", "00", "0", "0", ""))
        line = lead + shape(digits)
        if rng.random() < 0.3 and len(line) > 6:
            line = line[:3] + "(" + line[3:5] + ")" + line[5:]
        if rng.random() < 0.25:
            at = rng.randrange(1, len(line))
            line = line[:at] + rng.choice(("x", "+", "(", ")", "()", "_", "٣", ",", "O")) + line[at:]
        lines.append(rng.choice(("", " ")) + line)
    lines += [f"+{'1' * 15}", f"+{'1' * 16}", "+0123456789", f"0{'2' * (low - len(country))}",
        f"0{'2' * (low - 1 - len(country))}", "+", "0", "phone"]
    cases = [[line, decide(line)] for line in lines]
    shown = ", ".join({" ": "blanks", "-": "hyphens", ".": "dots", "/": "slashes"}[c] for c in separators)
    text = brief(
        rng, "Normalise telephone numbers",
        (f"Write `{path}`, which brings telephone numbers into international form.",
         f"Please implement a strict normaliser for telephone numbers, `{path}`.",
         f"Our address data has telephone numbers in all shapes. The program `{path}` is to clean them."),
        ["It reads one number per line from standard input and prints one line for each.",
         "Blanks at both ends are ignored. A number may begin with one `+`; apart from that only the digits 0-9, "
         f"{shown} and at most one pair of parentheses with at least one digit between them may occur, anywhere and "
         "in any number.",
         ("After removing everything but digits: with `+` the digits are the international number; without it, "
          "digits that begin with `00` are the international number after these two zeros, otherwise digits that "
          f"begin with `0` are a national number: replace that zero by the country code {country}. Anything else is "
          "wrong.",
          "Then look at the digits alone. `+` or a leading `00` (dropped) marks an international number. A single "
          f"leading `0` is replaced by {country}. Numbers with neither are wrong."),
         f"The international number must have {low} to 15 digits and must not begin with 0."],
        [(f"Print `+` and the international number, or `{bad}` if anything is wrong with the line.",
          f"The output is `+DIGITS` for good lines and `{bad}` for all others."),
         "The file must be executable. The hidden test lines were chosen to be difficult."],
        example=("", f"+99 (0000) 00 x  ->  {bad}"),
    )
    code = r'''
        #!/usr/bin/env python3
        import re, sys
        PLAIN = "[0-9@inside@]*"
        FORM = re.compile(r"(\+?)" + PLAIN + r"(\([@inside@]*[0-9]" + PLAIN + r"\)" + PLAIN + ")?")
        for line in sys.stdin:
            text = line.rstrip("\n").strip(" ")
            found = FORM.fullmatch(text)
            digits = re.sub("[^0-9]", "", text)
            if not found:
                number = ""
            elif found[1]:
                number = digits
            elif digits[:2] == "00":
                number = digits[2:]
            else:
                number = "@country@" + digits[1:] if digits[:1] == "0" else ""
            print("+" + number if @low@ <= len(number) <= 15 and number[0] != "0" else "@bad@")
    '''
    inside = "".join(sorted(separators, key=lambda c: c == "-")).replace("-", "\\-")
    make = {"inside": inside, "country": country, "low": low, "bad": bad}
    checks = {
        "good_numbers": f'good = [case for case in CASES if case[1] != {bad!r}]\n'
                        f'got = run(["{path}"], "".join(case[0] + "\\n'
                        '" for case in good)).splitlines()\n'
                        'assert [line.strip() for line in got] == [case[1] for case in good]',
        "bad_numbers": f'evil = [case for case in CASES if case[1] == {bad!r}]\n'
                       f'got = run(["{path}"], "".join(case[0] + "\\n'
                       '" for case in evil)).splitlines()\n'
                       'assert [line.strip() for line in got] == [case[1] for case in evil]',
    }
    return Task(
        text, suite(rng, checks, data={"CASES": cases}), program(path, code, **make), workdir=path.rsplit("/", 1)[0],
        wrong={
            "refuses all": program(path, f"#!/bin/sh\nsed 's/.*/{bad}/'"),
            "digits only": program(path, "#!/bin/sh\nsed 's/[^0-9]//g; s/^/+/'"),
            "no form check": program(path,
            code.replace("if not found", "if not text").replace("elif found[1]", 'elif text[:1] == "+"'), **make),
        },
        equal={"comment": program(path, code, **make) + f"sed -i '1a # strict' {path}\n"},
    )
