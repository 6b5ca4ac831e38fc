#!/bin/bash
mkdir -p /app/topics
topic=
while IFS= read -r line; do
  case $line in
    "## "*) topic=$(echo "${line#\#\# }" | tr A-Z a-z) ;;
    *"#done") ;;
    *) if [ -n "$topic" ]; then echo "$line" >> "/app/topics/$topic.md"; fi ;;
  esac
done < /app/journal.md
