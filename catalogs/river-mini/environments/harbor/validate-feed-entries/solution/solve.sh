#!/bin/bash
cat > /app/check_feed.py <<'EOF'
"""Prints good or bad for every feed entry on stdin."""
import json
import sys


def good(line):
    try:
        entry = json.loads(line)
    except ValueError:
        return False
    return (
        isinstance(entry, dict) and set(entry) == {"id", "title", "tags"}
        and type(entry["id"]) is int and entry["id"] > 0
        and isinstance(entry["title"], str) and entry["title"] != ""
        and isinstance(entry["tags"], list)
        and all(isinstance(tag, str) and not any(c.isspace() for c in tag) for tag in entry["tags"])
    )


for line in sys.stdin:
    print("good" if good(line) else "bad")
EOF
