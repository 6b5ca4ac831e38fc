#!/bin/sh
# pip: an install of what the layer holds makes it visible to the image's Python; anything else is the real tool's.
. /opt/river-tests/lib.sh
tool=${0##*/}
[ "$1" = install ] || pass "$tool" "$@"
skip=
managed=${PIP_BREAK_SYSTEM_PACKAGES:-}
for word in "$@"; do
  if [ -n "$skip" ]; then skip=; continue; fi
  case $word in
    install | pip | setuptools | wheel | uv | uv==*) ;;
    --break-system-packages) managed=1 ;;
    -r | -e | --requirement | --editable | --target | -t | --prefix | --root | -c | --constraint) pass "$tool" "$@" ;;
    -i | --index-url | --extra-index-url | --timeout | --retries | --cache-dir | --trusted-host | -f) skip=1 ;;
    --find-links | --root-user-action) skip=1 ;;
    -*) ;;
    *) needed "$word" || pass "$tool" "$@" ;;
  esac
done
PATH=$(outer_path) python3 - "$RIVER_SITE" "$managed" <<'PYTHON' || exit 1
import os, site, sys, sysconfig
marker = os.path.join(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED")
if os.path.exists(marker) and not sys.argv[2] and sys.prefix == sys.base_prefix:
    sys.exit("error: externally-managed-environment")  # as pip itself would, PEP 668
places = [*site.getsitepackages(), site.getusersitepackages()]
place = next((place for place in places if os.path.isdir(place) and os.access(place, os.W_OK)), places[-1])
if sys.argv[1]:
    os.makedirs(place, exist_ok=True)
    with open(os.path.join(place, "river-tests.pth"), "w") as file:
        file.write("import sys; sys.path.insert(0, %r)\n" % sys.argv[1])
PYTHON
PATH=$PATH:/usr/bin:/bin copy_commands "$RIVER/shims" python3
note "$tool $*"
