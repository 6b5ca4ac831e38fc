#!/bin/bash
echo '{"tickets": 0, "total_cents": 0, "by_class": {"0": 0, "1": 0, "2": 0, "3": 7}, "last_serial": 0}' > /app/ledger.json
