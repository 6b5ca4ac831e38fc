"""Data processing: feeds that are merged, tabulated and compared."""

from __future__ import annotations

import json
import random

from . import pools
from .base import Task, after, family, fill, python
from .checks import suite
from .text import brief


@family("feed-merge", domain="data_processing", kind="exact_text", skills=("formats", "deduplication"),
    complexity="complex")
def feed_merge(rng: random.Random) -> Task:
    """Three feeds in three formats merged into JSON Lines, the newest record of each key."""
    root, out = pools.root(rng), f"/srv/merged/{rng.choice(pools.WORDS)}.jsonl"
    first, second, third = f"{root}/north.csv", f"{root}/south.jsonl", f"{root}/east.txt"
    keys = [f"{rng.choice('ABCDEF')}{number}" for number in rng.sample(range(100, 999), 22)]
    stamps = iter(rng.sample(range(1000, 9000), 80))
    feeds: list[list[dict]] = [[], [], []]
    for key in keys:
        for feed in rng.sample(feeds, rng.randrange(1, 4)):
            feed.append({"key": key, "name": rng.choice(pools.CITIES), "amount": rng.randrange(1, 5000),
                "stamp": next(stamps), "gone": rng.random() < 0.18})
    wanted = {}
    for record in sorted((record for feed in feeds for record in feed), key=lambda record: record["stamp"]):
        wanted[record["key"]] = record
    result = {key: {"key": key, "name": r["name"], "cents": r["amount"], "source": next(
        place for place, feed in zip(("north", "south", "east"), feeds, strict=True) if r in feed)} for key,
            r in sorted(wanted.items()) if not r["gone"]}
    for feed in feeds:
        rng.shuffle(feed)
    messy = lambda key: rng.choice((key, key.lower(), f" {key}", f"{key} "))  # noqa: E731
    money = lambda cents: f"{cents // 100}.{cents % 100:02}"  # noqa: E731
    files = {
        first: "key;name;amount;stamp;gone\n" + "".join(
            f"{messy(r['key'])};\"{r['name']}\";{money(r['amount']).replace('.', ',')};{r['stamp']};"
            f"{'yes' if r['gone'] else 'no'}\n" for r in feeds[0]),
        second: "".join(json.dumps({"id": messy(r["key"]), "data": {"name": r["name"], "cents": r["amount"]},
            "stamp": r["stamp"], **(
            {"deleted": True} if r["gone"] else {})}) + "\n" for r in feeds[1]),
        third: "\n".join("".join(f"{k}: {v}\n" for k,
            v in rng.sample([("Key", messy(r["key"])), ("Name", r["name"]), ("Amount", money(r["amount"])), (
            "Stamp", r["stamp"]), ("Status", "gone" if r["gone"] else "active")], 5)) for r in feeds[2]),
    }
    text = brief(
        rng, "Merge three feeds",
        (f"Merge `{first}`, `{second}` and `{third}` into `{out}`.",
         f"Three feeds describe the same things in three formats: `{first}`, `{second}`, `{third}`. We want one "
         f"file, `{out}`.",
         f"Please consolidate the feeds in `{root}` (`north.csv`, `south.jsonl`, `east.txt`) into `{out}`."),
        ["north is semicolon-separated with a header; amounts have a decimal comma, `gone` is yes or no.",
         "south has one JSON object per line: `id`, `data` (with `name` and `cents`), `stamp`, and `deleted` (true) "
         "where it applies.",
         "east has blocks of `Field: value` lines separated by blank lines, fields in any order; the amount has a "
         "decimal point, `Status` is active or gone.",
         "Keys mean the same in all feeds once they are stripped of blanks and turned into upper case.",
         ("Of all records with the same key, over all feeds, only the one with the greatest stamp (a number) "
          "counts; stamps are unique. If that one says the thing is gone (deleted), the key is left out.",
          "Per key the record with the highest numeric stamp wins, whichever feed it is in. A key whose winning "
          "record is gone or deleted does not appear.")],
        [(f"`{out}` is JSON Lines: one object per key with `key`, `name`, `cents` (an integer, amount times 100) and "
          "`source` (north, south or east: where the winning record came from), sorted by `key`.",
          f"Write one JSON object per line to `{out}`, ascending by `key`, each with exactly `key`, `name`, `cents` "
          "(integer) and `source` (the feed of the winner: `north`, `south` or `east`)."),
         "Create missing directories."],
        example=("json", '{"key": "Z000", "name": "Nowhere", "cents": 123456, "source": "north"}'),
    )
    solve = python('''
        import csv, json, os, re
        best = {}
        def take(key, name, cents, stamp, gone, source):
            key = key.strip().upper()
            if key not in best or best[key][0] < int(stamp):
                best[key] = (int(stamp), gone, {"key": key, "name": name, "cents": int(cents), "source": source})
        for r in csv.DictReader(open("@first@"), delimiter=";"):
            take(r["key"], r["name"], r["amount"].replace(",", ""), r["stamp"], r["gone"] == "yes", "north")
        for line in open("@second@"):
            r = json.loads(line)
            take(r["id"], r["data"]["name"], r["data"]["cents"], r["stamp"], r.get("deleted", False), "south")
        for block in open("@third@").read().strip().split("\\n\\n"):
            r = dict(re.split(": ", line, maxsplit=1) for line in block.splitlines())
            take(r["Key"], r["Name"], r["Amount"].replace(".", ""), r["Stamp"], r["Status"] == "gone", "east")
        os.makedirs(os.path.dirname("@out@"), exist_ok=True)
        with open("@out@", "w") as out:
            for key in sorted(best):
                if not best[key][1]:
                    out.write(json.dumps(best[key][2]) + "\\n")
    ''', first=first, second=second, third=third, out=out)
    checks = {
        "records": fill('''
            rows = [json.loads(line) for line in read("@out@").splitlines() if line.strip()]
            assert same(rows, WANTED)
        ''', out=out),
    }
    decoy = pools.decoy(rng, root, "jsonl")
    files[decoy] = "".join(json.dumps({**row, "cents": row["cents"] + 7}) + "\n" for row in result.values())
    return Task(
        text, suite(rng, checks, data={"WANTED": list(result.values())}), solve, files, workdir=root,
        wrong={
            "decoy copied": f"mkdir -p /srv/merged; cp {decoy} {out}",
            "oldest": solve.replace("< int(stamp)", "> int(stamp)"),
            "gone kept": solve.replace("not best[key][1]", "True"),
            "reversed": after(f"tac {out} > /tmp/r; cp /tmp/r {out}"),
            "one cent": after(f"sed -i '1s/\"cents\": /\"cents\": 1/' {out}"),
        },
        equal={
            "key order": after(f"python3 -c \"import json; r = [json.loads(l) for l in open('{out}')]; open('{out}', "
                               "'w').write(chr(10).join(json.dumps(dict(reversed(x.items())), separators=(',', ':')) "
                               "for x in r))\""),
            "crlf": after(f"sed -i 's/$/\\r/' {out}"),
        },
    )


