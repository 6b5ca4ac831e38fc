"""File operations: archives, pieces and encodings."""

from __future__ import annotations

import base64
import hashlib
import random
import zlib

from . import pools
from .base import Task, after, family, fill, python
from .checks import shell, suite
from .text import brief


@family("selective-archive", domain="file_operations", kind="exact_text", skills=("archives", "filters"))
def selective_archive(rng: random.Random) -> Task:
    """A tar archive with what an include and exclude list leaves."""
    root = pools.root(rng)
    tree = f"{root}/{rng.choice(('src', 'share', 'content'))}"
    out = f"{root}/{rng.choice(('bundle', 'backup', 'export'))}.tar.gz"
    limit, prefix = rng.choice((200, 300, 400)), rng.choice(pools.WORDS)
    files, wanted = {}, {}
    folders = pools.some(rng, pools.WORDS, 5)
    hidden = folders[0]
    for folder in folders:
        for name in pools.some(rng, pools.ITEMS, 6):
            suffix, size = rng.choice(("md", "csv", "tmp", "cfg", "csv", "md")), rng.choice((limit - 1, limit,
                limit + 1, 60, 600))
            rel = f"{folder}/{name}.{suffix}" if rng.random() < 0.7 else f"{folder}/deep/{name}.{suffix}"
            files[f"{tree}/{rel}"] = (f"{name} {rng.getrandbits(64):x} " * 40)[:size - 1] + "\n"
            if folder != hidden and suffix in ("md", "csv") and size <= limit:
                wanted[f"{prefix}/{rel}"] = files[f"{tree}/{rel}"]
    files[f"{tree}/{hidden}/.noarchive"] = ""
    text = brief(
        rng, "Archive for the partner",
        (f"Pack parts of `{tree}` into the archive `{out}`.",
         f"Please create `{out}` from the tree `{tree}`.",
         f"We have to hand over selected files of `{tree}` as `{out}`."),
        [f"Wanted are the files ending in `.md` or `.csv` that are at most {limit} bytes long, at any depth.",
         ("A directory that contains a file `.noarchive` is left out with everything below it.",
          "Skip each directory (and all it contains) in which a file named `.noarchive` lies."),
         f"Inside the archive each path is `{prefix}/` plus the path relative to `{tree}`."],
        [("The archive is a gzip-compressed tar file. Its regular files must be exactly the wanted ones, with their "
          "content. Entries for directories may be there or not; owners, times and order do not matter.",
          "Format: tar with gzip. Exactly the wanted regular files, unchanged; directory entries, order, times and "
          "owners are free.")],
        example=("", f"{prefix}/sample/nothing.md"),
    )
    solve = python('''
        import os, tarfile
        with tarfile.open("@out@", "w:gz") as tar:
            for folder, below, names in os.walk("@tree@"):
                if ".noarchive" in names:
                    below[:] = []
                    continue
                below.sort()
                for name in sorted(names):
                    path = os.path.join(folder, name)
                    if name.endswith((".md", ".csv")) and os.path.getsize(path) <= @limit@:
                        tar.add(path, "@prefix@/" + os.path.relpath(path, "@tree@"))
    ''', tree=tree, out=out, limit=limit, prefix=prefix)
    checks = {"members": fill('''
        found = {}
        with tarfile.open("@out@", "r:gz") as archive:
            for member in archive.getmembers():
                if member.isdir():
                    continue
                assert member.isreg(), member.name
                name = os.path.normpath(member.name)
                assert name not in found, name
                found[name] = archive.extractfile(member).read().decode()
        assert sorted(found) == sorted(WANTED)
        assert found == WANTED
    ''', out=out)}
    repack = "rm -rf /tmp/x; mkdir /tmp/x; tar xzf {0} -C /tmp/x; cd /tmp/x; {1}; tar czf {0} {2}"
    one = sorted(wanted)[0]
    return Task(
        text, suite(rng, checks, data={"WANTED": wanted}, prelude="import tarfile\n"), solve, files, workdir=root,
        wrong={
            "all": f"tar czf {out} --transform 's,^,{prefix}/,' -C {tree} .",
            "one lost": after(repack.format(out, f"rm {one}", prefix)),
            "changed": after(repack.format(out, f"echo >> {one}", prefix)),
            "empty": f"tar czf {out} -T /dev/null",
        },
        equal={
            "repacked": after(repack.format(out, "chmod -R 700 .", prefix)),
            "with dots": after(repack.format(out, "true", f"./{prefix}")),
        },
    )


