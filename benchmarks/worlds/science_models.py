"""Data science: models judged by a stated metric on truth that only the tests hold."""

from __future__ import annotations

import random

from . import pools
from .base import Task, after, family, fill, python
from .checks import suite
from .text import brief


def _csv(head: list[str], rows: list[list[object]]) -> str:
    return "\n".join(",".join(map(str, row)) for row in [head, *rows]) + "\n"


@family("price-regression", domain="data_science", kind="metric_threshold", skills=("regression", "linear_algebra"),
    complexity="complex")
def price_regression(rng: random.Random) -> Task:
    """Prices predicted from numbers and a category; root mean square error below a limit."""
    root, districts = pools.root(rng), pools.some(rng, pools.CITIES, 4)
    train = f"{root}/train.csv"
    todo = f"{root}/{rng.choice(('new', 'unpriced', 'test'))}.csv"
    out = f"{root}/{rng.choice(('prices', 'predictions'))}.csv"
    weights = [rng.uniform(2, 5), -rng.uniform(1, 3), rng.uniform(4, 8)]
    extra = dict(zip(districts, rng.sample(range(-40, 41, 16), 4), strict=True))
    noise, columns = 3.0, ["id", "area", "age", "rooms", "district"]

    def house(number: int) -> tuple[list[object], float]:
        area, age, rooms, place = rng.randrange(30, 160), rng.randrange(0, 60), rng.randrange(1,
            8), rng.choice(districts)
        price = 100 + weights[0] * area + weights[1] * age + weights[2] * rooms + extra[place] + rng.gauss(0, noise)
        return [f"h{number:04}", area, age, rooms, place], round(price, 2)

    known = [house(number) for number in range(1, 161)]
    hidden = [house(number) for number in range(500, 600)]
    limit = 2 * noise
    text = brief(
        rng, "Predict prices",
        (f"Predict the prices of the houses in `{todo}`.",
         f"Train on `{train}` and predict for `{todo}`.",
         f"`{train}` has houses with prices; the houses in `{todo}` have none yet. Please estimate them."),
        ["The columns are `id`, `area`, `age`, `rooms` and `district`; the training file also has `price`.",
         "The price is about linear in area, age and rooms, with an offset for each district, and some noise.",
         (f"The root mean square error over all houses of `{todo}`, against prices that we keep, must be at most "
          f"{limit:g}.",
          "We measure the root mean square error of your predictions with the true prices, which you do not have; "
          f"it may not exceed {limit:g}.")],
        [(f"Write `{out}` with the header `id,price` and one row for each house of `{todo}`, in any order; prices "
          "are plain decimal numbers.",
          f"The predictions go to `{out}`: CSV, header `id,price`, every id of `{todo}` exactly once, rows in any "
          "order.")],
        example=("csv", "id,price\nx0001,123.45\nx0002,99.9"),
    )
    solve = python('''
        import csv
        rows = list(csv.DictReader(open("@train@")))
        places = sorted({r["district"] for r in rows})
        def vector(r):
            return [float(r["area"]), float(r["age"]), float(r["rooms"])] + [float(r["district"] == p) for p in places]
        X, y = [vector(r) for r in rows], [float(r["price"]) for r in rows]
        n = len(X[0])
        A = [[sum(x[i] * x[j] for x in X) for j in range(n)] + [sum(x[i] * t for x, t in zip(X, y))] for i in range(n)]
        for i in range(n):
            p = max(range(i, n), key=lambda k: abs(A[k][i]))
            A[i], A[p] = A[p], A[i]
            for k in range(n):
                if k != i:
                    f = A[k][i] / A[i][i]
                    A[k] = [a - f * b for a, b in zip(A[k], A[i])]
        w = [A[i][n] / A[i][i] for i in range(n)]
        with open("@out@", "w") as out:
            out.write("id,price\\n")
            for r in csv.DictReader(open("@todo@")):
                out.write(f"{r['id']},{sum(a * b for a, b in zip(w, vector(r))):.3f}\\n")
    ''', train=train, todo=todo, out=out)
    checks = {
        "every_house_once": f'rows = list(csv.DictReader(io.StringIO(read("{out}"))))\n'
                            'assert sorted(row["id"] for row in rows) == sorted(TRUTH)',
        "error_is_small": fill('''
            guess = {row["id"]: float(row["price"]) for row in csv.DictReader(io.StringIO(read("@out@")))}
            square = sum((guess[name] - price) ** 2 for name, price in TRUTH.items()) / len(TRUTH)
            assert square ** 0.5 <= LIMIT, square ** 0.5
        ''', out=out),
    }
    files = {train: _csv([*columns, "price"], [[*row, price] for row, price in known]),
        todo: _csv(columns, [row for row, _ in hidden])}
    decoy = pools.decoy(rng, root, "csv")
    files[decoy] = _csv(["id", "price"], [[row[0], round(price + rng.choice((-30, 30)), 2)] for row, price in hidden])
    return Task(
        text, suite(rng, checks, data={"LIMIT": limit, "TRUTH": {str(row[0]): price for row, price in hidden}}), solve,
            files, workdir=root,
        wrong={
            "decoy copied": f"cp {decoy} {out}",
            "constant": f"(echo id,price; tail -n +2 {todo} | sed 's/,.*/,350/') > {out}",
            "row lost": after(f"sed -i '$d' {out}"),
            "area only": f"awk -F, -v OFS=, 'NR==1{{print \"id,price\"; next}} {{print $1, 100 + 3 * $2}}' {todo} > "
                         f"{out}",
            "nan": after(f"sed -i '2s/,.*/,nan/' {out}"),
        },
        equal={
            "reversed": after(f"(head -1 {out}; tail -n +2 {out} | tac) > /tmp/r; cp /tmp/r {out}"),
            "rounded": after(f"sed -i 's/\\(\\.[0-9]\\)[0-9]*$/\\1/' {out}"),
        },
    )


