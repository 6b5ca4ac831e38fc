#!/bin/bash
cat > /app/service.ini <<'EOF'
[server]
port = 8080
host = 0.0.0.0
timeout = 30

[database]
url = postgres://db.internal/app
pool = 10

[cache]
enabled = yes
ttl = 0
EOF
