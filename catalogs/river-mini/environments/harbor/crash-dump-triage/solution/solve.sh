#!/bin/bash
python3 - <<'EOF' > /app/kinds.txt
import re
from collections import Counter
kinds, frame, inside = Counter(), None, False
for line in open("/app/spool.log"):
    match = re.match(r'  File "(?:.*/)?([^/"]+)", line (\d+)', line)
    if line.startswith("Traceback"):
        inside = True
    elif match:
        frame = match[1] + ":" + match[2]
    elif inside and not line.startswith(" "):
        kinds[line.strip().split(":")[0] + " " + frame] += 1
        inside = False
for kind, count in sorted(kinds.items(), key=lambda item: (-item[1], item[0])):
    print(count, kind)
EOF
