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

// Calls models from inside the server: for a warm-up, or for a step of a request that is already in flight. Such a call
// needs no loop, and takes no slot of InflightLimit. A model that keeps no state ignores the sequence of such a
// request. Thread-safe.
class ModelCaller final {
 public:
  // All references outlive this object and its calls. If `loader` is null, no version is loaded on demand.
  ModelCaller(const SnapshotPublisher& snapshots, const base::Clock& clock, DemandLoader* loader)
      : snapshots_(snapshots), clock_(clock), loader_(loader) {}

  // Returns the version if it is loaded. It is not unloaded while it is held. Errors as Dispatcher::Find's.
  base::Result<std::shared_ptr<const ModelVersion>> Find(std::string_view model, std::string_view version) const;

  // Returns true if Call() would load a version that Find() does not have.
  bool LoadsOnDemand(std::string_view model, std::string_view version) const {
    return loader_ != nullptr && snapshots_.Current()->LoadsOnDemand(model, version);
  }

  // Sends the request to a version that Find returned, whatever version the request names. Answers as the other Call.
  void Call(std::shared_ptr<const ModelVersion> version, std::unique_ptr<InferRequest> request,
            Completion completion) const;
  // Sends the request to the version that it names, after loading it on demand if needed. Answers as Dispatcher::Infer.
  // Errors also: those of Dispatcher::Find and AwaitLoad; CANCELLED, DEADLINE_EXCEEDED and RESOURCE_EXHAUSTED as for a
  // client's request that is not queued (admission.h).
  void Call(std::unique_ptr<InferRequest> request, Completion completion) const;

  // Sends a warm-up request to a version, which need not be published yet. The request counts in no statistics and
  // against no limit. The instances get such requests in turn. INVALID_ARGUMENT if the request does not fit the
  // version.
  static void WarmUp(std::shared_ptr<const ModelVersion> version, std::unique_ptr<InferRequest> request,
                     Completion completion);

 private:
  void Enqueue(QueuedRequest queued) const;

  const SnapshotPublisher& snapshots_;
  const base::Clock& clock_;
  DemandLoader* const loader_;
};

}  // namespace inferd::core
