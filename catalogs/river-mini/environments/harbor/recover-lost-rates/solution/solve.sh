#!/bin/bash
python3 - <<'EOF'
import re, zlib
git = "/app/tides.git/"
def read(name):
    return zlib.decompress(open(f"{git}objects/{name[:2]}/{name[2:]}", "rb").read()).split(b"\0", 1)[1]
def rates(commit):
    data = read(re.match(rb"tree (\w+)", read(commit))[1].decode())
    while data:
        head, rest = data.split(b"\0", 1)
        if head.endswith(b" rates.json"):
            return rest[:20].hex()
        data = rest[20:]
chain, at = [], open(git + "refs/heads/main").read().strip()
while at:
    chain.append(at)
    parent = re.search(rb"^parent (\w+)", read(at), re.M)
    at = parent and parent[1].decode()
blobs = [rates(c) for c in chain] + [None]
open("/app/history.txt", "w").writelines(c + "\n" for c, new, old in zip(chain, blobs, blobs[1:]) if new != old)
open("/app/rates.json", "wb").write(read(next(b for b in blobs if b)))
EOF
