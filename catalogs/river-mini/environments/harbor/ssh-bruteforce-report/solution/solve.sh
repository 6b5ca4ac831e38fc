#!/bin/bash
python3 - <<'EOF'
import json
fails, hits = {}, {}
for line in open("/app/auth.log"):
    words = line.split()
    if "from" not in words:
        continue
    at = words.index("from")
    ip, user = words[at + 1], words[at - 1]
    if "Failed password" in line:
        fails[ip] = fails.get(ip, 0) + 1
    elif "Accepted password" in line and fails.get(ip, 0) > 4:
        hits.setdefault(ip, dict(ip=ip, user=user, failures=fails[ip]))
json.dump({"compromised": [hits[k] for k in sorted(hits)]}, open("/app/report.json", "w"), indent=1)
EOF
