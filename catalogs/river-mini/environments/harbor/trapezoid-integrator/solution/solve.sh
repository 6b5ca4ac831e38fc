#!/bin/bash
cat > /app/trapez.py <<'EOF'
"""Trapezoidal rule on uneven grids, one table per line on stdin."""
import sys

for line in sys.stdin:
    v = list(map(float, line.split()))
    x, y = v[::2], v[1::2]
    print(sum((x[k + 1] - x[k]) * (y[k] + y[k + 1]) / 2 for k in range(len(x) - 1)))
EOF
