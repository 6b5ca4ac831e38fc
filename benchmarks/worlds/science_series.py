"""Data science: series and experiments."""

from __future__ import annotations

import json
import math
import random

from . import pools
from .base import Task, after, family, fill, python
from .checks import suite
from .text import brief


@family("spike-detection", domain="data_science", kind="metric_threshold", skills=("time_series", "outliers"),
    complexity="complex")
def spike_detection(rng: random.Random) -> Task:
    """Outliers in a series with trend and daily rhythm; F1 above a limit."""
    root = pools.root(rng)
    source = f"{root}/{rng.choice(('load', 'temperature', 'traffic'))}.csv"
    out = f"{root}/{rng.choice(('spikes', 'outliers'))}.txt"
    slope, swing, level = rng.uniform(-0.05, 0.05), rng.uniform(8, 15), rng.uniform(60, 90)
    marked = sorted(rng.sample(range(10, 470), rng.randrange(12, 20)))
    values = [level + slope * hour + swing * math.sin(2 * math.pi * hour / 24) + rng.gauss(0,
        0.7) for hour in range(480)]
    for hour in marked:
        values[hour] += rng.choice((-1, 1)) * rng.uniform(7, 11)
    limit = 0.9
    text = brief(
        rng, "Find the outliers",
        (f"Find the outliers in the hourly series `{source}`.",
         f"Some values of `{source}` are faulty. Please find out which.",
         f"Which measurements in `{source}` are spikes?"),
        ["The columns are `hour` (0, 1, 2, ...) and `value`. The regular part is a slow linear trend plus a daily "
         "rhythm (24 hours) plus small noise.",
         "Faulty values lie clearly off this pattern, up or down, yet may be well inside the overall range of the "
         "series. There are between 10 and 20 of them.",
         (f"With the true faulty hours, known to us alone, your list must reach an F1 score of {limit} or more.",
          f"Your list is judged by its F1 score against the true hours (kept secret): at least {limit}.")],
        [(f"Write the hours of the faulty values to `{out}`, one number per line, none twice, in any order.",
          f"`{out}`: one hour per line, no duplicates; the order is free.")],
        example=("", "1001\n1002"),
    )
    solve = python('''
        import csv
        from statistics import median
        v = [float(r["value"]) for r in csv.DictReader(open("@source@"))]
        n = len(v)
        slope = median((v[i + 240] - v[i]) / 240 for i in range(n - 240))
        flat = [x - slope * i for i, x in enumerate(v)]
        daily = [median(flat[h::24]) for h in range(24)]
        off = [abs(x - daily[i % 24]) for i, x in enumerate(flat)]
        open("@out@", "w").write("".join(f"{i}\\n" for i, x in enumerate(off) if x > 4))
    ''', source=source, out=out)
    checks = {"score": fill('''
        hours = [float(word) for word in read("@out@").split()]
        assert len(hours) == len(set(hours)), "an hour is listed twice"
        hits = len(set(hours) & set(TRUTH))
        assert hits, "no faulty hour was found"
        assert 2 * hits / (len(hours) + len(TRUTH)) >= LIMIT
    ''', out=out)}
    table = "hour,value\n" + "".join(f"{hour},{value:.2f}\n" for hour, value in enumerate(values))
    return Task(
        text, suite(rng, checks, data={"TRUTH": marked, "LIMIT": limit}), solve, {source: table}, workdir=root,
        wrong={
            "all": f"seq 0 479 > {out}",
            "none": f": > {out}",
            "extremes": f"tail -n +2 {source} | sort -t, -k2 -g | tail -15 | cut -d, -f1 > {out}",
            "first half": after(f"head -5 {out} > /tmp/r; cp /tmp/r {out}"),
        },
        equal={"reversed": after(f"tac {out} > /tmp/r; cp /tmp/r {out}"), "crlf": after(f"sed -i 's/$/\\r/' {out}")},
    )


@family("demand-forecast", domain="data_science", kind="metric_threshold", skills=("forecasting", "seasonality"),
    complexity="complex")
