#!/bin/bash
python3 - <<'EOF' > /home/user/incident.env
from datetime import datetime
events = [line.rstrip("\n").split(" ", 3) for line in open("/app/fixtures/morning.log")]
errors = [event for event in events if event[2] == "ERROR"]
span = datetime.strptime(errors[-1][0], "%H:%M:%S") - datetime.strptime(errors[0][0], "%H:%M:%S")
print("service=" + errors[0][1], "start=" + errors[0][0], "message=" + errors[0][3], "affected=" + ",".join(sorted({e[1] for e in errors})), f"seconds={span.seconds}", sep="\n")
EOF
