#!/bin/bash
mkdir -p /app/months
while IFS= read -r line; do
  echo "$line" >> "/app/months/${line:0:7}.tsv"
done < /app/ledger.tsv
