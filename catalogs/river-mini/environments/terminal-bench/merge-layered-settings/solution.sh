#!/bin/bash
python3 - <<'EOF'
import json, pathlib

def lay(below, above):
    for key, value in above.items():
        if value is None:
            below.pop(key, None)
        elif isinstance(value, dict):
            below[key] = lay(below[key] if isinstance(below.get(key), dict) else {}, value)
        elif isinstance(value, list):
            below[key] = below.get(key, []) + value
        else:
            below[key] = value
    return below

settings = {}
for path in sorted(pathlib.Path("/app/layers").glob("*.json")):
    settings = lay(settings, json.loads(path.read_text()))
pathlib.Path("/app/effective.json").write_text(json.dumps(settings))
EOF
