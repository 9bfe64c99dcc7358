#pragma once

#include <cstdint>

#include "kserve/model/scale/knative_autoscaler.h"
#include "kserve/model/scale/knative_settings.h"
#include "kserve/model/scale/metric_window.h"

namespace inferd::model {

// How many pods one revision is to have, from its requests: KnativeAutoscaler and ZeroGate, and what neither knows:
// that a revision has to have been ready once, whatever the load (Knative: initial scale); that a request that waits,
// and finds no pod, is not to wait for the next look; and that one which no request can come to needs none (Knative:
// reachability). Not thread-safe; it reads no clock.
class RevisionScale final {
 public:
  // What there is when it begins.
  struct Begin {
    int64_t pods = 0;   // that run or are to
    int64_t ready = 0;  // of these
    bool was_ready = false;
  };

  RevisionScale(const KnativeSettings& settings, ScaleTime now, const Begin& begin);

  // Whether the load is to be recorded again, which is so once a second; it counts as done then.
  bool TakeMeasureTurn(ScaleTime now);
  // The load since the last time: requests at once, on average, and requests begun per second.
  void Record(ScaleTime now, double concurrency, double rate);

  // `ready`: pods; `waiting`: a request waits for one. Call it at least every two seconds.
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
  int64_t desired_;  // at the autoscaler's last look
  bool reachable_ = true;
  bool was_ready_;
};

}  // namespace inferd::model