@family("chunk-assembly", domain="file_operations", kind="exact_text", skills=("binary_files", "checksums"),
    complexity="complex")
def chunk_assembly(rng: random.Random) -> Task:
    """A file put together from shuffled, partly damaged pieces; the digest is compared by a shell script."""
    root = pools.root(rng)
    folder = f"{root}/{rng.choice(('pieces', 'chunks', 'parts'))}"
    out = f"{root}/{rng.choice(('firmware', 'image', 'dump'))}.bin"
    body = b"".join(rng.getrandbits(8).to_bytes(1, "big") for _ in range(rng.randrange(1500, 2600)))
    size, files, number = rng.choice((90, 128, 150)), {}, 0
    pieces = [body[start:start + size] for start in range(0, len(body), size)]
    for index, piece in enumerate(pieces):
        copies = [(piece, True)] + ([(bytes([piece[0] ^ 0x20]) + piece[1:], False)] if rng.random() < 0.5 else [])
        if rng.random() < 0.2:
            copies.append((piece, True))
        for content, good in copies:
            number += 1
            crc = f"{zlib.crc32(piece):08x}"
            head = f"{index} {len(pieces)} {crc}\n"
            name = hashlib.md5(f"{number} {rng.getrandbits(32)}".encode()).hexdigest()[:10]
            files[f"{folder}/{name}.part"] = head + base64.b64encode(content).decode() + "\n"
            assert good == (zlib.crc32(content) == int(crc, 16))
    text = brief(
        rng, "Reassemble a file",
        (f"Put the file `{out}` together again from the pieces in `{folder}`.",
         f"A transfer left a file in pieces in `{folder}`. We need it whole, as `{out}`.",
         f"Restore `{out}` from `{folder}`."),
        ["Each piece is a text file of two lines: `INDEX TOTAL CRC32`, and the data in base64. INDEX counts from 0; "
         "the CRC-32 (as in zip, eight hexadecimal digits) is that of the decoded data.",
         ("Some pieces were damaged on the way: their data does not fit the checksum and must be ignored. Every "
          "index has at least one good piece, some have several.",
          "Ignore pieces whose checksum is wrong; a good copy exists for every index (sometimes more than one, all "
          "alike)."),
         "File names mean nothing."],
        [(f"`{out}` is the concatenation of the data of all indexes in order, each once.",
          f"Write to `{out}` the decoded bytes of piece 0, 1, 2, ... without anything in between.")],
        example=("", "0 9 0badcafe\nbm90aGluZw=="),
    )
    solve = python('''
        import base64, glob, zlib
        good = {}
        for path in glob.glob("@folder@/*.part"):
            head, data = open(path).read().splitlines()
            index, total, crc = head.split()
            data = base64.b64decode(data)
            if zlib.crc32(data) == int(crc, 16):
                good[int(index)] = data
        open("@out@", "wb").write(b"".join(good[i] for i in sorted(good)))
    ''', folder=folder, out=out)
    verifier = shell(rng, f'''
        [ -f {out} ] || return 1
        [ "$(sha256sum < {out} | cut -d ' ' -f 1)" = {hashlib.sha256(body).hexdigest()} ]
    ''')
    return Task(
        text, verifier, solve, files, workdir=root,
        wrong={
            "byte more": after(f"echo >> {out}"),
            "short": after(f"truncate -s -1 {out}"),
            "file order": f"cat {folder}/* | base64 -di > {out} 2> /dev/null || true",
            "damaged piece": after(f"printf Z | dd of={out} bs=1 seek=100 conv=notrunc 2> /dev/null; printf Y | dd "
                                   f"of={out} bs=1 seek=101 conv=notrunc"),
        },
        equal={"by link": after(f"mv {out} {out}.real; ln -s {out}.real {out}"), "mode": after(f"chmod 600 {out}")},
    )


