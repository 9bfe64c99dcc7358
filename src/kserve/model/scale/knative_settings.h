#pragma once

#include <cstdint>

#include "base/status.h"
#include "kserve/model/api/component.h"
#include "kserve/model/scale/metric_window.h"

namespace inferd::model {

// What Knative's autoscaler goes by (Knative: config-autoscaler, whose defaults these are).
struct KnativeSettings {
  enum class Metric { kConcurrency, kRequestsPerSecond };

  Metric metric = Metric::kConcurrency;
  double total_value = 100;            // what one pod takes at most: requests at once, or per second
  double target_value = 70;            // what one pod is to have
  double target_burst_capacity = 211;  // requests; -1: unlimited; 0: the activator buffers only from zero
  int64_t container_concurrency = 0;   // requests that a pod executes at once; 0: any number
  int64_t min_scale = 0;
  int64_t max_scale = 0;  // 0: no limit
  int64_t initial_scale = 1;
  int64_t activation_scale = 1;  // pods at least, as soon as there are any
  bool scale_to_zero = true;
  ScaleTime stable_window = std::chrono::seconds(60);
  ScaleTime panic_window = std::chrono::seconds(6);
  double panic_threshold = 2;  // of the pods wanted to those that are ready
  double max_scale_up_rate = 1000;
  double max_scale_down_rate = 2;
  ScaleTime scale_down_delay{0};
  ScaleTime scale_to_zero_grace = std::chrono::seconds(30);
  ScaleTime pod_retention{0};  // of the last pod
};

// The settings of a component in serverless mode: the annotations `autoscaling.knative.dev/...` of its pods (min-scale,
// max-scale, initial-scale, activation-scale, metric, target, target-utilization-percentage, target-burst-capacity,
// window, panic-window-percentage, panic-threshold-percentage, scale-down-delay, scale-to-zero-pod-retention-period),
// and the component's fields, which go before them: minReplicas (1 if neither says it), maxReplicas, scaleTarget,
// scaleMetric, containerConcurrency (KServe 0.10: createKnativeService).
//
// INVALID_ARGUMENT: an annotation that Knative refuses, with its key. Thread-safe.
base::Result<KnativeSettings> KnativeSettingsOf(const ComponentExtension& extension, const StringMap& annotations);

// A duration as Go writes it: "60s", "1m30s", "500ms".
base::Result<ScaleTime> ParseGoDuration(std::string_view text);

}  // namespace inferd::model
