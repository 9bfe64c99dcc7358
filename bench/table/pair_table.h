#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "bench/harness/loads.h"
#include "bench/harness/model_call.h"
#include "bench/harness/programs.h"

namespace inferd::bench {

struct PairCase {
  std::vector<ModelCall> calls;
  std::vector<size_t> connections;
  Timing timing;
};

// Prints the cost of isolation. Makes each call to a server whose models run inside of it, and to a server whose models
// run in worker processes, in turns. Both serve the models of `programs`.
base::Status PrintIsolationTable(const Programs::Options& programs, const PairCase& what);

// Prints the cost of a request that the response cache answers. Makes each call to a server without a cache, and to a
// server that caches the responses of the same models, in turns. All requests are equal, so all but the first are hits.
base::Status PrintCacheTable(const Programs::Options& programs, const PairCase& what);

}  // namespace inferd::bench
