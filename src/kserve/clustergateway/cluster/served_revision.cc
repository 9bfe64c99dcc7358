#include "kserve/clustergateway/cluster/served_revision.h"

#include <algorithm>
#include <utility>

namespace inferd::clustergateway {

using model::ScaleTime;

namespace {
constexpr ScaleTime kAskEvery{1'000};
}

ServedRevision::ServedRevision(model::LiveRevision live, std::function<void()> wake)
    : live_(std::move(live)),
      backend_(std::make_shared<gateway::Backend>(
          live_.name,
          gateway::BackendOptions{.replica_concurrency = static_cast<size_t>(live_.settings.container_concurrency),
                                  .waiting_max = kWaitingMax},
          std::move(wake))) {}

void ServedRevision::SetPlaces(std::vector<gateway::ReplicaPlace> places, const GatewayShare& share) {
  places_ = places.size();
  if (const auto concurrency = static_cast<size_t>(live_.settings.container_concurrency); concurrency > 0) {
    const std::vector<size_t> own = PlacesOf(share, concurrency, places.size());
    for (size_t i = 0; i < places.size(); ++i) places[i].requests_max = own[i];
    std::erase_if(places, [](const gateway::ReplicaPlace& place) { return place.requests_max == 0U; });
  }
  backend_->SetReplicas(std::move(places));
}

void ServedRevision::Measure(int64_t now_ns) {
  const gateway::BackendLoad load = backend_->TakeLoad(now_ns);
  load_ = {.concurrency = load.concurrency, .rate = load.rate, .waiting = load.waiting};
}

bool ServedRevision::IsIdle() const { return load_ == RevisionLoad(); }

std::optional<int64_t> ServedRevision::AsksForPods(ScaleTime now) {
  if (live_.replicas > 0 || places_ > 0 || !by_requests() || backend_->waiting() == 0) return std::nullopt;
  if (asked_.has_value() && now - *asked_ < kAskEvery) return std::nullopt;
  asked_ = now;
  return std::max<int64_t>(live_.settings.activation_scale, 1);
}

std::optional<int64_t> ServedRevision::WantedPods(ScaleTime now, const RevisionLoad& all, bool complete) {
  if (!by_requests()) return std::nullopt;
  const int64_t ready = std::min(live_.ready, live_.replicas);
  if (!scale_.has_value()) {
    scale_.emplace(live_.settings, now,
                   model::RevisionScale::Begin{.pods = live_.replicas, .ready = ready, .was_ready = ready > 0});
  }
  if (scale_->TakeMeasureTurn(now)) scale_->Record(now, all.concurrency, all.rate);
  scale_->SetReachable(reachable_);
  int64_t wanted = scale_->Pods(now, ready, all.waiting > 0);
  // A gateway that did not report may have requests.
  if (!complete) wanted = std::max(wanted, std::min<int64_t>(live_.replicas, 1));
  return wanted == live_.replicas ? std::nullopt : std::optional(wanted);
}

}  // namespace inferd::clustergateway
