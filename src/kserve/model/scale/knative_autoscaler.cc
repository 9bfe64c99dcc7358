#include "kserve/model/scale/knative_autoscaler.h"

#include <algorithm>
#include <cmath>

namespace inferd::model {

KnativeAutoscaler::KnativeAutoscaler(const KnativeSettings& settings, ScaleTime now, int64_t ready_pods)
    : settings_(settings),
      stable_(settings.stable_window),
      panic_(settings.panic_window),
      delayed_(settings.scale_down_delay),
      panicking_(ready_pods > 1),
      panic_time_(now),
      panic_pods_(ready_pods > 1 ? ready_pods : 0) {}

void KnativeAutoscaler::Record(ScaleTime now, double value) {
  stable_.Record(now, value);
  panic_.Record(now, value);
}

void KnativeAutoscaler::UpdatePanic(ScaleTime now, bool over_threshold) {
  if (over_threshold) {
    panicking_ = true;
    panic_time_ = now;
  } else if (panicking_ && panic_time_ + settings_.stable_window < now) {
    panicking_ = false;
    panic_pods_ = 0;
  }
}

int64_t KnativeAutoscaler::WithinBounds(int64_t pods) const {
  pods = std::max(pods, settings_.min_scale);
  return settings_.max_scale > 0 ? std::min(pods, settings_.max_scale) : pods;
}

KnativeDecision KnativeAutoscaler::Scale(ScaleTime now, int64_t ready_pods) {
  KnativeDecision decision;
  if (stable_.IsEmpty(now)) return decision;
  decision.valid = true;
  const double stable_value = stable_.Average(now);
  const double panic_value = panic_.Average(now);
  const auto ready = static_cast<double>(std::max<int64_t>(ready_pods, 1));
  const double up_max = std::ceil(settings_.max_scale_up_rate * ready);
  const double down_min = std::floor(ready / settings_.max_scale_down_rate);
  const double stable_pods = std::ceil(stable_value / settings_.target_value);
  const double panic_pods = std::ceil(panic_value / settings_.target_value);
  const auto limited = [&](double pods) {
    const auto count = static_cast<int64_t>(std::min(std::max(pods, down_min), up_max));
    return pods > 0 ? std::max(count, settings_.activation_scale > 1 ? settings_.activation_scale : 0) : count;
  };

  UpdatePanic(now, panic_pods / ready >= settings_.panic_threshold);
  int64_t desired = limited(stable_pods);
  if (panicking_) {
    panic_pods_ = std::max({panic_pods_, desired, limited(panic_pods)});
    desired = panic_pods_;
  }
  if (settings_.scale_down_delay > ScaleTime(0)) {
    delayed_.Record(now, desired);
    desired = delayed_.Maximum(now);
  }
  decision.desired_pods = WithinBounds(desired);
  decision.panicking = panicking_;
  if (settings_.target_burst_capacity == 0) {
    decision.excess_burst_capacity = 0;
  } else if (settings_.target_burst_capacity < 0) {
    decision.excess_burst_capacity = -1;
  } else {
    decision.excess_burst_capacity = std::floor(static_cast<double>(ready_pods) * settings_.total_value -
                                                settings_.target_burst_capacity - panic_value);
  }
  return decision;
}

void ZeroGate::Enter(State state, ScaleTime now) {
  if (state_ == state) return;
  state_ = state;
  since_ = now;
}

int64_t ZeroGate::Pods(int64_t desired, ScaleTime now, bool activator_ready) {
  if (desired > 0) {
    Enter(State::kActive, now);
    return desired;
  }
  if (!settings_.scale_to_zero) return 1;
  switch (state_) {
    case State::kActive:
      if (now - since_ >= settings_.stable_window) Enter(State::kIdle, now);
      return 1;
    case State::kIdle: {
      const ScaleTime grace = activator_ready ? ScaleTime(0) : settings_.scale_to_zero_grace;
      if (now - since_ < std::max(grace, settings_.pod_retention)) return 1;
      Enter(State::kGone, now);
      return 0;
    }
    case State::kGone: return 0;
  }
  return 0;
}

}  // namespace inferd::model
