#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "serving/core/scheduler.h"
#include "serving/scheduling/policy/sharing_limit.h"
#include "serving/scheduling/queue/admission.h"
#include "serving/scheduling/queue/batch_key.h"
#include "serving/scheduling/requests/shape_padding.h"
#include "serving/scheduling/scheduler_options.h"

namespace inferd::scheduling {

// Admits a version's requests and prepares them for the queue: checks the priority level, the room for their outputs
// and the adaptive limit, splits and pads them, and computes their batch keys. Thread-safe; outlives the requests that
// it admitted.
class Entrance final {
 public:
  // The minimum time for which clients that do not read keep their responses' memory in use.
  static constexpr int64_t kOutputsRetryAfterMs = 1000;

  // The requests with which a request may share an execution.
  struct Kind {
    bool alone = true;  // with none
    BatchKey key;
  };

  // `version` and `sharing` outlive this object, which does not use the instances of `version`.
  Entrance(const core::SchedulerParts& version, ShapePadding padding, const SchedulerOptions& options,
           const SchedulerServices& services, const SharingLimit& sharing);

  // Returns the priority level in whose queue the request waits. An error if the request asks for something that the
  // level or the model does not have.
  base::Result<uint64_t> LevelOf(const core::InferRequest& request) const;
  // Returns true if there is no memory for the outputs of another execution. The caller must then refuse the request
  // with RefuseOutputs(), which counts the refusal, and let the client retry after kOutputsRetryAfterMs. Always false
  // for models with small outputs and for warm-ups.
  bool LacksRoomForOutputs(const core::QueuedRequest& queued) const {
    return outputs_count_.load(std::memory_order_relaxed) && outputs_->nearly_used_up() && !queued.warmup;
  }
  base::Status RefuseOutputs() const;

  // As Admission's functions of these names, but always admits warm-ups, without counting them.
  int64_t Admit(core::QueuedRequest& queued) { return queued.warmup ? 0 : admission_.Admit(queued); }
  void AdmitInstead(core::QueuedRequest& queued) { admission_.AdmitInstead(queued); }
  // Returns true if a request of this level, which the limit has no room for, may replace a less urgent queued one.
  bool MayTakePlace(uint64_t level) const;

  // Returns true if the request has more rows than one execution may have, and must be split by SplitRequest().
  bool Splits(const core::QueuedRequest& queued) const;
  void Split(core::QueuedRequest&& queued, const std::function<void(core::QueuedRequest)>& enqueue) const;
  // Pads the inputs of a request that need not be split. Call before KindOf().
  void Pad(core::QueuedRequest& queued) const {
    if (!padding_.empty()) padding_.Pad(queued);
  }
  Kind KindOf(const core::QueuedRequest& queued) const;

  Admission& admission() { return admission_; }
  const Admission& admission() const { return admission_; }
  // Set this once outputs of the model are large enough to be charged to the budget.
  std::atomic<bool>& outputs_count() { return outputs_count_; }

 private:
  const core::SchedulerParts& version_;
  const config::ModelConfig& config_;
  const ShapePadding padding_;
  const bool ignores_barred_timeouts_;
  base::ByteBudget* const outputs_;
  const SharingLimit& sharing_;
  const bool batching_;  // constant; ignored once sharing_ has stopped
  const int64_t rows_max_;
  Admission admission_;
  std::atomic<bool> outputs_count_{false};
};

}  // namespace inferd::scheduling
