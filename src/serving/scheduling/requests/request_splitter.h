#pragma once

#include <cstdint>
#include <functional>

#include "serving/core/scheduler.h"

namespace inferd::scheduling {

// Returns true if a request has more rows than one execution may have, and must be split (inferd { split_large_requests
// }). Always false if outputs do not carry the batch dimension, the model is decoupled, or the request belongs to a
// sequence.
bool ToBeSplit(const core::QueuedRequest& queued, int64_t rows_max);

// Splits the request into parts of `rows_max` rows (> 0; the last may have fewer), and passes them on in row order.
// Their inputs are views of its tensors. They have its parameters, priority, timeout and deadline. Its slot is held
// until the response. If `rows_max` is the signature's, validation limits the parts to core::kSplitPartsMax.
//
// The request gets one response, as from one execution: the parts' outputs joined along the batch dimension (one copy,
// on the thread that answers the last part). If a part fails, its error is sent at once. The other parts are then
// cancelled, and those not passed on yet never are. A part that is dropped fails. The parts follow the request's own
// CancelFlag.
//
// `enqueue` is called on this thread. The parts may be answered on any thread, in any order, even inside of `enqueue`.
// When this returns, the version and its scheduler may have been destroyed.
//
// The statistics count one success or one failure for the request (core::PartTally). A success lasts until the last
// part is done, and has that part's phases. Executions, rows and the number of waiting requests are counted by part.
void SplitRequest(core::QueuedRequest queued, int64_t rows_max,
                  const std::function<void(core::QueuedRequest)>& enqueue);

}  // namespace inferd::scheduling
