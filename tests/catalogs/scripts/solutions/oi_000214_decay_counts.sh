#!/bin/bash
python3 - <<'EOF'
import json
counts = list(map(int, open("/workspace/counts.txt")))
json.dump({"half_at": next(k for k, c in enumerate(counts) if c < counts[0] / 2), "total": sum(counts), "late": sum(counts[-10:])}, open("/workspace/result.json", "w"))
EOF
