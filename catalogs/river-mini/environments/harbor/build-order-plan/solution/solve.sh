#!/bin/bash
python3 - <<'EOF' > /app/order.txt
left = {}
for line in open("/app/targets.txt"):
    name, _, needs = line.split()
    left[name] = set(needs.split(",")) - {"-"}
while left:
    name = min(n for n, needs in left.items() if not needs & left.keys())
    print(name)
    del left[name]
EOF