def demand_forecast(rng: random.Random) -> Task:
    """The next two weeks of several shops; mean absolute percentage error below a limit."""
    root = pools.root(rng)
    folder, out = f"{root}/{rng.choice(('history', 'shops'))}", f"{root}/forecast.json"
    days, ahead, limit = 84, 14, 0.08
    files, truth = {}, {}
    for name in pools.some(rng, pools.CITIES, 4):
        base, slope = rng.uniform(150, 400), rng.uniform(0.8, 2.0)
        week = [rng.uniform(0.55, 1.5) for _ in range(7)]
        series = [round((base + slope * day) * week[day % 7] * rng.gauss(1, 0.02)) for day in range(days + ahead)]
        files[f"{folder}/{name.lower()}.csv"] = "day,sold\n" + "".join(f"{day},{sold}\n" for day,
            sold in enumerate(series[:days]))
        truth[name.lower()] = series[days:]
    text = brief(
        rng, "Forecast of sales",
        (f"Forecast the next {ahead} days for each file in `{folder}`.",
         f"Every CSV file of `{folder}` has the daily sales of one shop; we need a forecast of the following {ahead} "
         "days.",
         f"Predict sales: the history of each shop is a file in `{folder}`."),
        [f"The columns are `day` (0 to {days - 1}) and `sold`. Each shop has a weekly pattern (period 7) that "
         "multiplies a linearly growing level, with little noise.",
         ("The mean absolute percentage error over all shops and days, against what was really sold, must not "
          f"exceed {limit:.0%}.",
          f"We compare with the real sales of days {days} to {days + ahead - 1}: the mean absolute percentage error "
          f"over everything may be {limit} at most.")],
        [(f"Write `{out}`: a JSON object that maps each shop (its file name without `.csv`) to an array of {ahead} "
          f"numbers, day {days} first.",
          f"`{out}` is a JSON object, one key per shop (file name without suffix), each value an array of the "
          f"{ahead} predictions in order.")],
        example=("json", '{"nowhere": [1, 2, 3]}'),
    )
    solve = python('''
        import csv, glob, json, os
        out = {}
        for path in glob.glob("@folder@/*.csv"):
            v = [float(r["sold"]) for r in csv.DictReader(open(path))]
            weeks = [sum(v[i:i + 7]) / 7 for i in range(0, len(v), 7)]
            n = len(weeks)
            mx, my = (n - 1) / 2, sum(weeks) / n
            slope = sum((i - mx) * (w - my) for i, w in enumerate(weeks)) / sum((i - mx) ** 2 for i in range(n))
            level = lambda day: my + slope * ((day - 3) / 7 - mx)
            share = [sum(v[i] / level(i) for i in range(k, len(v), 7)) / n for k in range(7)]
            later = range(len(v), len(v) + @ahead@)
            out[os.path.basename(path)[:-4]] = [round(level(d) * share[d % 7], 2) for d in later]
        json.dump(out, open("@out@", "w"))
    ''', folder=folder, out=out, ahead=ahead)
    checks = {
        "form": f'got = json.loads(read("{out}"))\n'
                'assert sorted(got) == sorted(TRUTH)\n'
                f'assert all(len(row) == {ahead} for row in got.values())',
        "error": fill('''
            got = json.loads(read("@out@"))
            errors = [abs(guess - real) / real for name in TRUTH for guess, real in zip(got[name], TRUTH[name])]
            assert len(errors) == @ahead@ * len(TRUTH)
            assert sum(errors) / len(errors) <= LIMIT, sum(errors) / len(errors)
        ''', out=out, ahead=ahead),
    }
    naive = python('''
        import csv, glob, json, os
        read = lambda p: [float(r["sold"]) for r in csv.DictReader(open(p))]
        json.dump({os.path.basename(p)[:-4]: @rule@ for p in glob.glob("@folder@/*.csv")}, open("@out@", "w"))
    ''', folder=folder, out=out)
    return Task(
        text, suite(rng, checks, data={"TRUTH": truth, "LIMIT": limit}), solve, files, workdir=root,
        wrong={
            "mean": naive.replace("@rule@", f"[sum(read(p)) / 84] * {ahead}"),
            "last value": naive.replace("@rule@", f"[read(p)[-1]] * {ahead}"),
            "first weeks": naive.replace("@rule@", f"read(p)[:{ahead}]"),
            "short": after(f"sed -i 's/, [0-9.]*]/]/' {out}"),
        },
        equal={
            "indented": after(f"python3 -c \"import json; d = json.load(open('{out}')); json.dump(d, open('{out}', "
                              "'w'), indent=2)\""),
            "whole numbers": after(f"sed -i 's/\\.[0-9]*//g' {out}"),
        },
    )


