#!/bin/bash
cat > /app/simpson.py <<'EOF'
"""Composite Simpson rule, one table per line on stdin."""
import sys

for line in sys.stdin:
    h, *y = map(float, line.split())
    total = 0.0
    if len(y) == 2:
        total = h * (y[0] + y[1]) / 2
    elif len(y) > 2:
        if len(y) % 2 == 0:
            a, b, c, d = y[-4:]
            total += 3 * h / 8 * (a + 3 * b + 3 * c + d)
            y = y[:-3]
        for k in range(0, len(y) - 2, 2):
            total += h / 3 * (y[k] + 4 * y[k + 1] + y[k + 2])
    print(repr(total))
EOF
