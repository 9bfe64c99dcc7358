#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <utility>
#include <vector>

#include "protocols/oip_http/codec/scheduler_json.h"

namespace inferd::oip_http {

namespace {

// Returns the words for executions that began for this reason, to follow "3 " or "it ".
std::string_view Words(core::BatchReason reason) {
  switch (reason) {
    case core::BatchReason::kNotBatching: return "took one request, as batching is off";
    case core::BatchReason::kFull: return "took as many rows as fit";
    case core::BatchReason::kPreferredSize: return "reached a preferred size";
    case core::BatchReason::kDelayOver: return "began because the oldest request had waited for the whole delay";
    case core::BatchReason::kDeadline: return "began because waiting longer would have been too late for a request";
    case core::BatchReason::kNoneWaiting: return "began because an instance was idle";
    case core::BatchReason::kOtherKind: return "ended where the next request could not share the batch";
    case core::BatchReason::kQuickSize: return "took as many rows as are quick enough for a connection's thread";
    case core::BatchReason::kRetry: return "ran one request again, after its batch had failed";
    case core::BatchReason::kCautious: return "took fewer requests than waited, as executions of several had failed";
  }
  return "began for a reason unknown";
}

// Counts reasons, the most common first.
std::vector<std::pair<core::BatchReason, int>> CountReasons(const std::vector<core::BatchRecord>& records) {
  std::vector<std::pair<core::BatchReason, int>> counts;
  for (const core::BatchRecord& record : records) {
    const auto found = std::ranges::find(counts, record.reason, &std::pair<core::BatchReason, int>::first);
    if (found == counts.end()) {
      counts.emplace_back(record.reason, 1);
    } else {
      ++found->second;
    }
  }
  std::ranges::sort(counts, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  return counts;
}

std::string RowsText(int64_t rows) { return std::to_string(rows) + (rows == 1 ? " row" : " rows"); }

std::string RowRange(const std::vector<core::BatchRecord>& records) {
  const auto [least, most] = std::ranges::minmax(records, {}, &core::BatchRecord::rows);
  if (least.rows == most.rows) return RowsText(most.rows) + (records.size() > 1 ? " each" : "");
  double sum = 0;
  for (const core::BatchRecord& record : records) sum += static_cast<double>(record.rows);
  std::array<char, 32> mean{};
  std::snprintf(mean.data(), mean.size(), "%.1f", sum / static_cast<double>(records.size()));
  return std::to_string(least.rows) + " to " + RowsText(most.rows) + ", " + mean.data() + " on average";
}

}  // namespace

std::string SchedulerSummary(const core::SchedulerReport& report) {
  const std::vector<core::BatchRecord>& records = report.recent;
  if (records.empty()) return "There was no execution so far.";
  if (records.size() == 1) {
    return "The only execution had " + RowRange(records) + ": it " + std::string(Words(records[0].reason)) + ".";
  }
  std::string text = "The last " + std::to_string(records.size()) + " executions had " + RowRange(records) + ": ";
  const auto counts = CountReasons(records);
  for (const auto& [reason, count] : counts) {
    if (reason != counts.front().first) text += "; ";
    text += counts.size() == 1 ? "all" : std::to_string(count);
    text += ' ';
    text += Words(reason);
  }
  return text + ".";
}

}  // namespace inferd::oip_http
