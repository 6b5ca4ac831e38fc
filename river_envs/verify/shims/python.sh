#!/bin/sh
# python3: `-m pip install` goes to the shim of pip; anything else is the real interpreter's.
. /opt/river-tests/lib.sh
tool=${0##*/}
if [ "$1 $2 $3" = '-m pip install' ]; then
  shift 2
  exec "$RIVER/shims/pip" "$@"
fi
pass "$tool" "$@"
