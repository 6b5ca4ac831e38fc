#!/bin/bash
cd /app/fixtures/plans
find . -type f -printf '%P\t%s\n' | LC_ALL=C sort | while IFS=$'\t' read -r path size; do
  printf '%s\t%s\t%s\n' "$path" "$size" "$(md5sum < "$path" | cut -c1-32)"
done > /home/user/plans.tsv
