#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kserve/model/api/component.h"
#include "kserve/model/scale/metric_window.h"

namespace inferd::model {

// Settings of a HorizontalPodAutoscaler (Kubernetes: autoscaling/v2). The default values are Kubernetes' own.
struct HpaSettings {
  std::string resource = "cpu";  // "cpu" or "memory"
  int64_t min_replicas = 1;
  int64_t max_replicas = 1;
  double target_utilization = 80;                         // percent of the pods' resource requests
  double tolerance = 0.1;                                 // the ratio to the target may differ from 1 by this much
  ScaleTime scale_down_window = std::chrono::minutes(5);  // the largest recommendation in this window counts
  ScaleTime policy_period = std::chrono::seconds(15);
  int64_t scale_up_pods = 4;        // the most new pods in a period: this number, or ...
  double scale_up_percent = 100;    // ... this percentage, whichever is more
  double scale_down_percent = 100;  // the most removed pods in a period
};

// The autoscaler of a component in raw mode (KServe: `serving.kserve.io/autoscalerClass`).
enum class AutoscalerClass : uint8_t {
  kHpa,       // a HorizontalPodAutoscaler; the default
  kExternal,  // a foreign autoscaler, which finds the Deployment by itself (KServe 0.12)
  kNone,      // nothing: the number of pods is minReplicas (KServe 0.15)
};
AutoscalerClass AutoscalerClassOf(const StringMap& annotations);

// Returns the settings of a component in raw mode (KServe 0.10: createHPA): scaleMetric and scaleTarget, else the
// annotations `serving.kserve.io/metrics` and `targetUtilizationPercentage`, else 80 percent of the CPU. At least one
// replica.
HpaSettings HpaSettingsOf(const ComponentExtension& extension, const StringMap& annotations);

// One pod's usage, as the autoscaler sees it.
struct PodUsage {
  bool ready = true;
  std::optional<double> usage;  // of the resource; nullopt if not measured
  double request = 0;           // of the resource; without one, usage gives no recommendation
};

// Returns the number of replicas for the pods' usage (Kubernetes: "Algorithm details"): the number of measured pods
// times the ratio of their utilization to the target, rounded up. Before rounding, missing measurements are replaced by
// careful assumptions. If the ratio asks for fewer replicas, an unmeasured pod counts as using exactly the target. If
// it asks for more, unmeasured pods and pods that are not ready count as using nothing. nullopt if no pod was measured,
// or if a pod has no resource request.
std::optional<int64_t> RecommendReplicas(const HpaSettings& settings, int64_t replicas, std::span<const PodUsage> pods);

// Applies the scaling policies and the stabilization window (Kubernetes) to the recommendations. Call Scale every 15
// seconds. Not thread-safe. Reads no clock.
class HpaAutoscaler {
 public:
  explicit HpaAutoscaler(const HpaSettings& settings)
      : settings_(settings), recommendations_(settings.scale_down_window) {}

  // Returns the number of replicas to run. With 0 replicas, scaling is off. It never scales down to 0.
  int64_t Scale(ScaleTime now, int64_t replicas, std::span<const PodUsage> pods);

 private:
  struct Change {
    ScaleTime time;
    int64_t replicas;  // positive if added, negative if removed
  };

  int64_t WithinBounds(int64_t replicas) const;
  // Returns the sum of the changes in one direction within the policy period.
  int64_t Changed(ScaleTime now, bool more) const;
  int64_t UpMax(ScaleTime now, int64_t replicas) const;
  int64_t DownMin(ScaleTime now, int64_t replicas) const;

  const HpaSettings settings_;
  MaximumWindow recommendations_;
  std::vector<Change> changes_;
};

}  // namespace inferd::model
