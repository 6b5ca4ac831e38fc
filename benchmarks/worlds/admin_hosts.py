"""System administration: configuration trees, old logs and a service that must run."""

from __future__ import annotations

import hashlib
import json
import random
from datetime import date, timedelta

from . import pools
from .base import Task, after, family, fill, python
from .checks import shell, suite
from .text import brief


@family("host-configs", domain="system_administration", kind="exact_text", skills=("templates", "inheritance"),
    complexity="complex")
def host_configs(rng: random.Random) -> Task:
    """One file per host from templates and inherited variables; compared by diff."""
    root = pools.root(rng)
    inventory = f"{root}/{rng.choice(('inventory', 'hosts'))}.json"
    templates = f"{root}/templates"
    out = f"{root}/{rng.choice(('etc', 'rendered', 'hosts.d'))}"
    names, mark = ["port", "zone", "owner", "mode", "quota"], rng.choice((("${", "}"), ("{{", "}}"), ("@@", "@@")))
    defaults = {"port": rng.randrange(1000, 9999), "zone": rng.choice(pools.CITIES), "owner": rng.choice(pools.PEOPLE),
        "mode": "safe", "quota": rng.randrange(10, 99)}
    draw = {"port": lambda: rng.randrange(1000, 9999), "zone": lambda: rng.choice(pools.CITIES),
        "owner": lambda: rng.choice(pools.PEOPLE),
            "mode": lambda: rng.choice(("fast", "slow")), "quota": lambda: rng.randrange(100, 999)}
    kinds, groups = pools.some(rng, ("web", "mail", "cache", "files"), 3), pools.some(rng, pools.WORDS, 3)
    group_values = {group: {name: draw[name]() for name in rng.sample(names, 2)} for group in groups}
    hosts, wanted, forms = {}, {}, {}
    for kind in kinds:
        forms[kind] = f"# {kind} server\n" + "".join(f"{name.upper()} = {mark[0]}{name}{mark[1]}\n"
            for name in rng.sample(names, 4)) + f"name {mark[0]}host{mark[1]}.{mark[0]}zone{mark[1]}\n"
    for host in pools.some(rng, pools.ITEMS, 9):
        group, kind = rng.choice(groups), rng.choice(kinds)
        own = {name: draw[name]() for name in rng.sample(names, rng.randrange(0, 3))}
        hosts[host] = {"group": group, "kind": kind, **({"vars": own} if own else {}),
            **({"retired": True} if rng.random() < 0.2 else {})}
        if "retired" not in hosts[host]:
            body = forms[kind]
            for name, value in {**defaults, **group_values[group], **own, "host": host}.items():
                body = body.replace(f"{mark[0]}{name}{mark[1]}", str(value))
            wanted[f"{host}.conf"] = body
    files = {inventory: json.dumps({"defaults": defaults, "groups": group_values, "hosts": hosts}, indent=1),
        **{f"{templates}/{kind}.tmpl": body for kind, body in forms.items()}}
    stale = f"{out}/{rng.choice(pools.CITIES).lower()}.conf"
    files[stale] = "# left over\n"
    text = brief(
        rng, "Render host configurations",
        (f"Render a configuration file for each host of `{inventory}` into `{out}`.",
         f"Our configuration tool is gone; please produce the files in `{out}` from `{inventory}` and `{templates}`.",
         f"Generate `{out}/HOST.conf` for the hosts in `{inventory}`."),
        [f"A host of kind K is rendered from `{templates}/K.tmpl`. A placeholder `{mark[0]}NAME{mark[1]}` stands for "
         "a variable; `host` is the host's own name.",
         ("Variables come from `defaults`, overridden by those of the host's group (`groups`), overridden by the "
          "host's own `vars`.",
          "The host's `vars` take precedence over the values of its group in `groups`, these over `defaults`."),
         "Hosts marked `retired` get no file."],
        [(f"`{out}` must contain exactly the files `HOST.conf` of the active hosts. What else is there has to go.",
          f"No other files may remain in `{out}`, only one `HOST.conf` for each active host."),
         "Apart from the placeholders the template is copied character by character."],
        example=("", "NAME = nobody\nPORT = 99999"),
    )
    solve = python('''
        import glob, json, os
        d = json.load(open("@inventory@"))
        for path in glob.glob("@out@/*"):
            os.remove(path)
        for host, info in d["hosts"].items():
            if info.get("retired"):
                continue
            values = dict(d["defaults"])
            values.update(d["groups"][info["group"]])
            values.update(info.get("vars", {}))
            text = open("@templates@/" + info["kind"] + ".tmpl").read()
            for name, value in list(values.items()) + [("host", host)]:
                text = text.replace("@left@" + name + "@right@", str(value))
            open("@out@/" + host + ".conf", "w").write(text)
    ''', inventory=inventory, templates=templates, out=out, left=mark[0], right=mark[1])
    verifier = shell(rng, f'''
        [ -d {out} ] || return 1
        diff -r /tests/wanted {out}
    ''', {f"wanted/{name}": body for name, body in wanted.items()})
    one = sorted(wanted)[0]
    return Task(
        text, verifier, solve, files, workdir=root,
        wrong={
            "stale file": after(f"echo > {stale}"),
            "one character": after(f"sed -i '2s/$/1/' {out}/{one}"),
            "no groups": solve.replace("values.update(d[", "({}).update(d["),
            "templates": f"rm {out}/*; cp {templates}/* {out}/",
        },
        equal={"modes": after(f"chmod 600 {out}/*"), "templates gone": after(f"rm -r {templates}")},
    )