@family("message-labels", domain="data_science", kind="metric_threshold", skills=("text_classification", "naive_bayes"),
    complexity="complex")
def message_labels(rng: random.Random) -> Task:
    """Messages classified from labelled ones; accuracy above a limit."""
    root = pools.root(rng)
    train, todo = f"{root}/labelled.tsv", f"{root}/{rng.choice(('incoming', 'unlabelled'))}.tsv"
    out, labels = f"{root}/{rng.choice(('labels', 'classes'))}.jsonl", rng.choice((["billing", "outage", "praise"],
        ["red", "green", "blue"], ["sales", "legal", "staff"]))
    vocabulary = pools.some(rng, pools.WORDS, 33)
    typical = {label: vocabulary[place * 7:place * 7 + 7] for place, label in enumerate(labels)}

    def message() -> tuple[str, str]:
        label = rng.choice(labels)
        words = [rng.choice(typical[label]) if rng.random() < 0.45 else rng.choice(vocabulary)
            for _ in range(rng.randrange(9, 18))]
        return label, " ".join(words)

    known, hidden = [message() for _ in range(220)], [message() for _ in range(120)]
    limit = 0.85
    text = brief(
        rng, "Classify messages",
        (f"Label the messages in `{todo}`.",
         f"Use the labelled messages of `{train}` to classify those in `{todo}`.",
         f"Support wants the messages of `{todo}` sorted into classes; `{train}` has examples."),
        [f"`{train}` has lines `LABEL<TAB>TEXT`, `{todo}` has lines `ID<TAB>TEXT`. The texts are lower-case words.",
         "The words tell the class: each class uses some words more often than the others do.",
         (f"At least {limit:.0%} of the labels must be right (we know the true ones).",
          f"Your labels are compared with the true ones; the accuracy must reach {limit}.")],
        [(f"Write `{out}`: one JSON object per line, `id` and `label`, for each message once, in any order.",
          f"Output: `{out}` in JSON Lines format. Each message gets one object with the keys `id` and `label`; the "
          "order does not matter.")],
        example=("json", '{"id": "q0", "label": "unknown"}'),
    )
    solve = python('''
        import json, math
        from collections import Counter, defaultdict
        counts, classes = defaultdict(Counter), Counter()
        for line in open("@train@"):
            label, text = line.rstrip("\\n").split("\\t")
            counts[label].update(text.split())
            classes[label] += 1
        words = set().union(*counts.values())
        def score(label, text):
            total = sum(counts[label].values()) + len(words)
            return math.log(classes[label]) + sum(math.log((counts[label][w] + 1) / total) for w in text.split())
        with open("@out@", "w") as out:
            for line in open("@todo@"):
                name, text = line.rstrip("\\n").split("\\t")
                out.write(json.dumps({"id": name, "label": max(sorted(classes), key=lambda c: score(c, text))}) + "\\n")
    ''', train=train, todo=todo, out=out)
    truth = {f"m{number:03}": label for number, (label, _) in enumerate(hidden)}
    checks = {"labels": fill('''
        rows = [json.loads(line) for line in read("@out@").splitlines() if line.strip()]
        assert sorted(row["id"] for row in rows) == sorted(TRUTH)
        right = sum(TRUTH[row["id"]] == row["label"] for row in rows)
        assert right / len(TRUTH) >= LIMIT, right
    ''', out=out)}
    files = {train: "".join(f"{label}\t{words}\n" for label, words in known),
             todo: "".join(f"m{number:03}\t{words}\n" for number, (_, words) in enumerate(hidden))}
    decoy = pools.decoy(rng, root, "jsonl")
    files[decoy] = "".join(f'{{"id": "{name}", "label": "{rng.choice(labels)}"}}\n' for name in truth)
    head = "sed 's/^\\([^\\t]*\\).*/{\"id\": \"\\1\", "
    constant = lambda label: f"{head}\"label\": \"{label}\"}}/' {todo} > {out}"  # noqa: E731
    return Task(
        text, suite(rng, checks, data={"LIMIT": limit, "TRUTH": truth}), solve, files, workdir=root,
        wrong={
            "decoy copied": f"cp {decoy} {out}",
            "one class": constant(labels[0]),
            "other class": constant(labels[1]),
            "row lost": after(f"sed -i 1d {out}"),
            "doubled": after(f"sed -n 1p {out} >> {out}"),
        },
        equal={
            "reversed": after(f"tac {out} > /tmp/r; cp /tmp/r {out}"),
            "spaces": after(f"sed -i 's/: /  :  /g' {out}"),
        },
    )


