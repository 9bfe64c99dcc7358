#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "bench/harness/loads.h"
#include "bench/harness/model_call.h"
#include "bench/harness/programs.h"

namespace inferd::bench {

struct IsolationCase {
  std::vector<ModelCall> calls;
  std::vector<size_t> connections;
  Timing timing;
};

// Prints what it costs that a model runs in a process of its own: each call of a server whose models run inside it and
// of one whose models do not, in turns. `programs` says which models; both servers are started with them.
base::Status PrintIsolationTable(const Programs::Options& programs, const IsolationCase& what);

}  // namespace inferd::bench
