#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "kserve/model/scale/knative_autoscaler.h"

namespace inferd::model {

// A simulation of a revision under load. Each second it records the load, and pods that have started become ready.
// Every two seconds the autoscaler decides, as in Knative.
class Simulation {
 public:
  Simulation(const KnativeSettings& settings, int64_t pods, int64_t start_s)
      : settings_(settings),
        autoscaler_(settings, std::chrono::seconds(0), pods),
        gate_(settings, std::chrono::seconds(0)),
        start_s_(start_s) {
    pods_ = ready_ = pods;
  }

  // `load(second)` returns the concurrent requests.
  void Run(int64_t duration_s, const std::function<double(int64_t)>& load) {
    for (const int64_t end = now_s_ + duration_s; now_s_ < end; ++now_s_) {
      autoscaler_.Record(std::chrono::seconds(now_s_), load(now_s_));
      while (!starting_.empty() && starting_.front() <= now_s_) {
        starting_.erase(starting_.begin());
        ready_ += 1;
      }
      if (now_s_ % 2 == 0) Decide();
      pod_seconds_ += pods_;
      most_ = std::max(most_, pods_);
      least_ = std::min(least_, pods_);
    }
  }

  void ForgetExtremes() { most_ = least_ = pods_, turns_ = 0; }

  int64_t pods() const { return pods_; }
  int64_t most() const { return most_; }
  int64_t least() const { return least_; }
  // Returns how often the number of pods changed its direction.
  int64_t turns() const { return turns_; }
  // Returns the pod seconds of the whole simulation so far.
  int64_t pod_seconds() const { return pod_seconds_; }
  const KnativeDecision& decision() const { return decision_; }
  int64_t now_s() const { return now_s_; }

 private:
  void Decide() {
    decision_ = autoscaler_.Scale(std::chrono::seconds(now_s_), ready_);
    if (!decision_.valid) return;
    const int64_t wanted = gate_.Pods(decision_.desired_pods, std::chrono::seconds(now_s_), false);
    const int64_t direction = wanted > pods_ ? 1 : wanted < pods_ ? -1 : 0;
    if (direction != 0 && direction != direction_) turns_ += direction_ == 0 ? 0 : 1;
    if (direction != 0) direction_ = direction;
    for (; pods_ < wanted; ++pods_) starting_.push_back(now_s_ + start_s_);
    for (; pods_ > wanted; --pods_) {
      if (starting_.empty()) {
        --ready_;
      } else {
        starting_.pop_back();
      }
    }
  }

  const KnativeSettings settings_;
  KnativeAutoscaler autoscaler_;
  ZeroGate gate_;
  const int64_t start_s_;
  int64_t now_s_ = 0;
  int64_t pods_ = 0;
  int64_t ready_ = 0;
  std::vector<int64_t> starting_;
  KnativeDecision decision_;
  int64_t most_ = 0;
  int64_t least_ = INT64_MAX;
  int64_t turns_ = 0;
  int64_t pod_seconds_ = 0;
  int64_t direction_ = 0;
};

// Settings with a target of 7 concurrent requests for one pod.
inline constexpr KnativeSettings kSmall = {.total_value = 10, .target_value = 7, .target_burst_capacity = 0};

}  // namespace inferd::model
