"""Software engineering: a build plan, a repository, a server."""

from __future__ import annotations

import json
import random

from . import pools
from .base import Task, after, family, fill, program, python
from .checks import suite
from .text import brief


@family("build-order", domain="software_engineering", kind="exact_text", skills=("graphs", "topological_sort"))
def build_order(rng: random.Random) -> Task:
    """Any order of the needed modules in which dependencies come first."""
    root = pools.root(rng)
    source = f"{root}/{rng.choice(('modules', 'targets', 'packages'))}.json"
    out = f"{root}/{rng.choice(('order', 'plan'))}.txt"
    names = pools.some(rng, pools.WORDS, 24)
    needs = {name: sorted(rng.sample(names[:place], min(place, rng.randrange(0, 4)))) for place,
        name in enumerate(names)}
    goals = sorted(rng.sample(names[12:], 3))
    needed, todo = set(), list(goals)
    while todo:
        name = todo.pop()
        if name not in needed:
            needed.add(name)
            todo += needs[name]
    shuffled = pools.some(rng, names, len(names))
    content = json.dumps({"goals": goals, "modules": {name: {"needs": needs[name], "lines": rng.randrange(20, 900)}
                                                      for name in shuffled}}, indent=1)
    text = brief(
        rng, "Order of builds",
        (f"Work out in which order the modules of `{source}` must be built.",
         f"`{source}` describes modules and what they need. Find a build order.",
         f"Our build tool broke; please make a build order by hand from `{source}`."),
        ["`goals` lists the modules wanted in the end; `modules` maps each module to an object whose `needs` are "
         "the modules that must be built before it.",
         ("Build a module only if it is a goal or is needed, directly or through others, by a goal.",
          "Modules that no goal depends on, not even indirectly, must not be built.")],
        [(f"Write `{out}`: one module name per line, each module once, everything a module needs on earlier lines. "
          "Any such order is fine.",
          f"`{out}` has one name a line: all modules to build, none twice, never a module before one it needs. There "
          "may be several right orders; each is accepted."),
         "Nothing else belongs into the file."],
        example=("", "base\nlibrary\napplication"),
    )
    solve = python('''
        import json
        d = json.load(open("@source@"))
        order = []
        def build(name):
            for other in d["modules"][name]["needs"]:
                build(other)
            if name not in order:
                order.append(name)
        for goal in d["goals"]:
            build(goal)
        open("@out@", "w").write("\\n".join(order) + "\\n")
    ''', source=source, out=out)
    checks = {
        "exactly_the_needed": fill('''
            names = [line.strip() for line in read("@out@").splitlines() if line.strip()]
            assert sorted(names) == NEEDED
        ''', out=out),
        "needs_come_first": fill('''
            place = {line.strip(): number for number, line in enumerate(read("@out@").splitlines())}
            for name in NEEDED:
                for other in NEEDS[name]:
                    assert place[other] < place[name], (other, name)
        ''', out=out),
    }
    data = {"NEEDED": sorted(needed), "NEEDS": {name: needs[name] for name in sorted(needed)}}
    unneeded = next(iter(sorted(set(names) - needed)), names[0])
    return Task(
        text, suite(rng, checks, data=data), solve, {source: content}, workdir=root,
        wrong={
            "reversed": after(f"tac {out} > /tmp/r; cp /tmp/r {out}"),
            "one more": after(f"echo {unneeded} >> {out}"),
            "short": after(f"sed -i '$d' {out}"),
            "inputs emptied": f"echo '{{}}' > {source}; : > {out}",
        },
        equal={"crlf": after(f"sed -i 's/$/\\r/' {out}"), "other order": python('''
            import json
            d = json.load(open("@source@"))
            need, todo, order = set(), list(d["goals"]), []
            while todo:
                n = todo.pop()
                if n not in need:
                    need.add(n)
                    todo += d["modules"][n]["needs"]
            while need:
                free = [n for n in sorted(need) if not need & set(d["modules"][n]["needs"])]
                order.append(free[-1])
                need.remove(free[-1])
            open("@out@", "w").write("\\n".join(order))
        ''', source=source, out=out)},
    )


@family("port-fixes", domain="software_engineering", kind="exact_text", skills=("git", "cherry_pick"), language="bash",
        complexity="complex")
