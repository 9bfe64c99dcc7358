#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "kserve/agent/batcher/batch_form.h"

namespace inferd::agent {

// Parses a request of V2's infer in JSON. Its rows are the first dimension of its inputs, which must be equal for all.
// UNIMPLEMENTED, with the reason, if it cannot be batched: it has parameters, or inputs without rows, or the number of
// values does not match the shapes.
base::Result<BatchedBody> ParseTensorBody(std::string_view json);

// Splits a response into one for each request, with its rows of each output and its own id. INVALID_ARGUMENT if the
// text is no response, or an output has another number of rows.
base::Result<std::vector<std::string>> SplitTensorAnswer(std::string_view json,
                                                         std::span<const BatchedRequest> requests);

}  // namespace inferd::agent
