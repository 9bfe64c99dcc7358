# Runs numbered stages, prints their elapsed time, and keeps their output in logs. quickstart, check and tools/fresh source this file.
#
# One stage after the other:
#   start_stages LOGS COUNT         LOGS is the folder of the logs, COUNT the number of stages to come
#   stage NAME LIMIT_S COMMAND...   runs a command. Returns its exit status, or 124 at a timeout
#   stage_log                       prints the path of the last stage's log
#
# Stages that overlap:
#   start_stages LOGS
#   lane NAME NICE                  puts the stages that follow into this lane. They run one at a time, with that niceness
#   add_stage ID NEEDS LIMIT_S NAME COMMAND...
#                                   adds a stage. NEEDS are the IDs of earlier stages, separated by spaces
#   run_stages                      runs all stages. A lane runs its first stage whose needs have passed next
#   stage_numbers[ID]               the stage's number, N below
#   stage_states[N]                 passed, failed, or skipped if a need did not pass
#   stage_results[N]                the exit status
#   print_stage_table               prints the times of each stage
#
# While a stage runs, a line shows its elapsed time, and what its command reports (tools/report.sh), or the last line of its log if it reports
# nothing or is in a lane. On a terminal, the line of a stage that runs alone changes in place.
#
# A command gets no input. It runs in its own process group under timeout(1). The command ends when this shell ends.

start_stages() {
  stage_logs=$1 stage_count=${2:-0} stage_number=0 stage_lane='' stage_nice=0 stage_life_s=30
  declare -gA stage_numbers=() lane_users=()
  stage_names=() stage_needs=() stage_limits=() stage_lanes=() stage_nices=() stage_commands=()
  stage_states=() stage_results=() stage_pids=() stage_starts=() stage_seconds=() stage_cpu=()
  # The seconds between two lines of a stage that runs. On a terminal, the line of a stage that runs alone is written again each second.
  stage_tty=no
  if [ "$stage_count" -gt 0 ]; then
    stage_life_s=10
    if [ -t 1 ]; then stage_tty=yes stage_life_s=1; fi
  fi
  mkdir -p "$stage_logs"
  # The pipe that stages report through. It needs no name once it is open.
  rm -f "$stage_logs/ended"
  mkfifo "$stage_logs/ended"
  exec {stage_ends}<> "$stage_logs/ended"
  rm "$stage_logs/ended"
  trap end_stages EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
}

stage_log() { echo "$stage_logs/${1:-$stage_number}.log"; }

format_elapsed() { printf '%dm%02ds' $(($1 / 60)) $(($1 % 60)); }

# Ends every stage that runs, and waits until its processes are gone.
end_stages() {
  local pid
  trap '' INT TERM
  for pid in "${stage_pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  for pid in "${stage_pids[@]}"; do wait "$pid" 2>/dev/null || true; done
}

# note_stage NAME LIMIT_S LANE NICE COMMAND...: adds a stage, and sets stage_number to its number.
note_stage() {
  stage_number=$((stage_number + 1))
  stage_names[stage_number]=$1 stage_limits[stage_number]=$2 stage_lanes[stage_number]=$3 stage_nices[stage_number]=$4
  shift 4
  printf -v "stage_commands[$stage_number]" '%q ' "$@"
  stage_states[stage_number]=waiting
}

# run_command NUMBER: runs a stage's command, in a shell in the background. Reports "NUMBER STATUS CPU", with the processor time in
# hundredths of a second.
run_command() {
  local number=$1 status=0 pid log
  log=$(stage_log "$number")
  exec {stage_told}>&"$stage_ends" {stage_ends}>&-
  trap 'kill "$pid" 2>/dev/null' TERM
  trap - EXIT INT
  # A stage in a lane reports into its log, as its commands may be tests of what reports.
  if [ -z "${stage_lanes[number]}" ]; then
    INFERD_REPORT=$(realpath "$log").report
    export INFERD_REPORT
  fi
  timeout --kill-after=20 "${stage_limits[number]}" nice -n "${stage_nices[number]}" bash -c "${stage_commands[number]}" \
    > "$log" 2>&1 < /dev/null {stage_told}>&- & pid=$!
  wait "$pid" || status=$?
  # A signal ends the first wait.
  if kill -0 "$pid" 2>/dev/null; then status=0; wait "$pid" || status=$?; fi
  times > "$log.times"
  echo "$number $status $(tail -n 1 "$log.times" | awk -F '[ms ]+' '{ printf "%d", ($1 * 60 + $2 + $3 * 60 + $4) * 100 }')" >&"$stage_told"
  rm -f "$log.times"
}

