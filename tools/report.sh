# Prints the progress of a long command: what is being done, how far it is, and how long it will take. Source this file.
#
#   report DONE TOTAL WHAT [DETAIL]   reports that DONE of TOTAL is done, for example: report 53 111 compiling '53 of 111 files'. A new WHAT
#                                     begins a new task. A TOTAL of 0 means that nobody knows it
#   end_report [RESULT]               ends the progress of the last task. Without a stage, prints RESULT
#
# In a stage of tools/progress.sh, INFERD_REPORT names the file from which the stage prints the text. Otherwise this prints the text itself: on a
# terminal it overwrites one line, elsewhere it prints a line at most every ten seconds.
#
# A percentage never falls, and the remaining time never rises.
report_what='' report_text=''

report() {
  local done=$1 total=$2 what=$3 detail=${4:-} percent elapsed left
  if [ "$what" != "$report_what" ]; then
    report_what=$what report_most=0 report_begin=$SECONDS report_left=0 report_shown=-10
  fi
  report_text=$what${detail:+: $detail}
  if [ "$total" -gt 0 ]; then
    percent=$((100 * done / total))
    # A smaller number is dropped with its detail.
    if [ "$percent" -lt "$report_most" ]; then return; fi
    report_most=$percent elapsed=$((SECONDS - report_begin))
    # The first twentieth says little about the rest.
    if [ "$percent" -ge 5 ] && [ "$elapsed" -ge 10 ]; then
      left=$(((elapsed * (total - done) / done + 59) / 60))
      if [ "$report_left" -eq 0 ] || [ "$left" -lt "$report_left" ]; then report_left=$left; fi
    fi
    report_text="$percent %  $report_text"
    case $report_left in
      0) ;;
      1) report_text+=', less than a minute left' ;;
      *) report_text+=", about $report_left minutes left" ;;
    esac
  fi
  show_report
}

show_report() {
  if [ -n "${INFERD_REPORT:-}" ]; then
    printf '%s\n' "$report_text" > "$INFERD_REPORT"
  elif [ -t 1 ]; then
    printf '\r\e[K  %s' "$report_text"
  elif [ $((SECONDS - report_shown)) -ge 10 ]; then
    report_shown=$SECONDS
    printf '  %s\n' "$report_text"
  fi
}

end_report() {
  if [ -n "${INFERD_REPORT:-}" ]; then
    : > "$INFERD_REPORT"
  else
    if [ -t 1 ] && [ -n "$report_what" ]; then printf '\r\e[K'; fi
    if [ -n "${1:-}" ]; then printf '  %s\n' "$1"; fi
  fi
  report_what=''
}
