#!/bin/bash
python3 - <<'EOF' > /home/user/invoices.csv
import csv
from datetime import date
bills = []
for row in csv.DictReader(open("/home/user/rentals.csv")):
    days = (date.fromisoformat(row["last"]) - date.fromisoformat(row["first"])).days + 1
    bills.append(((days - days // 7) * int(row["rate"]), row["vehicle"]))
print("vehicle,amount")
for amount, vehicle in sorted(bills, reverse=True):
    print(vehicle, amount, sep=",")
EOF
