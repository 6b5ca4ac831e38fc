#!/bin/bash
python3 - <<'EOF'
import csv, json, math
data = [(float(row["t"]), float(row["x"])) for row in csv.DictReader(open("/app/swing.csv"))]

def fit(damping, omega):
    shape = [math.exp(-damping * t) * math.cos(omega * t) for t, _ in data]
    amplitude = sum(s * x for s, (_, x) in zip(shape, data)) / sum(s * s for s in shape)
    return sum((amplitude * s - x) ** 2 for s, (_, x) in zip(shape, data)), amplitude, damping, omega

best = min(fit(d / 50, w / 20) for d in range(3, 50) for w in range(40, 120))
best = min(fit(best[2] + d / 1000, best[3] + w / 500) for d in range(-20, 21) for w in range(-25, 26))
json.dump(dict(zip(("amplitude", "damping", "omega"), best[1:])), open("/app/spring.json", "w"))
EOF
