#!/bin/bash
# what was right yesterday
python3 - <<'EOF' > /app/expiry.csv
import datetime, json
today = datetime.datetime.now(datetime.timezone.utc).date() - datetime.timedelta(1)
print("host,days_left")
for days, host in sorted(((datetime.date.fromisoformat(c["not_after"]) - today).days, c["host"]) for c in json.load(open("/app/certs.json"))):
    print(f"{host},{days}")
EOF