start_stage() {
  local number=$1
  printf '[%2d/%d] %s\n' "$number" "$stage_count" "${stage_names[number]}"
  : > "$(stage_log "$number")"
  rm -f "$(stage_log "$number").report"
  stage_states[number]=running stage_starts[number]=$SECONDS
  run_command "$number" & stage_pids[number]=$!
}

# show_failure LOG: prints the useful parts of a failed stage's log. Errors come first, because a parallel build or test run goes on after
# its first error. The lines after a failed gtest check have the expected value, and its test's name is in brackets.
show_failure() {
  grep -nE -A 6 ': Failure$' "$1" | cut -c 1-400 | head -n 60 || true
  grep -nE '(^|[^[:alnum:]_])(fatal )?error: |^FAILED|^\[  FAILED  \]|: (Address|Undefined|Thread|Leak)[[:alpha:]]*Sanitizer' "$1" |
    cut -c 1-400 | head -n 20 || true
  echo '...'
  tail -n 60 "$1"
}

# end_stage NUMBER STATUS CPU: records the end of a stage, and prints its result.
end_stage() {
  local number=$1 status=$2 log name=''
  log=$(stage_log "$number")
  wait "${stage_pids[number]}" 2>/dev/null || true
  unset "stage_pids[$number]"
  stage_results[number]=$status stage_seconds[number]=$((SECONDS - stage_starts[number])) stage_cpu[number]=$3
  # If stages overlap, each line has the stage's name.
  [ -z "${stage_lanes[number]}" ] || name="${stage_names[number]}: "
  stage_states[number]=failed
  rm -f "$log.report"
  [ "$stage_tty" = no ] || printf '\r\e[K'
  case $status in
    0) stage_states[number]=passed
       printf '        %sdone in %s\n' "$name" "$(format_elapsed "${stage_seconds[number]}")" ;;
    124 | 137) printf '        %sOUT OF TIME after %s, log: %s\n' "$name" "$(format_elapsed "${stage_limits[number]}")" "$log" ;;
    *) printf '        %sFAILED after %s, log: %s\n' "$name" "$(format_elapsed "${stage_seconds[number]}")" "$log" ;;
  esac
  [ "$status" -eq 0 ] || show_failure "$log" | sed 's/^/        | /'
}

# Prints a line for each running stage.
show_life() {
  local number name log text elapsed
  for number in "${!stage_pids[@]}"; do
    name='' log=$(stage_log "$number")
    [ -z "${stage_lanes[number]}" ] || name="${stage_names[number]}: "
    text=$(cat "$log.report" 2> /dev/null) || text=$(tail -n 1 "$log" | tr -d '\r' | tail -c 120)
    elapsed=$(format_elapsed $((SECONDS - stage_starts[number])))
    if [ "$stage_tty" = yes ]; then
      text="        $elapsed  $text"
      printf '\r\e[K%s' "${text:0:$(($(tput cols 2> /dev/null || echo 80) - 1))}"
    else
      printf '        %s  %s%s\n' "$elapsed" "$name" "$text"
    fi
  done
}

# Waits until a stage ends. Calls show_life every `stage_life_s` seconds.
await_stage() {
  local number status cpu deadline=$((SECONDS + stage_life_s)) left
  while true; do
    left=$((deadline - SECONDS))
    if [ "$left" -gt 0 ] && read -r -t "$left" -u "$stage_ends" number status cpu; then
      end_stage "$number" "$status" "$cpu"
      return
    fi
    [ "$SECONDS" -ge "$deadline" ] || continue
    show_life
    deadline=$((SECONDS + stage_life_s))
    # Ends a stage whose shell was killed before it could report.
    for number in "${!stage_pids[@]}"; do
      if ! kill -0 "${stage_pids[number]}" 2>/dev/null && ! read -r -t 0 -u "$stage_ends"; then
        end_stage "$number" 137 0
        return
      fi
    done
  done
}

