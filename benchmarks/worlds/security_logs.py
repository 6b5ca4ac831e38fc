"""Security: what happened, and what was changed (logs, manifests, permissions)."""

from __future__ import annotations

import hashlib
import hmac
import json
import random

from . import pools
from .base import Task, after, family, fill, python
from .checks import shell, suite
from .text import brief


@family("auth-lockouts", domain="security", kind="exact_text", skills=("log_analysis", "sliding_window"))
def auth_lockouts(rng: random.Random) -> Task:
    """Addresses with a burst of failed logins, and whether one of them got in afterwards."""
    root, limit, window = pools.root(rng), rng.randrange(4, 7), rng.choice((30, 60, 90, 120))
    log, out = f"{root}/{rng.choice(('auth', 'sshd', 'access'))}.log", f"{root}/{rng.choice(pools.OUTPUTS)}.json"
    people, events, wanted = pools.some(rng, pools.PEOPLE, 8), [], {}
    addresses = list(dict.fromkeys(pools.octets(rng) for _ in range(14)))[:9]
    for number, address in enumerate(addresses):
        start, burst = rng.randrange(0, 3000), number % 3 == 0 or number == 1
        count = limit if number in (0, 1) else limit - 1 if number == 2 else rng.randrange(2, limit + 3)
        step = window // limit if burst or number == 2 else window + 1
        moments = [start + step * item for item in range(count)]
        if number == 1:
            moments[-1] = start + window  # exactly the window still counts
        tried = [rng.choice(people) for _ in moments]
        events += [(moment, "Failed", user, address) for moment, user in zip(moments, tried, strict=True)]
        reached = next((moments[i] for i in range(limit - 1, count) if moments[i] - moments[i - limit + 1] <= window),
            None)
        accepted = None
        if rng.random() < 0.6 or number == 0:
            accepted = moments[-1] + rng.randrange(1, 300) if rng.random() < 0.5 or number == 0 else start - 5
            events.append((accepted, "Accepted", rng.choice(people), address))
        if reached is not None:
            wanted[address] = {"failures": count, "users": sorted(set(tried)),
                               "breached": accepted is not None and accepted > reached}
    events.sort()
    lines = []
    for moment, word, user, address in events:
        ghost = "invalid user " if word == "Failed" and rng.random() < 0.3 else ""
        lines.append(f"{pools.stamp(moment)} gate sshd[{rng.randrange(300, 9000)}]: {word} password for "
                     f"{ghost}{user} from {address} port {rng.randrange(20000, 60000)}")
        if rng.random() < 0.3:
            lines.append(f"{pools.stamp(moment)} gate sshd[{rng.randrange(300, 9000)}]: Failed publickey for {user} "
                         f"from {address} port {rng.randrange(20000, 60000)}")
    example = {"192.0.2.9": {"failures": 21, "users": ["nobody"], "breached": True}}
    text = brief(
        rng, "Burst of failed logins",
        (f"Find the brute-force sources in `{log}`.",
         f"Someone is guessing passwords; `{log}` has the evidence.",
         f"We need a list of the addresses that hammered our gateway. The log is `{log}`, one event a line."),
        [("Only lines saying `Failed password` count as failures; `Failed publickey` does not. An address is "
          f"suspicious when {limit} of its failures lie within {window} seconds (last minus first at most {window}).",
          f"An address qualifies if any {limit} of its `Failed password` lines are at most {window} seconds apart "
          f"from first to last, {window} included. Publickey failures are ignored."),
         "`invalid user NAME` counts as an attempt on NAME.",
         ("A suspicious address is breached when an `Accepted password` line from it is later than the failure that "
          f"first completed such a group of {limit}.",
          "`breached` is true if the address has an `Accepted password` after the moment at which the condition "
          f"({limit} failures inside the window) was first met, else false.")],
        [(f"Write `{out}`: a JSON object with one key per suspicious address; each value is an object with "
          "`failures` (all failed passwords of the address in the log), `users` (the distinct names tried, sorted) "
          "and `breached` (boolean).",
          f"The result goes to `{out}` as a JSON object, address to object. Fields: `failures`, the address's total "
          "of failed passwords; `users`, a sorted list of the different names it tried; `breached`, true or false.")],
        example=("json", json.dumps(example, indent=2)),
    )
    solve = python('''
        import json, re
        from datetime import datetime
        fails, good = {}, {}
        for line in open("@log@"):
            m = re.match(r"(\\S+) \\S+ \\S+ (Failed|Accepted) password for (?:invalid user )?(\\S+) from (\\S+)", line)
            if not m:
                continue
            t = datetime.strptime(m[1], "%Y-%m-%dT%H:%M:%SZ").timestamp()
            (fails if m[2] == "Failed" else good).setdefault(m[4], []).append((t, m[3]))
        out = {}
        for ip, rows in fails.items():
            hits = [b[0] for a, b in zip(rows, rows[@limit@ - 1:]) if b[0] - a[0] <= @window@]
            if hits:
                out[ip] = {"failures": len(rows), "users": sorted({u for _, u in rows}),
                           "breached": any(t > hits[0] for t, _ in good.get(ip, []))}
        json.dump(out, open("@out@", "w"), indent=1)
    ''', log=log, out=out, limit=limit, window=window)
    first = next(iter(wanted))
    change = "python3 -c \"import json; d=json.load(open('{0}')); {1}; json.dump(d, open('{0}','w'){2})\""
    return Task(
        text,
        suite(rng, {"report": f'assert same(json.loads(read("{out}")), WANTED)'}, data={"WANTED": wanted}),
        solve, {log: "\n".join(lines) + "\n"}, workdir=root,
        wrong={
            "one more": after(change.format(out, f"d['{first}']['failures'] += 1", "")),
            "flag": after(change.format(out, f"d['{first}']['breached'] ^= True", "")),
            "empty": f"echo '{{}}' > {out}",
        },
        equal={"order": after(change.format(out, "d=dict(reversed(d.items()))", ", indent=4") + f"; echo >> {out}")},
    )


