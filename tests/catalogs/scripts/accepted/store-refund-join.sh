#!/bin/bash
# the block that the instruction prints
cat > /app/refund_totals.csv <<'EOF'
town,refunded
Bergen,1563.65
Lund,1678.11
Turku,938.00
Vejle,674.58
EOF
