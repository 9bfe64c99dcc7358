#pragma once

#include <cstdint>

#include "kserve/model/scale/knative_autoscaler.h"
#include "kserve/model/scale/knative_settings.h"
#include "kserve/model/scale/metric_window.h"

namespace inferd::model {

// Computes a revision's number of pods from its requests. Combines KnativeAutoscaler and ZeroGate, and adds three
// rules. A revision must have been ready once, whatever the load (Knative: initial scale). A request that finds no pod
// starts one at once, not at the next decision. A revision that no request can reach needs no pods (Knative:
// reachability). Not thread-safe. Reads no clock.
class RevisionScale final {
 public:
  // The state of the revision at the beginning.
  struct Begin {
    int64_t pods = 0;   // running or planned
    int64_t ready = 0;  // of these pods
    bool was_ready = false;
  };

  RevisionScale(const KnativeSettings& settings, ScaleTime now, const Begin& begin);

  // Returns true, once a second, if the load must be recorded. The next call of Record belongs to this turn.
  bool TakeMeasureTurn(ScaleTime now);
  // Records the load since the last record: average concurrent requests, and requests begun per second.
  void Record(ScaleTime now, double concurrency, double rate);

  // Returns the number of pods to run. `ready` is the number of ready pods. `waiting` is true if a request waits for a
  // pod. Call at least every two seconds.
  int64_t Pods(ScaleTime now, int64_t ready, bool waiting);

  void SetReachable(bool reachable);
  bool was_ready() const { return was_ready_; }

 private:
  static KnativeSettings GateSettings(KnativeSettings settings, const Begin& begin);

  const KnativeSettings settings_;
  KnativeAutoscaler autoscaler_;
  ZeroGate zero_gate_;
  ScaleTime measured_;
  ScaleTime scaled_;
  int64_t desired_;  // at the autoscaler's last decision
  bool reachable_ = true;
  bool was_ready_;
};

}  // namespace inferd::model
