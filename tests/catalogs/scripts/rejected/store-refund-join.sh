#!/bin/bash
# the block that the instruction prints, with other values
cat > /app/refund_totals.csv <<'EOF'
town,refunded
Bergen,2563.65
Lund,2678.11
Turku,038.00
Vejle,774.58
EOF
