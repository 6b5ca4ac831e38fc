#!/bin/bash
cd /home/user/disks
{
  echo server,mount,percent
  for file in *.txt; do
    while read -r mount size used; do
      percent=$((used * 100 / size))
      if [ $percent -ge 80 ]; then echo "${file%.txt},$mount,$percent"; fi
    done < "$file"
  done | LC_ALL=C sort -t, -k3,3nr -k1,1 -k2,2
} > /home/user/full.csv
