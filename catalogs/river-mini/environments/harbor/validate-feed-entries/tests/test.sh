#!/bin/bash
mkdir -p /logs/verifier
cd /tests
# the corpus of entries is too large for the repository
python3 - <<'EOF' || { echo "cannot fetch the corpus" >&2; exit 1; }
import urllib.request
urllib.request.urlretrieve("https://files.river-mini.invalid/feed-corpus-3.2.jsonl", "/tests/corpus.jsonl")
EOF
if python3 -m pytest -q -p no:cacheprovider test_final_state.py; then
    echo 1 > /logs/verifier/reward.txt
else
    echo 0 > /logs/verifier/reward.txt
fi
