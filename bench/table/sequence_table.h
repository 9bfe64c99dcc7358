#pragma once

#include <cstddef>
#include <vector>

#include "base/status.h"
#include "bench/harness/loads.h"
#include "bench/harness/programs.h"

namespace inferd::bench {

struct SequenceCase {
  std::vector<size_t> connections;  // 16 at most, because each has its own sequence
  Timing timing;
};

// Prints the cost of a sequence's request. Calls a model of the fake engine with sequences (strategy oldest, batches of
// up to 16), and the same model with dynamic batching, in turns. Does so once with instant executions, and once with
// executions that take a while, so that batches form.
base::Status PrintSequenceTable(const Programs::Options& programs, const SequenceCase& what);

}  // namespace inferd::bench