@family("log-retention", domain="system_administration", kind="exact_text", skills=("log_rotation", "compression"),
    language="bash", complexity="complex")
def log_retention(rng: random.Random) -> Task:
    """A directory of dated logs brought to a retention policy: kept, compressed or deleted."""
    root = pools.root(rng)
    folder, today = f"{root}/{rng.choice(('logs', 'archive', 'history'))}", rng.randrange(60, 90)
    plain, packed = rng.choice((3, 5, 7)), rng.choice((14, 20, 30))
    day = lambda number: date(2032, 1, 1) + timedelta(days=number)  # noqa: E731
    files, wanted = {}, {}
    for name in pools.some(rng, pools.WORDS, 4):
        ages = sorted(set(rng.sample(range(0, 60), 7)) | {plain, plain - 1, packed, packed - 1})
        for age in ages:
            path = f"{name}-{day(today - age):%Y%m%d}.log"
            body = f"{name} {age} {rng.getrandbits(60):x}\n" * rng.randrange(1, 6)
            files[f"{folder}/{path}"] = body
            held = rng.random() < 0.12
            if held:
                files[f"{folder}/{path}.keep"] = ""
                wanted[f"{path}.keep"] = ""
            first = day(today - age).day == 1
            if age < plain or held:
                wanted[path] = body
            elif age < packed or first:
                wanted[f"{path}.gz"] = body
    files[f"{folder}/README"] = wanted["README"] = f"retention notes {rng.randrange(999)}\n"
    text = brief(
        rng, "Apply the retention policy",
        (f"Apply our retention policy to the logs in `{folder}`.",
         f"`{folder}` is growing without bound. Please clean it up by the rules below.",
         f"The logs in `{folder}` have to be compressed or deleted by age."),
        ["Files are called `NAME-YYYYMMDD.log`. Their age in days is reckoned from their name, with "
         f"{day(today):%Y-%m-%d} as today (whatever the clock says).",
         f"Logs younger than {plain} days stay as they are. Logs of {plain} or more but less than {packed} days are "
         "compressed with gzip (`NAME-YYYYMMDD.log.gz`, the plain file goes).",
         (f"Logs of {packed} days or more are deleted, except those of the first day of a month: these are "
          "compressed and kept.",
          f"From {packed} days on they are deleted, but a log dated on the first of a month is compressed instead."),
         "A log with a file beside it that has the same name plus `.keep` is left alone, and so is the keep file."],
        [("Other files are not touched. In the end the directory holds exactly what follows from these rules.",
          "Everything else in the directory stays. Nothing may be left or added beyond what the rules say."),
         "Only the content matters, not times, modes or the level of compression."],
        example=("", "sample-19990101.log.gz"),
    )
    solve = fill('''
        #!/bin/bash
        set -e
        cd '@folder@'
        today=$(date -u -d '@today@' +%s)
        for file in *.log; do
          [ -e "$file.keep" ] && continue
          stamp=${file%.log}; stamp=${stamp##*-}
          age=$(( (today - $(date -u -d "$stamp" +%s)) / 86400 ))
          if [ $age -lt @plain@ ]; then
            :
          elif [ $age -lt @packed@ ] || [ "${stamp:6}" = 01 ]; then
            gzip -nf "$file"
          else
            rm "$file"
          fi
        done
    ''', folder=folder, today=f"{day(today):%Y-%m-%d}", plain=plain, packed=packed)
    sums = "".join(f"{hashlib.sha256(body.encode()).hexdigest()} {name}\n" for name, body in sorted(wanted.items()))
    verifier = shell(rng, f'''
        cd {folder} || return 1
        ls -A | LC_ALL=C sort | diff <(cut -d ' ' -f 2 /tests/wanted | LC_ALL=C sort) - || return 1
        while read -r sum name; do
          case $name in *.gz) found=$(gzip -dc "$name" | sha256sum) ;; *) found=$(sha256sum < "$name") ;; esac
          [ "${{found%% *}}" = "$sum" ] || {{ echo "$name: other content"; return 1; }}
        done < /tests/wanted
    ''', {"wanted": sums})
    one = next(name for name in sorted(wanted) if name.endswith(".gz"))
    return Task(
        text, verifier, solve, files, workdir=root,
        wrong={
            "all kept": f"cd {folder}; gzip *.log",
            "one lost": after(f"rm {folder}/{one}"),
            "not compressed": after(f"gunzip {folder}/{one}"),
            "empty archive": after(f"gzip -c < /dev/null > {folder}/{one}"),
            "keep ignored": after(f"rm -f {folder}/*.keep; rm {folder}/README"),
        },
        equal={
            "level 1": after(f"gunzip {folder}/{one}; gzip -1 {folder}/{one[:-3]}"),
            "mode": after(f"chmod 600 {folder}/{one}"),
        },
    )