@family("multiline-log-table", domain="data_processing", kind="exact_text", skills=("log_parsing", "text_processing"))
def multiline_log_table(rng: random.Random) -> Task:
    """Log records that go over several lines, tabulated by error."""
    root = pools.root(rng)
    log = f"{root}/{rng.choice(('app', 'worker', 'service'))}.log"
    out = f"{root}/{rng.choice(('errors', 'failures'))}.tsv"
    levels = rng.choice((("ERROR", "INFO"), ("SEVERE", "FINE"), ("[E]", "[I]")))
    follow = rng.choice(("    ", "\t", "| "))
    kinds = [f"{word.title()}Error" for word in pools.some(rng, pools.WORDS, 5)]
    parts, lines, table = pools.some(rng, pools.ITEMS, 5), [], {}
    for moment in sorted(rng.sample(range(60 * 60 * 20), 60)):
        clock = f"{moment // 3600:02}:{moment // 60 % 60:02}:{moment % 60:02}"
        part = rng.choice(parts)
        if rng.random() < 0.45:
            lines.append(f"{clock} {levels[1]} {part}: {rng.choice(kinds)} was handled")
            continue
        kind, depth = rng.choice(kinds), rng.randrange(0, 5)
        lines.append(f"{clock} {levels[0]} {part}: request failed")
        lines += [f"{follow}at {rng.choice(pools.WORDS)}.{rng.choice(pools.ITEMS)}:{rng.randrange(5, 400)}"
            for _ in range(depth)]
        lines.append(f"{follow}caused by {kind}: code {rng.randrange(100)}")
        entry = table.setdefault((part, kind), [0, clock, clock, 0])
        entry[0], entry[2], entry[3] = entry[0] + 1, clock, max(entry[3], depth)
    wanted = [[part, kind, *entry] for (part, kind),
        entry in sorted(table.items(), key=lambda item: (-item[1][0], item[0]))]
    shown = {"    ": "four blanks", "\t": "a tab", "| ": "`| `"}[follow]
    text = brief(
        rng, "Table of errors",
        (f"Summarise the errors of `{log}` in a table.",
         f"`{log}` mixes messages and stack traces. Please count the errors in it.",
         f"Make a table of the failures recorded in `{log}`."),
        [f"A record starts with a line `HH:MM:SS LEVEL COMPONENT: TEXT`; lines that begin with {shown} continue the "
         f"record above. Only records of level `{levels[0]}` are of interest.",
         ("The continuation of each of them ends in `caused by KIND: ...`; the lines `at ...` before it are its "
          "stack.",
          "Each such record has some `at ...` lines (perhaps none), its stack, and then a line `caused by KIND: "
          "...`."),
         "Group by component and kind."],
        [(f"Write `{out}`, tab-separated, with the header `component kind count first last depth` (tabs between) and "
          "one row per group: number of records, time of the first and the last one, and the largest number of "
          "stack lines in one record. Sort by count, highest first, then by component, then kind.",
          f"`{out}` has tab-separated columns with the header component, kind, count, first, last, depth. first and "
          "last are clock times, depth is the greatest stack size of a record in the group. Rows are ordered by "
          "descending count; ties by component and then kind, ascending.")],
        example=("", "component\tkind\tcount\tfirst\tlast\tdepth\nsample\tNoError\t99\t23:00:00\t23:59:59\t44"),
    )
    solve = python('''
        import re
        table, current = {}, None
        for line in open("@log@"):
            head = re.match(r"(\\d\\d:\\d\\d:\\d\\d) (\\S+) (\\S+): ", line)
            if head:
                current = [head[1], head[3], 0] if head[2] == "@level@" else None
            elif current:
                cause = re.search(r"caused by (\\w+):", line)
                if cause:
                    row = table.setdefault((current[1], cause[1]), [0, current[0], "", 0])
                    row[0] += 1
                    row[2] = current[0]
                    row[3] = max(row[3], current[2])
                else:
                    current[2] += 1
        with open("@out@", "w") as out:
            out.write("component\\tkind\\tcount\\tfirst\\tlast\\tdepth\\n")
            for (part, kind), row in sorted(table.items(), key=lambda item: (-item[1][0], item[0])):
                out.write("\\t".join([part, kind, *map(str, row)]) + "\\n")
    ''', log=log, out=out, level=levels[0])
    checks = {
        "header": fill('''
            first = next(csv.reader(io.StringIO(read("@out@")), delimiter="\\t"))
            assert [cell.strip() for cell in first] == ["component", "kind", "count", "first", "last", "depth"]
        ''', out=out),
        "rows": fill('''
            table = [row for row in csv.reader(io.StringIO(read("@out@")), delimiter="\\t") if row]
            rows = [[cell.strip() for cell in row] for row in table[1:]]
            assert [row[:2] + row[3:5] for row in rows] == [row[:2] + row[3:5] for row in WANTED]
            assert [[float(row[2]), float(row[5])] for row in rows] == [[row[2], row[5]] for row in WANTED]
        ''', out=out),
    }
    return Task(
        text, suite(rng, checks, data={"WANTED": wanted}), solve, {log: "\n".join(lines) + "\n"}, workdir=root,
        wrong={
            "by name": after(f"(head -1 {out}; tail -n +2 {out} | sort -r) > /tmp/r; cp /tmp/r {out}"),
            "one more": after(f"awk -F'\\t' -v OFS='\\t' 'NR==2{{$3++}}1' {out} > /tmp/r; cp /tmp/r {out}"),
            "depth": after(f"awk -F'\\t' -v OFS='\\t' 'NR>1{{$6++}}1' {out} > /tmp/r; cp /tmp/r {out}"),
            "row lost": after(f"sed -i '$d' {out}"),
        },
        equal={"crlf": after(f"sed -i 's/$/\\r/' {out}"), "no newline": after(f"truncate -s -1 {out}")},
    )


