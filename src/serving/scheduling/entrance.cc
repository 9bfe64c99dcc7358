#include "serving/scheduling/entrance.h"

#include <utility>

#include "serving/scheduling/batch/output_charge.h"
#include "serving/scheduling/policy/batch_policy.h"
#include "serving/scheduling/queue/waiting_requests.h"
#include "serving/scheduling/requests/request_splitter.h"

namespace inferd::scheduling {

Entrance::Entrance(const core::SchedulerParts& version, ShapePadding padding, const SchedulerOptions& options,
                   const SchedulerServices& services, const SharingLimit& sharing)
    : version_(version),
      config_(*version.config),
      padding_(std::move(padding)),
      ignores_barred_timeouts_(options.ignores_barred_timeouts),
      outputs_(services.outputs),
      sharing_(sharing),
      batching_(MakeBatchRules(config_, *version.signature).batching),
      rows_max_(MakeBatchRules(config_, *version.signature).rows_max),
      admission_(config_.concurrency, services.clock, batching_) {}

base::Result<uint64_t> Entrance::LevelOf(const core::InferRequest& request) const {
  base::Result<uint64_t> level = PriorityLevel(config_, request.priority);
  if (level.has_value() && request.timeout_us != 0 && !ignores_barred_timeouts_) {
    INFERD_RETURN_IF_ERROR(CheckTimeout(PolicyOf(config_, *level), request.timeout_us, config_.name));
  }
  return level;
}

base::Status Entrance::RefuseOutputs() const {
  outputs_->CountRefusal();
  return OutputsRefused(*outputs_, 0);
}

bool Entrance::MayTakePlace(uint64_t level) const {
  return config_.dynamic_batching.has_value() && level < config_.dynamic_batching->priority_levels;
}

bool Entrance::Splits(const core::QueuedRequest& queued) const {
  return ToBeSplit(queued, version_.signature->max_batch_size);
}

void Entrance::Split(core::QueuedRequest&& queued, const std::function<void(core::QueuedRequest)>& enqueue) const {
  SplitRequest(std::move(queued), version_.signature->max_batch_size, enqueue);
}

Entrance::Kind Entrance::KindOf(const core::QueuedRequest& queued) const {
  if (!batching_ || sharing_.stopped() || queued.layout.rows > rows_max_ || queued.layout.rows == 0) return {};
  return {.alone = false, .key = MakeBatchKey(queued, *version_.signature, version_.model->significant_parameters())};
}

}  // namespace inferd::scheduling
