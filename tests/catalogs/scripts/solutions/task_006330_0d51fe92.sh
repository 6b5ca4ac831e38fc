#!/bin/bash
python3 - <<'EOF'
import csv, json
rows = list(csv.DictReader(open("/app/fixtures/plate.csv")))
mean = lambda group: sum(float(row["signal"]) for row in group) / len(group)
doses = sorted({row["dose"] for row in rows})
best = max(rows, key=lambda row: float(row["signal"]))["well"]
json.dump({"wells": len(rows), "mean_signal": mean(rows), "max_well": best, "by_dose": {d: mean([r for r in rows if r["dose"] == d]) for d in doses}}, open("/home/user/plate.json", "w"))
EOF
