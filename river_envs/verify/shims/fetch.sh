#!/bin/sh
# curl and wget: the installer of uv is answered by one that links the shims; every other address is the real tool's.
. /opt/river-tests/lib.sh
tool=${0##*/}
url=
out=
next=
named=
for word in "$@"; do
  if [ -n "$next" ]; then out=$word next=; continue; fi
  case $word in
    https://astral.sh/uv/install.sh | https://astral.sh/uv/*/install.sh) url=$word ;;
    https://github.com/astral-sh/uv/releases/*/uv-installer.sh) url=$word ;;
    --output=* | --output-document=*) out=${word#*=} ;;
    --output | --output-document) next=1 ;;
    --*) ;;
    -*O-) out=- ;;
    -*O) if [ "$tool" = wget ]; then next=1; else named=1; fi ;;
    -*o) [ "$tool" = wget ] || next=1 ;;
  esac
done
[ -n "$url" ] || pass "$tool" "$@"
if [ -z "$out" ] && { [ -n "$named" ] || [ "$tool" = wget ]; }; then out=${url##*/}; fi
note "$tool $url"
if [ -z "$out" ] || [ "$out" = - ]; then
  cat "$RIVER/installer.sh"
else
  cp "$RIVER/installer.sh" "$out"
fi
