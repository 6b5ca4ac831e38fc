#!/bin/bash
set -e
mkdir -p /logs/verifier
cd /tests
python3 -m pytest -q -p no:cacheprovider test_final_state.py
status=$?
if [ $status -eq 0 ]; then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi
