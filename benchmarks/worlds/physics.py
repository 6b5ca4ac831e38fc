"""Scientific computing: measurements, fields and motions, compared within stated tolerances."""

from __future__ import annotations

import json
import math
import random

from . import pools
from .base import Task, after, family, fill, program, python
from .checks import suite
from .text import brief


@family("half-life-fit", domain="scientific_computing", kind="exact_text", skills=("least_squares", "units"))
def half_life_fit(rng: random.Random) -> Task:
    """Half-lives by a weighted log-linear fit, with background and dead channels."""
    root = pools.root(rng)
    source = f"{root}/{rng.choice(('counts', 'decay', 'activity'))}.tsv"
    out = f"{root}/{rng.choice(('halflives', 'fit'))}.json"
    background, floor = rng.randrange(20, 60), rng.choice((10, 20))
    rows, wanted = [], {}
    for name in pools.some(rng, pools.WORDS, 5):
        half, start, points = rng.uniform(15, 200), rng.randrange(3000, 20000), []
        for minute in sorted(rng.sample(range(0, 400, 5), 22)):
            count = round(start * 2 ** (-minute / half) + background + rng.gauss(0, 6))
            rows.append([name, str(minute), str(count)])
            if count - background >= floor:
                points.append((minute, math.log(count - background), count - background))
        weight = math.fsum(w for _, _, w in points)
        mx, my = math.fsum(w * x for x, _, w in points) / weight, math.fsum(w * y for _, y, w in points) / weight
        slope = math.fsum(w * (x - mx) * (y - my) for x, y, w in points) / math.fsum(w * (x - mx) ** 2 for x, _,
            w in points)
        wanted[name] = {"points": len(points), "half_life": float(f"{-math.log(2) / slope:.10g}"),
                        "initial": float(f"{math.exp(my - slope * mx):.10g}")}
    rng.shuffle(rows)
    text = brief(
        rng, "Half-lives",
        (f"Determine the half-lives of the isotopes in `{source}`.",
         f"`{source}` has counts of several samples over time. Please fit their decay.",
         f"Fit the decay curves of `{source}`."),
        ["The columns, tab-separated with a header, are `sample`, `minute` and `count`. Subtract the background of "
         f"{background} from every count.",
         f"Measurements with less than {floor} after the subtraction are left out.",
         ("For each sample fit a straight line to the natural logarithm of the net count as a function of the "
          "minute by weighted least squares; the weight of a measurement is its net count.",
          "Fit ln(net count) = a + b * minute for each sample by least squares, weighting each squared residual "
          "with the net count.")],
        [(f"Write `{out}`: a JSON object, each sample's name mapped to an object with `points` (measurements used), "
          "`half_life` (minutes, ln 2 / -b) and `initial` (exp(a), the fitted net count at minute 0). Relative "
          "errors up to 0.00001 are allowed.",
          f"Result: `{out}`, JSON, per sample an object with `points`, the number of measurements in the fit, "
          "`half_life` in minutes (from the slope) and `initial`, the fitted net count at minute zero. Numbers must "
          "agree to a relative 1e-5.")],
        example=("json", json.dumps({"sample": {"points": 4, "half_life": 1234.5, "initial": 99999.9}})),
    )
    solve = python('''
        import csv, json, math
        data = {}
        for r in csv.DictReader(open("@source@"), delimiter="\\t"):
            net = int(r["count"]) - @background@
            if net >= @floor@:
                data.setdefault(r["sample"], []).append((float(r["minute"]), math.log(net), net))
        out = {}
        for name, points in data.items():
            s = [sum(w * x ** k for x, y, w in points) for k in range(3)]
            t = [sum(w * y * x ** k for x, y, w in points) for k in range(2)]
            d = s[0] * s[2] - s[1] ** 2
            b, a = (s[0] * t[1] - s[1] * t[0]) / d, (t[0] * s[2] - s[1] * t[1]) / d
            out[name] = {"points": len(points), "half_life": math.log(2) / -b, "initial": math.exp(a)}
        json.dump(out, open("@out@", "w"), indent=2)
    ''', source=source, out=out, background=background, floor=floor)
    checks = {"fits": fill('''
        got = json.loads(read("@out@"))
        assert set(got) == set(WANTED)
        for name, fit in WANTED.items():
            assert got[name]["points"] == fit["points"], name
            for key in ("half_life", "initial"):
                assert abs(got[name][key] / fit[key] - 1) <= 1.01e-5, (name, key)
    ''', out=out)}
    load, dump = f"d = json.load(open('{out}'))", f"json.dump(d, open('{out}', 'w'))"
    edit = f"python3 -c \"import json; {load}; k = sorted(d)[-1]; {{}}; {dump}\""
    return Task(
        text, suite(rng, checks, data={"WANTED": wanted}), solve,
            {source: "sample\tminute\tcount\n" + "".join("\t".join(row) + "\n" for row in rows)}, workdir=root,
        wrong={
            "slightly off": after(edit.format("d[k]['half_life'] *= 1.0001")),
            "points": after(edit.format("d[k]['points'] += 1")),
            "unweighted": solve.replace("s = [", "points = [(x, y, 1) for x, y, w in points]; s = ["),
            "sample lost": after(edit.format("d.pop(k)")),
        },
        equal={
            "rounded": after(edit.format("d[k]['half_life'] = float('%.8g' % d[k]['half_life'])")),
            "order": after(edit.format("d = dict(reversed(list(d.items())))")),
        },
    )


