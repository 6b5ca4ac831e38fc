"""File operations: trees that must be sorted, renamed or linked."""

from __future__ import annotations

import hashlib
import random

from . import pools
from .base import Task, after, family, fill, python
from .checks import shell, suite
from .text import brief


def _listing(files: dict[str, str]) -> str:
    return "".join(f"{hashlib.sha256(body.encode()).hexdigest()}  {path}\n" for path, body in sorted(files.items()))


@family("photo-sorting", domain="file_operations", kind="exact_text", skills=("file_trees", "deduplication"),
    language="bash")
def photo_sorting(rng: random.Random) -> Task:
    """Pictures into folders by the date of their sidecar, duplicates once; compared by a shell script."""
    root = pools.root(rng)
    inbox = f"{root}/{rng.choice(('inbox', 'camera', 'import'))}"
    album = f"{root}/{rng.choice(('album', 'sorted', 'archive'))}"
    unknown, key = rng.choice(("undated", "unknown", "no-date")), rng.choice(("taken", "date", "shot"))
    files, wanted, bodies = {}, {}, {}
    numbers = rng.sample(range(100, 999), 18)
    for number in numbers:
        folder = rng.choice(("", "a/", "b/", "b/c/"))
        body = rng.choice(list(bodies)) if bodies and rng.random() < 0.25 else f"pixels {rng.getrandbits(64):x}\n"
        name = f"img{number}.jpg"
        date = f"20{rng.randrange(21, 24)}-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}" if rng.random(
            ) < 0.85 else None
        files[f"{inbox}/{folder}{name}"] = body
        if date:
            shot = f"{key}={date}T{rng.randrange(24):02}:00:00\n"
            files[f"{inbox}/{folder}{name}.meta"] = f"camera={rng.choice(pools.WORDS)}\n{shot}"
        elif rng.random() < 0.5:
            files[f"{inbox}/{folder}{name}.meta"] = f"camera={rng.choice(pools.WORDS)}\n"
        bodies.setdefault(body, []).append((name, date))
    for body, found in bodies.items():
        name, date = min(found)
        wanted[f"{date[:4]}/{date[5:7]}/{name}" if date else f"{unknown}/{name}"] = body
    text = brief(
        rng, "Sort the pictures",
        (f"Sort the pictures below `{inbox}` into `{album}`.",
         f"Please build the album `{album}` from the pictures in `{inbox}` and its subdirectories.",
         f"`{inbox}` is full of pictures; we want them in `{album}`, by month."),
        ["Every `.jpg` file may have a text file beside it, named like the picture plus `.meta`. Its line "
         f"`{key}=YYYY-MM-DDT...` has the date.",
         (f"A picture goes to `{album}/YYYY/MM/` under its own name; one without such a line or without a meta file "
          f"goes to `{album}/{unknown}/`.",
          f"The place is `{album}/YYYY/MM/NAME`, for pictures whose date is not known `{album}/{unknown}/NAME`."),
         "Pictures with identical content are duplicates: only the one whose file name comes first in alphabetical "
         "order is kept, with its own date. File names are unique over all directories."],
        [f"`{album}` holds the chosen pictures, unchanged, and nothing else (no meta files). What remains of "
         f"`{inbox}` does not matter.",
         ("Copying and moving are both fine.", "You may move or copy.")],
        example=("text", f"{album}/1999/01/sample.jpg"),
    )
    solve = fill('''
        #!/bin/bash
        set -e
        mkdir -p '@album@'
        find '@inbox@' -name '*.jpg' -printf '%f %p\\n' | LC_ALL=C sort | while read -r name path; do
          sum=$(sha256sum < "$path")
          case " $seen" in *"$sum"*) continue ;; esac
          seen="$seen $sum"
          date=$(sed -n 's/^@key@=\\([0-9]*\\)-\\([0-9]*\\)-.*/\\1\\/\\2/p' "$path.meta" 2> /dev/null || true)
          mkdir -p "@album@/${date:-@unknown@}"
          cp "$path" "@album@/${date:-@unknown@}/$name"
        done
    ''', inbox=inbox, album=album, key=key, unknown=unknown)
    verifier = shell(rng, f'''
        cd {album} || return 1
        find . -type f | sed 's,^[.]/,,' | LC_ALL=C sort > /tmp/album.found
        cut -c 67- /tests/album.sha256 | LC_ALL=C sort | diff - /tmp/album.found || return 1
        sha256sum --quiet -c /tests/album.sha256
    ''', {"album.sha256": _listing(wanted)})
    one = sorted(wanted)[0]
    return Task(
        text, verifier, solve, files, workdir=root,
        wrong={
            "one lost": after(f"rm {album}/{one}"),
            "one changed": after(f"echo x >> {album}/{one}"),
            "flat copy": f"mkdir -p {album}; find {inbox} -name '*.jpg' -exec cp {{}} {album} \\;",
            "metas too": after(f"echo > {album}/{one}.meta"),
        },
        equal={
            "mode": after(f"chmod 600 {album}/{one}"),
            "empty folder": after(f"mkdir {album}/later"),
            "inbox gone": after(f"rm -r {inbox}"),
        },
    )


