#!/usr/bin/env python3
"""Turns durations such as 1h30m into seconds, one per line."""
import sys

UNITS = {"s": 1, "m": 60, "h": 60, "d": 24}

for line in sys.stdin:
    total, number = 0, ""
    for char in line.strip():
        if char.isdigit():
            number = char
        else:
            total = int(number) * UNITS[char]
    print(total)
