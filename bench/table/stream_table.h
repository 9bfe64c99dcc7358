#pragma once

#include <cstddef>
#include <vector>

#include "base/status.h"
#include "bench/harness/loads.h"
#include "bench/harness/programs.h"

namespace inferd::bench {

// Prints the server's cost of one response of a stream, by protocol and number of connections. This is the CPU of a
// request with 1000 responses less the CPU of a request with one, divided by 999. It includes the fake engine's work
// for a response. Ignores the models and the repository of `programs`.
base::Status PrintStreamTable(const Programs::Options& programs, const std::vector<size_t>& connections,
                              const Timing& timing);

}  // namespace inferd::bench
