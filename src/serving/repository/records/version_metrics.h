#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/metrics/registry.h"
#include "serving/core/model/catalog.h"
#include "serving/repository/records/model_record.h"

namespace inferd::repository {

// Metrics of versions: the state (`inferd_model_state`, 1 with the state as a label), and the estimated memory of the
// loads (`inferd_model_memory_bytes`). A version that is not loaded and has not failed has neither, so that models
// which wait for requests cost nothing here. Not thread-safe: guarded by the manager's lock. The registry must outlive
// the object.
class VersionMetrics final {
 public:
  explicit VersionMetrics(metrics::Registry& registry) : registry_(registry) {}

  // Makes the model's series those of `record`. Removes the series of versions that it no longer has. Cheap if nothing
  // has changed.
  void Update(const ModelRecord& record);
  // Removes the model's series.
  void Forget(const std::string& model);

 private:
  struct Shown {
    int64_t version = 0;
    core::ModelState state = core::ModelState::kUnknown;
    int64_t bytes = 0;

    bool operator==(const Shown&) const = default;
  };
  static metrics::Labels LabelsOf(const std::string& model, const Shown& version);
  static metrics::Labels StateLabelsOf(const std::string& model, const Shown& version);
  static const Shown* FindVersion(const std::vector<Shown>& versions, int64_t version);
  void Show(const std::string& model, std::vector<Shown> now);

  metrics::Registry& registry_;
  // By model, in ascending order. Models without versions are left out.
  std::map<std::string, std::vector<Shown>, std::less<>> shown_;
};

}  // namespace inferd::repository
