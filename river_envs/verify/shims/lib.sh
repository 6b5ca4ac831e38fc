# Shared by the shims: they answer what the test layer holds and pass everything else to the real tool.
RIVER=/opt/river-tests
. "$RIVER/answers.sh"

note() { printf '%s\n' "$*" >> "$RIVER/log" 2>/dev/null || :; }

# PATH without the shims: what the verifier would have without a test layer.
outer_path() {
  river_path=
  river_ifs=$IFS
  IFS=:
  for river_folder in $PATH; do
    [ "$river_folder" = "$RIVER/shims" ] || river_path=$river_path${river_path:+:}$river_folder
  done
  IFS=$river_ifs
  printf '%s' "$river_path"
}

# Where the real tool is; the links that stand for an installed uv are not it.
real() {
  river_ifs=$IFS
  IFS=:
  for river_folder in $PATH; do
    if [ -x "$river_folder/$1" ] && ! [ "$river_folder/$1" -ef "$RIVER/shims/$1" ]; then
      IFS=$river_ifs
      printf '%s' "$river_folder/$1"
      return 0
    fi
  done
  IFS=$river_ifs
  return 1
}

# Run the real tool, as if this shim did not exist.
pass() {
  river_tool=$1
  shift
  if ! river_real=$(real "$river_tool"); then
    case $river_tool in
      uv | uvx) printf 'river-tests: nothing here answers: %s %s\n' "$river_tool" "$*" >&2 ;;
    esac
    printf '%s: command not found\n' "$river_tool" >&2
    exit 127
  fi
  PATH=$(outer_path)
  export PATH
  exec "$river_real" "$@"
}

# Run a command with the Python and the commands of the test layer first on PATH.
in_layer() {
  PATH=$RIVER/venv/bin:$(outer_path)
  VIRTUAL_ENV=$RIVER/venv
  export PATH VIRTUAL_ENV
  exec "$@"
}

# Whether the layer holds a requirement, or each of several with commas between them.
needed() {
  known "$1" && return 0
  river_ifs=$IFS
  IFS=,
  set -f
  for river_part in $1; do
    known "$river_part" || { IFS=$river_ifs; return 1; }
  done
  IFS=$river_ifs
  [ -n "$1" ]
}

# Commands of the layer as scripts in folder $1, run by the Python $2.
copy_commands() {
  for river_script in "$RIVER"/venv/bin/*; do
    river_name=${river_script##*/}
    case $river_name in python*) continue ;; esac
    [ -e "$1/$river_name" ] && continue
    sed "s|^exec [^ ]*python3 |exec $2 |" "$river_script" > "$1/$river_name" && chmod 755 "$1/$river_name"
  done
}
