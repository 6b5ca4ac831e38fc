#!/bin/sh
# `free` on a machine with RIVER_MEMORY MiB of memory, all but a quarter of it free, and no swap.
echo "free $$" >>"${0%/*}/../seen" 2>/dev/null
unit=1024 suffix=
for word in "$@"; do
  case $word in
    -b | --bytes) unit=1 ;;
    -m | --mebi) unit=1048576 ;;
    --mega) unit=1000000 ;;
    -g | --gibi) unit=1073741824 ;;
    --giga) unit=1000000000 ;;
    -h | --human) unit=1048576 suffix=Mi ;;
  esac
done
all=$((RIVER_MEMORY * 1048576))
row() { printf '%-7s %12s%s %12s%s %12s%s %12s%s %12s%s %12s%s\n' "$@"; }
row "" total "" used "" free "" shared "" buff/cache "" available ""
total=$((all / unit)) used=$((all / 4 / unit)) left=$((all / 4 * 3 / unit))
row Mem: $total "$suffix" $used "$suffix" $left "$suffix" 0 "$suffix" 0 "$suffix" $left "$suffix"
printf '%-7s %12s%s %12s%s %12s%s\n' Swap: 0 "$suffix" 0 "$suffix" 0 "$suffix"
