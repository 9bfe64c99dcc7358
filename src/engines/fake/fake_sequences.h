#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "inferd/engine_abi.h"

namespace inferd::fake {

// An instance's sums of sequences (Triton's sequence and dyna_sequence backends). The first input of each row is added
// to the sum of the row's sequence, which starts at 0 if START is not 0; the sum is the output. A row with READY 0 has
// no sequence, and its output is 0. Behavior "sequence" has a sum for each row of the executions. "dyna_sequence" has
// one for each CORRID; at the END it forgets the sum and adds the CORRID to the output. Elements are added one by one.
// Not thread-safe.
class Accumulators final {
 public:
  base::Status Run(const inferd_host* host, const inferd_model* model, const inferd_batch* batch);

 private:
  using Sum = std::vector<std::byte>;

  std::map<std::string, Sum> sums_;  // by CORRID, or by the row's number
};

}  // namespace inferd::fake
