#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ctl/bench/load/latency_histogram.h"

namespace inferd::ctl {

// A row of a histogram: the calls that took less than `end_ns`, and at least the `end_ns` of the previous row.
struct HistogramRow {
  double end_ns = 0;
  uint64_t count = 0;
};

// Returns a row per half power of two, from the first to the last with a call. Empty if there are no calls.
std::vector<HistogramRow> HistogramRows(const ctl::LatencyHistogram& latency);

// Draws the rows as bars for a terminal, each with its share.
std::string HistogramText(const ctl::LatencyHistogram& latency);

}  // namespace inferd::ctl
