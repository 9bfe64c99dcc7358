#pragma once

#include <string>

#include "net/client/latency_histogram.h"

namespace inferd::ctl {

// Latencies as bars for a terminal: a row per half power of two from the fastest to the slowest, with its share.
std::string HistogramText(const net::LatencyHistogram& latency);

}  // namespace inferd::ctl
