#!/bin/bash
# everything but the index
cd /app/inbox
for file in scan_*.txt; do
  date=${file:5:8}
  mkdir -p "/app/archive/${date:0:4}/${date:4:2}"
  mv "$file" "/app/archive/${date:0:4}/${date:4:2}/${date:6:2}_${file:14:2}.txt"
done
