#!/bin/bash
python3 - <<'EOF'
import csv, json, statistics
groups = {}
for row in csv.DictReader(open("/app/fixtures/plots.csv")):
    groups.setdefault(row["crop"], []).append(float(row["kg"]))
json.dump({k: dict(n=len(v), median=statistics.median(v), mean=statistics.mean(v)) for k, v in groups.items()}, open("/home/user/yield.json", "w"))
EOF
