#!/bin/bash
cat > /app/duration.py <<'EOF'
#!/usr/bin/env python3
"""Turns durations such as 1h30m into seconds, one per line."""
import re
import sys

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}

for line in sys.stdin:
    print(sum(int(number) * UNITS[unit] for number, unit in re.findall(r"(\d+)([smhd])", line)))
EOF
