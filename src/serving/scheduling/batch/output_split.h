#pragma once

#include <cstddef>
#include <span>

#include "base/status.h"
#include "serving/core/request/infer_request.h"

namespace inferd::scheduling {

// Finds where each request's share of a whole-batch output ends, as byte offsets into its data. The first share has the
// first `element_counts[0]` elements, and so on. BYTES elements are walked, as each has its own length. `ends` has room
// for one offset per share. INTERNAL, in words that follow the output's name and a colon, if `whole` does not have as
// many elements as its shape says, or as the shares need.
base::Status FindShareEnds(const core::InferTensor& whole, std::span<const size_t> element_counts,
                           std::span<size_t> ends);

}  // namespace inferd::scheduling
