#!/bin/bash
cat > /home/user/routecheck.py <<'EOF'
import re
import sys

for line in sys.stdin:
    number = line.strip()
    if not re.fullmatch("[0-9]{4,12}", number):
        print("-")
        continue
    total = sum(int(c) * (7 if i % 2 == 0 else 3 if i % 4 == 3 else 9) for i, c in enumerate(number[::-1]))
    total += 5 * number.startswith("0")
    print("0123456789X"[-total % 11])
EOF
