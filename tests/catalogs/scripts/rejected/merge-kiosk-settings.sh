#!/bin/bash
# the same JSON document on one line
python3 - <<'EOF'
import json

def merge(base, over):
    if isinstance(base, dict) and isinstance(over, dict):
        return {key: merge(base[key], over[key]) if key in base and key in over else over.get(key, base.get(key)) for key in base | over}
    return over

merged = merge(json.load(open("/app/base.json")), json.load(open("/app/override.json")))
json.dump(merged, open("/app/settings.json", "w"))
EOF
