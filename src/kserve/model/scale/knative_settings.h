#pragma once

#include <cstdint>

#include "base/status.h"
#include "kserve/model/api/component.h"
#include "kserve/model/scale/metric_window.h"

namespace inferd::model {

// Settings of Knative's autoscaler (Knative: config-autoscaler). The default values are Knative's own.
struct KnativeSettings {
  enum class Metric { kConcurrency, kRequestsPerSecond };

  Metric metric = Metric::kConcurrency;
  double total_value = 100;            // the most that one pod takes: concurrent requests, or requests per second
  double target_value = 70;            // the target for one pod
  double target_burst_capacity = 211;  // requests; -1 for unlimited; with 0, the activator buffers only from zero
  int64_t container_concurrency = 0;   // concurrent requests in a pod; 0 for any number
  int64_t min_scale = 0;
  int64_t max_scale = 0;  // 0: no limit
  int64_t initial_scale = 1;
  int64_t activation_scale = 1;  // the least number of pods, if there are any
  bool scale_to_zero = true;
  ScaleTime stable_window = std::chrono::seconds(60);
  ScaleTime panic_window = std::chrono::seconds(6);
  double panic_threshold = 2;  // wanted pods divided by ready pods
  double max_scale_up_rate = 1000;
  double max_scale_down_rate = 2;
  ScaleTime scale_down_delay{0};
  ScaleTime scale_to_zero_grace = std::chrono::seconds(30);
  ScaleTime pod_retention{0};  // of the last pod
};

// Returns the settings of a component in serverless mode. They come from the annotations `autoscaling.knative.dev/...`
// of its pods (min-scale, max-scale, initial-scale, activation-scale, metric, target, target-utilization-percentage,
// target-burst-capacity, window, panic-window-percentage, panic-threshold-percentage, scale-down-delay,
// scale-to-zero-pod-retention-period). The component's fields win: minReplicas (1 if neither is set), maxReplicas,
// scaleTarget, scaleMetric, containerConcurrency (KServe 0.10: createKnativeService).
//
// INVALID_ARGUMENT if Knative would refuse an annotation. The message has its key. Thread-safe.
base::Result<KnativeSettings> KnativeSettingsOf(const ComponentExtension& extension, const StringMap& annotations);

// Parses a duration in Go's notation: "60s", "1m30s", "500ms".
base::Result<ScaleTime> ParseGoDuration(std::string_view text);

}  // namespace inferd::model
