#!/bin/bash
cd /app/backups
deleted=0 kept=0
for file in $(ls -r); do
  day=${file#db-}; day=${day%.dump}
  if [ $kept -lt 7 ] || [ "$(date -d "$day" +%u)" = 7 ]; then kept=$((kept + 1)); else rm "$file"; deleted=$((deleted + 1)); fi
done
echo "STATUS: OK deleted=$deleted kept=$kept" >> /app/retention.log
