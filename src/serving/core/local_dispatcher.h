#pragma once

#include "base/clock.h"
#include "serving/core/dispatcher.h"
#include "serving/core/inflight_limit.h"
#include "serving/core/scheduler.h"
#include "serving/core/snapshot_publisher.h"

namespace inferd::core {

// The Dispatcher of the models in this process: finds the version, checks the request against the server's limit and
// the model's signature, and hands it to the version's scheduler. Loop-bound: one per loop thread. The publisher, the
// limit and the clock outlive it.
//
// Errors it answers itself: NOT_FOUND, UNAVAILABLE (the version), RESOURCE_EXHAUSTED with a time to retry after (the
// limit), INVALID_ARGUMENT (validate.h), CANCELLED and DEADLINE_EXCEEDED (before the request was queued).
//
// If there is a `loader`, requests can wait for versions to be loaded, and versions remember when they were used last.
// `loader` and `tracing` outlive the dispatcher.
class LocalDispatcher final : public Dispatcher {
 public:
  LocalDispatcher(SnapshotPublisher& snapshots, InflightLimit& inflight, const base::Clock& clock,
                  DemandLoader* loader = nullptr, Tracing* tracing = nullptr);

  base::Result<std::shared_ptr<const PinnedModel>> Find(std::string_view model, std::string_view version) override;
  bool LoadsOnDemand(std::string_view model, std::string_view version) override;
  Tracing* tracing() const override { return tracing_; }
  void AwaitLoad(LoadDemand demand) override;
  base::Result<std::string> LabelledVersion(std::string_view model, std::string_view label) override;
  base::Result<std::shared_ptr<const PinnedModel>> CallGraph(std::shared_ptr<const PinnedModel> pinned,
                                                             const GraphCall& call) override;
  void Infer(std::shared_ptr<const PinnedModel> pinned, std::unique_ptr<InferRequest> request,
             Completion completion) override;

 private:
  base::Result<std::shared_ptr<const ModelVersion>> FindVersion(std::string_view model, std::string_view version);
  base::Status Refused(InflightLimit::Refusal refusal, const ModelId* id) const;
  base::Status Admit(QueuedRequest& queued, int64_t* retry_after_ms);
  // Returns the version that has the request's sequence, if that is not `found`: a sequence ends on the version on
  // which it began, even if newer versions have been loaded since. Null if `found` should answer.
  std::shared_ptr<const ModelVersion> VersionOfSequence(const ModelVersion& found, const InferRequest& request);

  SnapshotReader snapshots_;
  LeavingVersions& leaving_;
  InflightLimit& inflight_;
  const base::Clock& clock_;
  DemandLoader* const loader_;  // null if nothing is loaded on demand
  Tracing* const tracing_;
};

}  // namespace inferd::core
