#!/bin/bash
python3 - <<'EOF'
import json, struct
data = open("/app/dump.bin", "rb").read()[5:]
bad, seen = 0, {}
for frame in (data[i:i + 10] for i in range(0, len(data), 10)):
    if sum(frame[1:9]) & 255 != frame[9]:
        bad += 1
    else:
        sensor, when, tenths = struct.unpack(">xHIhx", frame)
        seen.setdefault(sensor, []).append(tenths / 10)
json.dump({"damaged": bad, "sensors": {str(s): {"frames": len(v), "min": min(v), "max": max(v)} for s, v in seen.items()}}, open("/app/summary.json", "w"))
EOF
