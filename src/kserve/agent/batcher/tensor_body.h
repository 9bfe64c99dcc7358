#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "kserve/agent/batcher/batch_form.h"

namespace inferd::agent {

// A request of V2's infer in JSON, by the rows of its inputs: their first dimension, the same of all. UNIMPLEMENTED,
// and why: it is none that can be put together with others, as it has parameters, or inputs without rows, or whose data
// are not as many as their shapes say.
base::Result<BatchedBody> ParseTensorBody(std::string_view json);

// The answer to several such requests, as each of them gets it: its rows of each output, and its own id.
// INVALID_ARGUMENT: it is no answer, or an output has not as many rows.
base::Result<std::vector<std::string>> SplitTensorAnswer(std::string_view json,
                                                         std::span<const BatchedRequest> requests);

}  // namespace inferd::agent
