#!/bin/bash
python3 - <<'EOF' > /app/takings.txt
from collections import Counter
takings = Counter()
for line in open("/app/till.txt"):
    _, item, quantity, cents, flag = line.rstrip("\n").split("|")
    if flag == "":
        takings[item] += int(quantity) * int(cents)
for item in sorted(takings):
    print(item, takings[item])
EOF
