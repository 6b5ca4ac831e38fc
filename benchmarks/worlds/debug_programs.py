"""Debugging: programs that must be repaired in place, judged on inputs that the image does not hold."""

from __future__ import annotations

import csv as _csv
import io
import random

from . import pools
from .base import Task, after, family, fill, program
from .checks import suite
from .text import brief

_LEDGER = '''
    #!/usr/bin/env python3
    """Account balances; README.md says what this ought to do."""
    import sys

    def cents(text):
        sign = -1 if text.startswith("-") else 1
        whole, _, part = text.lstrip("-").partition(".")
        @cents@

    def main():
        balance, seen = {}, set()
        for line in sys.stdin:
            line = line.strip()
            @skip@
            number, kind, account, *rest = line.split(";")
            if @seen@:
                continue
            seen.add(number)
            if kind == "in":
                balance[account] = balance.get(account, 0) + cents(rest[0])
            elif kind == "out":
                @out@
            elif kind == "move":
                amount = cents(rest[1])
                balance[account] = balance.get(account, 0) - amount
                @move@
        for account in @order@:
            if @zero@:
                whole, part = divmod(abs(balance[account]), 100)
                print("%s %s%d.%02d" % (account, "-" if balance[account] < 0 else "", whole, part))

    main()
'''
_GOOD = {
    "cents": "return sign * (int(whole) * 100 + int(part.ljust(2, '0')))",
    "skip": "if not line or line.startswith('#'):\n                continue",
    "seen": "number in seen",
    "out": "balance[account] = balance.get(account, 0) - cents(rest[0])",
    "move": "balance[rest[0]] = balance.get(rest[0], 0) + amount",
    "order": "sorted(balance)",
    "zero": "balance[account] != 0",
}
_BAD = {
    "cents": "return sign * (int(whole) * 100 + int(part or '0'))",
    "skip": "if line.startswith('#'):\n                continue\n            if not line:\n                break",
    "seen": "number in seen and kind == 'in'",
    "out": "balance[account] = abs(balance.get(account, 0) - cents(rest[0]))",
    "move": "balance[rest[0]] = balance.get(account, 0) + amount",
    "order": "balance",
    "zero": "balance[account] > 0",
}


def _balances(lines: list[str]) -> list[str]:
    def cents(text: str) -> int:
        whole, _, part = text.partition(".")
        return int(whole) * 100 + int((part + "00")[:2])

    seen, balance = set(), {}
    for line in lines:
        if line.strip() and not line.startswith("#"):
            number, kind, account, *rest = line.split(";")
            if number in seen:
                continue
            seen.add(number)
            amount = cents(rest[-1])
            balance[account] = balance.get(account, 0) + (amount if kind == "in" else -amount)
            if kind == "move":
                balance[rest[0]] = balance.get(rest[0], 0) + amount
    return [f"{name} {'-' if value < 0 else ''}{abs(value) // 100}.{abs(value) % 100:02}" for name,
        value in sorted(balance.items()) if value]


@family("ledger-repair", domain="debugging", kind="fuzz_equivalence", skills=("python", "bug_fixing"),
    complexity="complex", language="python")