@family("signed-manifest", domain="security", kind="exact_text", skills=("integrity", "hmac"), complexity="complex")
def signed_manifest(rng: random.Random) -> Task:
    """Files against a manifest whose sections count only when their HMAC is right."""
    root, out = pools.root(rng), "/".join((pools.root(rng), rng.choice(("integrity", "findings", "changes")) + ".tsv"))
    key = "".join(rng.choice("abcdefghjkmnpqrstuvwxyz23456789") for _ in range(24))
    files, manifest, wanted = {}, [], {}
    for section, word in enumerate(pools.some(rng, pools.WORDS, 5)):
        entries = []
        for name in pools.some(rng, pools.ITEMS, 5):
            path, content = f"{word}/{name}.dat", f"{name} {rng.getrandbits(60):x}\n" * rng.randrange(1, 4)
            fate = rng.choice(("same", "same", "modified", "missing"))
            entries.append(f"{hashlib.sha256(content.encode()).hexdigest()}  {path}")
            if fate != "missing":
                files[f"{root}/tree/{path}"] = content if fate == "same" else content.replace(" ", "  ", 1)
            trusted = section not in (1, 3)
            if not trusted and fate != "missing":
                wanted[path] = "unlisted"
            elif trusted and fate != "same":
                wanted[path] = fate
        extra = f"{word}/{rng.choice(('notes', 'core', 'tmp'))}.{rng.randrange(10, 99)}"
        files[f"{root}/tree/{extra}"] = f"{rng.getrandbits(40):x}\n"
        wanted[extra] = "unlisted"
        body = "".join(line + "\n" for line in entries)
        mac = hmac.new(key.encode(), body.encode(), hashlib.sha256).hexdigest()
        if section in (1, 3):
            mac = mac[:-1] + ("0" if mac[-1] != "0" else "1")
        manifest.append(f"[{word}]\n{body}hmac {mac}\n")
    files |= {f"{root}/MANIFEST": "".join(manifest), f"{root}/key.txt": key + "\n"}
    text = brief(
        rng, "Integrity check",
        (f"Check the files below `{root}/tree` against `{root}/MANIFEST`.",
         f"Which files of `{root}/tree` are not what `{root}/MANIFEST` says? Please find out.",
         f"An intruder may have touched `{root}/tree`. The manifest `{root}/MANIFEST` was made before."),
        [("The manifest has sections. A section is a `[name]` line, then lines in the format of `sha256sum` with "
          "paths relative to the tree, then a line `hmac HEX`.",
          "Each section of the manifest starts with `[name]`, lists `DIGEST  PATH` lines (SHA-256, path relative to "
          "the tree) and ends with `hmac HEX`."),
         ("HEX is the HMAC-SHA256 of the section's digest lines (each with its newline, without the `[name]` and "
          f"`hmac` lines). The key is the text in `{root}/key.txt` without its newline.",
          "The HMAC (SHA-256) is taken over the digest lines of that section alone, newlines included, with the "
          f"content of `{root}/key.txt`, stripped of the line break, as key."),
         "A section whose HMAC is wrong is forged: treat it as if it were not in the manifest at all."],
        [(f"Write `{out}`, tab-separated, without a header: one line per path that deviates, `path`, tab, `status`. "
          "Paths are relative to the tree. Files that match are left out; the order of lines is free.",
          f"For every deviating file put a line `path<TAB>status` into `{out}` (no header line, any order, path "
          "relative to the tree). Matching files are not listed.")],
        table=[("modified", "in a valid section, present, other digest"),
            ("missing", "in a valid section, not on disk"),
               ("unlisted", "on disk, in no valid section")],
        example=("", "sample/a.bin\tmodified\nsample/b.bin\tmissing"),
    )
    solve = python('''
        import hashlib, hmac, os, re
        root = "@root@"
        key = open(root + "/key.txt").read().strip().encode()
        known = {}
        section = r"\\[\\w+\\]\\n((?:[0-9a-f]{64}  .*\\n)*)hmac (\\w+)\\n"
        for body, mac in re.findall(section, open(root + "/MANIFEST").read()):
            if hmac.new(key, body.encode(), "sha256").hexdigest() == mac:
                known |= {line[66:]: line[:64] for line in body.splitlines()}
        found = {}
        for folder, _, names in os.walk(root + "/tree"):
            for name in names:
                path = os.path.join(folder, name)
                found[os.path.relpath(path, root + "/tree")] = hashlib.sha256(open(path, "rb").read()).hexdigest()
        os.makedirs(os.path.dirname("@out@"), exist_ok=True)
        with open("@out@", "w") as out:
            for path in sorted(known.keys() | found.keys()):
                if path not in known:
                    out.write(path + "\\tunlisted\\n")
                elif path not in found:
                    out.write(path + "\\tmissing\\n")
                elif known[path] != found[path]:
                    out.write(path + "\\tmodified\\n")
    ''', root=root, out=out)
    check = fill('''
        rows = [row for row in csv.reader(io.StringIO(read("@out@")), delimiter="\\t") if row]
        assert all(len(row) == 2 for row in rows), rows
        assert len({row[0] for row in rows}) == len(rows), "a path is listed twice"
        assert {path.strip(): status.strip() for path, status in rows} == WANTED
    ''', out=out)
    return Task(
        text, suite(rng, {"statuses": check}, data={"WANTED": wanted}), solve, files, workdir=root,
        wrong={
            "short": after(f"sed -i 1d {out}"),
            "status": after(f"sed -i '1s/\\t.*/\\tother/' {out}"),
            "all unlisted": after(f"sed -i 's/\\t.*/\\tunlisted/' {out}"),
        },
        equal={"reversed": after(f"tac {out} > /tmp/r && cp /tmp/r {out}"), "crlf": after(f"sed -i 's/$/\\r/' {out}")},
    )


