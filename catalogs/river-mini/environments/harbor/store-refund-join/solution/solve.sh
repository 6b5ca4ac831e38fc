#!/bin/bash
cd /app
python3 - <<'EOF'
import csv
town = {row["store"]: row["town"] for row in csv.DictReader(open("stores.csv"))}
total = {}
for row in csv.DictReader(open("refunds.csv")):
    if row["state"] != "rejected":
        total[town[row["store"]]] = total.get(town[row["store"]], 0) + int(row["cents"])
with open("refund_totals.csv", "w") as out:
    out.write("town,refunded\n")
    for name in sorted(total):
        out.write(f"{name},{total[name] // 100}.{total[name] % 100:02d}\n")
EOF
