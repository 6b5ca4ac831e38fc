#!/bin/bash
cat > /home/user/postmortem.md <<'EOF'
## Root cause
The orders service ran out of its connection pool (20) on orders-db.
## Start
The first error came at 14:07:03.
## Resolution
At 14:09:30 the pool was resized to 60.
EOF
