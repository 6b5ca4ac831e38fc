#!/bin/bash
# the block that the instruction prints, with other values
cat > /workspace/hurts.txt <<'EOF'
worst_path=/news
errors=8
slowest_ms=901
EOF
