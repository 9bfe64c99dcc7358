#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kserve/model/api/component.h"
#include "kserve/model/scale/metric_window.h"

namespace inferd::model {

// What a HorizontalPodAutoscaler goes by (Kubernetes: autoscaling/v2, whose defaults these are).
struct HpaSettings {
  std::string resource = "cpu";  // or memory
  int64_t min_replicas = 1;
  int64_t max_replicas = 1;
  double target_utilization = 80;                         // percent of what pods request
  double tolerance = 0.1;                                 // within it, nothing changes
  ScaleTime scale_down_window = std::chrono::minutes(5);  // the largest recommendation within it counts
  ScaleTime policy_period = std::chrono::seconds(15);
  int64_t scale_up_pods = 4;        // in a period: these, or ...
  double scale_up_percent = 100;    // ... these, whichever are more
  double scale_down_percent = 100;  // in a period
};

// What scales a component in raw mode (KServe: `serving.kserve.io/autoscalerClass`).
enum class AutoscalerClass : uint8_t {
  kHpa,       // a HorizontalPodAutoscaler; where nothing is said, too
  kExternal,  // one that is not ours, and that finds the Deployment by itself (KServe 0.12)
  kNone,      // nothing: there are minReplicas of it (KServe 0.15)
};
AutoscalerClass AutoscalerClassOf(const StringMap& annotations);

// The settings of a component in raw mode (KServe 0.10: createHPA): scaleMetric, scaleTarget, else the annotations
// `serving.kserve.io/metrics` and `targetUtilizationPercentage`, else 80 percent of the CPU; at least one replica.
HpaSettings HpaSettingsOf(const ComponentExtension& extension, const StringMap& annotations);

// One pod, as the autoscaler sees it.
struct PodUsage {
  bool ready = true;
  std::optional<double> usage;  // of the resource; nullopt: nothing was measured
  double request = 0;           // of the resource; pods without one cannot be scaled by
};

// How many replicas the pods' usage asks for (Kubernetes: "Algorithm details"): as many times those that were measured
// as their utilization is of the target. Before that is rounded up, pods that were not measured count as using what
// they are to use where there would be fewer replicas, and nothing where there would be more; pods that are not ready,
// likewise, count as using nothing. nullopt: nothing can be said, since no pod was measured, or one has no request.
std::optional<int64_t> RecommendReplicas(const HpaSettings& settings, int64_t replicas, std::span<const PodUsage> pods);

// The recommendations, held to the rates and to the window (Kubernetes: scaling policies, stabilization). Call Scale
// every 15 seconds. Not thread-safe; it reads no clock.
class HpaAutoscaler {
 public:
  explicit HpaAutoscaler(const HpaSettings& settings)
      : settings_(settings), recommendations_(settings.scale_down_window) {}

  // The replicas to have. None are scaled to, or from: with 0 of them, scaling is off.
  int64_t Scale(ScaleTime now, int64_t replicas, std::span<const PodUsage> pods);

 private:
  struct Change {
    ScaleTime time;
    int64_t replicas;  // more, or fewer
  };

  int64_t WithinBounds(int64_t replicas) const;
  // What was changed within the period, as more or as fewer.
  int64_t Changed(ScaleTime now, bool more) const;
  int64_t UpMax(ScaleTime now, int64_t replicas) const;
  int64_t DownMin(ScaleTime now, int64_t replicas) const;

  const HpaSettings settings_;
  MaximumWindow recommendations_;
  std::vector<Change> changes_;
};

}  // namespace inferd::model
