#!/bin/sh
# uvx: run a command of the layer in the layer's own environment, when it asks for nothing that the layer lacks.
. /opt/river-tests/lib.sh

# Sets `used` to the number of words before the command; fails when an option cannot be answered.
options() {
  used=0
  while [ $# -gt 0 ]; do
    case $1 in
      -w | --with | --from) needed "$2" || return 1; used=$((used + 2)); shift 2 ;;
      --with=* | --from=*) needed "${1#*=}" || return 1; used=$((used + 1)); shift ;;
      -w?*) needed "${1#-w}" || return 1; used=$((used + 1)); shift ;;
      --with-requirements* | --with-editable*) return 1 ;;
      -p | --python | --index | --index-url | --default-index | --extra-index-url | -i | --cache-dir | --link-mode)
        [ $# -gt 1 ] || return 1; used=$((used + 2)); shift 2 ;;
      -*) used=$((used + 1)); shift ;;
      *) return 0 ;;
    esac
  done
  return 1
}

options "$@" || pass uvx "$@"
eval "command=\${$((used + 1))}"
command=${command%%@*}
case $command in
  */* | '') pass uvx "$@" ;;
esac
[ -x "$RIVER/venv/bin/$command" ] || pass uvx "$@"
note "uvx $*"
shift $((used + 1))
in_layer "$RIVER/venv/bin/$command" "$@"
