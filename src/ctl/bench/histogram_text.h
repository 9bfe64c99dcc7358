#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ctl/bench/load/latency_histogram.h"

namespace inferd::ctl {

// The calls that took less than `end_ns`, and not less than the row before.
struct HistogramRow {
  double end_ns = 0;
  uint64_t count = 0;
};

// A row per half power of two, from the first to the last that has a call; empty without any.
std::vector<HistogramRow> HistogramRows(const ctl::LatencyHistogram& latency);

// Those rows as bars for a terminal, each with its share.
std::string HistogramText(const ctl::LatencyHistogram& latency);

}  // namespace inferd::ctl
