#!/bin/bash
python3 - <<'EOF'
import json, re
from datetime import datetime
rows = []
for block in re.findall(r"BEGIN:VEVENT\n(.*?)END:VEVENT", open("/app/calendar.ics").read(), re.S):
    field = dict(line.split(":", 1) for line in block.splitlines())
    start, end = (datetime.strptime(field[key], "%Y%m%dT%H%M%S") for key in ("DTSTART", "DTEND"))
    rows.append((start, {"title": field["SUMMARY"].replace("\\;", ";"), "day": str(start.date()), "minutes": int((end - start).total_seconds()) // 60}))
json.dump([row for _, row in sorted(rows, key=lambda pair: pair[0])], open("/app/calendar.json", "w"))
EOF
