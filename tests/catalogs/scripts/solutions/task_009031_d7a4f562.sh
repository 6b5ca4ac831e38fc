#!/bin/bash
cd /home/user/exports
rm -f *.part
for name in $(ls *.r*.csv | sed 's/\.r[0-9]*\.csv$//' | sort -u); do
  newest=$(ls "$name".r*.csv | sort -V | tail -1)
  mv "$newest" "$name.csv"
  rm -f "$name".r*.csv
done
