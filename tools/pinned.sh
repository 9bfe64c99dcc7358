# Shared functions of the scripts that install pinned packages. Set `root` to the tree's root, then source this file.
packages=$root/tools/packages
deps=$root/build/deps
python=/usr/bin/python3
. "$root/tools/report.sh"

say() { printf '  %s\n' "$*"; }
die() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

# Prints the words of list files, without comments.
read_list() { sed 's/#.*//' "$@" | tr -s ' \n' '\n' | sed '/^$/d'; }

# hold NAME WHAT: allows one process at a time to install or build WHAT in this tree. A second one waits. The lock is NAME, and ends with this
# process.
hold() {
  local held
  mkdir -p "$deps"
  exec {held}> "$deps/$1.lock"
  if flock -n "$held"; then return; fi
  report 0 0 "waiting for another process of this tree, which works on $2"
  flock "$held"
}

# require_space FOLDER MB WHAT: ends the program if the file system of FOLDER, which may not exist yet, has less than MB of free space.
require_space() {
  local folder=$1 free
  while [ ! -e "$folder" ]; do folder=$(dirname "$folder"); done
  free=$(df -Pm "$folder" | awk 'NR == 2 { print $4 }')
  [ "$free" -ge "$2" ] || die "$3 needs $2 MB of free space on the file system of $folder, which has $free MB. Free some space, then start this again."
}

# Makes a pip in the build folder, so that the system's and the user's Python stay unchanged. If several scripts run at the same time, only
# one makes it.
make_pip() {
  mkdir -p "$deps"
  ( flock 9; [ -x "$deps/pip/bin/pip" ] || "$python" -m venv "$deps/pip" ) 9> "$deps/pip.lock"
}

# size_of FOLDER: prints the size in MB. Files may vanish meanwhile.
size_of() { { du -sm "$1" 2> /dev/null || true; } | cut -f 1 | grep . || echo 0; }

# report_growth FOLDER MB WHAT COMMAND...: runs the command, and reports the size of FOLDER meanwhile, of the MB that it will have. An MB of 0
# means that nobody knows it. Archives that are deleted later count too.
report_growth() {
  local folder=$1 most=$2 what=$3 command size=0 now
  shift 3
  "$@" & command=$!
  while kill -0 "$command" 2> /dev/null; do
    now=$(size_of "$folder")
    if [ "$now" -gt "$size" ]; then size=$now; fi
    if [ "$most" -eq 0 ]; then
      report 0 0 "$what" "$size MB so far"
    else
      if [ "$size" -gt "$most" ]; then size=$most; fi
      report "$size" "$most" "$what" "$size of $most MB"
    fi
    sleep 1
  done
  wait "$command"
}

# run_pip PIP FOLDER MB WHAT ARGUMENTS...: runs PIP with these arguments, and reports the growth of FOLDER. Explains an error. Archives are in
# FOLDER until the end.
run_pip() {
  local pip=$1 folder=$2 most=$3 what=$4 log
  shift 4
  require_space "$folder" "$most" "$what"
  mkdir -p "$folder/partial"
  log=$(mktemp)
  if TMPDIR=$folder/partial report_growth "$folder" "$most" "$what" "$pip" -q --disable-pip-version-check "$@" 2> "$log"; then
    rm -rf "$log" "$folder/partial"
    return
  fi
  rm -rf "$folder/partial"
  tail -n 5 "$log" >&2
  if grep -qE 'Errno 28|No space left' "$log"; then
    rm "$log"
    die "$what: no space is left on the file system of $folder. Free $most MB, then start this again."
  elif grep -qE 'Max retries|NewConnectionError|Temporary failure|ProxyError|timed out|Could not find a version|No matching distribution' "$log"; then
    rm "$log"
    die "$what: the Python package index did not answer. Check the network, then start this again. Behind a proxy, set https_proxy. For a mirror of PyPI, set PIP_INDEX_URL."
  fi
  rm "$log"
  die "$what: pip failed, see above"
}

# fetch_wheel PINS PLATFORM FOLDER MB: downloads the one wheel of MB that the file PINS lists by version and hash, into FOLDER.
fetch_wheel() {
  local pins=$1 platform=$2 folder=$3 most=$4 name
  name=$(read_list "$pins" | head -n 1)
  report 0 0 'preparing pip'
  make_pip
  rm -rf "$folder"
  run_pip "$deps/pip/bin/pip" "$folder" "$most" "downloading ${name/==/ }" download --no-deps --require-hashes \
    --only-binary :all: --python-version 3.11 --platform "$platform" -d "$folder" -r "$pins"
}
