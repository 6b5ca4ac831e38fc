#!/bin/bash
python3 - <<'EOF' > /workspace/hurts.txt
import csv
from collections import Counter
rows = list(csv.DictReader(open("/workspace/requests.csv")))
(path, count), = Counter(row["path"] for row in rows if int(row["status"]) >= 500).most_common(1)
print(f"worst_path={path}", f"errors={count}", f"slowest_ms={max(int(row['ms']) for row in rows)}", sep="\n")
EOF
