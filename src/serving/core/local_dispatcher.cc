#include "serving/core/local_dispatcher.h"

#include "serving/core/admission.h"
#include "serving/core/model_version.h"

namespace inferd::core {

LocalDispatcher::LocalDispatcher(SnapshotPublisher& snapshots, InflightLimit& inflight, const base::Clock& clock,
                                 DemandLoader* loader, Tracing* tracing)
    : snapshots_(snapshots),
      leaving_(snapshots.leaving()),
      inflight_(inflight),
      clock_(clock),
      loader_(loader),
      tracing_(tracing) {}

base::Result<std::shared_ptr<const ModelVersion>> LocalDispatcher::FindVersion(std::string_view model,
                                                                               std::string_view version) {
  auto found = snapshots_.Get().Find(model, version);
  // The version may have gone after the reader checked the generation and before it took the lock. The new snapshot
  // then has the answer.
  if (!found.has_value() && found.error().code() == base::StatusCode::kUnavailable) {
    return snapshots_.Get().Find(model, version);
  }
  return found;
}

base::Result<std::shared_ptr<const PinnedModel>> LocalDispatcher::Find(std::string_view model,
                                                                       std::string_view version) {
  return FindVersion(model, version);
}

bool LocalDispatcher::LoadsOnDemand(std::string_view model, std::string_view version) {
  return loader_ != nullptr && snapshots_.Get().LoadsOnDemand(model, version);
}

// Waiting requests take a slot, so that there are never more of them than the server may have in flight.
void LocalDispatcher::AwaitLoad(LoadDemand demand) {
  auto slot = inflight_.Take(inflight_.unloaded(), 0);
  if (!slot.has_value()) {
    return demand.done(
        {.status = Refused(slot.error(), nullptr), .model = nullptr, .retry_after_ms = kRefusedRetryAfterMs});
  }
  demand.done = [slot = std::move(*slot), done = std::move(demand.done)](LoadOutcome&& outcome) mutable {
    slot.Release();
    done(std::move(outcome));
  };
  loader_->Demand(std::move(demand));
}

base::Result<std::string> LocalDispatcher::LabelledVersion(std::string_view model, std::string_view label) {
  INFERD_ASSIGN_OR_RETURN(const int64_t version, snapshots_.Get().FindLabel(model, label));
  return std::to_string(version);
}

// `id` is null for requests that wait for their model to be loaded.
base::Status LocalDispatcher::Refused(InflightLimit::Refusal refusal, const ModelId* id) const {
  const std::string whose =
      id == nullptr ? "that wait for models to be loaded" : "that model '" + id->name + "' has not answered";
  const InflightLimit::Bounds& bounds = inflight_.bounds();
  switch (refusal) {
    case InflightLimit::Refusal::kNoPlace: break;
    case InflightLimit::Refusal::kNoPlaceForVersion:
      return base::ResourceExhausted("the requests " + whose +
                                     " are as many as they may be beside those of others (of " +
                                     std::to_string(bounds.requests) + ")");
    case InflightLimit::Refusal::kNoMemoryForVersion:
      return base::ResourceExhausted("the requests " + whose +
                                     " hold as much memory as they may beside those of others (of " +
                                     std::to_string(bounds.bytes) + " bytes)");
  }
  return base::ResourceExhausted("the server works on as many requests as it may (" + std::to_string(bounds.requests) +
                                 ")");
}

base::Result<std::shared_ptr<const PinnedModel>> LocalDispatcher::CallGraph(std::shared_ptr<const PinnedModel> pinned,
                                                                            const GraphCall& call) {
  auto version = std::static_pointer_cast<const ModelVersion>(std::move(pinned));
  version->NoteUse(clock_.NowNs());
  if (version->graph_calls() == nullptr) {
    return std::unexpected(base::Unimplemented("the graph of model '" + version->id().name +
                                               "' cannot be called: its engine has none, or runs in another process"));
  }
  INFERD_ASSIGN_OR_RETURN(std::shared_ptr<const ModelVersion> made, version->graph_calls()->Find(call));
  // The request holds both versions, so that neither is unloaded while it runs.
  const ModelVersion* const raw = made.get();
  return std::shared_ptr<const ModelVersion>(raw, [version, made](const ModelVersion*) {});
}

std::shared_ptr<const ModelVersion> LocalDispatcher::VersionOfSequence(const ModelVersion& found,
                                                                       const InferRequest& request) {
  const CatalogSnapshot::Model* const model =
      request.model_version.empty() ? snapshots_.Get().FindModel(found.id().name) : nullptr;
  const bool others = model != nullptr && model->versions.size() > 1;
  if (leaving_.empty() && !others) return nullptr;
  if (!request.sequence.start && found.scheduler().HasSequence(request.sequence)) return nullptr;
  if (auto leaving = leaving_.Find(found, request)) return leaving;
  if (!others || request.sequence.start) return nullptr;
  for (const CatalogSnapshot::Version& version : model->versions) {
    auto serving = version.state == ModelState::kReady ? version.serving.lock() : nullptr;
    if (serving != nullptr && serving->scheduler().HasSequence(request.sequence)) return serving;
  }
  return nullptr;
}

base::Status LocalDispatcher::Admit(QueuedRequest& queued, int64_t* retry_after_ms) {
  const InferRequest& request = *queued.request;
  if (queued.version == nullptr) {
    INFERD_ASSIGN_OR_RETURN(queued.version, FindVersion(request.model_name, request.model_version));
  }
  if (request.sequence.named() && queued.version->signature().sequences) {
    if (auto other = VersionOfSequence(*queued.version, request)) queued.version = std::move(other);
  }
  INFERD_RETURN_IF_ERROR(CheckRequest(queued, retry_after_ms));
  auto slot = inflight_.Take(queued.version->share(), static_cast<int64_t>(request.InputBytes()));
  if (!slot.has_value()) {
    *retry_after_ms = kRefusedRetryAfterMs;
    return Refused(slot.error(), &queued.version->id());
  }
  queued.slot = std::move(*slot);
  return CheckAwaited(request, queued.queued_ns);
}

void LocalDispatcher::Infer(std::shared_ptr<const PinnedModel> pinned, std::unique_ptr<InferRequest> request,
                            Completion completion) {
  QueuedRequest queued{.request = std::move(request),
                       .completion = std::move(completion),
                       .version = std::static_pointer_cast<const ModelVersion>(std::move(pinned)),
                       .layout = {},
                       .slot = {},
                       .queued_ns = clock_.NowNs(),
                       .warmup = false};
  int64_t retry_after_ms = 0;
  base::Status status = Admit(queued, &retry_after_ms);
  if (!status.ok()) return Refuse(std::move(queued), std::move(status), retry_after_ms, clock_.NowNs());
  if (loader_ != nullptr) queued.version->NoteUse(queued.queued_ns);
  queued.PlaceOutputs();
  Scheduler& scheduler = queued.version->scheduler(queued.request->signature);
  scheduler.Enqueue(std::move(queued));
}

}  // namespace inferd::core
