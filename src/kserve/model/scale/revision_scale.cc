#include "kserve/model/scale/revision_scale.h"

#include <algorithm>

namespace inferd::model {

namespace {
constexpr ScaleTime kMeasureEvery{1'000};
constexpr ScaleTime kScaleEvery{2'000};  // Knative: tick-interval
}  // namespace

RevisionScale::RevisionScale(const KnativeSettings& settings, ScaleTime now, const Begin& begin)
    : settings_(settings),
      autoscaler_(settings, now, begin.ready),
      zero_gate_(GateSettings(settings, begin), now),
      measured_(now),
      scaled_(now),
      desired_(begin.pods),
      was_ready_(begin.was_ready || begin.pods == 0) {}

KnativeSettings RevisionScale::GateSettings(KnativeSettings settings, const Begin& begin) {
  settings.initial_scale = begin.pods;
  return settings;
}

bool RevisionScale::TakeMeasureTurn(ScaleTime now) {
  if (now - measured_ < kMeasureEvery) return false;
  measured_ = now;
  return true;
}

void RevisionScale::Record(ScaleTime now, double concurrency, double rate) {
  const bool by_rate = settings_.metric == KnativeSettings::Metric::kRequestsPerSecond;
  autoscaler_.Record(now, by_rate ? rate : concurrency);
}

void RevisionScale::SetReachable(bool reachable) {
  if (reachable && !reachable_) desired_ = std::max<int64_t>({desired_, settings_.min_scale, 1});
  reachable_ = reachable;
}

int64_t RevisionScale::Pods(ScaleTime now, int64_t ready, bool waiting) {
  was_ready_ |= ready > 0;
  // A request may have chosen this revision just before it left the routes.
  if (!reachable_) return waiting ? 1 : 0;
  if (!was_ready_) return desired_;
  if (now - scaled_ >= kScaleEvery) {
    scaled_ = now;
    const KnativeDecision decision = autoscaler_.Scale(now, ready);
    if (decision.valid) desired_ = zero_gate_.Pods(decision.desired_pods, now, true);
  }
  if (desired_ == 0 && waiting) {
    desired_ = zero_gate_.Pods(std::max<int64_t>(settings_.activation_scale, 1), now, true);
  }
  return desired_;
}

}  // namespace inferd::model