def ledger_repair(rng: random.Random) -> Task:
    """A ledger program with several planted faults and a README that says what is right."""
    root = pools.root(rng)
    path, broken = f"{root}/{rng.choice(('ledger', 'balance', 'accounts'))}.py", rng.sample(sorted(_GOOD),
        rng.randrange(3, 6))
    source = fill(fill(_LEDGER), **{name: _BAD[name] if name in broken else _GOOD[name] for name in _GOOD})
    cases = []
    for _ in range(8):
        accounts, lines = pools.some(rng, pools.PEOPLE, 5), []
        for number in range(rng.randrange(12, 30)):
            money = f"{rng.randrange(0, 90)}" + rng.choice(("", f".{rng.randrange(10)}", f".{rng.randrange(100):02}"))
            kind = rng.choice(("in", "out", "move"))
            lines.append(";".join([f"t{number}", kind, rng.choice(accounts),
                *([rng.choice(accounts)] if kind == "move" else []), money]))
            if rng.random() < 0.2:
                lines.append(rng.choice((lines[-1], rng.choice(lines), "", "# closing")))
        lines += ["x1;in;zero;5.5", "x2;out;zero;5.50"]
        cases.append([lines, _balances(lines)])
    readme = fill('''
        # Ledger

        The program reads bookings from standard input, one a line, and prints the balances.

        - `ID;in;ACCOUNT;AMOUNT` adds to an account, `ID;out;ACCOUNT;AMOUNT` takes from it (it may become negative).
        - `ID;move;FROM;TO;AMOUNT` takes from FROM and adds to TO.
        - Amounts have up to two decimals: `7`, `7.5` and `7.50` are possible, the latter two are equal.
        - Blank lines and lines that begin with `#` are skipped, wherever they are.
        - A booking whose ID has been seen before is a repetition and is ignored.

        Printed are all accounts with a balance other than zero, sorted by name, as `ACCOUNT BALANCE` with two decimals.
    ''')
    text = brief(
        rng, "Repair the ledger program",
        (f"The program `{path}` does not do what `{root}/README.md` says. Repair it.",
         f"Please debug `{path}`. Its intended behaviour is described in `{root}/README.md`.",
         f"`{path}` prints wrong balances. `{root}/README.md` is right, the program is not."),
        [("There is more than one fault.", "Several things are wrong, some show only with unusual input."),
         f"It is called as `python3 {path}`, with the bookings on standard input."],
        ["The repaired file stays at its place. We run it on bookings of our own and compare everything it prints.",
         ("You may restructure the program or rewrite it.", "How you change the program is your business.")],
        example=("", "in:   q1;in;nobody;1.5\nout:  nobody 1.50"),
    )
    good = fill(fill(_LEDGER), **_GOOD)
    checks = {"balances": fill('''
        for lines, wanted in CASES:
            got = run(["python3", "@path@"], "\\n".join(lines) + "\\n").splitlines()
            assert [line.split() for line in got] == [line.split() for line in wanted]
    ''', path=path)}
    one_left = fill(fill(_LEDGER), **(_GOOD | {broken[0]: _BAD[broken[0]]}))
    return Task(
        text, suite(rng, checks, data={"CASES": cases}), program(path, good),
            {path: source, f"{root}/README.md": readme}, workdir=root,
        wrong={
            "one fault left": program(path, one_left),
            "silent": program(path, "print('nobody 1.50')"),
            "removed": f"rm {path}",
        },
        equal={"comment": program(path, good + "\n# repaired"), "not executable": program(path, good, mode="600")},
    )


@family("csv-parser-repair", domain="debugging", kind="adversarial_corpus", skills=("parsing", "bug_fixing"),
    complexity="complex", language="python")
