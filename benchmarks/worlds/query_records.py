"""Data querying: questions about event logs, graphs and tables in files."""

from __future__ import annotations

import json
import random

from . import pools
from .base import Task, after, family, fill, program, python
from .checks import suite
from .text import brief


@family("visit-sessions", domain="data_querying", kind="exact_text", skills=("jsonl", "sessions"))
def visit_sessions(rng: random.Random) -> Task:
    """Visits grouped into sessions by a gap, and the longest session of each visitor."""
    root, gap = pools.root(rng), rng.choice((300, 600, 900))
    source = f"{root}/{rng.choice(('events', 'clicks', 'visits'))}.jsonl"
    out = f"{root}/{rng.choice(('sessions', 'longest'))}.json"
    who, when = rng.choice((("user", "at"), ("visitor", "time"), ("client", "ts")))
    events, wanted = [], {}
    for person in pools.some(rng, pools.PEOPLE, 9):
        clock, sessions = rng.randrange(10_000), []
        for _ in range(rng.randrange(1, 6)):
            moments = [clock]
            for _ in range(rng.randrange(0, 7)):
                moments.append(moments[-1] + rng.choice((gap, gap - 1, rng.randrange(1, gap), 0)))
            sessions.append(moments)
            clock = moments[-1] + gap + rng.choice((1, 2, rng.randrange(1, 5000)))
        events += [{who: person, when: moment,
            "page": f"/{rng.choice(pools.WORDS)}"} for moments in sessions for moment in moments]
        longest = max(sessions, key=lambda moments: (moments[-1] - moments[0], -moments[0]))
        wanted[person] = {"sessions": len(sessions), "longest_start": longest[0],
            "longest_seconds": longest[-1] - longest[0],
                          "longest_events": len(longest)}
    rng.shuffle(events)
    lines = [json.dumps(event) for event in events]
    for _ in range(4):
        lines.insert(rng.randrange(len(lines)), rng.choice(("", json.dumps({when: 5, "page": "/"}), '{"broken": ')))
    text = brief(
        rng, "Sessions of visitors",
        (f"Group the events of `{source}` into sessions.",
         f"How long do people stay? `{source}` has one JSON event per line; please find the sessions.",
         f"Analyse the click log `{source}`."),
        [f"An event has `{who}`, `{when}` (seconds, integer) and `page`. Lines are in no particular order. Skip "
         f"lines that are empty, are no valid JSON or have no `{who}`.",
         ("A visitor's events belong to the same session as long as the time from one event to the next is at most "
          f"{gap} seconds.",
          f"A new session of a visitor begins when more than {gap} seconds have passed since that visitor's previous "
          "event.")],
        [(f"Write `{out}`, a JSON object with one entry per `{who}`: an object with the integers `sessions` (their "
          "number), `longest_start` (the time of the first event of the longest session), `longest_seconds` (from "
          "its first to its last event) and `longest_events` (its events). When several sessions are equally long "
          "take the earliest.",
          f"The output file `{out}` maps each `{who}` to an object: `sessions`, `longest_start`, `longest_seconds`, "
          "`longest_events` (all integers), i.e. the number of sessions, and of the one with the longest time "
          "between first and last event the start, that time, and the number of events. Among equals the earliest "
          "session counts.")],
        example=("json",
            json.dumps({"nobody": {"sessions": 99, "longest_start": 7, "longest_seconds": 123456,
                "longest_events": 88}}, indent=1)),
    )
    solve = python('''
        import json
        times = {}
        for line in open("@source@"):
            try:
                event = json.loads(line)
            except ValueError:
                continue
            if "@who@" in event:
                times.setdefault(event["@who@"], []).append(event["@when@"])
        out = {}
        for name, moments in times.items():
            moments.sort()
            groups = []
            for t in moments:
                if groups and t - groups[-1][-1] <= @gap@:
                    groups[-1].append(t)
                else:
                    groups.append([t])
            best = groups[0]
            for g in groups:
                if g[-1] - g[0] > best[-1] - best[0]:
                    best = g
            out[name] = {"sessions": len(groups), "longest_start": best[0], "longest_events": len(best)}
            out[name]["longest_seconds"] = best[-1] - best[0]
        json.dump(out, open("@out@", "w"), indent=2)
    ''', source=source, out=out, who=who, when=when, gap=gap)
    decoy = pools.decoy(rng, root, "json")
    stale = {name: {key: value + 1 for key, value in entry.items()} for name, entry in wanted.items()}
    files = {source: "\n".join(lines) + "\n", decoy: json.dumps(stale, indent=1)}
    checks = {
        "visitors": f'assert set(json.loads(read("{out}"))) == set(WANTED)',
        "sessions": f'got = json.loads(read("{out}"))\n'
                    'for name, wanted in WANTED.items():\n'
                    '    assert same(got[name], wanted), name',
    }
    load, dump = f"d = json.load(open('{out}'))", f"json.dump(d, open('{out}', 'w'))"
    edit = f"python3 -c \"import json; {load}; k = sorted(d)[0]; {{}}; {dump}\""
    return Task(
        text, suite(rng, checks, data={"WANTED": wanted}), solve, files, workdir=root,
        wrong={
            "decoy copied": f"cp {decoy} {out}",
            "one session": after(edit.format("d[k]['sessions'] += 1")),
            "one second": after(edit.format("d[k]['longest_seconds'] += 1")),
            "name": after(edit.format("d['nobody'] = d.pop(k)")),
            "text": after(edit.format("d[k]['sessions'] = str(d[k]['sessions'])")),
        },
        equal={
            "order": after(edit.format("d = dict(reversed(list(d.items())))")),
            "floats": after(edit.format("d[k]['sessions'] = float(d[k]['sessions'])")),
        },
    )


