#!/bin/bash
cat > /home/user/tracknum.py <<'EOF'
import runpy

runpy.run_path("/app/legacy/tracknum")
EOF