@family("service-bringup", domain="system_administration", kind="multi_protocol",
    skills=("services", "configuration", "sockets"), complexity="complex")
def service_bringup(rng: random.Random) -> Task:
    """A service that must be configured from an inventory and left running: line protocol and HTTP."""
    root = pools.root(rng)
    port, status = rng.sample(range(18000, 28000), 2)
    inventory = f"{root}/{rng.choice(('inventory', 'cluster'))}.txt"
    tool = f"{root}/{rng.choice(('routerd', 'directory'))}.py"
    config, role = f"{root}/{rng.choice(('routerd', 'service'))}.ini", rng.choice(("serving", "active", "live"))
    hosts, lines = pools.some(rng, pools.ITEMS, 12), []
    table: dict[str, list[tuple[int, str]]] = {}
    for host in hosts:
        group, weight, state = rng.choice(("north", "south", "west")), rng.randrange(1,
            90), rng.choice((role, role, "draining", "down"))
        lines.append(f"{host}  group={group}  weight={weight}  state={state}")
        if state == role:
            table.setdefault(group, []).append((weight, host))
    top = {group: min((-weight, host) for weight, host in rows)[1] for group, rows in table.items()}
    sizes = {group: len(rows) for group, rows in table.items()}
    daemon = fill('''
        #!/usr/bin/env python3
        """Answers where requests go. Usage: THIS CONFIG. See NOTES for the configuration."""
        import configparser
        import json
        import socketserver
        import sys
        import threading
        from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

        config = configparser.ConfigParser()
        config.read_file(open(sys.argv[1]))
        routes, sizes = dict(config["routes"]), {k: int(v) for k, v in config["sizes"].items()}


        class Lines(socketserver.StreamRequestHandler):
            def handle(self):
                for raw in self.rfile:
                    self.wfile.write((routes.get(raw.decode().strip(), "?") + "\\n").encode())


        class Status(BaseHTTPRequestHandler):
            def do_GET(self):
                body = json.dumps({"groups": sizes, "banner": config["server"]["banner"]}).encode()
                self.send_response(200 if self.path == "/status" else 404)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *words):
                pass


        class Server(socketserver.ThreadingTCPServer):
            allow_reuse_address = daemon_threads = True


        lines = Server(("127.0.0.1", config.getint("server", "port")), Lines)
        threading.Thread(target=lines.serve_forever, daemon=True).start()
        ThreadingHTTPServer(("127.0.0.1", config.getint("server", "status_port")), Status).serve_forever()
    ''')
    notes = fill('''
        The configuration is an INI file:

        [server]  port (line protocol), status_port (HTTP), banner (any text)
        [routes]  GROUP = HOST, the host that gets the requests of this group
        [sizes]   GROUP = number of usable hosts in the group
    ''')
    banner = f"{rng.choice(pools.CITIES)}-{rng.randrange(100, 999)}"
    text = brief(
        rng, "Bring up the directory service",
        (f"Configure and start the service `{tool}`, and leave it running.",
         f"The service `{tool}` must run on this machine; it has no configuration yet.",
         f"Please bring up `{tool}`. `{root}/NOTES` explains its configuration."),
        [f"Write its configuration file `{config}` (format: `{root}/NOTES`) from the inventory `{inventory}`.",
         (f"Only hosts with `state={role}` are usable. A group's requests go to its usable host with the greatest "
          "weight; when weights are equal to the one whose name comes first in the alphabet. Groups without usable "
          "hosts are left out everywhere.",
          f"Hosts in any state but `{role}` do not count. The route of a group is its host of greatest weight, among "
          "equals the alphabetically first name; a group in which no host counts is not configured."),
         f"The line protocol is to listen on port {port}, the status page on port {status}; the banner is `{banner}`."],
        [(f"The service must be running in the background at the end: on 127.0.0.1:{port} a client sends a group's "
          f"name and a newline and gets the host (`?` for unknown groups), and `http://127.0.0.1:{status}/status` "
          "answers a JSON object with `groups` (group to number of usable hosts) and `banner`.",
          f"At the end it runs, detached from your session. Clients send a group name as a line to port {port} and "
          f"receive the host's name, or `?`; `GET /status` on port {status} gives JSON with the keys `groups` "
          "(usable hosts per group) and `banner`.")],
        example=("ini", "[routes]\nsample = nohost"),
    )
    start = fill('''
        [ ! -f @root@/service.pid ] || kill "$(cat @root@/service.pid)" 2> /dev/null || true
        sleep 0.2
        setsid python3 @tool@ @config@ > /dev/null 2>&1 < /dev/null &
        echo $! > @root@/service.pid
        for n in $(seq 100); do
          python3 -c "import socket; socket.create_connection(('127.0.0.1', @status@)).close()" 2> /dev/null && exit 0
          sleep 0.1
        done
        exit 1
    ''', root=root, tool=tool, config=config, status=status)
    configure = python('''
        import configparser, re
        groups = {}
        for line in open("@inventory@"):
            host, *pairs = line.split()
            group, weight, state = (pair.split("=")[1] for pair in pairs)
            if state == "@role@":
                groups.setdefault(group, []).append((-int(weight), host))
        c = configparser.ConfigParser()
        c["server"] = {"port": "@port@", "status_port": "@status@", "banner": "@banner@"}
        c["routes"] = {g: min(rows)[1] for g, rows in groups.items()}
        c["sizes"] = {g: str(len(rows)) for g, rows in groups.items()}
        with open("@config@", "w") as out:
            c.write(out)
    ''', inventory=inventory, role=role, port=port, status=status, banner=banner, config=config)
    checks = {
        "routes": f"assert talk({port}, [*TOP, 'nowhere']) == [*TOP.values(), '?']",
        "status": f"code, body = http({status}, 'GET', '/status')\n"
                  "assert code == 200\n"
                  "answer = json.loads(body)\n"
                  "assert answer['groups'] == SIZES\n"
                  f"assert answer['banner'] == {banner!r}",
    }
    files = {inventory: "\n".join(lines) + "\n", tool: daemon, f"{root}/NOTES": notes}
    return Task(
        text, suite(rng, checks, data={"TOP": top, "SIZES": sizes}), configure + start, files, workdir=root,
        wrong={
            "not started": configure,
            "all hosts": configure.replace(f'state == "{role}"', "state") + start,
            "lightest": configure.replace("-int(weight)", "int(weight)") + start,
            "banner": configure.replace(banner, "nobody") + start,
        },
        equal={"own server": configure + f"sed -i 's/127.0.0.1/0.0.0.0/' {tool}\n" + start},
    )
