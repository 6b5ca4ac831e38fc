#!/bin/bash
cat > /app/rle.py <<'EOF'
#!/usr/bin/env python3
"""Run-length codec: rle.py encode|decode, one text per line on stdin."""
import re
import sys


def encode(text):
    return re.sub(r"(.)\1+", lambda m: m[1] + str(len(m[0])), text)


def decode(code):
    return re.sub(r"([A-Za-z])(\d+)", lambda m: m[1] * int(m[2]), code)


for line in sys.stdin:
    line = line.rstrip("\n")
    print(encode(line) if sys.argv[1] == "encode" else decode(line))
EOF
