#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/status.h"
#include "inferd/engine_abi.h"

namespace inferd::fake {

// Triton's implicit_state: adds input INPUT to the state INPUT_STATE, element by element; the sum is OUTPUT and
// OUTPUT_STATE. If the model's state grows, INPUT is appended to it instead.
base::Status ImplicitState(const inferd_host* host, const inferd_model* model, const inferd_batch* batch);

// Triton's iterative_sequence: counts down from INPUT to 0, one number per execution. It asks to execute the request
// again until it has reached 0. If the model has a state INPUT_STATE, that is the count; else an instance keeps the
// count by the sequence's id. Not thread-safe.
class Countdowns final {
 public:
  base::Status Run(const inferd_host* host, const inferd_model* model, const inferd_batch* batch);

 private:
  std::map<std::string, int32_t> counts_;
};

}  // namespace inferd::fake
