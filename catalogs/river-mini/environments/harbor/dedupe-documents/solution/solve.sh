#!/bin/bash
cd /app/docs
export LC_ALL=C
find . -type f -printf '%P\n' | sort | while IFS= read -r file; do
  echo "$(sha256sum < "$file" | cut -c1-64) $file"
done | sort -s -k1,1 | {
  while IFS= read -r line; do
    hash=${line%% *}; file=${line#* }
    if [ "$hash" = "$last" ]; then rm "$file"; echo "$file"; fi
    last=$hash
  done
} | sort > /app/removed.txt
