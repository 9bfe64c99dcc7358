#pragma once

#include <cstddef>
#include <span>

#include "base/status.h"
#include "serving/core/request/infer_request.h"

namespace inferd::scheduling {

// Where the requests' shares of a whole-batch output end, as byte offsets into its data: the first share takes the
// first `element_counts[0]` elements, and so on. BYTES elements are walked, since each has its own length. `ends` has
// room for one offset per share. INTERNAL, in words that follow the output's name and a colon: `whole` is not as many
// elements as its shape says, or not as many as the shares take.
base::Status FindShareEnds(const core::InferTensor& whole, std::span<const size_t> element_counts,
                           std::span<size_t> ends);

}  // namespace inferd::scheduling
