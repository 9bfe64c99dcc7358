#include "core/model_caller.h"

#include <utility>

namespace inferd::core {

void ModelCaller::Enqueue(QueuedRequest queued) {
  if (base::Status status = queued.Validate(); !status.ok()) {
    if (!queued.warmup) queued.version->statistics().RecordFailure(FailureReason::kRejected, 0);
    return queued.Fail(std::move(status));
  }
  Scheduler& scheduler = queued.version->scheduler(queued.request->signature);
  scheduler.Enqueue(std::move(queued));
}

void ModelCaller::WarmUp(std::shared_ptr<const ModelVersion> version, std::unique_ptr<InferRequest> request,
                         Completion completion) {
  QueuedRequest queued;
  queued.request = std::move(request);
  queued.completion = std::move(completion);
  queued.version = std::move(version);
  queued.warmup = true;
  Enqueue(std::move(queued));
}

void ModelCaller::Call(std::unique_ptr<InferRequest> request, Completion completion) const {
  const std::shared_ptr<const CatalogSnapshot> snapshot = snapshots_.Current();
  auto found = snapshot->Find(request->model_name, request->model_version);
  QueuedRequest queued;
  queued.request = std::move(request);
  queued.completion = std::move(completion);
  queued.queued_ns = clock_.NowNs();
  const InferRequest& called = *queued.request;
  if (found.has_value()) {
    queued.version = *std::move(found);
    if (loader_ != nullptr) queued.version->NoteUse(queued.queued_ns);
    return Enqueue(std::move(queued));
  }
  if (loader_ == nullptr || !snapshot->LoadsOnDemand(called.model_name, called.model_version)) {
    return queued.Fail(found.error());
  }
  LoadDemand demand{.model = called.model_name,
                    .version = called.model_version,
                    .deadline_ns = called.deadline_ns,
                    .cancel = called.cancel,
                    .done = nullptr};
  demand.done = [queued = std::move(queued)](LoadOutcome&& outcome) mutable {
    if (!outcome.status.ok()) return queued.Fail(std::move(outcome.status), outcome.retry_after_ms);
    queued.version = std::static_pointer_cast<const ModelVersion>(std::move(outcome.model));
    Enqueue(std::move(queued));
  };
  loader_->Demand(std::move(demand));
}

}  // namespace inferd::core
