#!/bin/bash
cat > /app/gate.py <<'EOF'
"""Decides for each requested path on stdin whether it stays below /srv/files."""
import re
import sys
from urllib.parse import unquote_to_bytes


def allowed(raw):
    if re.search(rb"%(?![0-9A-Fa-f]{2})", raw):
        return False
    path = unquote_to_bytes(raw)
    if not path or re.search(rb"[\x00-\x1f\x7f\\%]", path) or path[:1] in b"/~":
        return False
    depth = 0
    for part in path.split(b"/"):
        if part == b"..":
            depth -= 1
        elif part not in (b"", b"."):
            depth += 1
        if depth < 0:
            return False
    return True


for line in sys.stdin.buffer:
    print("ALLOW" if allowed(line.rstrip(b"\r\n")) else "DENY")
EOF