@family("plate-temperature", domain="scientific_computing", kind="metric_threshold",
    skills=("differential_equations", "iteration"), complexity="complex")
def plate_temperature(rng: random.Random) -> Task:
    """The steady temperature of a plate with fixed cells, judged by its residual."""
    root, width, height = pools.root(rng), rng.randrange(12, 18), rng.randrange(9, 14)
    source = f"{root}/{rng.choice(('plate', 'grid', 'fixed'))}.txt"
    out = f"{root}/{rng.choice(('field', 'temperature'))}.csv"
    edge = [rng.randrange(-20, 120) for _ in range(4)]
    grid: list[list[str]] = []
    for y in range(height):
        row = ["." for _ in range(width)]
        row[0], row[-1] = str(edge[0] + y), str(edge[1] - 2 * y)
        if y in (0, height - 1):
            row = [str(edge[2 + (y > 0)] + 3 * x) for x in range(width)]
        grid.append(row)
    for _ in range(3):
        grid[rng.randrange(2, height - 2)][rng.randrange(2, width - 2)] = str(rng.randrange(150, 300))
    limit = 1e-5
    text = brief(
        rng, "Temperature of a plate",
        (f"Compute the steady temperatures of the plate described in `{source}`.",
         f"`{source}` describes a metal plate on a grid; please find its temperatures at rest.",
         f"Solve the stationary heat equation on the grid of `{source}`."),
        [f"The file has {height} lines of {width} fields, separated by blanks. A number is a cell that is held at "
         "that temperature, a dot is a free cell.",
         ("In the steady state every free cell has the mean temperature of its four neighbours (left, right, above, "
          "below). All cells on the rim are fixed.",
          "Each free cell takes the average of the cells left, right, above and below of it; there are no free "
          "cells on the border."),
         ("The residual, the largest difference between a free cell and the mean of its four neighbours, must be at "
          f"most {limit:.5f}.",
          f"No free cell may differ from the mean of its neighbours by more than {limit:.5f}.")],
        [(f"Write `{out}`: {height} lines of {width} comma-separated decimal numbers, no header. Fixed cells must "
          "have their given values.",
          f"Output `{out}` as CSV without header, in the layout of the input ({height} rows, {width} columns), fixed "
          "cells unchanged.")],
        example=("", "1.0,2.0,3.0\n4.0,5.0,6.0"),
    )
    solve = python('''
        fixed = [line.split() for line in open("@source@")]
        t = [[0.0 if c == "." else float(c) for c in row] for row in fixed]
        free = [(y, x) for y, row in enumerate(fixed) for x, c in enumerate(row) if c == "."]
        change = 1.0
        while change > 1e-8:
            change = 0.0
            for y, x in free:
                new = (t[y - 1][x] + t[y + 1][x] + t[y][x - 1] + t[y][x + 1]) / 4
                new = t[y][x] + 1.7 * (new - t[y][x])
                change = max(change, abs(new - t[y][x]))
                t[y][x] = new
        open("@out@", "w").write("".join(",".join(f"{v:.8f}" for v in row) + "\\n" for row in t))
    ''', source=source, out=out)
    prelude = fill('''
        def field():
            rows = [[float(cell) for cell in row] for row in csv.reader(io.StringIO(read("@out@"))) if row]
            assert [len(row) for row in rows] == [len(row) for row in PLATE]
            assert all(abs(cell) < 1e6 for row in rows for cell in row)
            return rows
    ''', out=out)
    checks = {
        "fixed_cells": 'rows = field()\n'
                       'for y, row in enumerate(PLATE):\n'
                       '    for x, cell in enumerate(row):\n'
                       '        assert cell == "." or abs(rows[y][x] - float(cell)) < 1e-9, (y, x)',
        "residual": fill('''
            t = field()
            for y, row in enumerate(PLATE):
                for x, cell in enumerate(row):
                    if cell == ".":
                        mean = (t[y - 1][x] + t[y + 1][x] + t[y][x - 1] + t[y][x + 1]) / 4
                        assert abs(t[y][x] - mean) <= LIMIT, (y, x)
        '''),
    }
    return Task(
        text, suite(rng, checks, data={"PLATE": grid, "LIMIT": limit}, prelude=prelude), solve,
            {source: "".join(" ".join(row) + "\n" for row in grid)}, workdir=root,
        wrong={
            "zeros": f"sed 's/\\./0/g; s/ /,/g' {source} > {out}",
            "early stop": solve.replace("> 1e-8", "> 1e-1").replace("1.7 *", "1.0 *"),
            "one degree": after(f"sed -i '4s/,/,1/3' {out}"),
            "flat": f"sed 's/[^ ]*/20/g; s/ /,/g' {source} > {out}",
            "row lost": after(f"sed -i '$d' {out}"),
        },
        equal={
            "blanks": after(f"sed -i 's/,/, /g' {out}"),
            "crlf": after(f"sed -i 's/$/\\r/' {out}"),
            "fewer digits": after(f"sed -i 's/[0-9],/,/g' {out}"),
        },
    )