@family("experiment-summary", domain="data_science", kind="exact_text", skills=("statistics", "hypothesis_tests"))
def experiment_summary(rng: random.Random) -> Task:
    """Means, variances and Welch's t of an experiment, with cleaning rules."""
    root = pools.root(rng)
    source = f"{root}/{rng.choice(('trial', 'experiment', 'abtest'))}.csv"
    out = f"{root}/{rng.choice(('summary', 'statistics'))}.json"
    arms, top = rng.choice((("control", "treatment"), ("old", "new"), ("A", "B"))), rng.choice((90, 95, 99))
    rows, kept = [], {arm: [] for arm in arms}
    people = [f"u{number}" for number in rng.sample(range(100, 999), 110)]
    for person in people:
        arm, value = rng.choice(arms), round(rng.gauss(40, 9) + (3 if rng.random() < 0.5 else 0), 2)
        fate = rng.random()
        if fate < 0.06:
            rows.append([person, arm, rng.choice(("", "n/a"))])
        elif fate < 0.12:
            rows += [[person, arm, f"{value:.2f}"],
                [person, arms[1] if arm == arms[0] else arms[0], f"{value + 1:.2f}"]]
        elif fate < 0.18:
            rows.append([person, arm, f"{top + rng.randrange(1, 300)}.5"])
        else:
            rows.append([person, arm, f"{value:.2f}"])
            kept[arm].append(value)
    rows.insert(3, ["edge", arms[0], f"{top}.00"])
    kept[arms[0]].append(float(top))
    rng.shuffle(rows)

    def moments(values: list[float]) -> tuple[int, float, float]:
        mean = math.fsum(values) / len(values)
        return len(values), mean, math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)

    (n0, m0, v0), (n1, m1, v1) = moments(kept[arms[0]]), moments(kept[arms[1]])
    wanted = {arms[0]: {"n": n0, "mean": m0, "variance": v0}, arms[1]: {"n": n1, "mean": m1, "variance": v1},
              "difference": m1 - m0, "t": (m1 - m0) / math.sqrt(v0 / n0 + v1 / n1)}
    text = brief(
        rng, "Summary of an experiment",
        (f"Summarise the experiment in `{source}`.",
         f"`{source}` has the raw data of an experiment with two arms. We need the key figures.",
         f"Please compute the statistics of the trial recorded in `{source}`."),
        [f"The columns are `person`, `arm` (`{arms[0]}` or `{arms[1]}`) and `value`.",
         f"Drop rows whose value is empty or `n/a`, rows whose value is greater than {top}, and all rows of people "
         "who occur in both arms.",
         ("Per arm we want the number of values, their mean and their sample variance (divisor n-1); then the "
          f"difference of the means ({arms[1]} minus {arms[0]}) and Welch's t statistic, that difference divided by "
          "the root of the sum of variance/n over both arms.",
          f"Compute n, mean and unbiased variance for each arm, difference = mean({arms[1]}) - mean({arms[0]}), and "
          f"Welch's t = difference / sqrt(variance/n of {arms[0]} + variance/n of {arms[1]}).")],
        [(f"Write `{out}`, a JSON object with the keys `{arms[0]}` and `{arms[1]}` (objects with `n`, `mean`, "
          "`variance`), `difference` and `t`. All numbers must be right to within 0.0001.",
          f"The JSON object in `{out}` has `difference` and `t`, and under each arm's name an object with `n`, "
          "`mean` and `variance`. Tolerance: 0.0001 absolute.")],
        example=("json",
            json.dumps({arms[0]: {"n": 3, "mean": 1.5, "variance": 0.25},
                arms[1]: {"n": 4, "mean": 2.5, "variance": 0.75},
                                     "difference": 1.0, "t": 1.9}, indent=2)),
    )
    solve = python('''
        import csv, json, statistics
        rows = [r for r in csv.DictReader(open("@source@"))]
        arms = {}
        for r in rows:
            arms.setdefault(r["person"], set()).add(r["arm"])
        out, t = {}, 0
        for arm in ("@a@", "@b@"):
            mine = [r for r in rows if r["arm"] == arm and len(arms[r["person"]]) == 1]
            v = [float(r["value"]) for r in mine if r["value"] not in ("", "n/a")]
            v = [x for x in v if x <= @top@]
            out[arm] = {"n": len(v), "mean": statistics.mean(v), "variance": statistics.variance(v)}
            t += out[arm]["variance"] / len(v)
        out["difference"] = out["@b@"]["mean"] - out["@a@"]["mean"]
        out["t"] = out["difference"] / t ** 0.5
        json.dump(out, open("@out@", "w"), indent=1)
    ''', source=source, out=out, a=arms[0], b=arms[1], top=top)
    load, dump = f"d = json.load(open('{out}')); a = d['{arms[0]}']", f"json.dump(d, open('{out}', 'w'))"
    edit = f"python3 -c \"import json; {load}; {{}}; {dump}\""
    decoy = pools.decoy(rng, root, "json")
    stale = wanted | {"difference": m1 - m0 + 0.5, "t": 1.25}
    return Task(
        text,
            suite(rng, {"figures": f'assert same(json.loads(read("{out}")), WANTED, 0.0001)'}, data={"WANTED": wanted}),
                solve,
        {source: "person,arm,value\n" + "".join(",".join(row) + "\n" for row in rows), decoy: json.dumps(stale)},
        workdir=root,
        wrong={
            "decoy copied": f"cp {decoy} {out}",
            "one value": after(edit.format("a['n'] += 1")),
            "population": after(edit.format("a['variance'] *= (a['n'] - 1) / a['n']")),
            "sign": after(edit.format("d['t'] *= -1")),
            "no t": after(edit.format("d.pop('t')")),
        },
        equal={
            "rounded": after(edit.format("a['mean'] = round(a['mean'], 5)")),
            "order": after(edit.format("d = dict(reversed(list(d.items())))")),
        },
    )
