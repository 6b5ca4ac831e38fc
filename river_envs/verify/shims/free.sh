#!/bin/sh
# `free` on a machine with RIVER_MEMORY MiB of memory, all but a quarter of it free, and no swap.
echo "free $$" >>"${0%/*}/../seen" 2>/dev/null
unit=1024 suffix= sum=
for word in "$@"; do
  case $word in
    --bytes) unit=1 ;;
    --mebi) unit=1048576 ;;
    --mega) unit=1000000 ;;
    --gibi) unit=1073741824 ;;
    --giga) unit=1000000000 ;;
    --human) unit=1048576 suffix=Mi ;;
    --total) sum=1 ;;
    --*) ;;
    -*)
      case $word in *b*) unit=1 ;; *m*) unit=1048576 ;; *g*) unit=1073741824 ;; *h*) unit=1048576 suffix=Mi ;; esac
      case $word in *t*) sum=1 ;; esac
      ;;
  esac
done
all=$((RIVER_MEMORY * 1048576))
row() { printf '%-7s %12s%s %12s%s %12s%s %12s%s %12s%s %12s%s\n' "$@"; }
short() { printf '%-7s %12s%s %12s%s %12s%s\n' "$1" $2 "$suffix" $3 "$suffix" $4 "$suffix"; }
row "" total "" used "" free "" shared "" buff/cache "" available ""
total=$((all / unit)) used=$((all / 4 / unit)) left=$((all / 4 * 3 / unit))
row Mem: $total "$suffix" $used "$suffix" $left "$suffix" 0 "$suffix" 0 "$suffix" $left "$suffix"
short Swap: 0 0 0
if [ -n "$sum" ]; then short Total: $total $used $left; fi