def csv_parser_repair(rng: random.Random) -> Task:
    """A hand-written CSV reader that fails on quotes, line breaks and empty fields."""
    root, mark, quote = pools.root(rng), rng.choice((",", ";", "|")), rng.choice(('"', "'"))
    path, corpus = f"{root}/{rng.choice(('parse', 'reader', 'tojson'))}.py", []
    snippets = ("plain", "", " spaced ", f"a{mark}b", f"say {quote}hi{quote}", "two\nlines", quote,
        f"{quote}{mark}{quote}", "\n", "0", "ü", f"{mark}{mark}")
    for _ in range(10):
        rows = [[rng.choice(snippets) for _ in range(rng.randrange(1, 5))] for _ in range(rng.randrange(1, 5))]
        rows = [row if row != [""] else ["x"] for row in rows]
        text = "\n".join(mark.join(
            f"{quote}{cell.replace(quote, quote * 2)}{quote}" if mark in cell or quote in cell or "\n" in cell
            or rng.random() < 0.3 else cell for cell in row)
            for row in rows) + rng.choice(("", "\n"))
        assert list(_csv.reader(io.StringIO(text), delimiter=mark, quotechar=quote)) == rows
        corpus.append([text, rows])
    broken = fill(rng.choice(('''
        import json, sys
        rows = []
        for line in sys.stdin.read().strip().split("\\n"):
            cells, cell, quoted = [], "", False
            for c in line:
                if c == @quote@:
                    quoted = not quoted
                elif c == @mark@ and not quoted:
                    cells.append(cell.strip())
                    cell = ""
                else:
                    cell += c
            if cell:
                cells.append(cell)
            rows.append(cells)
        print(json.dumps(rows))
    ''', '''
        import json, re, sys
        text = sys.stdin.read().rstrip()
        rows = []
        for line in text.splitlines():
            found = re.findall(r"@quote1@([^@quote1@]*)@quote1@|([^@mark1@]+)", line)
            rows.append([a or b for a, b in found])
        print(json.dumps(rows))
    ''')), quote=repr(quote), mark=repr(mark), quote1=quote, mark1=mark)
    text = brief(
        rng, "Repair a table reader",
        (f"`{path}` turns delimited text into JSON, but fails on difficult input. Repair it.",
         f"Please fix the table reader `{path}`.",
         f"Data is lost in `{path}`, a little parser for delimited text. Find out why and correct it."),
        [f"Called as `python3 {path}`, it reads text from standard input and prints one JSON array of rows, each row "
         "an array of strings.",
         f"Fields are separated by `{mark}`, rows by a newline; a newline at the very end of the input does not "
         "start another row.",
         (f"A field that begins with `{quote}` is quoted: it reaches to the next single `{quote}`, and in it a "
          f"doubled `{quote}` stands for one. Separators and line breaks inside quotes belong to the field.",
          f"Fields may be enclosed in `{quote}`; then `{mark}` and line breaks in them are data, and "
          f"`{quote}{quote}` means one `{quote}`."),
         "Blanks are data and are never stripped; empty fields are empty strings, also at the end of a row. Input "
         "is UTF-8 and well formed."],
        [("The file stays where it is; we feed it with a collection of nasty inputs.",
          "Hidden inputs, chosen to hurt, decide whether it is repaired.")],
        example=("json", '[["sample", "text"], ["more", ""]]'),
    )
    good = '''
        import json, sys
        text = sys.stdin.read()
        rows, row, cell, i, fresh = [], [], "", 0, True
        while i < len(text):
            c = text[i]
            if c == @quote@ and fresh:
                i += 1
                while True:
                    if text[i] == @quote@:
                        if text[i + 1:i + 2] != @quote@:
                            break
                        i += 1
                    cell += text[i]
                    i += 1
                fresh = False
            elif c == @mark@:
                row.append(cell)
                cell, fresh = "", True
            elif c == "\\n":
                rows.append(row + [cell])
                row, cell, fresh = [], "", True
            else:
                cell += c
                fresh = False
            i += 1
        if text and not text.endswith("\\n") or row or cell:
            rows.append(row + [cell])
        print(json.dumps(rows))
    '''
    make = {"quote": repr(quote), "mark": repr(mark)}
    checks = {
        "corpus": f'for text, rows in CORPUS:\n    assert json.loads(run(["python3", "{path}"], text)) == rows, text',
    }
    return Task(
        text, suite(rng, checks, data={"CORPUS": corpus}), program(path, good, mode="644", **make), {path: broken},
            workdir=root,
        wrong={
            "split only": program(path, "import json, sys\nprint(json.dumps([l.split(@mark@) for l in "
                                        "sys.stdin.read().splitlines()]))", **make),
            "stripped": program(path, good.replace("row.append(cell)", "row.append(cell.strip())"), **make),
            "constant": program(path, "print('[[\"x\"]]')"),
        },
        equal={
            "indented": program(path,
            good.replace("json.dumps(rows)", "json.dumps(rows, indent=1, ensure_ascii=False)"), **make),
        },
    )


@family("shell-script-repair", domain="debugging", kind="adversarial_corpus", skills=("bash", "quoting"),
    language="bash")
