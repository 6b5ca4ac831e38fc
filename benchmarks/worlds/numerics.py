"""Scientific computing: spectra and sequences."""

from __future__ import annotations

import math
import random

from . import pools
from .base import Task, after, family, fill, python
from .checks import suite
from .text import brief


@family("spectrum-lines", domain="scientific_computing", kind="exact_text", skills=("fourier_transform", "signals"),
    complexity="complex")
def spectrum_lines(rng: random.Random) -> Task:
    """The strongest lines of a signal's discrete spectrum."""
    root, size, rate = pools.root(rng), rng.choice((200, 240, 256)), rng.choice((100, 128, 250))
    source = f"{root}/{rng.choice(('signal', 'wave', 'samples'))}.txt"
    out = f"{root}/{rng.choice(('lines', 'peaks', 'spectrum'))}.csv"
    count = rng.randrange(3, 6)
    bins = sorted(rng.sample(range(4, size // 2 - 4), count))
    heights = rng.sample([2.0, 3.1, 4.3, 5.2, 6.6, 7.5], count)
    phases = [rng.uniform(0, 6) for _ in bins]
    values = [round(1.5 + sum(a * math.cos(2 * math.pi * b * n / size + p) for a, b,
        p in zip(heights, bins, phases, strict=True)) + rng.gauss(0, 0.3), 4) for n in range(size)]
    spectrum = []
    for index in range(1, size // 2):
        re = math.fsum(v * math.cos(2 * math.pi * index * n / size) for n, v in enumerate(values))
        im = math.fsum(v * math.sin(2 * math.pi * index * n / size) for n, v in enumerate(values))
        spectrum.append((2 * math.hypot(re, im) / size, index))
    wanted = [[index * rate / size, round(height, 9)] for height, index in sorted(spectrum, reverse=True)[:count]]
    text = brief(
        rng, "Lines of a spectrum",
        (f"Find the {count} strongest frequencies in `{source}`.",
         f"Analyse the signal in `{source}`: which {count} frequencies dominate?",
         f"Please compute the spectrum of `{source}` and report its {count} highest lines."),
        [f"The file has {size} samples, one a line, taken {rate} times per second.",
         (f"Use the plain discrete Fourier transform of all {size} samples, without window or padding. The line "
          f"number k (k = 1 ... {size // 2 - 1}) has the frequency k·{rate}/{size} Hz and the amplitude "
          f"2·|X_k|/{size}. The constant part (k = 0) and k = {size // 2} do not count.",
          f"Transform all samples (DFT, no window, no padding). For k from 1 to {size // 2 - 1} the frequency is k "
          f"times {rate}/{size} Hz, the amplitude twice the modulus of X_k divided by {size}.")],
        [(f"Write `{out}` with the header `frequency,amplitude` and {count} rows, the largest amplitude first. "
          "Frequencies must be right to 0.001 Hz, amplitudes to 0.0001.",
          f"`{out}`: CSV, header `frequency,amplitude`, {count} rows by descending amplitude; tolerances are 0.001 "
          "Hz and 0.0001.")],
        example=("csv", "frequency,amplitude\n0.001,99.5\n0.002,88.25"),
    )
    solve = python('''
        import cmath
        v = [float(line) for line in open("@source@")]
        n = len(v)
        lines = []
        for k in range(1, n // 2):
            x = sum(s * cmath.exp(-2j * cmath.pi * k * i / n) for i, s in enumerate(v))
            lines.append((2 * abs(x) / n, k * @rate@ / n))
        with open("@out@", "w") as out:
            out.write("frequency,amplitude\\n")
            for a, f in sorted(lines, reverse=True)[:@count@]:
                out.write(f"{f:.6f},{a:.7f}\\n")
    ''', source=source, out=out, rate=rate, count=count)
    checks = {
        "lines": fill('''
            rows = list(csv.DictReader(io.StringIO(read("@out@"))))
            assert len(rows) == len(WANTED)
            for row, (frequency, amplitude) in zip(rows, WANTED):
                assert abs(float(row["frequency"]) - frequency) <= 0.00101
                assert abs(float(row["amplitude"]) - amplitude) <= 0.000101
        ''', out=out),
    }
    return Task(
        text, suite(rng, checks, data={"WANTED": wanted}), solve, {source: "".join(f"{value}\n" for value in values)},
            workdir=root,
        wrong={
            "not doubled": solve.replace("2 * abs(x)", "abs(x)"),
            "reversed": after(f"(head -1 {out}; tail -n +2 {out} | tac) > /tmp/r; cp /tmp/r {out}"),
            "per sample": solve.replace("k * ", "1 / k * "),
            "row lost": after(f"sed -i '$d' {out}"),
        },
        equal={
            "exponents": after(f"awk -F, 'NR==1{{print; next}} {{printf \"%.9e,%.9e\\n\", $1, $2}}' {out} > /tmp/r; "
                               f"cp /tmp/r {out}"),
            "crlf": after(f"sed -i 's/$/\\r/' {out}"),
        },
    )


@family("sequence-alignment", domain="scientific_computing", kind="exact_text",
    skills=("dynamic_programming", "bioinformatics"), complexity="complex")
def sequence_alignment(rng: random.Random) -> Task:
    """Optimal global alignments; any optimal one is right."""
    root = pools.root(rng)
    source = f"{root}/{rng.choice(('pairs', 'reads', 'sequences'))}.txt"
    out = f"{root}/{rng.choice(('alignments', 'aligned'))}.txt"
    match, differ, gap = rng.choice(((2, -1, -2), (3, -2, -4), (1, -1, -1), (5, -3, -4)))
    pairs, best = [], []
    for _ in range(8):
        one = "".join(rng.choice("ACGT") for _ in range(rng.randrange(12, 30)))
        two = "".join(c if rng.random() > 0.25 else rng.choice(("", "", "A", "C", "G", "T",
            c + "G")) for c in one) or "A"
        row = [gap * n for n in range(len(two) + 1)]
        for place, c in enumerate(one, 1):
            new = [gap * place]
            for n, d in enumerate(two, 1):
                new.append(max(row[n - 1] + (match if c == d else differ), row[n] + gap, new[-1] + gap))
            row = new
        pairs.append([one, two])
        best.append(row[-1])
    text = brief(
        rng, "Align sequences",
        (f"Align the pairs of sequences in `{source}`.",
         f"`{source}` has pairs of DNA sequences. Please compute an optimal global alignment of each.",
         f"Global alignment of all pairs in `{source}`."),
        ["Each line of the input has two sequences separated by a blank.",
         (f"Score: {match} for two equal letters one above the other, {differ} for different letters, {gap} for a "
          "letter against a gap (linear, also at the ends).",
          f"Two equal letters score {match}, unequal ones {differ}, each gap position {gap}, ends included.")],
        [(f"Write to `{out}` three lines per pair, in input order: the score, the first sequence with `-` for gaps, "
          "and the second one likewise. Both have equal length, and no column has two gaps. The score must be the "
          "highest possible; where several alignments reach it any of them will do. Blank lines are ignored.",
          f"For each pair, in order, put three lines into `{out}`: the optimal score and the two aligned sequences, "
          "equally long, gaps written as `-`, never two gaps in one column. Any alignment with the best score is "
          "accepted, and blank lines do not matter.")],
        example=("", "77\nACGT-A\nAC-TTA"),
    )
    solve = python('''
        M, D, G = @match@, @differ@, @gap@
        with open("@out@", "w") as out:
            for line in open("@source@"):
                a, b = line.split()
                S = [[G * (i + j) for j in range(len(b) + 1)] for i in range(len(a) + 1)]
                for i in range(1, len(a) + 1):
                    for j in range(1, len(b) + 1):
                        S[i][j] = max(S[i-1][j-1] + (M if a[i-1] == b[j-1] else D), S[i-1][j] + G, S[i][j-1] + G)
                i, j, x, y = len(a), len(b), "", ""
                while i or j:
                    if i and j and S[i][j] == S[i-1][j-1] + (M if a[i-1] == b[j-1] else D):
                        i, j, x, y = i - 1, j - 1, a[i-1] + x, b[j-1] + y
                    elif i and S[i][j] == S[i-1][j] + G:
                        i, x, y = i - 1, a[i-1] + x, "-" + y
                    else:
                        j, x, y = j - 1, "-" + x, b[j-1] + y
                out.write(f"{S[len(a)][len(b)]}\\n{x}\\n{y}\\n")
    ''', source=source, out=out, match=match, differ=differ, gap=gap)
    checks = {
        "scores": fill('''
            lines = [line.strip() for line in read("@out@").splitlines() if line.strip()]
            assert [float(text) for text in lines[::3]] == BEST
        ''', out=out),
        "alignments": fill('''
            lines = [line.strip() for line in read("@out@").splitlines() if line.strip()]
            assert len(lines) == 3 * len(PAIRS)
            for (one, two), best, x, y in zip(PAIRS, BEST, lines[1::3], lines[2::3]):
                assert len(x) == len(y) and x.replace("-", "") == one and y.replace("-", "") == two
                assert not any(c == d == "-" for c, d in zip(x, y))
                assert sum(@gap@ if "-" in (c, d) else @match@ if c == d else @differ@ for c, d in zip(x, y)) == best
        ''', out=out, match=match, differ=differ, gap=gap),
    }
    mirrored = solve.replace("a, b = line.split()", "a, b = [word[::-1] for word in line.split()]").replace("{x}\\n{y}",
        "{x[::-1]}\\n{y[::-1]}")
    assert mirrored != solve
    return Task(
        text, suite(rng, checks, data={"PAIRS": pairs, "BEST": best}), solve,
            {source: "".join(f"{one} {two}\n" for one, two in pairs)}, workdir=root,
        wrong={"all gaps": python('''
            with open("@out@", "w") as out:
                for line in open("@source@"):
                    a, b = line.split()
                    out.write(f"{@gap@ * (len(a) + len(b))}\\n{a + '-' * len(b)}\\n{'-' * len(a) + b}\\n")
        ''', source=source, out=out, gap=gap), "one point more": after(f"awk 'NR==1{{$0 += 1}} 1' {out} > /tmp/r; cp "
            f"/tmp/r {out}"),
               "scores only": after(f"sed -i 's/[ACGT-]\\{{3,\\}}/ACGT/' {out}"),
               "pair lost": after(f"head -n -3 {out} > /tmp/r; cp /tmp/r {out}")},
        equal={
            "another optimum": mirrored,
            "blank lines": after(f"sed -i 'n;n;G' {out}"),
            "crlf": after(f"sed -i 's/$/\\r/' {out}"),
        },
    )
