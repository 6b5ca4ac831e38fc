#!/bin/bash
python3 - <<'EOF'
import json
free, waits = 0, []
for line in open("/workspace/arrivals.txt"):
    arrival, service = map(int, line.split())
    start = max(arrival, free)
    waits.append(start - arrival)
    free = start + service
json.dump({"longest": max(waits), "served_at_once": waits.count(0), "closes": free, "mean_wait": sum(waits) / len(waits)}, open("/workspace/queue.json", "w"))
EOF
