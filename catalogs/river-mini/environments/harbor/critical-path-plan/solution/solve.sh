#!/bin/bash
python3 - <<'EOF'
import json
from functools import cache
tasks = {}
for line in open("/app/tasks.txt"):
    name, minutes, needs = line.rstrip("\n").split(";")
    tasks[name] = (int(minutes), needs.split())

@cache
def finish(name):
    return tasks[name][0] + max(map(finish, tasks[name][1]), default=0)

chain = [max(tasks, key=finish)]
while tasks[chain[0]][1]:
    chain.insert(0, max(tasks[chain[0]][1], key=finish))
json.dump({"minutes": finish(chain[-1]), "path": chain, "finish": {name: finish(name) for name in tasks}}, open("/app/plan.json", "w"), indent=2)
EOF