@family("access-closure", domain="data_querying", kind="exact_text", skills=("graphs", "transitive_closure"))
def access_closure(rng: random.Random) -> Task:
    """Who can reach which resource through nested groups, as key=value lines."""
    root = pools.root(rng)
    members = f"{root}/{rng.choice(('members', 'groups'))}.tsv"
    grants = f"{root}/{rng.choice(('grants', 'rights'))}.tsv"
    out, groups = f"{root}/{rng.choice(('access', 'effective'))}.txt", [f"g-{word}" for word in pools.some(rng,
        pools.WORDS, 12)]
    people, resources = pools.some(rng, pools.PEOPLE, 14), pools.some(rng, pools.ITEMS, 10)
    edges = [(rng.choice(people), group) for group in groups for _ in range(rng.randrange(1, 3))]
    edges += [(rng.choice(groups), group) for group in groups if rng.random() < 0.8]
    rights = [(rng.choice(groups), resource,
        rng.choice(("read", "read", "write"))) for resource in resources for _ in range(2)]
    rights.append((groups[0], resources[0], "write"))

    def above(name: str) -> set[str]:
        seen, todo = set(), [name]
        while todo:
            for lower, upper in edges:
                if lower == todo[-1] and upper not in seen:
                    seen.add(upper)
                    todo.insert(0, upper)
            todo.pop()
        return seen

    wanted = {resource: sorted(p for p in people if any(g in above(p) and r == resource and k == "write" for g, r,
        k in rights)) for resource in resources}
    wanted = {resource: names for resource, names in wanted.items() if names}
    edges = list(dict.fromkeys(edges))
    text = brief(
        rng, "Effective write access",
        (f"Find out who may write to what, from `{members}` and `{grants}`.",
         f"An audit asks for the effective write permissions. Groups are in `{members}`, permissions in `{grants}`.",
         f"Resolve nested groups: `{members}` and `{grants}`."),
        [f"`{members}` has lines `MEMBER<TAB>GROUP`; MEMBER is a person or another group (groups begin with `g-`). "
         "Cycles occur.",
         f"`{grants}` has lines `GROUP<TAB>RESOURCE<TAB>RIGHT` with `read` or `write`.",
         ("A person has the rights of every group reached through any chain of memberships.",
          "Membership is transitive: being in a group that is in another group gives the rights of both.")],
        [(f"Write `{out}`: for each resource that at least one person can write to one line `RESOURCE=NAMES`, NAMES "
          "being the people, sorted and joined by commas. Groups are not listed. The order of lines is free; no "
          "resource twice.",
          f"For every resource writable by somebody `{out}` gets a line `RESOURCE=person,person,...`, the people in "
          "alphabetical order, without groups. Lines may come in any order, one per resource.")],
        example=("", "sample=nobody,someone\nspecimen=placeholder"),
    )
    solve = python('''
        up = {}
        for line in open("@members@"):
            a, b = line.rstrip("\\n").split("\\t")
            up.setdefault(a, set()).add(b)
        def reach(name, seen):
            for group in up.get(name, ()):
                if group not in seen:
                    seen.add(group)
                    reach(group, seen)
            return seen
        table = {}
        people = sorted(n for n in up if not n.startswith("g-"))
        for line in open("@grants@"):
            group, resource, right = line.rstrip("\\n").split("\\t")
            if right == "write":
                table.setdefault(resource, set()).update(p for p in people if group in reach(p, set()))
        with open("@out@", "w") as out:
            for resource in sorted(table):
                if table[resource]:
                    out.write(resource + "=" + ",".join(sorted(table[resource])) + "\\n")
    ''', members=members, grants=grants, out=out)
    checks = {"access": fill('''
        rows = [line.strip().split("=") for line in read("@out@").splitlines() if line.strip()]
        assert len(rows) == len(WANTED), "wrong number of lines"
        assert {row[0].strip(): [name.strip() for name in row[1].split(",")] for row in rows} == WANTED
    ''', out=out)}
    files = {members: "".join(f"{a}\t{b}\n" for a, b in edges),
        grants: "".join("\t".join(row) + "\n" for row in rights)}
    return Task(
        text, suite(rng, checks, data={"WANTED": wanted}), solve, files, workdir=root,
        wrong={
            "one name less": after(f"sed -i '1s/=[a-z]*,*/=/' {out}"),
            "one more": after(f"sed -i '1s/$/,nobody/' {out}"),
            "line lost": after(f"sed -i '$d' {out}"),
            "inputs emptied": f": > {members}; : > {grants}; : > {out}",
        },
        equal={"reversed": after(f"tac {out} > /tmp/r; cp /tmp/r {out}"), "crlf": after(f"sed -i 's/$/\\r/' {out}")},
    )


