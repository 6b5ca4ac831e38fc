#!/bin/sh
# apt-get and apt: an update, and an install of what the image or the layer has, succeed; anything else is the real tool's.
. /opt/river-tests/lib.sh
tool=${0##*/}
[ "$(id -u)" = 0 ] || pass "$tool" "$@"
action= missing= skip=
for word in "$@"; do
  if [ -n "$skip" ]; then skip=; continue; fi
  case $word in
    -t | -o | --option | --target-release) skip=1 ;;
    -*) ;;
    *)
      if [ -z "$action" ]; then
        action=$word
      else
        name=${word%%=*}
        name=${name%%:*}
        if ! provided "$name"; then
          status=$(dpkg-query -W -f='${Status}' "$name" 2>/dev/null)
          if [ "$status" != 'install ok installed' ] &&
            ! (PATH=$(outer_path) && command -v "$name" >/dev/null 2>&1); then
            missing=$name
          fi
        fi
      fi
      ;;
  esac
done
case $action in
  update) note "$tool update"; exit 0 ;;
  install) [ -n "$missing" ] || { note "$tool $*"; exit 0; } ;;
esac
pass "$tool" "$@"
