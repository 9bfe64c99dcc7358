#include "ctl/bench/histogram_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "ctl/text/table.h"

namespace inferd::ctl {

namespace {

constexpr size_t kBarMax = 50;

// The number of a row is twice the binary logarithm of its lower bound.
double RowBegin(int row) { return std::exp2(row / 2.0); }

}  // namespace

std::vector<HistogramRow> HistogramRows(const ctl::LatencyHistogram& latency) {
  if (latency.count() == 0) return {};
  std::map<int, uint64_t> counts;
  latency.ForEach([&](uint64_t low_ns, uint64_t, uint64_t count) {
    counts[static_cast<int>(std::floor(2 * std::log2(static_cast<double>(std::max<uint64_t>(low_ns, 1)))))] += count;
  });
  std::vector<HistogramRow> rows;
  for (int row = counts.begin()->first; row <= counts.rbegin()->first; ++row) {
    const auto found = counts.find(row);
    rows.push_back({.end_ns = RowBegin(row + 1), .count = found == counts.end() ? 0 : found->second});
  }
  return rows;
}

std::string HistogramText(const ctl::LatencyHistogram& latency) {
  const std::vector<HistogramRow> rows = HistogramRows(latency);
  if (rows.empty()) return "";
  uint64_t most = 0;
  for (const HistogramRow& row : rows) most = std::max(most, row.count);
  Table table({"LATENCY", "SHARE", ""});
  for (const auto& [end_ns, count] : rows) {
    char share[16];
    std::snprintf(share, sizeof share, "%.2f %%",
                  100.0 * static_cast<double>(count) / static_cast<double>(latency.count()));
    // A non-empty row has a visible bar.
    const size_t bar = count == 0 ? 0 : std::max<size_t>(1, static_cast<size_t>(count * kBarMax / most));
    table.Add({"< " + DurationText(end_ns), share, std::string(bar, '#')});
  }
  return table.AlignRight({0, 1}).ToString();
}

}  // namespace inferd::ctl