@family("cluster-assignment", domain="data_science", kind="metric_threshold", skills=("clustering", "k_means"),
    complexity="complex")
def cluster_assignment(rng: random.Random) -> Task:
    """Points assigned to clusters whose names are free; adjusted Rand index above a limit."""
    root, count = pools.root(rng), rng.randrange(3, 6)
    source = f"{root}/{rng.choice(('points', 'samples', 'sensors'))}.csv"
    out = f"{root}/{rng.choice(('clusters', 'groups'))}.tsv"
    centres: list[tuple[float, ...]] = []
    while len(centres) < count:
        centre = tuple(rng.uniform(-30, 30) for _ in range(3))
        if all(sum((a - b) ** 2 for a, b in zip(centre, other, strict=True)) > 500 for other in centres):
            centres.append(centre)
    points = [(place, [round(rng.gauss(value, 2.2), 3) for value in centre]) for place,
        centre in enumerate(centres) for _ in range(rng.randrange(18, 40))]
    rng.shuffle(points)
    limit = 0.9
    text = brief(
        rng, "Find the groups",
        (f"Cluster the points in `{source}`.",
         f"`{source}` holds points in space that form {count} groups. Please find them.",
         f"Assign each point of `{source}` to one of {count} clusters."),
        [f"The file has the columns `id,x,y,z`. There are exactly {count} compact, well separated groups of similar "
         "size.",
         "Cluster names are yours to choose (numbers or words without blanks); only who is together with whom matters.",
         (f"Compared with the true grouping, which we keep, the adjusted Rand index must be at least {limit}.",
          f"The result must reach an adjusted Rand index of {limit} against the true groups (not on this machine).")],
        [(f"Write `{out}`: tab-separated lines `ID<TAB>CLUSTER`, without a header, each id once, in any order.",
          f"Output file: `{out}`, one line per point, the id, a tab, the cluster's name; no header, any order.")],
        example=("", "p998\tfirst\np999\tsecond"),
    )
    solve = python('''
        import csv
        rows = [(r["id"], [float(r[c]) for c in "xyz"]) for r in csv.DictReader(open("@source@"))]
        def far(a, b):
            return sum((x - y) ** 2 for x, y in zip(a, b))
        centres = [rows[0][1]]
        while len(centres) < @count@:
            centres.append(max((p for _, p in rows), key=lambda p: min(far(p, c) for c in centres)))
        for _ in range(30):
            groups = [[] for _ in centres]
            for _, p in rows:
                groups[min(range(len(centres)), key=lambda k: far(p, centres[k]))].append(p)
            centres = [[sum(v) / len(g) for v in zip(*g)] if g else c for g, c in zip(groups, centres)]
        with open("@out@", "w") as out:
            for name, p in rows:
                out.write(f"{name}\\tc{min(range(len(centres)), key=lambda k: far(p, centres[k]))}\\n")
    ''', source=source, out=out, count=count)
    prelude = '''
        def pairs(groups):
            sizes = {}
            for group in groups:
                sizes[group] = sizes.get(group, 0) + 1
            return sum(size * (size - 1) / 2 for size in sizes.values())


        def adjusted_rand(one, two):
            both, first, second = pairs(list(zip(one, two))), pairs(one), pairs(two)
            chance = first * second / (len(one) * (len(one) - 1) / 2)
            top = (first + second) / 2 - chance
            return (both - chance) / top if top else 0.0
    '''
    checks = {"agreement": fill('''
        rows = [row for row in csv.reader(io.StringIO(read("@out@")), delimiter="\\t") if row]
        found = {row[0].strip(): row[1].strip() for row in rows}
        assert len(rows) == len(TRUTH)
        assert sorted(found) == sorted(TRUTH)
        names = sorted(TRUTH)
        assert adjusted_rand([TRUTH[name] for name in names], [found[name] for name in names]) >= LIMIT
    ''', out=out)}
    rows = [[f"p{number:03}", *values] for number, (_, values) in enumerate(points)]
    return Task(
        text,
            suite(rng, checks,
                data={"LIMIT": limit, "TRUTH": {f"p{n:03}": place for n, (place, _) in enumerate(points)}},
                    prelude=prelude),
        solve, {source: _csv(["id", "x", "y", "z"], rows)}, workdir=root,
        wrong={
            "all together": after(f"sed -i 's/\\t.*/\\ta/' {out}"),
            "all apart": after(f"sed -i 's/^\\(.*\\)\\t.*/\\1\\t\\1/' {out}"),
            "by turns": after(f"awk -v OFS='\\t' '{{print $1, NR % {count}}}' {out} > /tmp/r; cp /tmp/r {out}"),
            "row lost": after(f"sed -i '$d' {out}"),
        },
        equal={
            "renamed": after(f"sed -i 's/\\tc/\\tgroup-/' {out}"),
            "reversed": after(f"tac {out} > /tmp/r; cp /tmp/r {out}"),
        },
    )