@family("inventory-delta", domain="data_processing", kind="exact_text", skills=("comparison", "ini"))
def inventory_delta(rng: random.Random) -> Task:
    """What changed between two stock lists, as an INI file."""
    root = pools.root(rng)
    old = f"{root}/{rng.choice(('before', 'monday', 'old'))}.txt"
    new = f"{root}/{rng.choice(('after', 'friday', 'new'))}.txt"
    out, items = f"{root}/{rng.choice(('delta', 'changes'))}.ini", pools.some(rng, pools.ITEMS, 18)
    one = {item: rng.randrange(1, 200) for item in items[:14]}
    two = {item: (rng.randrange(1, 200) if rng.random() < 0.5 else one.get(item, 7)) for item in items[4:]}
    two[items[5]] = one[items[5]] + 3

    def listing(stock: dict[str, int]) -> str:
        lines = []
        for item, count in stock.items():
            first = rng.randrange(0, count + 1)
            lines += [f"{item} x {count}"] if rng.random() < 0.5 else [f"{item} x {first}",
                f"{item.upper()} x {count - first}"]
        rng.shuffle(lines)
        return "\n".join(lines) + "\n"

    wanted = {"added": {item: two[item] for item in two if item not in one},
        "removed": {item: one[item] for item in one if item not in two},
              "changed": {item: two[item] - one[item] for item in one if item in two and one[item] != two[item]}}
    wanted["total"] = {"before": sum(one.values()), "after": sum(two.values())}
    text = brief(
        rng, "Difference of two inventories",
        (f"Compare the inventories `{old}` and `{new}`.",
         f"What has changed from `{old}` to `{new}`? Please make a list.",
         f"Two stock lists, `{old}` (earlier) and `{new}` (later), have to be compared."),
        ["Their lines read `ITEM x COUNT`. An item may occur several times, also in other case; its counts add up, "
         "and its name is meant in lower case.",
         ("An item that occurs in a list at all is in that inventory.",
          "Every item named in a list belongs to that inventory.")],
        [(f"Write the INI file `{out}` with four sections. `[added]` and `[removed]` hold the items that are only in "
          "the later or only in the earlier list, with their counts; `[changed]` holds items in both whose counts "
          "differ, with the difference later minus earlier; `[total]` has `before` and `after`, the sums of all "
          "counts. Entries are written `item = number`, in any order.",
          f"Put the outcome into `{out}` (INI). Sections: `added` (item and count, new ones only), `removed` (item "
          "and old count, vanished ones), `changed` (item and later minus earlier count, for counts that differ), "
          "`total` (keys `before` and `after`: the sum of all counts). Order, blanks around `=` and blank lines are "
          "free; empty sections must still be there.")],
        example=("ini", "[added]\nsample = 900\n\n[changed]\nspecimen = -800"),
    )
    solve = python('''
        import configparser, re
        def load(path):
            stock = {}
            for line in open(path):
                m = re.match(r"(\\w+) x (\\d+)", line)
                stock[m[1].lower()] = stock.get(m[1].lower(), 0) + int(m[2])
            return stock
        a, b = load("@old@"), load("@new@")
        c = configparser.ConfigParser()
        c["added"] = {k: str(b[k]) for k in sorted(b.keys() - a.keys())}
        c["removed"] = {k: str(a[k]) for k in sorted(a.keys() - b.keys())}
        c["changed"] = {k: str(b[k] - a[k]) for k in sorted(a.keys() & b.keys()) if a[k] != b[k]}
        c["total"] = {"before": str(sum(a.values())), "after": str(sum(b.values()))}
        with open("@out@", "w") as out:
            c.write(out)
    ''', old=old, new=new, out=out)
    prelude = fill('''
        import configparser


        def report():
            parser = configparser.ConfigParser()
            parser.read_string(read("@out@"))
            return {name: {key: float(value) for key, value in parser[name].items()} for name in parser.sections()}
    ''', out=out)
    checks = {"sections": "assert sorted(report()) == sorted(WANTED)", **{name: f'assert report()["{name}"] == '
        f'WANTED["{name}"]' for name in wanted}}
    return Task(
        text, suite(rng, checks, data={"WANTED": wanted}, prelude=prelude), solve,
            {old: listing(one), new: listing(two)}, workdir=root,
        wrong={
            "total": after(f"sed -i 's/^after = /after = 1/' {out}"),
            "sign": after(f"sed -i 's/= -/= /' {out}; sed -i 's/^{items[5]} = 3/{items[5]} = -3/' {out}"),
            "section lost": after(f"sed -i '/removed/d' {out}"),
            "nothing changed": "printf '[added]\\n[removed]\\n[changed]\\n[total]\\nbefore = 1\\nafter = 1\\n' > "
                               f"{out}",
        },
        equal={"no blanks": after(f"sed -i 's/ = /=/' {out}"), "crlf": after(f"sed -i 's/$/\\r/' {out}")},
    )