@family("orbit-program", domain="scientific_computing", kind="fuzz_equivalence",
    skills=("numerical_integration", "physics"), complexity="complex")
def orbit_program(rng: random.Random) -> Task:
    """A program that integrates an oscillator to a stated accuracy, for hidden parameters."""
    path = f"{pools.root(rng)}/{rng.choice(('oscillate', 'motion.py', 'swing'))}"
    names = rng.choice((("k", "c", "b"), ("stiff", "damp", "cubic"), ("p", "q", "r")))

    def final(k: float, c: float, b: float, x: float, v: float, end: float) -> list[float]:
        steps = 1500
        h = end / steps
        push = lambda x, v: -k * x - c * v - b * x ** 3  # noqa: E731
        for _ in range(steps):
            v1, a1 = v, push(x, v)
            v2, a2 = v + h / 2 * a1, push(x + h / 2 * v1, v + h / 2 * a1)
            v3, a3 = v + h / 2 * a2, push(x + h / 2 * v2, v + h / 2 * a2)
            v4, a4 = v + h * a3, push(x + h * v3, v + h * a3)
            x, v = x + h / 6 * (v1 + 2 * v2 + 2 * v3 + v4), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        return [round(x, 9), round(v, 9)]

    cases = []
    for _ in range(14):
        values = [round(rng.uniform(0.5, 4), 2), round(rng.uniform(0, 0.6), 2), round(rng.uniform(0.1, 0.8), 2),
            round(rng.uniform(-2, 2), 2),
                  round(rng.uniform(-2, 2), 2), round(rng.uniform(1, 9), 1)]
        cases.append([" ".join(map(str, values)), final(*values)])
    text = brief(
        rng, "Oscillator program",
        (f"Write the program `{path}` that follows a nonlinear oscillator in time.",
         f"Please create the executable `{path}`; it solves the motion of a damped, nonlinear oscillator.",
         f"We need a small numerical tool, `{path}`."),
        [f"The equation of motion is x'' = -{names[0]}·x - {names[1]}·x' - {names[2]}·x³.",
         f"Each line of standard input has six numbers separated by blanks: {names[0]}, {names[1]}, {names[2]}, the "
         "position x and velocity x' at time 0, and the end time T (at most 10).",
         ("All coefficients are positive or zero.", "The coefficients are never negative.")],
        [("For each line print the position and the velocity at time T, separated by a blank, on one line. Both may "
          "be off by at most 0.00005.",
          "Print per input line `POSITION VELOCITY` at the time T, with an absolute error of no more than 0.00005 "
          "each."),
         "The program must be executable as it is, using nothing that is not installed, and needs to handle a dozen "
         "of lines within ten seconds."],
        example=("", "input:  1 0 0 0 0 5\noutput: 0.0 0.0"),
    )
    code = '''
        #!/usr/bin/env python3
        import sys
        for line in sys.stdin:
            if not line.strip():
                continue
            k, c, b, x, v, end = map(float, line.split())
            n = 1000
            h = end / n
            def f(x, v):
                return v, -k * x - c * v - b * x * x * x
            for _ in range(n):
                p = f(x, v)
                q = f(x + h / 2 * p[0], v + h / 2 * p[1])
                r = f(x + h / 2 * q[0], v + h / 2 * q[1])
                s = f(x + h * r[0], v + h * r[1])
                x += h / 6 * (p[0] + 2 * q[0] + 2 * r[0] + s[0])
                v += h / 6 * (p[1] + 2 * q[1] + 2 * r[1] + s[1])
            print(f"{x:.8f} {v:.8f}")
    '''
    checks = {"motions": fill('''
        lines = run(["@path@"], "".join(case[0] + "\\n" for case in CASES)).split("\\n")
        rows = [line.split() for line in lines if line.strip()]
        assert len(rows) == len(CASES)
        for row, (question, wanted) in zip(rows, CASES):
            assert len(row) == 2
            for text, value in zip(row, wanted):
                assert abs(float(text) - value) <= 0.000051, question
    ''', path=path)}
    return Task(
        text, suite(rng, checks, data={"CASES": cases}), program(path, code), workdir=path.rsplit("/", 1)[0],
        wrong={
            "no cube": program(path, code.replace("b * x * x * x", "b * x")),
            "coarse": program(path, code.replace("n = 1000", "n = 6")),
            "constant": program(path, "#!/bin/sh\nsed 's/.*/0 0/'"),
            "start": program(path, "#!/bin/sh\nawk '{print $4, $5}'"),
        },
        equal={
            "finer": program(path, code.replace("n = 1000", "n = 1600")),
            "other form": program(path, code.replace("{x:.8f} {v:.8f}", "{x:.10e}   {v!r}")),
        },
    )
