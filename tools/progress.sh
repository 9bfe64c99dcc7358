# Sourced by quickstart, check and tools/fresh: numbered stages with their elapsed time, output kept in a log.
#
#   start_stages LOGS COUNT       LOGS is the folder that the logs go to, COUNT how many stages there will be
#   stage NAME LIMIT_S COMMAND... runs the command with no input; its exit status is the stage's, 124 when out of time
#   stage_log                     the log of the last stage
#
# A stage runs in a process group of its own under timeout(1), and is ended by its process id when this shell is.

start_stages() {
  stage_logs=$1 stage_count=$2 stage_number=0 stage_pid='' stage_ticker=''
  mkdir -p "$stage_logs"
  trap end_stage EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
}

stage_log() { echo "$stage_logs/$stage_number.log"; }

format_elapsed() { printf '%dm%02ds' $(($1 / 60)) $(($1 % 60)); }

end_stage() {
  [ -z "$stage_ticker" ] || kill "$stage_ticker" 2>/dev/null
  [ -z "$stage_pid" ] || kill "$stage_pid" 2>/dev/null
  stage_ticker='' stage_pid=''
}

# A sign of life every half minute: how long the stage has run, and the last line of its log.
tick() {
  local started=$1 log=$2 pause=''
  trap 'kill $pause 2>/dev/null; exit' TERM
  while true; do
    sleep 30 > /dev/null & pause=$!
    wait "$pause"
    printf '        %s  %s\n' "$(format_elapsed $((SECONDS - started)))" \
      "$(tail -n 1 "$log" | tr -d '\r' | tail -c 120)"
  done
}

# What a reader needs of a failed stage's log: a parallel build goes on after its first error, so the errors come first.
show_failure() {
  grep -nE '(^|[^[:alnum:]_])(fatal )?error: |^FAILED' "$1" | cut -c 1-400 | head -n 20 || true
  echo '...'
  tail -n 60 "$1"
}

stage() {
  local name=$1 limit_s=$2 started=$SECONDS log status=0
  shift 2
  stage_number=$((stage_number + 1))
  log=$(stage_log)
  printf '[%2d/%d] %s\n' "$stage_number" "$stage_count" "$name"
  : > "$log"
  tick "$started" "$log" & stage_ticker=$!
  timeout --kill-after=20 "$limit_s" "$@" > "$log" 2>&1 < /dev/null & stage_pid=$!
  wait "$stage_pid" || status=$?
  stage_pid=''
  end_stage
  wait 2>/dev/null
  case $status in
    0) printf '        done in %s\n' "$(format_elapsed $((SECONDS - started)))" ;;
    124 | 137) printf '        OUT OF TIME after %s, log: %s\n' "$(format_elapsed "$limit_s")" "$log" ;;
    *) printf '        FAILED after %s, log: %s\n' "$(format_elapsed $((SECONDS - started)))" "$log" ;;
  esac
  [ "$status" -eq 0 ] || show_failure "$log" | sed 's/^/        | /'
  return "$status"
}