def port_fixes(rng: random.Random) -> Task:
    """A release branch that gets the fixes of another branch, without those reverted later."""
    root = pools.root(rng)
    repo, mark = f"{root}/{rng.choice(('repo', 'project', 'code'))}", rng.choice(("fix:", "[fix]", "bugfix:"))
    source = rng.choice(("develop", "next", "integration"))
    target = rng.choice(("release", "stable", "hotfix"))
    tag = "v1.0"
    items, people = pools.some(rng, pools.ITEMS, 12), pools.some(rng, pools.PEOPLE, 4)
    setup, commits, tree = [], [], {}
    setup.append(fill('''
        export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
        mkdir -p '@repo@' && cd '@repo@' && git init -q . && git symbolic-ref HEAD refs/heads/main
        git config user.name builder && git config user.email builder@example.invalid
        n=0
        record() {
          n=$((n + 1))
          export GIT_AUTHOR_NAME="$1" GIT_AUTHOR_EMAIL="$1@example.invalid" GIT_COMMITTER_NAME=builder
          export GIT_COMMITTER_EMAIL=builder@example.invalid GIT_AUTHOR_DATE="2030-01-01T00:00:$((10 + n))Z"
          export GIT_COMMITTER_DATE="$GIT_AUTHOR_DATE"
          git add -A && git commit -q -m "$2"
        }
    ''', repo=repo))
    for item in items[:4]:
        tree[f"{item}.txt"] = f"{item} {rng.randrange(1000)}\n"
        setup.append(f"echo '{tree[f'{item}.txt'].strip()}' > {item}.txt")
    setup.append(f"record {people[0]} 'initial import'\ngit tag {tag}\ngit checkout -q -b {source}")
    for number, item in enumerate(items):
        kind = "fix" if number in (1, 4, 6, 9) or rng.random() < 0.3 else "other"
        person = rng.choice(people)
        subject = f"{rng.choice(('feat:', 'docs:', 'chore:'))} {item} {mark[1:-1]}"
        if kind == "fix":
            subject = f"{mark} {item} {rng.choice(pools.WORDS)}"
        commits.append([subject, person, item, f"{item} {rng.choice(('ready', 'done', 'new'))} "
            f"{rng.randrange(1000, 9999)}", kind])
        setup.append(f"echo '{commits[-1][3]}' > {item}.txt\nrecord {person} '{subject}'")
    undone = commits[rng.choice((1, 4, 6))]
    undo = f"rev=$(git log --format=%H --fixed-strings --grep='{undone[0]}' -1)\n"
    undo += 'git revert --no-edit "$rev" > /dev/null'
    setup += [f"export GIT_AUTHOR_NAME={people[0]} GIT_AUTHOR_DATE=2030-01-01T00:01:30Z "
              f"GIT_COMMITTER_DATE=2030-01-01T00:01:30Z\n{undo}",
              f"echo tail > {rng.choice(pools.CITIES).lower()}.md\nrecord {people[1]} 'docs: tail'\ngit checkout -q "
              "main"]
    ported = [c for c in commits if c[4] == "fix" and c is not undone]
    for commit in ported:
        tree[f"{commit[2]}.txt"] = commit[3] + "\n"
    text = brief(
        rng, "Port the fixes",
        (f"Prepare the branch `{target}` in the git repository `{repo}`.",
         f"Please make a `{target}` branch in `{repo}` with fixes only.",
         f"The repository `{repo}` needs a maintenance branch named `{target}`."),
        [f"Create `{target}` from the tag `{tag}` and bring over the fixes that were made on the branch `{source}`.",
         (f"A fix is a commit whose subject begins with `{mark}`. If a later commit on `{source}` is git's standard "
          "revert of it (`This reverts commit ...`), the fix is not wanted, and the revert neither.",
          f"Fixes are the commits with a subject starting with `{mark}`, except those undone by a later `git revert` "
          f"on `{source}`; leave out both the undone fix and its revert."),
         "One commit per fix, in the order of the source branch, with the original subject and the original author "
         "name.",
         f"`main` and `{source}` must stay as they are."],
        [(f"In the end `{target}` has the commits of `{tag}` and the ported fixes, nothing else, and the files that "
          "follow from them. It does not matter which branch is checked out.",
          f"`git log {target}` then shows the history of `{tag}` followed by the fixes. Which branch is checked out "
          "at the end is up to you.")],
        example=("", f"{mark} sample one\n{mark} sample two\ninitial import"),
    )
    solve = fill('''
        #!/bin/bash
        set -e
        cd '@repo@'
        export GIT_COMMITTER_NAME=porter GIT_COMMITTER_EMAIL=porter@example.invalid
        git checkout -q -B @target@ @tag@
        reverted=$(git log --format=%B @tag@..@source@ | sed -n 's/^This reverts commit \\([0-9a-f]*\\)\\.*$/\\1/p')
        for commit in $(git log --reverse --format=%H @tag@..@source@); do
          subject=$(git log -1 --format=%s "$commit")
          case $subject in '@mark@'*) ;; *) continue ;; esac
          grep -q "$commit" <<< "$reverted" && continue
          git cherry-pick "$commit" > /dev/null && continue
          git checkout -q --theirs . && git add -A && git -c core.editor=true cherry-pick --continue > /dev/null
        done
        git checkout -q main
    ''', repo=repo, target=target, tag=tag, source=source, mark=mark)
    prelude = fill('''
        def git(*words):
            command = ["git", "-c", "safe.directory=*", "-C", "@repo@", *words]
            return subprocess.run(command, capture_output=True, text=True, check=True, timeout=30).stdout
    ''', repo=repo)
    checks = {
        "history": 'got = [line.split("\\t") for line in git("log", "--reverse", "--format=%s%x09%an", '
                   f'"{target}").splitlines()]\nassert got == HISTORY',
        "files": f'names = git("ls-tree", "-r", "--name-only", "{target}").split()\n'
                 'assert sorted(names) == sorted(TREE)\n'
                 'for name in names:\n'
                 f'    assert git("show", "{target}:" + name) == TREE[name], name',
        "others_unchanged": 'assert git("log", "--format=%s", "main").split("\\n'
                            '")[0] == "initial import"\n'
                            f'assert int(git("rev-list", "--count", "{source}")) == {len(commits) + 3}\n'
                            f'assert git("log", "-1", "--format=%s", "{source}").strip() == "docs: tail"',
        "starts_at_tag": f'assert git("merge-base", "{target}", "{tag}") == git("rev-parse", "{tag}^{{commit}}")',
    }
    data = {"HISTORY": [["initial import", people[0]], *[[c[0], c[1]] for c in ported]],
        "TREE": dict(sorted(tree.items()))}
    return Task(
        text, suite(rng, checks, data=data, prelude=prelude), solve, setup="\n".join(setup) + "\n", workdir=root,
        wrong={
            "everything": f"cd {repo} && git branch {target} {source}",
            "nothing": f"cd {repo} && git branch {target} {tag}",
            "last fix lost": after(f"cd {repo} && git branch -f {target} {target}~1"),
        },
        equal={"checked out": after(f"cd {repo} && git checkout -q {target}")},
    )


