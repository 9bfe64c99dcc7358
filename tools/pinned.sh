# What the scripts that install pinned packages share; source it with `root` set to the tree.
packages=$root/tools/packages
deps=$root/build/deps
python=/usr/bin/python3

say() { printf '  %s\n' "$*"; }
die() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

# The words of a list file, without its comments.
read_list() { sed 's/#.*//' "$@" | tr -s ' \n' '\n' | sed '/^$/d'; }

# A pip of our own in the build folder, so that neither the system's Python nor the user's is touched. Scripts that run at the same time
# make it once.
make_pip() {
  mkdir -p "$deps"
  ( flock 9; [ -x "$deps/pip/bin/pip" ] || "$python" -m venv "$deps/pip" ) 9> "$deps/pip.lock"
}

# report_growth FOLDER: the most MB that FOLDER has had, as they grow: on a terminal in one line, else every ten seconds. Archives that
# are deleted once they are unpacked count, so that there can be more in between than in the end.
report_growth() {
  local folder=$1 pause='' form='  %s MB so far\n' seconds=10 most=0 now
  trap 'kill $pause 2>/dev/null; exit' TERM
  if [ -t 1 ]; then form='\r  %s MB so far ' seconds=1; fi
  while true; do
    sleep "$seconds" > /dev/null & pause=$!
    wait "$pause"
    now=$(du -sm "$folder" 2>/dev/null | cut -f 1) || true
    [ "${now:-0}" -gt "$most" ] || continue
    most=$now
    # shellcheck disable=SC2059
    printf "$form" "$most"
  done
}

# with_growth FOLDER COMMAND...: runs the command, and says meanwhile how much there is in FOLDER.
with_growth() {
  local folder=$1 reporter status=0
  shift
  report_growth "$folder" & reporter=$!
  "$@" || status=$?
  kill "$reporter"
  wait "$reporter" 2>/dev/null || true
  return "$status"
}

# fetch_wheel PINS PLATFORM FOLDER: the one wheel that the file PINS lists by version and hash, into FOLDER.
fetch_wheel() {
  local pins=$1 platform=$2 folder=$3 status=0
  say "fetching $(read_list "$pins" | head -n 1)"
  make_pip
  rm -rf "$folder"
  mkdir -p "$folder/partial"
  TMPDIR=$folder/partial with_growth "$folder" "$deps/pip/bin/pip" -q --disable-pip-version-check download --no-deps --require-hashes \
    --only-binary :all: --python-version 3.11 --platform "$platform" -d "$folder" -r "$pins" || status=$?
  rm -rf "$folder/partial"
  return "$status"
}
