#pragma once

#include <cstdint>

#include "kserve/model/scale/knative_settings.h"
#include "kserve/model/scale/metric_window.h"

namespace inferd::model {

// A decision about a revision's number of pods.
struct KnativeDecision {
  bool valid = false;  // false if the window has no measurements; then ignore the other fields
  int64_t desired_pods = 0;
  // The requests that the pods could take beyond the burst capacity to keep free. Negative if there are too few pods
  // for it.
  double excess_burst_capacity = 0;
  bool panicking = false;

  // True if requests go through the activator, which buffers them.
  bool activator_in_path() const { return excess_burst_capacity < 0; }
};

// Knative's autoscaler (KPA), as a function of measurements:
//
// - The number of wanted pods is the metric's average over the stable window, divided by the target per pod. It is at
//   most max_scale_up_rate times the ready pods, and at least the ready pods divided by max_scale_down_rate.
// - If the average over the panic window wants at least panic_threshold times the ready pods, the autoscaler panics:
//   the larger average counts, and the number of pods does not sink. The panic ends a whole stable window after the
//   threshold was last reached.
// - With a scale_down_delay, the largest wanted number within it counts.
//
// The result is kept between min_scale and max_scale. Zero means that the load wants no pod. ZeroGate decides when the
// last pod goes. Call Scale every two seconds. Not thread-safe. Reads no clock.
class KnativeAutoscaler {
 public:
  // `ready_pods` is the number of pods that are already ready. If more than one, it does not sink for a stable window,
  // because nothing has been measured yet.
  KnativeAutoscaler(const KnativeSettings& settings, ScaleTime now, int64_t ready_pods);

  // Adds the load of all pods and the activator together in `now`'s second: concurrent requests, or requests begun.
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
  ScaleTime panic_time_{0};  // when the threshold was last reached
  int64_t panic_pods_ = 0;   // the most pods wanted in this panic
};

// Decides when the last pod goes (Knative: scale to zero). The states, and the result of Pods in each:
//
//   active --- 0 wanted, and active for a stable window --> idle --- grace or retention over --> gone (0)
//     ^  (at least 1)                                        |  (1; the activator is in the path)   |
//     +--------------------------- a pod wanted -------------+--------------------------------------+
//
// Not thread-safe. Reads no clock.
class ZeroGate {
 public:
  enum class State { kActive, kIdle, kGone };

  // Begins in the state gone if it starts without pods (initial-scale: 0).
  ZeroGate(const KnativeSettings& settings, ScaleTime now)
      : settings_(settings), state_(settings.initial_scale == 0 ? State::kGone : State::kActive), since_(now) {}

  // Returns the number of pods to run if `desired` are wanted. `activator_ready` is true if requests are known to reach
  // the activator. Then there is no grace period.
  int64_t Pods(int64_t desired, ScaleTime now, bool activator_ready);

  State state() const { return state_; }

 private:
  void Enter(State state, ScaleTime now);

  const KnativeSettings settings_;
  State state_;
  ScaleTime since_;  // start of the state
};

}  // namespace inferd::model
