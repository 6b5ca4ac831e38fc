#!/bin/sh
# uv: run, add, init, venv, python, pip install and tool run, as far as the layer holds what they ask for.
. /opt/river-tests/lib.sh

# Whether every package named in an install is in the layer.
all_needed() {
  skip=
  for word in "$@"; do
    if [ -n "$skip" ]; then skip=; continue; fi
    case $word in
      -r | -e | --requirements | --requirement | --editable | --target | --prefix | -c | --constraints) return 1 ;;
      -p | --python | --index | --index-url | --default-index | --extra-index-url | -i | --link-mode) skip=1 ;;
      -*) ;;
      *) needed "$word" || return 1 ;;
    esac
  done
}

make_venv() {
  folder=.venv skip=
  for word in "$@"; do
    if [ -n "$skip" ]; then skip=; continue; fi
    case $word in
      -p | --python | --prompt) skip=1 ;;
      -*) ;;
      *) folder=$word ;;
    esac
  done
  case $folder in /*) ;; *) folder=$PWD/$folder ;; esac
  mkdir -p "$folder/bin" "$folder/lib/python$RIVER_PYTHON/site-packages" || exit 1
  cp "$RIVER/venv/pyvenv.cfg" "$folder/pyvenv.cfg" 2>/dev/null
  for name in python python3 "python$RIVER_PYTHON"; do cp -P "$RIVER/venv/bin/python3" "$folder/bin/$name"; done
  printf 'VIRTUAL_ENV="%s"\nPATH="$VIRTUAL_ENV/bin:$PATH"\nexport VIRTUAL_ENV PATH\nhash -r 2>/dev/null || :\n' \
    "$folder" > "$folder/bin/activate"
  printf 'deactivate() { PATH=${PATH#"$VIRTUAL_ENV/bin:"}; unset VIRTUAL_ENV; }\n' >> "$folder/bin/activate"
}

# Packages appear in the virtual environment that uv would install into; the layer's commands with them.
install_into_venv() {
  venv=${VIRTUAL_ENV:-$PWD/.venv}
  site=$venv/lib/python$RIVER_PYTHON/site-packages
  [ -d "$site" ] || return 1
  [ -z "$RIVER_SITE" ] || printf 'import sys; sys.path.insert(0, "%s")\n' "$RIVER_SITE" > "$site/river-tests.pth"
  copy_commands "$venv/bin" "$venv/bin/python3"
}

# Sets `used` to the number of words before the command and `target` to it; fails when it cannot be answered.
run_options() {
  used=1
  shift
  while [ $# -gt 0 ]; do
    case $1 in
      -w | --with) needed "$2" || return 1; used=$((used + 2)); shift 2 ;;
      --with=*) needed "${1#*=}" || return 1; used=$((used + 1)); shift ;;
      --with-requirements* | --with-editable* | --project* | --directory* | --script | -s | -m | --module) return 1 ;;
      -p | --python | --index | --index-url | --default-index | --extra-index-url | -i)
        [ $# -gt 1 ] || return 1; used=$((used + 2)); shift 2 ;;
      -?*) used=$((used + 1)); shift ;;
      *) break ;;
    esac
  done
  [ $# -gt 0 ] || return 1
  # A project that uv did not make here may ask for packages that nobody looked at; so may a script's own header.
  [ ! -e pyproject.toml ] || [ -e "$RIVER/project" ] || return 1
  case $1 in *.py) ! grep -q '^# /// script' "$1" 2>/dev/null || return 1 ;; esac
  target=$1
}

case $1 in
  --version | version) printf 'uv 0.9.5\n'; exit 0 ;;
  init) note "uv $*"; : > "$RIVER/project"; exit 0 ;;
  python) note "uv $*"; exit 0 ;;
  venv) note "uv $*"; shift; make_venv "$@"; exit 0 ;;
  add) if (shift; all_needed "$@"); then note "uv $*"; : > "$RIVER/project"; exit 0; fi ;;
  tool) if [ "$2" = run ]; then shift 2; exec "$RIVER/shims/uvx" "$@"; fi ;;
  pip)
    if [ "$2" = install ]; then
      case " $* " in *' --system '*) shift; exec "$RIVER/shims/pip" "$@" ;; esac
      if (shift 2; all_needed "$@") && install_into_venv; then note "uv $*"; exit 0; fi
    fi
    ;;
  run)
    if run_options "$@"; then
      note "uv $*"
      shift "$used"
      case $target in
        *.py) in_layer "$RIVER/venv/bin/python3" "$@" ;;
        -) in_layer "$RIVER/venv/bin/python3" "$@" ;;
        *) in_layer "$@" ;;
      esac
    fi
    ;;
esac
pass uv "$@"
