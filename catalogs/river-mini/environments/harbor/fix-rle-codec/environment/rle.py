#!/usr/bin/env python3
"""Run-length codec: rle.py encode|decode, one text per line on stdin."""
import sys


def encode(text):
    out, i = [], 0
    while i < len(text):
        j = i
        while j < len(text) - 1 and text[j] == text[i]:
            j += 1
        out.append(text[i] + (str(j - i) if j - i > 1 else ""))
        i = max(j, i + 1)
    return "".join(out)


def decode(code):
    out = []
    for i, char in enumerate(code):
        if char.isdigit():
            out.append(code[i - 1] * (int(char) - 1))
        else:
            out.append(char)
    return "".join(out)


for line in sys.stdin:
    line = line.rstrip("\n")
    print(encode(line) if sys.argv[1] == "encode" else decode(line))
