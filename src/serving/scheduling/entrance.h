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

// Which requests of a version are let in, and as what they go on to wait: the level that they are for, the room for
// their outputs, the adaptive limit, parts of those that are split, padding, and what they may share an execution with.
// Thread-safe; outlives the requests that were let in.
class Entrance final {
 public:
  // Clients that do not read hold their answers' memory for so long at least.
  static constexpr int64_t kOutputsRetryAfterMs = 1000;

  // What a request may share an execution with.
  struct Kind {
    bool alone = true;  // nothing
    BatchKey key;
  };

  // `version` and `sharing` outlive this; the instances of `version` are not looked at.
  Entrance(const core::SchedulerParts& version, ShapePadding padding, const SchedulerOptions& options,
           const SchedulerServices& services, const SharingLimit& sharing);

  // The level where the request is to wait; an error: it asks for what that level, or the model, does not have.
  base::Result<uint64_t> LevelOf(const core::InferRequest& request) const;
  // Whether what would be computed now could not be kept: to be tried again after kOutputsRetryAfterMs. Models
  // with small outputs go on, and so do warm-ups. RefuseOutputs() counts the refusal, and says why.
  bool LacksRoomForOutputs(const core::QueuedRequest& queued) const {
    return outputs_count_.load(std::memory_order_relaxed) && outputs_->nearly_used_up() && !queued.warmup;
  }
  base::Status RefuseOutputs() const;

  // Admission's, whom warm-ups do not count for.
  int64_t Admit(core::QueuedRequest& queued) { return queued.warmup ? 0 : admission_.Admit(queued); }
  void AdmitInstead(core::QueuedRequest& queued) { admission_.AdmitInstead(queued); }
  // Whether a request of this level that the limit has no room for may take the place of one that waits.
  bool MayTakePlace(uint64_t level) const;

  // Whether the request has more rows than one execution may have, and is to be split; SplitRequest() says how.
  bool Splits(const core::QueuedRequest& queued) const;
  void Split(core::QueuedRequest&& queued, const std::function<void(core::QueuedRequest)>& enqueue) const;
  // Of a part, before its kind is asked for.
  void Pad(core::QueuedRequest& queued) const {
    if (!padding_.empty()) padding_.Pad(queued);
  }
  Kind KindOf(const core::QueuedRequest& queued) const;

  Admission& admission() { return admission_; }
  const Admission& admission() const { return admission_; }
  // To be set once outputs of the model are large enough to be charged.
  std::atomic<bool>& outputs_count() { return outputs_count_; }

 private:
  const core::SchedulerParts& version_;
  const config::ModelConfig& config_;
  const ShapePadding padding_;
  const bool ignores_barred_timeouts_;
  base::ByteBudget* const outputs_;
  const SharingLimit& sharing_;
  const bool batching_;  // until sharing_ has stopped
  const int64_t rows_max_;
  Admission admission_;
  std::atomic<bool> outputs_count_{false};
};

}  // namespace inferd::scheduling