@family("table-query", domain="data_querying", kind="fuzz_equivalence", skills=("csv", "query_language"),
    complexity="complex")
def table_query(rng: random.Random) -> Task:
    """A command that answers filter, sort and group questions about any CSV file."""
    path = f"{pools.root(rng)}/{rng.choice(('tq', 'ask.py', 'csvq'))}"
    keep, order, total = rng.choice((("where", "sort", "sum"), ("keep", "order", "total"), ("filter", "by", "add")))

    def answer(head: list[str], rows: list[list[str]], words: list[str]) -> list[str]:
        place = 0
        while place < len(words):
            column = head.index(words[place + 1])
            if words[place] == keep:
                sign, value = words[place + 2], words[place + 3]
                if sign == "=":
                    rows = [row for row in rows if row[column] == value]
                else:
                    rows = [row for row in rows if (float(row[column]) > float(value)) == (sign == ">")
                            and float(row[column]) != float(value)]
                place += 4
            elif words[place] == order:
                number = head[column].startswith("n")
                rows, place = sorted(rows, key=lambda row: int(row[column]) if number else row[column]), place + 2
            else:
                amount, sums = head.index(words[place + 2]), {}
                for row in rows:
                    sums[row[column]] = sums.get(row[column], 0) + int(row[amount])
                return [f"{key},{value}" for key, value in sorted(sums.items())]
        return [",".join(row) for row in rows]

    cases = []
    for _ in range(10):
        text_columns, number_columns = pools.some(rng, [w for w in pools.WORDS if w[0] != "n"],
            2), [f"n{word}" for word in pools.some(rng, pools.ITEMS, 2)]
        head = rng.sample([*text_columns, *number_columns], 4)
        values = {column: pools.some(rng, pools.CITIES, 4) for column in text_columns}
        rows = [[rng.choice(values[c]) if c in values else str(rng.randrange(-20,
            120)) for c in head] for _ in range(rng.randrange(12, 30))]
        for _ in range(3):
            words: list[str] = []
            if rng.random() < 0.7:
                words += [keep, number_columns[0], rng.choice("<>"), rng.choice(rows)[head.index(number_columns[0])]]
            if rng.random() < 0.4:
                words += [keep, text_columns[0], "=", rng.choice(values[text_columns[0]])]
            tail = [[order, rng.choice((number_columns[1], rng.choice(head)))],
                [total, rng.choice(text_columns), number_columns[1]]]
            words += rng.choice(tail) if words else tail[0]
            cases.append({"head": head, "rows": rows, "words": words, "wanted": answer(head, rows, words)})
    text = brief(
        rng, "CSV questions",
        (f"Write the command `{path}` that answers simple questions about CSV files.",
         f"Please build `{path}`: a filter for CSV data with a few verbs.",
         f"Analysts want a small query command, `{path}`."),
        ["The CSV text comes on standard input, with a header line and without quoting. The query is given as "
         "arguments, applied from left to right.",
         f"`{keep} COLUMN OP VALUE` keeps the rows for which it holds: OP `=` compares as text, `<` and `>` compare "
         "as numbers.",
         f"`{order} COLUMN` sorts the rows ascending, as integers when the column's name begins with `n`, otherwise "
         "as text (by code point); equal rows keep their order.",
         f"`{total} COLUMN AMOUNT` comes last if at all: it prints for each value of COLUMN a line `VALUE,SUM`, SUM "
         "being the total of the integer column AMOUNT, sorted by VALUE."],
        [("Otherwise print the remaining rows as in the input, without the header. When no row remains nothing is "
          "printed.",
          "Without that verb the surviving rows are printed unchanged and without the header (nothing at all if "
          "there are none)."),
         "Make the file executable. Hidden tables and queries are used to check it."],
        example=("sh", f"{path} {keep} nsize '>' 3 {total} colour nsize < sample.csv"),
    )
    code = '''
        #!/usr/bin/env python3
        import sys
        lines = sys.stdin.read().splitlines()
        head, rows = lines[0].split(","), [line.split(",") for line in lines[1:] if line]
        words = sys.argv[1:]
        while words:
            verb, col = words[0], head.index(words[1])
            if verb == "@keep@":
                op, value = words[2:4]
                if op == "=":
                    rows = [r for r in rows if r[col] == value]
                elif op == "<":
                    rows = [r for r in rows if float(r[col]) < float(value)]
                else:
                    rows = [r for r in rows if float(r[col]) > float(value)]
                words = words[4:]
            elif verb == "@order@":
                rows.sort(key=lambda r: int(r[col]) if head[col][0] == "n" else r[col])
                words = words[2:]
            else:
                sums = {}
                for r in rows:
                    sums[r[col]] = sums.get(r[col], 0) + int(r[head.index(words[2])])
                rows = [[k, str(v)] for k, v in sorted(sums.items())]
                break
        for r in rows:
            print(",".join(r))
    '''
    make = {"keep": keep, "order": order, "total": total}
    checks = {"queries": fill('''
        for case in CASES:
            table = "\\n".join(",".join(row) for row in [case["head"], *case["rows"]]) + "\\n"
            got = run(["@path@", *case["words"]], table).splitlines()
            assert [line.strip() for line in got if line.strip()] == case["wanted"], case["words"]
    ''', path=path)}
    return Task(
        text, suite(rng, checks, data={"CASES": cases[:20]}), program(path, code, **make),
            workdir=path.rsplit("/", 1)[0],
        wrong={
            "everything": program(path, "#!/bin/sh\ntail -n +2"),
            "nothing": program(path, "#!/bin/sh\ntrue"),
            "text sort": program(path, code.replace('int(r[col]) if head[col][0] == "n" else r[col]', "r[col]"),
            **make),
        },
        equal={"comment": program(path, code, **make) + f"sed -i '1a # csv' {path}\n"},
    )
