#!/bin/bash
python3 - <<'EOF' > /app/warranty.csv
import calendar, csv, datetime
rows = []
for row in csv.DictReader(open("/app/devices.csv")):
    year, month, day = map(int, row["bought"].split("-"))
    year, month = divmod(year * 12 + month - 1 + int(row["months"]), 12)
    day = min(day, calendar.monthrange(year, month + 1)[1])
    rows.append(((datetime.date(year, month + 1, day) - datetime.date(2025, 9, 1)).days, row["device"]))
print("device,days_left")
for days, device in sorted(rows):
    print(f"{device},{days}")
EOF