@family("bulk-rename", domain="file_operations", kind="exact_text", skills=("renaming", "text_normalisation"))
def bulk_rename(rng: random.Random) -> Task:
    """Names brought into one form, collisions numbered by age."""
    root = pools.root(rng)
    folder, joiner = f"{root}/{rng.choice(('docs', 'papers', 'scans'))}", rng.choice(("-", "_"))
    files, groups = {}, {}
    for word in pools.some(rng, pools.WORDS, 9):
        place = rng.choice(pools.CITIES)
        for serial in rng.sample(range(1, 400), rng.choice((1, 1, 2, 3))):
            raw = rng.choice((f"{word.title()} {place}",
                              f"{word.upper()}__{place.lower()}",
                              f" {word} - {place} ",
                              f"{word}({place})"))
            suffix = rng.choice(("TXT", "txt", "Txt"))
            path = f"{folder}/{raw}~{serial}.{suffix}"
            files[path] = f"serial: {serial}\n{rng.getrandbits(50):x}\n"
            groups.setdefault(f"{word}{joiner}{place.lower()}", []).append((serial, files[path]))
    wanted = {}
    for stem, found in groups.items():
        for number, (_, body) in enumerate(sorted(found), 1):
            wanted[f"{stem}.txt" if number == 1 else f"{stem}{joiner}{number}.txt"] = body
    text = brief(
        rng, "Tidy file names",
        (f"Rename all files in `{folder}`.",
         f"The file names in `{folder}` are chaotic. Please make them uniform.",
         f"Give the files in `{folder}` clean names."),
        ["A name has the form `TEXT~SERIAL.SUFFIX`; SERIAL is a number and is also in the first line of the file.",
         ("The new name comes from TEXT: lower case, every run of characters that are not letters or digits becomes "
          f"one `{joiner}`, and none stays at the beginning or end. The suffix becomes `.txt`; the serial is dropped.",
          f"Turn TEXT into lower case, replace each run of anything but letters and digits by a single `{joiner}`, "
          f"strip `{joiner}` from both ends, and add `.txt`. The `~SERIAL` part disappears."),
         ("When several files would get the same name, the one with the lowest serial gets it; the others, by "
          f"ascending serial, get `{joiner}2`, `{joiner}3` and so on before `.txt`.",
          "Equal new names are numbered by ascending serial (as a number): the first keeps the plain name, then "
          f"`{joiner}2`, `{joiner}3`, ... in front of the suffix.")],
        ["Afterwards the directory holds the same files under the new names only; their content is untouched."],
        example=("", f"'No Such(Place)~7.TXT' -> no{joiner}such{joiner}place.txt"),
    )
    solve = python('''
        import os, re
        rows = []
        for name in os.listdir("@folder@"):
            m = re.fullmatch(r"(.*)~(\\d+)\\.\\w+", name, re.S)
            if m:
                stem = re.sub(r"[^a-z0-9]+", "@joiner@", m[1].lower()).strip("@joiner@")
                rows.append((stem, int(m[2]), name))
        count = {}
        for stem, _, name in sorted(rows):
            count[stem] = count.get(stem, 0) + 1
            new = stem + (f"@joiner@{count[stem]}" if count[stem] > 1 else "") + ".txt"
            os.rename("@folder@/" + name, "@folder@/" + new)
    ''', folder=folder, joiner=joiner)
    checks = {
        "names": f'assert sorted(os.listdir("{folder}")) == sorted(WANTED)',
        "contents": 'for name, body in WANTED.items():\n'
                    f'    assert (Path("{folder}") / name).read_bytes() == body.encode(), name',
    }
    many = next(stem for stem, found in sorted(groups.items()) if len(found) > 1) if any(
        len(found) > 1 for found in groups.values()) else None
    one = sorted(wanted)[0]
    wrong = {"one lost": after(f"rm {folder}/{one}"), "all emptied": after(f"for f in {folder}/*; do : > $f; done"),
             "upper": after(f"mv {folder}/{one} {folder}/{one.upper()}")}
    if many:
        wrong["swapped"] = after(f"cd {folder}; mv {many}.txt t; mv {many}{joiner}2.txt {many}.txt; mv t "
                                 f"{many}{joiner}2.txt")
    return Task(
        text, suite(rng, checks, data={"WANTED": wanted}), solve, files, workdir=root, wrong=wrong,
        equal={
            "mode": after(f"chmod 640 {folder}/*"),
            "copied": after(f"cp -r {folder} /tmp/c; rm {folder}/*; cp /tmp/c/* {folder}/"),
        },
    )


