#!/bin/bash
python3 - <<'EOF' > /workspace/punctuality.txt
import csv
from collections import Counter
rows = [(row["ferry"], int(row["delay"]), int(row["passengers"])) for row in csv.DictReader(open("/workspace/departures.csv"))]
late = [row for row in rows if row[1] > 5]
total = Counter()
for ferry, delay, _ in late:
    total[ferry] += delay
print("worst=" + total.most_common(1)[0][0], f"passengers={sum(row[2] for row in late)}", f"punctual_percent={100 * (len(rows) - len(late)) // len(rows)}", sep="\n")
EOF
