#!/bin/bash
python3 - <<'EOF'
import json, struct
rows = list(struct.iter_unpack("<IHB", open("/app/tickets.bin", "rb").read()[4:]))
by = {str(c): sum(p for _, p, k in rows if k == c) for c in range(4)}
json.dump({"tickets": len(rows), "total_cents": sum(by.values()), "by_class": by, "last_serial": max(s for s, _, _ in rows)}, open("/app/ledger.json", "w"))
EOF
