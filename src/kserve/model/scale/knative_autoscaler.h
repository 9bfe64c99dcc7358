#pragma once

#include <cstdint>

#include "kserve/model/scale/knative_settings.h"
#include "kserve/model/scale/metric_window.h"

namespace inferd::model {

// How many pods a revision is to have.
struct KnativeDecision {
  bool valid = false;  // false: nothing was measured in the window; all else is as it was
  int64_t desired_pods = 0;
  // Requests that the pods could take above the burst that is to be buffered for; negative: too few pods for that.
  double excess_burst_capacity = 0;
  bool panicking = false;

  // Requests go through the activator, which buffers them.
  bool activator_in_path() const { return excess_burst_capacity < 0; }
};

// Knative's own autoscaler (Knative: KPA), as a function of what was measured:
//
// - The pods wanted are the metric's average over the stable window by what one pod is to have; at most
//   max_scale_up_rate times, and at least one max_scale_down_rate-th of those that are ready.
// - If the average over the panic window wants panic_threshold times the ready pods, or more, the autoscaler panics:
// the
//   larger of both averages counts, and the number of pods does not sink. It calms down a whole stable window after the
//   threshold was passed the last time.
// - With a scale_down_delay, the largest number wanted within it counts.
//
// min_scale and max_scale hold for the result. Zero is what the load wants; when the last pod goes, ZeroGate says.
// Call Scale every two seconds. Not thread-safe; it reads no clock.
class KnativeAutoscaler {
 public:
  // `ready_pods`: that there are already; several are kept for a stable window, since nothing was measured yet.
  KnativeAutoscaler(const KnativeSettings& settings, ScaleTime now, int64_t ready_pods);

  // What all pods and the activator have, together, in `now`'s second: requests at once, or requests begun.
  void Record(ScaleTime now, double value);

  KnativeDecision Scale(ScaleTime now, int64_t ready_pods);

 private:
  void UpdatePanic(ScaleTime now, bool over_threshold);
  int64_t WithinBounds(int64_t pods) const;

  const KnativeSettings settings_;
  MetricWindow stable_;
  MetricWindow panic_;
  MaximumWindow delayed_;
  bool panicking_ = false;
  ScaleTime panic_time_{0};  // when the threshold was passed the last time
  int64_t panic_pods_ = 0;   // the most that were wanted in this panic
};

// When the last pod goes (Knative: scale to zero). The states, each with what Pods returns:
//
//   active --- 0 wanted, and active for a stable window --> idle --- grace or retention over --> gone (0)
//     ^  (at least 1)                                        |  (1; the activator is in the path)   |
//     +--------------------------- a pod wanted -------------+--------------------------------------+
//
// Not thread-safe; it reads no clock.
class ZeroGate {
 public:
  enum class State { kActive, kIdle, kGone };

  // One that begins without pods (initial-scale: 0) is gone until it has some.
  ZeroGate(const KnativeSettings& settings, ScaleTime now)
      : settings_(settings), state_(settings.initial_scale == 0 ? State::kGone : State::kActive), since_(now) {}

  // The pods to run where `desired` are wanted. `activator_ready`: requests are known to reach the activator, so that
  // the grace period need not be waited for.
  int64_t Pods(int64_t desired, ScaleTime now, bool activator_ready);

  State state() const { return state_; }

 private:
  void Enter(State state, ScaleTime now);

  const KnativeSettings settings_;
  State state_;
  ScaleTime since_;  // when the state was entered
};

}  // namespace inferd::model
