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

// A revision as a gateway has it: where its requests go and wait, what they are, and how many pods they want. Not
// thread-safe but for backend(), whose callers may be anywhere.
//
//   every gateway: Measure(), and AsksForPod() where a request finds none
//   the one that leads: WantedPods(), by what all gateways have measured
class ServedRevision final {
 public:
  static constexpr size_t kWaitingMax = 10'000;  // requests that wait for a pod here (Knative's activator)

  // `wake` is called when a request begins to wait while there is no pod, from any thread.
  ServedRevision(model::LiveRevision live, std::function<void()> wake);
  // Requests that still wait are told that it is not there any more.
  ~ServedRevision() { backend_->Close(); }
  ServedRevision(const ServedRevision&) = delete;
  ServedRevision& operator=(const ServedRevision&) = delete;

  // As its Deployment is now. Its settings are those that it was made with.
  void Update(model::LiveRevision live) { live_ = std::move(live); }
  // Where its pods are, in an order that all gateways have, and this one's share of what they may get at a time.
  void SetPlaces(std::vector<gateway::ReplicaPlace> places, const GatewayShare& share);
  // Whether a request can come to it.
  void SetReachable(bool reachable) { reachable_ = reachable; }

  const model::LiveRevision& live() const { return live_; }
  const std::shared_ptr<gateway::Backend>& backend() const { return backend_; }

  // What has come since the last call; call it once a second.
  void Measure(int64_t now_ns);
  const RevisionLoad& load() const { return load_; }
  bool IsIdle() const;

  // Requests wait, and its Deployment is to have no pod: how many it needs at least; nullopt: not so, or it was said
  // less than a second ago.
  std::optional<int64_t> AsksForPods(model::ScaleTime now);

  // The pods that it is to have, if that is another number than its Deployment says. `all`: what all gateways have
  // measured; `complete`: none is missing in that, without which the last pod stays. Call it once a second. nullopt,
  // too, where Kubernetes' own autoscaler has it.
  std::optional<int64_t> WantedPods(model::ScaleTime now, const RevisionLoad& all, bool complete);
  // Another gateway leads: what was measured so far is of no use any more.
  void ForgetScale() { scale_.reset(); }

 private:
  bool by_requests() const { return live_.scaling == model::RevisionScaling::kByRequests; }

  model::LiveRevision live_;
  const std::shared_ptr<gateway::Backend> backend_;
  size_t places_ = 0;
  bool reachable_ = true;
  RevisionLoad load_;
  std::optional<model::ScaleTime> asked_;      // when AsksForPods said so
  std::optional<model::RevisionScale> scale_;  // of the gateway that leads
};

}  // namespace inferd::clustergateway
