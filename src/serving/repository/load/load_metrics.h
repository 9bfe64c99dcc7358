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

// How long loads take, and how they end, by model; the last load of a version also under Triton's name. Where it is
// told so, under TensorFlow's names too (`:tensorflow:cc:saved_model:load_attempt_count`, `load_latency`,
// `:tensorflow:serving:model_warmup_latency`, `model_warmup_records_read`), by the folder of the version;
// and `:tensorflow:serving:mlmd_map` of a version whose `assets.extra/mlmd_uuid` says what ML Metadata call it.
// Thread-safe; the registry outlives it.
class LoadMetrics final {
 public:
  struct Version {
    const core::ModelId& id;
    const std::filesystem::path& dir;
  };

  LoadMetrics(metrics::Registry& registry, bool tensorflow_names)
      : registry_(registry), tensorflow_names_(tensorflow_names) {}

  // The first part of a load: engine, instances and schedulers are there, or will not be.
  void Opened(const Version& version, base::StatusCode code, int64_t duration_ns);
  // The second, if there was anything to warm up with.
  void WarmedUp(const Version& version, int64_t duration_ns);
  // Of that, what was recorded: so many records.
  void WarmedUpWithRecords(const Version& version, base::StatusCode code, size_t records, int64_t duration_ns);
  // All of it.
  void Ended(const Version& version, base::StatusCode code, int64_t duration_ns);

  // Its series go.
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