@family("text-encodings", domain="file_operations", kind="exact_text", skills=("encodings", "line_endings"))
def text_encodings(rng: random.Random) -> Task:
    """Files in several encodings rewritten as UTF-8 in place, with a record of what each was."""
    root = pools.root(rng)
    folder = f"{root}/{rng.choice(('texts', 'letters', 'export'))}"
    out = f"{root}/{rng.choice(('encodings', 'converted'))}.{rng.choice(('csv', 'tsv'))}"
    mark = "," if out.endswith("csv") else "\t"
    letters = ("café", "naïve", "Größe", "señor", "façade", "Ærø", "jalapeño", "Zürich", "crêpe", "Malmö")
    files: dict[str, str | bytes] = {}
    wanted, texts = {}, {}
    for number, name in enumerate(pools.some(rng, pools.ITEMS, 10)):
        kind = ("utf-8", "latin-1", "utf-16", "utf-8-bom")[number % 4]
        lines = [" ".join(pools.some(rng, letters, 2) + pools.some(rng, pools.WORDS, 3)) for _ in range(rng.randrange(2,
            6))]
        ending = rng.choice(("\n", "\r\n"))
        raw = "".join(line + ending for line in lines)
        code = {"utf-16": rng.choice(("utf-16-le", "utf-16-be")), "utf-8-bom": "utf-8"}.get(kind, kind)
        bom = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}.get(code,
            b"\xef\xbb\xbf" if kind == "utf-8-bom" else b"")
        files[f"{folder}/{name}.txt"] = bom + raw.encode(code)
        wanted[f"{name}.txt"], texts[f"{name}.txt"] = kind, "".join(line + "\n" for line in lines)
    text = brief(
        rng, "One encoding for all",
        (f"Convert all files in `{folder}` to UTF-8, in place.",
         f"The text files in `{folder}` use four different encodings. Please unify them.",
         f"Rewrite the `.txt` files of `{folder}` as UTF-8."),
        ["A file that begins with a UTF-16 byte order mark (either order) is UTF-16; one that begins with the bytes "
         "EF BB BF is UTF-8 with a mark; of the others those that are valid UTF-8 are UTF-8, all remaining ones are "
         "ISO 8859-1.",
         ("Afterwards every file is UTF-8 without a byte order mark and every line ends with a single newline "
          "character (no carriage returns).",
          "The new form: UTF-8, no byte order mark, Unix line endings. The text itself stays the same.")],
        [(f"Record what you found in `{out}`: one line per file, its name and its former encoding, separated by a "
          f"{'comma' if mark == ',' else 'tab'}, without a header, in any order. The encodings are called `utf-8`, "
          "`utf-8-bom`, `utf-16` and `latin-1`.")],
        example=("", f"sample.txt{mark}latin-1"),
    )
    solve = python('''
        import glob, os
        rows = []
        for path in sorted(glob.glob("@folder@/*.txt")):
            raw = open(path, "rb").read()
            if raw[:2] in (b"\\xff\\xfe", b"\\xfe\\xff"):
                kind, text = "utf-16", raw.decode("utf-16")
            elif raw[:3] == b"\\xef\\xbb\\xbf":
                kind, text = "utf-8-bom", raw[3:].decode()
            else:
                try:
                    kind, text = "utf-8", raw.decode()
                except UnicodeDecodeError:
                    kind, text = "latin-1", raw.decode("latin-1")
            rows.append(os.path.basename(path) + "@mark@" + kind)
            open(path, "wb").write(text.replace("\\r\\n", "\\n").encode())
        if not os.path.exists("@out@"):
            open("@out@", "w").write("\\n".join(rows) + "\\n")
    ''', folder=folder, out=out, mark=mark.replace("\t", "\\t"))
    checks = {
        "texts": 'for name, body in TEXTS.items():\n'
                 f'    assert (Path("{folder}") / name).read_bytes() == body.encode("utf-8"), name',
        "record": fill('''
            lines = [line.strip().replace('"', "") for line in read("@out@").splitlines()]
            rows = [line.split("@mark@") for line in lines if line]
            assert sorted([part.strip() for part in row] for row in rows) == sorted(map(list, KINDS.items()))
        ''', out=out, mark=mark.replace("\t", "\\t")),
    }
    one = sorted(texts)[0]
    return Task(
        text, suite(rng, checks, data={"TEXTS": texts, "KINDS": wanted}), solve, files, workdir=root,
        wrong={
            "record only": f"cp -r {folder} /tmp/keep; bash /solution/solve.sh; cp /tmp/keep/* {folder}/",
            "one crlf": after(f"sed -i '1s/$/\\r/' {folder}/{one}"),
            "record short": after(f"sed -i 1d {out}"),
            "wrong kind": after(f"sed -i 's/latin-1/utf-8/' {out}"),
        },
        equal={
            "reversed": after(f"tac {out} > /tmp/r; cp /tmp/r {out}"),
            "crlf record": after(f"sed -i 's/$/\\r/' {out}"),
        },
    )
