#!/bin/bash
python3 - <<'EOF' > /app/stock.txt
stock, low = {}, {}
for line in open("/app/moves.txt"):
    _, kind, item, n = line.split("\t")
    n = int(n)
    stock[item] = n if kind == "count" else stock.get(item, 0) + (n if kind == "in" else -n)
    low[item] = min(0, low.get(item, 0), stock[item])
for item in sorted(stock):
    print(item, stock[item], low[item])
EOF
