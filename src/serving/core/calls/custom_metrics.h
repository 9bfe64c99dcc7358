#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/metrics/registry.h"
#include "base/mutex.h"
#include "base/status.h"
#include "serving/core/calls/server_calls.h"

namespace inferd::core {

// The metrics that models add to the server's metrics page. Metrics of the same name, kind and labels are one metric,
// even from different models. Thread-safe. Metrics may outlive this object; the registry outlives them.
class CustomMetrics final {
 public:
  static constexpr size_t kFamiliesMax = 1024;
  static constexpr size_t kSeriesMax = 65'536;
  static constexpr size_t kLabelsMax = 64;
  static constexpr size_t kBoundsMax = 1024;
  static constexpr size_t kTextBytesMax = 4096;  // of a name, a help or a label

  explicit CustomMetrics(metrics::Registry& registry) : registry_(registry) {}

  // Returns the metric, creating it if needed. Errors as ServerCalls::OpenMetric's.
  base::Result<std::shared_ptr<CustomMetric>> Open(const CustomMetricSpec& spec);

 private:
  struct Family;
  class Metric;

  base::Result<std::shared_ptr<Family>> FamilyOf(const CustomMetricSpec& spec) REQUIRES(mutex_);

  metrics::Registry& registry_;
  base::Mutex mutex_;
  std::map<std::string, std::weak_ptr<Family>> families_ GUARDED_BY(mutex_);
};

}  // namespace inferd::core