@family("link-farm", domain="file_operations", kind="exact_text", skills=("symbolic_links", "versions"),
    language="bash")
def link_farm(rng: random.Random) -> Task:
    """Relative links to the newest good release of every package."""
    root = pools.root(rng)
    store = f"{root}/{rng.choice(('store', 'releases', 'packages'))}"
    links = f"{root}/{rng.choice(('current', 'active', 'bin'))}"
    flag = rng.choice(("BROKEN", "WITHDRAWN", ".bad"))
    files, wanted = {}, {}
    for name in pools.some(rng, pools.ITEMS, 8):
        versions = list(dict.fromkeys(f"{rng.randrange(1, 3)}.{rng.choice((1, 2, 9, 10, 12))}.{rng.choice((0, 3, 11))}"
            for _ in range(6)))
        good = []
        for version in versions:
            files[f"{store}/{name}/{version}/payload"] = f"{name} {version}\n"
            if rng.random() < 0.35:
                files[f"{store}/{name}/{version}/{flag}"] = ""
            else:
                good.append(version)
        if good:
            wanted[name] = max(good, key=lambda text: tuple(map(int, text.split("."))))
    stale = next(iter(wanted))
    setup = f"mkdir -p {links}\nln -s ../{store.rsplit('/', 1)[1]}/{stale}/0.0.1 {links}/{stale}\n"
    setup += f"ln -s /nowhere {links}/gone\n"
    text = brief(
        rng, "Links to current releases",
        (f"Make `{links}` point to the newest usable release of every package in `{store}`.",
         f"The directory `{links}` should have one symbolic link per package of `{store}`.",
         f"Renew the links in `{links}`; the releases are below `{store}`."),
        [f"A release is a directory `{store}/PACKAGE/VERSION` with a version of three numbers.",
         (f"Releases that contain a file named `{flag}` must not be used. Of the others the highest version counts, "
          "compared numerically part by part (2.10.0 is newer than 2.9.11).",
          f"Take the numerically highest version (1.12.0 beats 1.9.3) among those without a file `{flag}` in them."),
         "A package without any usable release gets no link."],
        [(f"Each link is called like its package and is relative, so that it still works when `{root}` is moved as a "
          "whole.",
          "The links bear the package names and must be relative symbolic links: the pair of directories may be "
          "moved together later."),
         f"Links in `{links}` that are wrong, stale or dangling have to go; nothing but the right links may be left "
         "there."],
        example=("", f"sample -> ../{store.rsplit('/', 1)[1]}/sample/7.0.1"),
    )
    solve = fill('''
        #!/bin/bash
        set -e
        cd '@links@'
        rm -f -- *
        for package in ../@base@/*; do
          best=$(for v in "$package"/*; do [ -e "$v/@flag@" ] || basename "$v"; done | sort -V | tail -1)
          [ -z "$best" ] || ln -s "$package/$best" "$(basename "$package")"
        done
    ''', links=links, base=store.rsplit("/", 1)[1], flag=flag)
    checks = {
        "right_links": fill('''
            assert sorted(os.listdir("@links@")) == sorted(WANTED)
            for name, version in WANTED.items():
                link = "@links@/" + name
                assert os.path.islink(link), name
                target = os.readlink(link)
                assert not target.startswith("/"), target
                assert os.path.normpath(os.path.join("@links@", target)) == "@store@/" + name + "/" + version
        ''', links=links, store=store),
        "releases_are_kept": 'for name, version in WANTED.items():\n'
                             f'    path = os.path.join("{store}", name, version, "payload")\n'
                             '    assert Path(path).read_text() == name + " " + version + "\\n'
                             '"',
    }
    return Task(
        text, suite(rng, checks, data={"WANTED": wanted}), solve, files, setup, workdir=root,
        wrong={
            "absolute": after(f"ln -sfn {store}/{stale}/{wanted[stale]} {links}/{stale}"),
            "dangling left": after(f"ln -s /nowhere {links}/gone"),
            "copied": after(f"cp -rL {links} /tmp/l; rm -r {links}; cp -r /tmp/l {links}"),
            "text order": after(f"for p in {store}/*; do v=$(ls $p | sort | head -1); ln -sfn "
                                f"../{store.rsplit('/', 1)[1]}/${{p##*/}}/$v {links}/${{p##*/}}; done"),
        },
        equal={
            "slash": after(f"ln -sfn ../{store.rsplit('/', 1)[1]}/{stale}/{wanted[stale]}/ {links}/{stale}"),
            "dot": after(f"ln -sfn ./../{store.rsplit('/', 1)[1]}/{stale}/{wanted[stale]} {links}/{stale}"),
        },
    )
