#!/bin/bash
# the block that the instruction prints
cat > /workspace/hurts.txt <<'EOF'
worst_path=/news
errors=8
slowest_ms=900
EOF
