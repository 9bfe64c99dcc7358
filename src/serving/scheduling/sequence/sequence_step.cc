#include "serving/scheduling/sequence/sequence_step.h"

#include <utility>

namespace inferd::scheduling {

SequenceStep::SequenceStep(const Rules& rules, core::QueuedRequest& queued, KeptState& kept)
    : rules_(rules), kept_(kept) {
  if (queued.request->sequence.start) kept_.clear();
  if (rules_.iterative) {
    // The last execution is only known when it is over.
    queued.request->sequence.end = false;
    again_.request = std::make_unique<core::InferRequest>(*queued.request);
    again_.version = queued.version;
    again_.layout = queued.layout;
    again_.slot = std::move(queued.slot);
  }
  if (!rules_.states.empty()) places_ = rules_.states.Give(queued, kept_);
}

void SequenceStep::Take(core::InferResponse& response) {
  if (!rules_.states.empty() && response.status.ok() && !response.outputs.empty()) {
    KeptState taken;
    if (base::Status status = rules_.states.Take(response, places_, taken); status.ok()) {
      taken_ = std::move(taken);
    } else {
      taken_.reset();
      response.status = std::move(status);
      response.outputs.clear();
      response.parameters.clear();
    }
  }
  if (response.final && response.status.ok() && taken_.has_value()) kept_ = *std::exchange(taken_, std::nullopt);
}

core::QueuedRequest SequenceStep::Again(int64_t now_ns) {
  again_.request->sequence.start = false;
  again_.queued_ns = now_ns;
  return std::move(again_);
}

}  // namespace inferd::scheduling
