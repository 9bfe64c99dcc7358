#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kserve/clustergateway/scaling/gateway_share.h"
#include "kserve/clustergateway/scaling/load_report.h"
#include "kserve/gateway/backend.h"
#include "kserve/model/reconcile/revision_objects.h"
#include "kserve/model/scale/revision_scale.h"

namespace inferd::clustergateway {

// A revision in a gateway: its backend, where requests wait, its load, and the number of pods that it needs. Not
// thread-safe, except that the object returned by backend() may be used on any thread.
//
//   every gateway: Measure(), and AsksForPods() if a request finds no pod
//   the leader:    WantedPods(), with the load reported by all gateways
class ServedRevision final {
 public:
  static constexpr size_t kWaitingMax = 10'000;  // waiting requests in this gateway (Knative's activator)

  // `wake` is called on any thread when a request begins to wait while there is no pod.
  ServedRevision(model::LiveRevision live, std::function<void()> wake);
  // Waiting requests fail, because the revision is gone.
  ~ServedRevision() { backend_->Close(); }
  ServedRevision(const ServedRevision&) = delete;
  ServedRevision& operator=(const ServedRevision&) = delete;

  // Takes the current state of its Deployment. The revision's settings stay those of the constructor.
  void Update(model::LiveRevision live) { live_ = std::move(live); }
  // Sets the addresses of the pods, in an order common to all gateways. `share` is this gateway's part of the pods'
  // capacity.
  void SetPlaces(std::vector<gateway::ReplicaPlace> places, const GatewayShare& share);
  // Sets whether requests can reach the revision.
  void SetReachable(bool reachable) { reachable_ = reachable; }

  const model::LiveRevision& live() const { return live_; }
  const std::shared_ptr<gateway::Backend>& backend() const { return backend_; }

  // Measures the load since the last call. Call it once a second.
  void Measure(int64_t now_ns);
  const RevisionLoad& load() const { return load_; }
  bool IsIdle() const;

  // Returns the number of pods that the revision needs at least, if requests wait while its Deployment is scaled to
  // zero. Nullopt otherwise, or if the last such result is less than a second old.
  std::optional<int64_t> AsksForPods(model::ScaleTime now);

  // Computes the new replica count, or nullopt if the Deployment already has it or Kubernetes' own autoscaler scales
  // it. `all` is the load reported by all gateways. If `complete` is false (a gateway did not report), the count never
  // drops to zero. Call it once a second.
  std::optional<int64_t> WantedPods(model::ScaleTime now, const RevisionLoad& all, bool complete);
  // Discards the measurements, because another gateway leads now.
  void ForgetScale() { scale_.reset(); }

 private:
  bool by_requests() const { return live_.scaling == model::RevisionScaling::kByRequests; }

  model::LiveRevision live_;
  const std::shared_ptr<gateway::Backend> backend_;
  size_t places_ = 0;
  bool reachable_ = true;
  RevisionLoad load_;
  std::optional<model::ScaleTime> asked_;      // time of the last AsksForPods with a result
  std::optional<model::RevisionScale> scale_;  // used while this gateway leads
};

}  // namespace inferd::clustergateway