@family("permission-policy", domain="security", kind="exact_text", skills=("permissions", "globs"), language="bash")
def permission_policy(rng: random.Random) -> Task:
    """A tree whose modes must follow a policy; verified by a shell script."""
    root = pools.root(rng)
    tree, policy = f"{root}/{rng.choice(('site', 'release', 'vault'))}", f"{root}/{rng.choice(('policy', 'modes'))}.txt"
    suffixes = {"key": rng.choice(("600", "400")), "sh": rng.choice(("750", "700")), "conf": rng.choice(("640", "660")),
                "log": rng.choice(("644", "664"))}
    default, folder_mode = rng.choice(("604", "444", "440")), rng.choice(("750", "711", "701"))
    secret = rng.choice(pools.WORDS)
    secret_mode = rng.choice(("000", "200", "100"))
    files, setup, wanted = {}, [], {}
    folders = ["", *pools.some(rng, [w for w in pools.WORDS if w != secret], 3), secret]
    for folder in folders:
        for name in pools.some(rng, pools.ITEMS, 5):
            suffix = rng.choice(("key", "sh", "conf", "log", "txt", "bak"))
            path = f"{tree}/{folder}/{name}.{suffix}".replace("//", "/")
            files[path] = f"{name} {rng.getrandbits(48):x}\n"
            setup.append(f"chmod {rng.choice(('777', '666', '644', '640', '600'))} {path}")
            wanted[path] = secret_mode if folder == secret and suffix == "key" else suffixes.get(suffix, default)
        wanted[f"{tree}/{folder}".rstrip("/")] = folder_mode
        setup.append(f"chmod {rng.choice(('777', '755', '775'))} {tree}/{folder}")
    forced = f"{tree}/{secret}/zz-master.key"
    files[forced], wanted[forced] = f"{rng.getrandbits(80):x}\n", secret_mode
    rules = [f"{secret}/*.key {secret_mode}", *(f"*.{suffix} {mode}" for suffix, mode in suffixes.items()),
        f"* {default}"]
    files[policy] = "# first match wins\n" + "\n".join(rules) + "\n"
    text = brief(
        rng, "Modes by policy",
        (f"Bring the permissions below `{tree}` into line with the policy in `{policy}`.",
         f"The modes in `{tree}` are a mess. `{policy}` says what they should be.",
         f"Apply `{policy}` to the tree `{tree}`."),
        [("Each line of the policy is a pattern and an octal mode; lines that begin with `#` are comments.",
          "The policy has one rule a line, `PATTERN MODE` (octal); `#` starts a comment line."),
         ("For every regular file the first rule that matches decides. A pattern without a slash is matched against "
          "the file's name alone, a pattern with a slash against the path relative to the tree; `*` stands for any "
          "characters except a slash.",
          "Rules are tried from top to bottom and the first hit wins. Patterns containing `/` are compared with the "
          "path relative to the tree, the others with the base name; `*` never matches a slash."),
         f"Directories, `{tree}` itself included, are not in the policy: all of them get mode {folder_mode}."],
        [("Only modes change: every file keeps its name and its content.",
          "Do not rename, rewrite or remove any file.")],
    )
    solve = fill('''
        #!/bin/bash
        set -e
        cd '@tree@'
        while IFS= read -r -d '' file; do
          rel=${file#./}
          while read -r pattern mode; do
            case $pattern in ''|'#'*) continue ;; */*) subject=$rel ;; *) subject=${rel##*/} ;; esac
            if [[ $pattern == */* ]]; then
              [ "$(tr -cd / <<< "$rel" | wc -c)" = "$(tr -cd / <<< "$pattern" | wc -c)" ] || continue
            fi
            if [[ $subject == $pattern ]]; then chmod "$mode" "$file"; break; fi
          done < '@policy@'
        done < <(find . -type f -print0)
        find . -type d -exec chmod @folder_mode@ {} +
    ''', tree=tree, policy=policy, folder_mode=folder_mode)
    sums = "".join(f"{hashlib.sha256(body.encode()).hexdigest()}  {path}\n"
                   for path, body in sorted(files.items()) if path != policy)
    verifier = shell(rng, '''
        while read -r mode path; do
          [ "$(stat -c %a "$path")" = "$mode" ] || { echo "$path: not $mode"; return 1; }
        done < /tests/modes
        sha256sum --quiet -c /tests/sums
    ''', {"modes": "".join(f"{int(mode, 8):o} {path}\n" for path, mode in sorted(wanted.items())), "sums": sums})
    return Task(
        text, verifier, solve, files, "\n".join(setup) + "\n", workdir=root,
        wrong={
            "one file": after(f"chmod 755 {forced}"),
            "folders": after(f"chmod 755 {tree}/{secret}"),
            "content": after(f"echo >> {forced}"),
            "policy moved": f"echo > {policy}",
        },
        equal={
            "extra file": after(f"echo note > {tree}/extra.note"),
            "policy touched": after(f"echo '# ok' >> {policy}"),
        },
    )
