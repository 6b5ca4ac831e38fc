"""Debugging: finding the cause in a history or a trace."""

from __future__ import annotations

import json
import random

from . import pools
from .base import Task, after, family, fill, python
from .checks import shell, suite
from .text import brief


@family("first-bad-commit", domain="debugging", kind="exact_text", skills=("git", "bisect"), language="bash")
def first_bad_commit(rng: random.Random) -> Task:
    """The commit that broke a program, found by running it at every step; verified by a shell script."""
    root, count = pools.root(rng), rng.randrange(30, 60)
    repo = f"{root}/{rng.choice(('repo', 'tool', 'src'))}"
    out = f"{root}/{rng.choice(('culprit', 'verdict'))}.txt"
    tool = rng.choice(("convert.sh", "units.sh", "price.sh"))
    bad, factor = rng.randrange(8, count - 5), rng.randrange(3, 40)
    ask, people = rng.randrange(10, 90), pools.some(rng, pools.PEOPLE, 6)
    stream, authors, subjects, offset, gone = [], [], [], 0, 0
    for number in range(count):
        person = rng.choice(people)
        verb = rng.choice(("Tune", "Refactor", "Simplify", "Rework", "Adjust"))
        subject = f"{verb} {rng.choice(pools.WORDS)} {rng.choice(pools.ITEMS)} {number * 7 % 100}"
        authors.append(person)
        subjects.append(subject)
        offset = rng.randrange(1, 50)
        gone = gone or (rng.randrange(1, 9) if number >= bad else 0)
        parts = [f"offset={offset}", f"value=$(( ($1 + offset) * {factor} ))", f"value=$(( value - offset * {factor} "
            f"- {gone} + 0 ))", "echo \"$value\""]
        body = "#!/bin/bash\n" + f"# revision note: {rng.choice(pools.CITIES)}\n" + "\n".join(parts) + "\n"
        moment = 1_890_000_000 + number * 3600
        stream.append(f"commit refs/heads/main\nmark :{number + 1}\nauthor {person} <{person}@example.invalid> "
                      f"{moment} +0000\ncommitter {person} <{person}@example.invalid> {moment} +0000\ndata "
                      f"{len(subject)}\n{subject}\n"
                      + (f"from :{number}\n" if number else "") + f"M 100755 inline {tool}\ndata {len(body)}\n{body}\n")
    setup = fill('''
        mkdir -p '@repo@' && cd '@repo@' && git init -q . && git symbolic-ref HEAD refs/heads/main
        git fast-import --quiet < /opt/setup/history && git checkout -q -f main
    ''', repo=repo)
    text = brief(
        rng, "Find the culprit",
        (f"In the git repository `{repo}` somebody broke `{tool}`. Find the commit.",
         f"`{repo}/{tool}` gives wrong numbers since some commit on `main`. Which one?",
         f"Please bisect `{repo}`: one commit broke `{tool}`."),
        [f"`bash {tool} N` must print N times {factor}; for example with N={ask} it printed the right number in the "
         "first commit and does not any more.",
         ("Every commit before the culprit is right, the culprit and every later one are wrong.",
          "Once broken it stayed broken, and before that it had always been right.")],
        [(f"Write two lines to `{out}`: `subject=` and the subject of the first wrong commit, and `author=` and the "
          "name of its author.",
          f"The answer goes to `{out}`: a line `subject=SUBJECT` and a line `author=NAME` for the commit that "
          "introduced the fault."),
         "The repository's commits must not be changed."],
        example=("", "subject=Invent something 0\nauthor=nobody"),
    )
    solve = fill('''
        #!/bin/bash
        set -e
        cd '@repo@'
        for commit in $(git rev-list --reverse main); do
          if [ "$(git show "$commit:@tool@" | bash -s @ask@)" != $(( @ask@ * @factor@ )) ]; then
            git log -1 --format='subject=%s%nauthor=%an' "$commit" > '@out@'
            exit 0
          fi
        done
        exit 1
    ''', repo=repo, tool=tool, ask=ask, factor=factor, out=out)
    verifier = shell(rng, f'''
        [ -f {out} ] || return 1
        tr -d '\\r' < {out} | sed 's/[[:space:]]*$//' | grep . | LC_ALL=C sort | diff - /tests/culprit || return 1
        git -c safe.directory='*' -C {repo} log --format=%s main | diff -q - /tests/subjects
    ''',
    {"culprit": "".join(sorted(f"{key}={value}\n" for key,
        value in (("subject", subjects[bad]), ("author", authors[bad])))),
          "subjects": "".join(f"{subject}\n" for subject in reversed(subjects))})
    lines = "printf 'subject=%s\\nauthor=%s\\n'"
    answer = lambda number: f"{lines} '{subjects[number]}' '{authors[number]}' > {out}"  # noqa: E731
    return Task(
        text, verifier, solve, setup=setup, setup_files={"history": "".join(stream)}, workdir=root,
        wrong={
            "commit before": answer(bad - 1),
            "commit after": answer(bad + 1),
            "last": answer(count - 1),
            "history cut": after(f"cd {repo} && git reset -q --hard HEAD~1"),
        },
        equal={
            "crlf": after(f"sed -i 's/$/\\r/' {out}"),
            "other order": after(f"tac {out} > /tmp/r; cp /tmp/r {out}"),
            "another branch": after(f"cd {repo} && git branch tried HEAD~2"),
        },
    )


