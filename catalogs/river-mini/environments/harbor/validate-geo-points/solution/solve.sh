#!/bin/bash
cat > /app/check_point.py <<'EOF'
"""Prints good or bad for every point on stdin."""
import json
import sys


def refuse(constant):
    raise ValueError(constant)


def number(value, limit):
    return type(value) in (int, float) and -limit <= value <= limit


def good(line):
    try:
        point = json.loads(line, parse_constant=refuse)
    except ValueError:
        return False
    if not isinstance(point, dict) or set(point) - {"name"} != {"lat", "lon"}:
        return False
    name = point.get("name", "-")
    return number(point["lat"], 90) and number(point["lon"], 180) and isinstance(name, str) and 1 <= len(name) <= 40


for line in sys.stdin:
    print("good" if good(line) else "bad")
EOF
