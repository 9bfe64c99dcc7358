#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/executor.h"
#include "config/model/model_config_completion.h"
#include "serving/core/model_version.h"
#include "serving/repository/load/load_metrics.h"
#include "serving/repository/load/warmup.h"

namespace inferd::repository {

// One version to load: where it is, and with which configuration.
struct LoadJob {
  core::ModelId id;
  uint64_t generation = 0;
  std::string repository;
  std::filesystem::path model_dir;
  std::filesystem::path version_dir;
  std::vector<std::string> version_entries;  // names directly inside version_dir
  std::filesystem::path config_file;         // empty: none
  std::string config_json;                   // in place of config_file, if not empty
  std::shared_ptr<const void> keep_alive;    // let go when nothing of the version is left, on the retire executor
};

// A configuration with all that the model itself says filled in, and the loaded model it fits.
struct LoadedModel {
  std::shared_ptr<const config::ModelConfig> config;
  std::unique_ptr<core::EngineModel> model;
};

// What a loader works with. All outlive it, and the versions.
struct LoaderServices {
  std::span<core::Engine* const> engines;
  core::SchedulerFactory scheduler_factory;
  RecordedWarmups recorded_warmups;    // null: none are looked for
  core::GroupCoresFinder group_cores;  // null: instances run anywhere
  const base::Clock& clock;
  LoadMetrics& metrics;
  base::Logger* logger = nullptr;  // null: silence
};

// Turns a folder into a version that can serve: configuration, engine, instances, labels, scheduler, warm-up.
// Thread-safe.
class Loader final {
 public:
  Loader(const config::CompletionOptions& completion, LoaderServices services);

  // Blocks for as long as it takes. The version is destroyed on `retire`. Errors name the model's problem in words for
  // however it came there; UNAVAILABLE: its engine is not installed.
  base::Result<std::shared_ptr<const core::ModelVersion>> Load(const LoadJob& job, base::Executor& retire) const;

  // The configuration as it would be completed, and whether the model loads: the first half of Load.
  base::Result<LoadedModel> Open(const LoadJob& job) const;

  // The configuration as far as it is known without opening the model.
  base::Result<config::ModelConfig> Resolve(const LoadJob& job) const;

 private:
  // Executes the model where its configuration does not say whether it batches: see ProbeRows.
  config::BatchingDecision DecideBatching(const config::ModelConfig& config, core::EngineModel& model,
                                          const config::CompletionOptions& options) const;
  base::Result<core::Engine*> FindEngine(const config::ModelConfig& config) const;
  // All but its warm-up.
  base::Result<std::shared_ptr<const core::ModelVersion>> Make(const LoadJob& job, base::Executor& retire) const;
  base::Status WarmUpAll(const LoadJob& job, const std::shared_ptr<const core::ModelVersion>& version) const;
  // False: there are none.
  base::Result<bool> WarmUpWithRecords(const LoadJob& job,
                                       const std::shared_ptr<const core::ModelVersion>& version) const;
  // How clients see one of the version's signatures, and its scheduler. `parts` lacks what is made here.
  base::Result<core::ModelVersion::Function> MakeFunction(core::SchedulerParts parts,
                                                          const std::filesystem::path& model_dir) const;

  // Makes calls of a version's graph: each a version of its own beside it, which counts with it and does not batch. Not
  // to be called when the loader is gone.
  core::GraphCalls::Make GraphCallMaker(const core::ModelVersion::Parts& version, core::SignatureOpener open,
                                        base::Executor& retire) const;

  const config::CompletionOptions completion_;
  const LoaderServices services_;
};

}  // namespace inferd::repository
