#pragma once

#include <cstdint>
#include <functional>

#include "serving/core/scheduler.h"

namespace inferd::scheduling {

// Whether a request has more rows than one execution may have, and is to be split (inferd { split_large_requests }).
// Never where outputs do not carry the batch dimension, the model is decoupled, or the request belongs to a sequence.
bool ToBeSplit(const core::QueuedRequest& queued, int64_t rows_max);

// Hands the request on as parts of `rows_max` rows (> 0; the last may have fewer), in row order: inputs are views of
// its tensors, parameters, priority, timeout and deadline are its own, and its place among the requests in flight is
// held until the answer. Validation bounds the parts to core::kSplitPartsMax where `rows_max` is the signature's.
//
// The answer is one, as from one execution: the parts' outputs joined along the batch dimension (one copy, on the
// thread that answers the last part), or the error of the part that failed first, sent at once; the other parts are
// cancelled then, and those not yet handed on never are. A part that is dropped fails. The parts follow the request's
// own CancelFlag.
//
// `enqueue` is called on this thread; the parts may be answered on any, in any order, inside `enqueue` too. When this
// returns, the version, and with it the scheduler, may have ended.
//
// The statistics count one success or one failure for the request (core::PartTally): a success lasts until the last
// part is done and its phases are that part's. Executions, rows and the number waiting are counted as they are: by
// part.
void SplitRequest(core::QueuedRequest queued, int64_t rows_max,
                  const std::function<void(core::QueuedRequest)>& enqueue);

}  // namespace inferd::scheduling
