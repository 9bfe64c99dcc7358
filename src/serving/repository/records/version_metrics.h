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

// Which state each version is in (`inferd_model_state`, 1 with the state as a label), and what memory its loads hold,
// by estimate (`inferd_model_memory_bytes`). A version that is not loaded and has not failed to load has neither, so
// that models which wait for requests cost nothing here. Not thread-safe: guarded by the manager's lock. The registry
// outlives it.
class VersionMetrics final {
 public:
  explicit VersionMetrics(metrics::Registry& registry) : registry_(registry) {}

  // The model's series are those of `record`. Of a version that has none any more, all series go that there are. Cheap
  // where nothing has changed.
  void Update(const ModelRecord& record);
  // The model is gone.
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
  void Show(const std::string& model, std::vector<Shown> now);

  metrics::Registry& registry_;
  std::map<std::string, std::vector<Shown>, std::less<>> shown_;  // by model; those without versions are left out
};

}  // namespace inferd::repository
