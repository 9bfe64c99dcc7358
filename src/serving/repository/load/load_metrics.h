#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "base/metrics/registry.h"
#include "base/mutex.h"
#include "base/status.h"
#include "serving/core/model/model_id.h"

namespace inferd::repository {

// Duration and result of loads, by model; the last load of a version also under Triton's name. With `tensorflow_names`,
// also under TensorFlow's names (`:tensorflow:cc:saved_model:load_attempt_count`, `load_latency`,
// `:tensorflow:serving:model_warmup_latency`, `model_warmup_records_read`), by the version's folder, and
// `:tensorflow:serving:mlmd_map` for a version whose `assets.extra/mlmd_uuid` names its ML Metadata entry. Thread-safe.
// The registry must outlive the object.
class LoadMetrics final {
 public:
  struct Version {
    const core::ModelId& id;
    const std::filesystem::path& dir;
  };

  LoadMetrics(metrics::Registry& registry, bool tensorflow_names)
      : registry_(registry), tensorflow_names_(tensorflow_names) {}

  // Counts the first part of a load: engine, instances and schedulers are made, or have failed.
  void Opened(const Version& version, base::StatusCode code, int64_t duration_ns);
  // Counts the second part, the warm-up, if there was one.
  void WarmedUp(const Version& version, int64_t duration_ns);
  // Counts the share of the warm-up that used recorded requests: `records` of them.
  void WarmedUpWithRecords(const Version& version, base::StatusCode code, size_t records, int64_t duration_ns);
  // Counts the whole load.
  void Ended(const Version& version, base::StatusCode code, int64_t duration_ns);

  // Removes the series of the version.
  void ForgetVersion(const Version& version);
  void ForgetModel(const std::string& model);

 private:
  void AddMlMetadata(const Version& version);
  metrics::Labels PathOf(const Version& version) EXCLUDES(mutex_);

  metrics::Registry& registry_;
  const bool tensorflow_names_;
  base::Mutex mutex_;
  std::map<std::string, std::set<std::string>> paths_ GUARDED_BY(mutex_);  // of models, with TensorFlow's names
};

}  // namespace inferd::repository