stage() {
  local name=$1 limit_s=$2
  shift 2
  note_stage "$name" "$limit_s" '' 0 "$@"
  start_stage "$stage_number"
  await_stage
  return "${stage_results[stage_number]}"
}

lane() { stage_lane=$1 stage_nice=$2; }

add_stage() {
  local id=$1 needs=$2 limit_s=$3 name=$4 need
  shift 4
  for need in $needs; do
    [ -n "${stage_numbers[$need]:-}" ] || { echo "$id needs $need, which is no stage before it" >&2; exit 2; }
  done
  note_stage "$name" "$limit_s" "$stage_lane" "$stage_nice" "$@"
  stage_numbers[$id]=$stage_number stage_needs[stage_number]=$needs stage_count=$stage_number
}

# unmet_need NUMBER: succeeds if a need of the stage has not passed, and sets `unmet` to the number of the first one.
unmet_need() {
  local need
  for need in ${stage_needs[$1]}; do
    if [ "${stage_states[${stage_numbers[$need]}]}" != passed ]; then
      unmet=${stage_numbers[$need]}
      return 0
    fi
  done
  return 1
}

# Starts each stage that can start, in the order of their numbers, because a stage's needs have lower numbers.
start_ready_stages() {
  local number unmet
  local -A busy=()
  for number in "${!stage_pids[@]}"; do busy[${stage_lanes[number]}]=yes; done
  for number in "${!stage_names[@]}"; do
    [ "${stage_states[number]}" = waiting ] || continue
    if unmet_need "$number"; then
      case ${stage_states[unmet]} in
        failed | skipped)
          stage_states[number]=skipped stage_results[number]=1 stage_seconds[number]=0 stage_cpu[number]=0
          printf '[%2d/%d] %s: NOT RUN, it needs "%s"\n' "$number" "$stage_count" "${stage_names[number]}" "${stage_names[unmet]}" |
            tee "$(stage_log "$number")" ;;
      esac
    elif [ -z "${busy[${stage_lanes[number]}]:-}" ]; then
      busy[${stage_lanes[number]}]=yes
      start_stage "$number"
    fi
  done
}

run_stages() {
  stage_begin=$SECONDS
  while start_ready_stages; [ ${#stage_pids[@]} -gt 0 ]; do await_stage; done
}

# print_row NAME WALL CPU WAITING: prints a row of the table.
print_row() { printf '%-66s %8s %8s %8s\n' "$@"; }

# Prints the times of each stage, and of the whole run. Stages overlap, so their times add up to more than the time of the run.
print_stage_table() {
  local number cores wall=$((SECONDS - stage_begin)) cpu sum=0 waiting
  cores=$(nproc)
  printf '\nCPU: user and system. Waiting: wall time less CPU / %d, in which the stage did not use the %d cores\n' "$cores" "$cores"
  print_row stage wall CPU waiting
  for number in "${!stage_names[@]}"; do
    cpu=$((stage_cpu[number] / 100)) sum=$((sum + stage_cpu[number]))
    waiting=$((stage_seconds[number] - cpu / cores))
    print_row "${stage_names[number]}" "$(format_elapsed "${stage_seconds[number]}")" "$(format_elapsed "$cpu")" \
      "$(format_elapsed $((waiting > 0 ? waiting : 0)))"
  done
  waiting=$((wall - sum / 100 / cores))
  print_row 'all' "$(format_elapsed "$wall")" "$(format_elapsed $((sum / 100)))" "$(format_elapsed $((waiting > 0 ? waiting : 0)))"
  printf 'core-minutes: %d.%d of %d.%d\n' $((sum / 6000)) $((sum % 6000 / 600)) $((cores * wall / 60)) $((cores * wall % 60 / 6))
}