@family("deadlock-trace", domain="debugging", kind="exact_text", skills=("concurrency", "graphs"), complexity="complex")
def deadlock_trace(rng: random.Random) -> Task:
    """The cycle of threads that wait for each other, from a trace of lock events."""
    root, size = pools.root(rng), rng.randrange(3, 6)
    trace = f"{root}/{rng.choice(('locks', 'threads', 'trace'))}.log"
    out = f"{root}/{rng.choice(('deadlock', 'diagnosis'))}.json"
    threads, locks = pools.some(rng, pools.PEOPLE, 10), pools.some(rng, pools.WORDS, 14)
    lines: list[str] = []
    for _ in range(40):  # work that ends well
        thread, used = rng.choice(threads), pools.some(rng, locks, rng.randrange(1, 3))
        lines += [f"{thread} {verb} {lock}" for lock in used for verb in ("wants",
            "gets")] + [f"{thread} frees {lock}" for lock in reversed(used)]
    circle, ring = threads[:size], locks[:size]
    lines += [line for thread,
        lock in zip(circle, ring, strict=True) for line in (f"{thread} wants {lock}", f"{thread} gets {lock}")]
    tail = threads[size:size + 3]
    for place, thread in enumerate(tail):  # wait for the circle, but are not part of it
        lines += [f"{thread} wants {locks[size + place]}", f"{thread} gets {locks[size + place]}"]
    ends = [f"{thread} wants {ring[(place + 1) % size]}" for place, thread in enumerate(circle)]
    ends += [f"{thread} wants {rng.choice(ring) if place == 0 else locks[size + place - 1]}" for place,
        thread in enumerate(tail)]
    rng.shuffle(ends)
    idle = threads[size + 3]
    lines += [*ends, f"{idle} wants {locks[-1]}", f"{idle} gets {locks[-1]}"]
    stamped = "".join(f"[{1000 + 3 * number:06}] {line}\n" for number, line in enumerate(lines))
    first = circle.index(min(circle))
    order = circle[first:] + circle[:first]
    wanted = {"cycle": order, "waits": {thread: ring[(circle.index(thread) + 1) % size] for thread in order},
              "blocked": sorted(tail), "holding": {ring[circle.index(thread)]: thread for thread in order}}
    text = brief(
        rng, "Diagnose a deadlock",
        (f"A program hangs; `{trace}` recorded its locks. Find the deadlock.",
         f"Analyse the lock trace `{trace}` of a program that got stuck.",
         f"Which threads block each other? `{trace}` has the whole story."),
        ["Lines read `[TIME] THREAD wants LOCK`, `... gets LOCK` or `... frees LOCK`. A thread that wants a lock "
         "and has not got it by the end of the trace waits for it.",
         ("A thread waits for another if it waits for a lock which that one holds at the end. Exactly one cycle of "
          "such threads exists; further threads wait for members of it, directly or through others.",
          "At the end of the trace exactly one ring of threads waits in a circle, each for a lock that the next one "
          "holds. Some other threads hang as a consequence.")],
        [(f"Write the JSON object `{out}` with `cycle`: the threads of the ring, starting with the alphabetically "
          "first, each followed by the one it waits for; `waits`: maps each thread of the ring to the lock it waits "
          "for; `holding`: maps each of these locks to the thread that holds it; `blocked`: the other waiting "
          "threads, sorted.",
          f"`{out}` is a JSON object with four keys. `cycle` lists the ring in the order of waiting (each thread is "
          "followed by the one whose lock it wants), beginning with the alphabetically smallest name. `waits` gives "
          "for each ring thread its awaited lock, `holding` for each such lock its holder. `blocked` has the "
          "remaining waiting threads in alphabetical order.")],
        example=("json",
            json.dumps({"cycle": ["anybody", "nobody"], "waits": {"anybody": "l1", "nobody": "l2"},
                "holding": {"l1": "nobody", "l2": "anybody"}, "blocked": []})),
    )
    solve = python('''
        import json
        holder, want = {}, {}
        for line in open("@trace@"):
            _, thread, verb, lock = line.split()
            if verb == "wants":
                want[thread] = lock
            elif verb == "gets":
                holder[lock] = thread
                want.pop(thread, None)
            else:
                holder.pop(lock, None)
        after = {t: holder[l] for t, l in want.items() if l in holder}
        ring = []
        for start in sorted(after):
            path = [start]
            while after.get(path[-1]) and after[path[-1]] not in path:
                path.append(after[path[-1]])
            if after.get(path[-1]) == start:
                ring = path
                break
        json.dump({"cycle": ring, "waits": {t: want[t] for t in ring}, "holding": {want[t]: after[t] for t in ring},
                   "blocked": sorted(set(after) - set(ring))}, open("@out@", "w"), indent=1)
    ''', trace=trace, out=out)
    checks = {key: f'assert same(json.loads(read("{out}"))["{key}"], WANTED["{key}"])' for key in wanted}
    edit = f"python3 -c \"import json; d = json.load(open('{out}')); {{}}; json.dump(d, open('{out}', 'w'))\""
    return Task(
        text, suite(rng, checks, data={"WANTED": wanted}), solve, {trace: stamped}, workdir=root,
        wrong={
            "rotated": after(edit.format("d['cycle'] = d['cycle'][1:] + d['cycle'][:1]")),
            "nobody blocked": after(edit.format("d['blocked'] = []")),
            "backwards": after(edit.format("d['cycle'] = d['cycle'][:1] + d['cycle'][:0:-1]")),
            "no locks": after(edit.format("d['waits'] = {}")),
        },
        equal={
            "more keys": after(edit.format("d['note'] = 'found by hand'")),
            "order": after(edit.format("d = dict(reversed(list(d.items())))")),
        },
    )
