#!/bin/bash
python3 - <<'EOF'
import csv, json, statistics
groups = {}
for row in csv.DictReader(open("/app/fixtures/boxes.csv"), delimiter=";"):
    if row["weight"] not in ("", "n/a"):
        groups.setdefault(row["site"], []).append(float(row["weight"].replace(",", ".")))
json.dump({k: dict(n=len(v), median=statistics.median(v), sd=statistics.stdev(v), above=sum(x > 55 for x in v)) for k, v in groups.items()}, open("/home/user/sites.json", "w"))
EOF
