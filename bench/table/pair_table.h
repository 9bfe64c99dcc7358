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

// Prints what it costs that a model runs in a process of its own: each call of a server whose models run inside it and
// of one whose models do not, in turns. `programs` says which models; both servers are started with them.
base::Status PrintIsolationTable(const Programs::Options& programs, const PairCase& what);

// Prints what a request costs that is answered from the response cache: each call of a server without one and of one
// that keeps the responses of the same models, in turns. Every request is the same, so that all but the first are hits.
base::Status PrintCacheTable(const Programs::Options& programs, const PairCase& what);

}  // namespace inferd::bench
