#pragma once

#include <memory>
#include <string_view>

#include "base/clock.h"
#include "serving/core/model_version.h"
#include "serving/core/request/infer_request.h"
#include "serving/core/request/infer_response.h"
#include "serving/core/request/load_demand.h"
#include "serving/core/snapshot_publisher.h"

namespace inferd::core {

// Calls models from inside the server: for a warm-up, or for a step of a request that is in flight already. On any
// thread: it needs no loop, and takes no place among the requests in flight (InflightLimit). A model that keeps no
// state ignores the sequence of such a request. Thread-safe.
class ModelCaller final {
 public:
  // All outlive it, and the calls. `loader` null: no version is loaded on demand.
  ModelCaller(const SnapshotPublisher& snapshots, const base::Clock& clock, DemandLoader* loader)
      : snapshots_(snapshots), clock_(clock), loader_(loader) {}

  // The version that is asked for, if it is loaded; it is not unloaded while it is held. Errors: Dispatcher::Find's.
  base::Result<std::shared_ptr<const ModelVersion>> Find(std::string_view model, std::string_view version) const;

  // Whether Call loads what Find does not have.
  bool LoadsOnDemand(std::string_view model, std::string_view version) const {
    return loader_ != nullptr && snapshots_.Current()->LoadsOnDemand(model, version);
  }

  // Has a version that Find gave answer, whatever the request names. Answers as the other Call.
  void Call(std::shared_ptr<const ModelVersion> version, std::unique_ptr<InferRequest> request,
            Completion completion) const;
  // The version that the request names, loaded first where versions are loaded on demand. Answers as Dispatcher::Infer.
  // Errors also: those of Dispatcher::Find and of AwaitLoad; CANCELLED, DEADLINE_EXCEEDED and RESOURCE_EXHAUSTED as of
  // a client's request that is not queued (admission.h).
  void Call(std::unique_ptr<InferRequest> request, Completion completion) const;

  // A version that may not be published yet. The request counts in no statistics and against no limit; the instances
  // are given such requests in turn. INVALID_ARGUMENT: it does not fit the version.
  static void WarmUp(std::shared_ptr<const ModelVersion> version, std::unique_ptr<InferRequest> request,
                     Completion completion);

 private:
  void Enqueue(QueuedRequest queued) const;

  const SnapshotPublisher& snapshots_;
  const base::Clock& clock_;
  DemandLoader* const loader_;
};

}  // namespace inferd::core
