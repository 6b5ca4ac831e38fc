#!/bin/bash
cat > /home/user/tracknum.py <<'EOF'
"""Prints the check letter of every track number on stdin."""
import sys


def check_letter(code):
    total = 17
    for weight, char in enumerate(code, start=3):
        total = (total * 31 + ord(char) * weight) % 9973
    return "ABCDEFGHJKLMNPRSTUVWXYZ"[total % 23]


for line in sys.stdin:
    print(check_letter(line.strip()))
EOF
