#!/bin/bash
cat > /app/area.py <<'EOF'
"""Naive Monte Carlo estimate of an area."""
import math
import random
import sys

source = random.Random(int(sys.argv[1]))
inside = 0
for _ in range(2000):
    x, y = source.uniform(0, 3), source.uniform(0, 3)
    inside += math.sin(x) ** 2 + math.sin(y) ** 2 >= 1
print(9 * inside / 2000)
EOF
