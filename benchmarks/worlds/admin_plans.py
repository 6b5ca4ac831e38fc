"""System administration: schedules, accounts and quotas worked out from configuration."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

from . import pools
from .base import Task, after, family, fill, python
from .checks import suite
from .text import brief


def _field(text: str, low: int, high: int) -> set[int]:
    found: set[int] = set()
    for part in text.split(","):
        span, _, step = part.partition("/")
        first, last = (low, high) if span == "*" else (int(span.split("-")[0]), int(span.split("-")[-1]))
        found |= set(range(first, last + 1, int(step or 1)))
    return found


@family("cron-calendar", domain="system_administration", kind="exact_text", skills=("cron", "dates"),
    complexity="complex")
def cron_calendar(rng: random.Random) -> Task:
    """When the jobs of a crontab run within given days."""
    root = pools.root(rng)
    table = f"{root}/{rng.choice(('crontab', 'jobs.cron', 'schedule'))}"
    out = f"{root}/{rng.choice(('runs', 'calendar'))}.csv"
    first, days = datetime(2031, rng.randrange(1, 13), rng.randrange(1, 20), tzinfo=UTC), rng.randrange(2, 4)
    jobs, lines = pools.some(rng, pools.ITEMS, 9), ["# jobs of this host", "SHELL=/bin/sh", ""]
    runs, off, daily = [], jobs[4], jobs[3:5]
    for name in jobs:
        minute = rng.choice((str(rng.randrange(60)), f"*/{rng.choice((20, 30))}",
            f"{rng.randrange(20)}-{rng.randrange(40, 59)}/25", "0,45"))
        hour = rng.choice((str(rng.randrange(24)), f"{rng.randrange(3, 9)}-{rng.randrange(10, 14)}/3", "*/8", "6,18"))
        date = rng.choice(("*", "*", "*/2", f"{first.day}-{first.day + 1}", str(rng.randrange(1, 29))))
        month = rng.choice(("*", "*", str(first.month), f"{first.month},{first.month % 12 + 1}",
            str(first.month % 12 + 1)))
        weekday = "*" if date != "*" else rng.choice(("*", "1-5", "0", "6,0", "2-4"))
        if name in daily:
            date = month = weekday = "*"
        line = f"{minute} {hour} {date} {month} {weekday}"
        lines.append(("#" if name == off else "") + f"{line}\t/usr/local/bin/{name} --run")
        if name == off:
            continue
        for number in range(days * 24 * 60):
            at = first + timedelta(minutes=number)
            if (at.minute in _field(minute, 0, 59) and at.hour in _field(hour, 0, 23) and at.day in _field(date, 1,
                31) and at.month in _field(month, 1, 12)
                    and at.isoweekday() % 7 in _field(weekday, 0, 6)):
                runs.append([at.strftime("%Y-%m-%d %H:%M"), name])
    runs.sort()
    last = first + timedelta(days=days - 1)
    text = brief(
        rng, "Calendar of jobs",
        (f"Work out when the jobs of `{table}` will run.",
         f"Before the maintenance we want to know which jobs of the crontab `{table}` are due.",
         f"Expand the crontab `{table}`."),
        [f"The period is from {first:%Y-%m-%d} 00:00 to {last:%Y-%m-%d} 23:59, both days included; all times are UTC.",
         ("The file has the usual five fields (minute, hour, day of month, month, day of week with 0 for Sunday) "
          "and a command. `*`, numbers, lists, ranges and steps (`*/n`, `a-b/n` counting from a) occur. At least "
          "one of the two day fields is always `*`.",
          "Lines have minute, hour, day of month, month, day of week (0 is Sunday) and the command. Fields use `*`, "
          "numbers, comma lists, ranges `a-b` and steps `/n` (counted from the start of the range). The two day "
          "fields are never restricted both."),
         "Comments, blank lines and settings like `NAME=value` are no jobs. The name of a job is the last part of "
         "its command's path, without the options."],
        [(f"Write `{out}` with the header `time,job` and one row per run, `YYYY-MM-DD HH:MM` and the job's name, "
          "sorted by time, then name.",
          f"The CSV file `{out}` has the header `time,job` and a row for every run: time as `YYYY-MM-DD HH:MM`, name "
          "of the job; ascending by time and name.")],
        example=("csv", "time,job\n1999-12-31 23:58,sample\n1999-12-31 23:59,specimen"),
    )
    solve = python('''
        import re
        from datetime import datetime, timedelta
        def hit(field, value, low, high):
            for part in field.split(","):
                span, _, step = part.partition("/")
                a, b = (low, high) if span == "*" else map(int, (span.split("-") * 2)[:2])
                if a <= value <= b and (value - a) % int(step or 1) == 0:
                    return True
            return False
        rows = []
        for line in open("@table@"):
            m = re.match(r"([\\d*]\\S*) (\\S+) (\\S+) (\\S+) (\\S+)\\s+(\\S+)", line)
            if not m:
                continue
            at = datetime(@first@)
            for _ in range(@minutes@):
                values = (at.minute, at.hour, at.day, at.month, at.isoweekday() % 7)
                spans = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6))
                if all(hit(f, v, lo, hi) for f, v, (lo, hi) in zip(m.groups(), values, spans)):
                    rows.append(f"{at:%Y-%m-%d %H:%M},{m[6].split('/')[-1]}\\n")
                at += timedelta(minutes=1)
        open("@out@", "w").write("time,job\\n" + "".join(sorted(rows)))
    ''', table=table, out=out, first=f"{first.year}, {first.month}, {first.day}", minutes=days * 24 * 60)
    checks = {
        "header": f'assert next(csv.reader(io.StringIO(read("{out}")))) == ["time", "job"]',
        "runs": f'rows = [row for row in csv.reader(io.StringIO(read("{out}"))) if row]\nassert rows[1:] == RUNS',
    }
    decoy = pools.decoy(rng, root, "csv")
    stale = "time,job\n" + "".join(f"{time.replace('2031', '2030')},{job}\n" for time, job in runs)
    return Task(
        text, suite(rng, checks, data={"RUNS": runs}), solve, {table: "\n".join(lines) + "\n", decoy: stale},
            workdir=root,
        wrong={
            "decoy copied": f"cp {decoy} {out}",
            "run lost": after(f"sed -i '$d' {out}"),
            "other hour": after(f"sed -i '2s/:/9:/' {out}"),
            "comment runs": solve.replace('for line in open("' + table + '")',
            f'for line in open("{table}").read().replace("#", "").splitlines()'),
            "reversed": after(f"(head -1 {out}; tail -n +2 {out} | tac) > /tmp/r; cp /tmp/r {out}"),
        },
        equal={"quoted": after(f"sed -i 's/,\\(.*\\)/,\"\\1\"/' {out}"), "crlf": after(f"sed -i 's/$/\\r/' {out}")},
    )


@family("account-provisioning", domain="system_administration", kind="exact_text", skills=("passwd", "groups"),
    complexity="complex")
def account_provisioning(rng: random.Random) -> Task:
    """passwd and group files of another root updated from a list of joiners and leavers."""
    root = pools.root(rng)
    etc = f"{root}/{rng.choice(('rootfs', 'chroot', 'image'))}/etc"
    todo = f"{root}/{rng.choice(('changes', 'joiners', 'hr'))}.csv"
    base, shell_path, home = rng.choice((1000, 2000, 5000)), rng.choice(("/bin/bash", "/bin/sh",
        "/usr/bin/zsh")), rng.choice(("/home", "/users", "/srv/home"))
    people = pools.some(rng, pools.PEOPLE, 14)
    teams = pools.some(rng, pools.WORDS, 4)
    old, joiners = people[:8], people[8:13]
    taken = sorted(rng.sample(range(base, base + 12), 8))
    passwd = ["root:x:0:0:root:/root:/bin/bash", "daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin"]
    passwd += [f"{name}:x:{uid}:100:{name.title()}:{home}/{name}:{shell_path}" for name,
        uid in zip(old, taken, strict=True)]
    passwd.append("nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin")
    members = {team: rng.sample(old, rng.randrange(1, 5)) for team in teams}
    group = ["root:x:0:", "users:x:100:",
        *(f"{team}:x:{300 + number}:{','.join(members[team])}" for number, team in enumerate(teams))]
    leavers = rng.sample(old, 2)
    changes = [("join", name, rng.choice(teams)) for name in joiners] + [("leave", name, "") for name in leavers]
    changes += [("move", name, rng.choice(teams)) for name in rng.sample([n for n in old if n not in leavers], 2)]
    rng.shuffle(changes)
    users, used = {line.split(":")[0]: line for line in passwd}, set(taken)
    for action, name, team in changes:
        if action == "join":
            uid = next(number for number in range(base, base + 999) if number not in used)
            used.add(uid)
            users[name] = f"{name}:x:{uid}:100:{name.title()}:{home}/{name}:{shell_path}"
            members[team] = [*members[team], name]
        else:
            members = {t: [n for n in names if n != name] for t, names in members.items()}
            if action == "leave":
                users[name] = users[name].rsplit(":", 1)[0] + ":/usr/sbin/nologin"
            else:
                members[team] = [*members[team], name]
    text = brief(
        rng, "Joiners and leavers",
        (f"Bring `{etc}/passwd` and `{etc}/group` up to date with the list `{todo}`.",
         f"Apply the changes of staff in `{todo}` to the account files in `{etc}`.",
         f"`{todo}` has the changes of this month. Please edit `passwd` and `group` in `{etc}` accordingly (it is "
         "another system's directory, not that of this machine)."),
        ["The list has the columns `action,name,team` and is worked through from top to bottom.",
         (f"`join`: add a user with password field `x`, the lowest free user id from {base} upwards (ids of former "
          f"staff are not free), group id 100, the name with a capital letter as comment, home `{home}/NAME`, shell "
          f"`{shell_path}`; and make it a member of the team's group.",
          f"`join` creates the account (password `x`, smallest unused uid that is at least {base}, gid 100, comment: "
          f"the name capitalised, home directory `{home}/NAME`, shell `{shell_path}`) and adds the user to the group "
          "of the team."),
         "`leave`: the account stays with its id, but its shell becomes `/usr/sbin/nologin`, and the user leaves "
         "all member lists in the group file.",
         "`move`: the user leaves all member lists and becomes a member of the named team only."],
        [("All other entries and fields stay as they are. The order of lines and of members within a group is free.",
          "Nothing else changes; lines, and members inside a group, may be in any order.")],
        example=("", f"somebody:x:99999:100:Somebody:{home}/somebody:{shell_path}"),
    )
    solve = python('''
        import csv
        base = "@etc@/"
        users = [line.rstrip("\\n").split(":") for line in open(base + "passwd")]
        groups = [line.rstrip("\\n").split(":") for line in open(base + "group")]
        names = {g[0]: [n for n in g[3].split(",") if n] for g in groups}
        for r in csv.DictReader(open("@todo@")):
            name = r["name"]
            user = next((u for u in users if u[0] == name), None)
            if user is None:
                ids = {int(u[2]) for u in users}
                uid = @base@
                while uid in ids:
                    uid += 1
                users.append([name, "x", str(uid), "100", name.title(), "@home@/" + name, "@shell@"])
            for members in names.values():
                while name in members:
                    members.remove(name)
            if r["action"] == "leave":
                user[6] = "/usr/sbin/nologin"
            else:
                names[r["team"]].append(name)
        open(base + "passwd", "w").write("".join(":".join(u) + "\\n" for u in users))
        open(base + "group", "w").write("".join(":".join(g[:3] + [",".join(names[g[0]])]) + "\\n" for g in groups))
    ''', etc=etc, todo=todo, base=base, home=home, shell=shell_path)
    checks = {
        "passwd": f'lines = [line.strip() for line in read("{etc}/passwd").splitlines() if line.strip()]\n'
                  'assert sorted(lines) == sorted(PASSWD)',
        "group": fill('''
            rows = [line.strip().split(":") for line in read("@etc@/group").splitlines() if line.strip()]
            assert sorted(row[:3] for row in rows) == sorted(row[:3] for row in GROUP)
            found = {row[0]: sorted(filter(None, row[3].split(","))) for row in rows}
            assert found == {row[0]: row[3] for row in GROUP}
        ''', etc=etc),
    }
    wanted = [["root", "x", "0", []], ["users", "x", "100", []],
        *([team, "x", str(300 + n), sorted(members[team])] for n, team in enumerate(teams))]
    files = {f"{etc}/passwd": "\n".join(passwd) + "\n", f"{etc}/group": "\n".join(group) + "\n",
        todo: "action,name,team\n" + "".join(",".join(row) + "\n" for row in changes)}
    return Task(
        text, suite(rng, checks, data={"PASSWD": list(users.values()), "GROUP": wanted}), solve, files, workdir=root,
        wrong={
            "leaver can log in": after(f"sed -i '/^{leavers[0]}:/s,[^:]*$,{shell_path},' {etc}/passwd"),
            "leaver removed": after(f"sed -i '/^{leavers[0]}:/d' {etc}/passwd"),
            "uid": after(f"sed -i '/^{joiners[0]}:/s/:x:[0-9]*/:x:77/' {etc}/passwd"),
            "groups untouched": f"cp {etc}/group /tmp/g; bash /solution/solve.sh; cp /tmp/g {etc}/group",
        },
        equal={
            "sorted": after(f"sort -o {etc}/passwd {etc}/passwd; sort -o {etc}/group {etc}/group"),
            "mode": after(f"chmod 600 {etc}/passwd"),
        },
    )


@family("disk-accounting", domain="system_administration", kind="exact_text", skills=("accounting", "units"))
def disk_accounting(rng: random.Random) -> Task:
    """Disk use per team against quotas, from a listing with units and hard links."""
    root = pools.root(rng)
    listing = f"{root}/{rng.choice(('usage', 'files', 'scan'))}.txt"
    quotas = f"{root}/quotas.conf"
    out = f"{root}/{rng.choice(('quota', 'usage'))}.env"
    teams: dict[str, list[str]] = {team: [] for team in pools.some(rng, pools.WORDS, 4)}
    people = pools.some(rng, pools.PEOPLE, 12)
    for person in people[:11]:
        teams[rng.choice(list(teams))].append(person)
    used, lines, inode = dict.fromkeys(teams, 0), [], 1000
    team_of = {person: team for team, names in teams.items() for person in names}
    for _ in range(90):
        person, unit = rng.choice(people), rng.choice(("", "K", "M"))
        number = rng.randrange(1, 900)
        size, inode = number * {"": 1, "K": 1024, "M": 1024 * 1024}[unit], inode + rng.randrange(1, 9)
        for copy in range(rng.choice((1, 1, 1, 2))):
            lines.append(f"{inode} {person} {number}{unit} "
                         f"/vol/{rng.choice(pools.WORDS)}/{rng.choice(pools.ITEMS)}{copy}.bin")
        if person in team_of:
            used[team_of[person]] += size
    rng.shuffle(lines)
    limit = {team: max(1, round(total / 1024 / 1024 * rng.choice((0.5, 0.8, 1.3, 2)))) for team, total in used.items()}
    conf = "".join(f"{team}: {limit[team]}M {' '.join(teams[team])}\n" for team in teams)
    wanted = {team: [total, "over" if total > limit[team] * 1024 * 1024 else "ok"] for team, total in used.items()}
    text = brief(
        rng, "Disk accounting",
        (f"Add up the disk use of each team from `{listing}`.",
         f"Which teams are over quota? `{listing}` lists the files, `{quotas}` the quotas.",
         f"Please make the disk accounting of this month from `{listing}` and `{quotas}`."),
        ["A line of the listing has inode, owner, size and path. Sizes are bytes, or units of 1024 bytes with `K`, "
         "of 1024² bytes with `M`.",
         ("Several lines with the same inode are names of one file: it counts once.",
          "Hard links show up as lines with equal inode and must be counted only once."),
         f"`{quotas}` has a line per team: `TEAM: QUOTA PERSON PERSON ...`, the quota being in the same notation. "
         "Owners in no team are ignored."],
        [(f"Write `{out}` with two lines per team: `TEAM_bytes=N` (total in bytes) and `TEAM_state=S`, S being "
          "`over` if the total is greater than the quota, else `ok`. Order is free.",
          f"Output: `{out}`, lines of the form key=value in any order; per team `TEAM_bytes` (the total, in bytes) "
          "and `TEAM_state` (`over` when it exceeds the quota, otherwise `ok`).")],
        example=("sh", "sample_bytes=123\nsample_state=ok"),
    )
    solve = python('''
        import re
        def size(text):
            return int(text.rstrip("KM")) * {"K": 1024, "M": 1024 ** 2}.get(text[-1], 1)
        files = {}
        for line in open("@listing@"):
            inode, owner, amount, _ = line.split(maxsplit=3)
            files[inode] = (owner, size(amount))
        with open("@out@", "w") as out:
            for line in open("@quotas@"):
                team, rest = line.split(":")
                quota, *people = rest.split()
                total = sum(n for owner, n in files.values() if owner in people)
                out.write(f"{team}_bytes={total}\\n{team}_state={'over' if total > size(quota) else 'ok'}\\n")
    ''', listing=listing, quotas=quotas, out=out)
    pairs = {f"{team}_{key}": str(value) for team, row in wanted.items() for key,
        value in zip(("bytes", "state"), row, strict=True)}
    checks = {"report": fill('''
        rows = [line.strip().split("=") for line in read("@out@").splitlines() if line.strip()]
        assert len(rows) == len(WANTED)
        found = {row[0].strip(): row[1].strip().strip("\\"'") for row in rows}
        assert found.keys() == WANTED.keys()
        for key, value in WANTED.items():
            assert found[key] == value or key.endswith("_bytes") and float(found[key]) == int(value), key
    ''', out=out)}
    return Task(
        text, suite(rng, checks, data={"WANTED": pairs}), solve, {listing: "\n".join(lines) + "\n", quotas: conf},
            workdir=root,
        wrong={
            "links twice": solve.replace("files[inode]", "files[line]"),
            "thousands": solve.replace("1024", "1000"),
            "all ok": after(f"sed -i 's/_bytes=/_bytes=1/' {out}"),
            "line lost": after(f"sed -i 1d {out}"),
            "inputs emptied": f": > {listing}; : > {quotas}; : > {out}",
        },
        equal={"reversed": after(f"tac {out} > /tmp/r; cp /tmp/r {out}"), "crlf": after(f"sed -i 's/$/\\r/' {out}")},
    )