def shell_script_repair(rng: random.Random) -> Task:
    """A shell script that breaks on unusual file names."""
    root = pools.root(rng)
    path, suffix, word = f"{root}/{rng.choice(('collect', 'gather', 'archive'))}.sh", rng.choice(("log", "txt",
        "dat")), rng.choice(("lines", "total", "sum"))
    broken = fill(rng.choice(('''
        #!/bin/bash
        cd $1
        for f in `find . -name *.@suffix@`; do
          cp $f $2/$(basename $f)
        done
        echo @word@ $(cat $2/* | wc -l)
    ''', '''
        #!/bin/bash
        n=0
        ls $1/*.@suffix@ | while read f; do
          cp $f $2
          n=$((n + $(wc -l $f)))
        done
        echo @word@ $n
    ''')), suffix=suffix, word=word)
    names = ["plain", "two words", "star*", "semi;colon", "-dash", "quote'", 'double"', "back\\slash", "$HOME",
        "tab\there", "[a]", "ümlaut", "new\nline", " lead", "amp&"]
    trees = []
    for _ in range(4):
        tree = {}
        for name in rng.sample(names, 7):
            folder = rng.choice(("", "sub/", "sub dir/", "sub/deep er/"))
            ending = suffix if rng.random() < 0.7 else rng.choice((f"{suffix}x", "md", f"a{suffix}"))
            tree[f"{folder}{name}.{ending}"] = "".join(f"{rng.choice(pools.WORDS)}\n" for _ in range(rng.randrange(0,
                5)))
        tree[f"sub dir/-n.{suffix}"] = "one\ntwo\n"
        trees.append(tree)
    text = brief(
        rng, "Repair a shell script",
        (f"The script `{path}` fails on unusual file names. Repair it.",
         f"Please make `{path}` robust.",
         f"`{path}` works in the demo and breaks in production; file names are the cause."),
        [f"It is called as `bash {path} SOURCE TARGET`; both are absolute paths of existing directories, TARGET is "
         "empty, and the names may contain anything.",
         (f"It has to copy every regular file below SOURCE, at any depth, whose name ends in `.{suffix}` into "
          "TARGET, flat, under the same base name (base names are unique).",
          f"All regular files under SOURCE (recursively) with a name ending in `.{suffix}` must be copied directly "
          "into TARGET; no base name occurs twice."),
         f"In the end it prints `{word}`, a blank and the number of lines in all copied files together, and exits "
         "with status 0.",
         "File names may have blanks, quotes, asterisks, backslashes, line breaks, leading dashes and so on."],
        [("The script stays at its place and SOURCE stays as it is. We run it on directories that you have not seen.",
          "Repair the file in place. It is tested with hidden directories; it must not change SOURCE.")],
        example=("sh", f"bash {path} /sample/in /sample/out\n{word} 9999"),
    )
    good = '''
        #!/bin/bash
        set -e
        find "$1" -type f -name '*.@suffix@' -exec cp -- {} "$2/" \\;
        echo "@word@ $(find "$2" -type f -exec cat -- {} + | wc -l)"
    '''
    make = {"suffix": suffix, "word": word}
    checks = {"directories": fill('''
        for tree in TREES:
            base = Path(tempfile.mkdtemp(suffix=" case"))
            source, target = base / "in put", base / "out put"
            target.mkdir()
            for name, body in tree.items():
                (source / name).parent.mkdir(parents=True, exist_ok=True)
                (source / name).write_text(body)
            said = run(["bash", "@path@", str(source), str(target)])
            wanted = {os.path.basename(name): body for name, body in tree.items() if name.endswith(".@suffix@")}
            assert said.split() == ["@word@", str(sum(body.count("\\n") for body in wanted.values()))], said
            assert {item.name: item.read_text() for item in target.iterdir()} == wanted
            assert all((source / name).read_text() == body for name, body in tree.items())
    ''', path=path, **make)}
    return Task(
        text, suite(rng, checks, data={"TREES": trees}, prelude="import tempfile\n"), program(path, good, **make),
            {path: broken}, workdir=root,
        wrong={"quotes only": program(path, '#!/bin/bash\ncp "$1"/*.@suffix@ "$2"\necho @word@ $(cat "$2"/* | wc -l)',
            **make),
               "silent": program(path, good.replace("echo", "true"), **make),
               "moves": program(path, good.replace("-exec cp", "-exec mv"), **make)},
        equal={"comment": after(f"echo '# robust' >> {path}"), "mode": after(f"chmod 600 {path}")},
    )
