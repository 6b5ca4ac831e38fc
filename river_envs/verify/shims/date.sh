#!/bin/sh
# `date` with another clock: what asks for the present gets it shifted by RIVER_CLOCK seconds.
for real in /usr/bin/date /bin/date; do [ -x "$real" ] && break; done
here=${0%/*}
echo "date $$" >>"$here/../seen" 2>/dev/null
shift_by=${RIVER_CLOCK:-0}
present=yes
count=$#
while [ "$count" -gt 0 ]; do
  word=$1
  shift
  count=$((count - 1))
  text=
  case $word in
    -d | --date) text=$1 && shift && count=$((count - 1)) ;;
    --date=*) text=${word#--date=} ;;
    -d?*) text=${word#-d} ;;
    -ud) text=$1 && shift && count=$((count - 1)) && set -- "$@" -u ;;
    -[rfs]* | -u[rfs]* | --reference* | --file* | --set*) present=no ;;
  esac
  if [ -z "$text" ]; then
    set -- "$@" "$word"
    continue
  fi
  present=no
  case $text in
    @* | *[0-9][0-9][0-9][0-9]*) set -- "$@" -d "$text" ;;
    *) set -- "$@" -d "$text $shift_by seconds" ;;
  esac
done
if [ "$present" = yes ]; then
  exec "$real" -d "@$(($("$real" +%s) + shift_by))" "$@"
fi
exec "$real" "$@"