@family("key-value-server", domain="software_engineering", kind="multi_protocol", skills=("sockets", "http"),
    complexity="complex",
        language="python")
def key_value_server(rng: random.Random) -> Task:
    """A store spoken to over a line protocol on TCP and over HTTP."""
    path = f"{pools.root(rng)}/{rng.choice(('server.py', 'store.py', 'kvd.py'))}"
    put, take, drop = rng.choice((("SET", "GET", "DEL"), ("put", "get", "drop"), ("STORE", "FETCH", "FORGET")))
    done, missing = rng.choice((("OK", "NONE"), ("stored", "missing"), ("+", "-")))
    area = rng.choice(("keys", "entries", "items"))
    model: dict[str, str] = {}
    dialogue, names = [], pools.some(rng, pools.WORDS, 7)
    for _ in range(40):
        name, verb = rng.choice(names), rng.choice((put, put, take, take, drop))
        words = " ".join(pools.some(rng, pools.CITIES, rng.randrange(1, 4)))
        if verb == put:
            model[name] = words
            dialogue.append([f"{put} {name} {words}", done])
        elif verb == take:
            dialogue.append([f"{take} {name}", model.get(name, missing)])
        else:
            dialogue.append([f"{drop} {name}", done if model.pop(name, None) is not None else missing])
    model.setdefault(names[0], "x")
    dialogue.append([f"{put} {names[0]} {model[names[0]]}", done])
    text = brief(
        rng, "Key-value server",
        (f"Write `{path}`, a small in-memory key-value server.",
         f"Please implement a key-value store in Python: `{path}`.",
         f"We want a toy database server, `{path}`, that two kinds of clients can use."),
        [f"It is started as `python3 {path} TCP_PORT HTTP_PORT`, listens on 127.0.0.1 at both ports and runs until "
         "it is killed.",
         f"On the TCP port clients send lines (ended by a newline) and get one line for each: `{put} KEY VALUE` "
         f"stores VALUE (the rest of the line, which may contain blanks) and answers `{done}`; `{take} KEY` answers "
         f"the value or `{missing}`; `{drop} KEY` removes the key and answers `{done}`, or `{missing}` if there was "
         "none.",
         "A connection may carry many lines, and several connections may be open at once. Keys have no blanks.",
         f"On the HTTP port `GET /{area}` answers status 200 and a JSON array of all keys in ascending order; `GET "
         f"/{area}/KEY` answers 200 and a JSON object with `key` and `value`, or 404; `PUT /{area}/KEY` with the "
         "value as body (UTF-8) stores it and answers 204. A 404 may have any body."],
        ["Both sides work on the same data: what one stores the other sees at once.",
         ("Only the Python standard library is available.", "Do not use anything beyond Python's standard library.")],
        example=("", f"> {put} nobody has this\n< {done}\n> {take} absent\n< {missing}"),
    )
    code = '''
        import json, socketserver, sys, threading
        from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
        from urllib.parse import unquote
        data, lock = {}, threading.Lock()
        class Lines(socketserver.StreamRequestHandler):
            def handle(self):
                for raw in self.rfile:
                    verb, key, *rest = raw.decode().rstrip("\\r\\n").split(" ", 2)
                    with lock:
                        if verb == "@put@":
                            data[key] = rest[0] if rest else ""
                            answer = "@done@"
                        elif verb == "@take@":
                            answer = data.get(key, "@missing@")
                        else:
                            answer = "@missing@" if data.pop(key, None) is None else "@done@"
                    self.wfile.write((answer + "\\n").encode())
        class Web(BaseHTTPRequestHandler):
            def log_message(self, *words):
                pass
            def reply(self, status, body=None):
                text = b"" if body is None else json.dumps(body).encode()
                self.send_response(status)
                if status != 204:
                    self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)
            def do_GET(self):
                parts = unquote(self.path).strip("/").split("/")
                with lock:
                    if parts == ["@area@"]:
                        return self.reply(200, sorted(data))
                    if len(parts) == 2 and parts[0] == "@area@" and parts[1] in data:
                        return self.reply(200, {"key": parts[1], "value": data[parts[1]]})
                self.reply(404, {})
            def do_PUT(self):
                value = self.rfile.read(int(self.headers["Content-Length"])).decode()
                with lock:
                    data[unquote(self.path).strip("/").split("/")[1]] = value
                self.reply(204)
        class Threads(socketserver.ThreadingTCPServer):
            allow_reuse_address = daemon_threads = True
        tcp = Threads(("127.0.0.1", int(sys.argv[1])), Lines)
        threading.Thread(target=tcp.serve_forever, daemon=True).start()
        ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Web).serve_forever()
    '''
    make = {"put": put, "take": take, "done": done, "missing": missing, "area": area}
    checks = {"both_protocols": fill('''
        lines, web = free_port(), free_port()
        with serving(["python3", "@path@", str(lines), str(web)], lines, web):
            assert talk(lines, [pair[0] for pair in DIALOGUE]) == [pair[1] for pair in DIALOGUE]
            status, body = http(web, "GET", "/@area@")
            assert status == 200
            assert json.loads(body) == sorted(FINAL)
            for key, value in FINAL.items():
                status, body = http(web, "GET", "/@area@/" + key)
                assert (status, json.loads(body)) == (200, {"key": key, "value": value})
            assert http(web, "GET", "/@area@/absent")[0] == 404
            assert http(web, "PUT", "/@area@/fresh", "über alles".encode())[0] == 204
            with connect(lines) as idle:
                answers = talk(lines, ["@take@ fresh", "@drop@ fresh", "@take@ fresh"])
                assert answers == ["über alles", "@done@", "@missing@"]
                idle.sendall(b"@put@ late one\\n")
                assert idle.makefile().readline().strip() == "@done@"
            assert json.loads(http(web, "GET", "/@area@/late")[1])["value"] == "one"
    ''', path=path, drop=drop, **make)}
    return Task(
        text, suite(rng, checks, data={"DIALOGUE": dialogue, "FINAL": model}), program(path, code, mode="644", **make),
            workdir=path.rsplit("/", 1)[0],
        wrong={
            "no delete": program(path, code.replace("data.pop(key, None)", "data.get(key)"), **make),
            "unsorted keys": program(path, code.replace("sorted(data)", "sorted(data)[::-1]"), **make),
            "constant": program(path, code.replace("data.get(key, ", "str("), **make),
        },
        equal={"all interfaces": program(path, code.replace('"127.0.0.1"', '"0.0.0.0"'), **make)},
    )
