#include "serving/core/model_caller.h"

#include <utility>

#include "serving/core/admission.h"

namespace inferd::core {

namespace {

void HandOver(QueuedRequest queued) {
  queued.PlaceOutputs();
  Scheduler& scheduler = queued.version->scheduler(queued.request->signature);
  scheduler.Enqueue(std::move(queued));
}

// Clears the sequence of a request to a model that keeps no state. A client's request with such a sequence is refused.
// But a request from inside the server carries the sequence of the client's request to every model that it calls.
void ClearUnknownSequence(QueuedRequest& queued) {
  InferRequest& request = *queued.request;
  if (!request.sequence.named()) return;
  const auto signatures = queued.version->signatures();
  if (request.signature < signatures.size() && !signatures[request.signature]->sequences) request.sequence = {};
}

}  // namespace

void ModelCaller::Enqueue(QueuedRequest queued) const {
  ClearUnknownSequence(queued);
  int64_t retry_after_ms = 0;
  base::Status status = CheckRequest(queued, &retry_after_ms);
  // The request may have waited for its version to be loaded.
  if (status.ok()) status = CheckAwaited(*queued.request, clock_.NowNs());
  if (!status.ok()) return Refuse(std::move(queued), std::move(status), retry_after_ms, clock_.NowNs());
  HandOver(std::move(queued));
}

void ModelCaller::WarmUp(std::shared_ptr<const ModelVersion> version, std::unique_ptr<InferRequest> request,
                         Completion completion) {
  QueuedRequest queued;
  queued.request = std::move(request);
  queued.completion = std::move(completion);
  queued.version = std::move(version);
  queued.warmup = true;
  if (base::Status status = queued.Validate(); !status.ok()) return queued.Fail(std::move(status));
  HandOver(std::move(queued));
}

base::Result<std::shared_ptr<const ModelVersion>> ModelCaller::Find(std::string_view model,
                                                                    std::string_view version) const {
  return snapshots_.Current()->Find(model, version);
}

void ModelCaller::Call(std::shared_ptr<const ModelVersion> version, std::unique_ptr<InferRequest> request,
                       Completion completion) const {
  QueuedRequest queued;
  queued.request = std::move(request);
  queued.completion = std::move(completion);
  queued.queued_ns = clock_.NowNs();
  queued.version = std::move(version);
  if (loader_ != nullptr) queued.version->NoteUse(queued.queued_ns);
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
  // If nobody waits for the response, the version is not loaded.
  if (base::Status status = CheckAwaited(called, queued.queued_ns); !status.ok()) {
    return queued.Fail(std::move(status));
  }
  LoadDemand demand{.model = called.model_name,
                    .version = called.model_version,
                    .deadline_ns = called.deadline_ns,
                    .cancel = called.cancel,
                    .done = nullptr};
  demand.done = [this, queued = std::move(queued)](LoadOutcome&& outcome) mutable {
    if (!outcome.status.ok()) return queued.Fail(std::move(outcome.status), outcome.retry_after_ms);
    queued.version = std::static_pointer_cast<const ModelVersion>(std::move(outcome.model));
    Enqueue(std::move(queued));
  };
  loader_->Demand(std::move(demand));
}

}  // namespace inferd::core
