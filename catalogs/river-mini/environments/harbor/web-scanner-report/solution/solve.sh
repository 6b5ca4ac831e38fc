#!/bin/bash
cd /app
{
  echo "ip,requests"
  grep -E '" 40[34] ' access.log | cut -d' ' -f1 | sort | uniq -c | while read -r count ip; do
    if [ "$count" -ge 10 ]; then echo "$ip,$count"; fi
  done | sort -t, -k2,2nr -k1,1
} > scanners.csv
