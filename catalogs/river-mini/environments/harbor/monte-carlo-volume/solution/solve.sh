#!/bin/bash
cat > /app/volume.py <<'EOF'
"""Naive Monte Carlo estimate of a volume."""
import random
import sys

seed, n = map(int, sys.argv[1:])
uniform = random.Random(seed).uniform
inside = 0
for _ in range(n):
    x, y, z = uniform(0, 2), uniform(0, 2), uniform(0, 2)
    inside += x * y * z <= 1 and x * x + y * y >= 1
print(8 * inside / n)
EOF
