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

// One version to load: its files and its configuration.
struct LoadJob {
  core::ModelId id;
  uint64_t generation = 0;
  std::string repository;
  std::filesystem::path model_dir;
  std::filesystem::path version_dir;
  std::vector<std::string> version_entries;  // names directly inside version_dir
  std::filesystem::path config_file;         // empty if there is none
  std::string config_json;                   // replaces config_file, if not empty
  std::shared_ptr<const void> keep_alive;    // released on the retire executor when nothing of the version is left
};

// A configuration completed from the model itself, and the loaded model for which it holds.
struct LoadedModel {
  std::shared_ptr<const config::ModelConfig> config;
  std::unique_ptr<core::EngineModel> model;
};

// The services that a loader uses. All must outlive the loader and the versions that it loads.
struct LoaderServices {
  std::span<core::Engine* const> engines;
  core::SchedulerFactory scheduler_factory;
  RecordedWarmups recorded_warmups;    // null if none are to be looked for
  core::GroupCoresFinder group_cores;  // null if instances may run anywhere
  const base::Clock& clock;
  LoadMetrics& metrics;
  base::Logger* logger = nullptr;  // null for no log
};

// Turns a folder into a version that can serve: configuration, engine, instances, labels, scheduler, warm-up.
// Thread-safe.
class Loader final {
 public:
  Loader(const config::CompletionOptions& completion, LoaderServices services);

  // Loads a version. Blocks until it is warm or has failed. The version is destroyed on `retire`. Errors describe the
  // model's problem without the way by which it came there. UNAVAILABLE if its engine is not installed.
  base::Result<std::shared_ptr<const core::ModelVersion>> Load(const LoadJob& job, base::Executor& retire) const;

  // Completes the configuration and loads the model: the first half of Load().
  base::Result<LoadedModel> Open(const LoadJob& job) const;

  // How configurations are completed: with the GPUs that the engines have.
  const config::CompletionOptions& completion() const { return completion_; }

  // The configuration as far as it is known without opening the model.
  base::Result<config::ModelConfig> Resolve(const LoadJob& job) const;

 private:
  // Decides whether the model batches. If its configuration leaves that open, executes the model: see ProbeRows.
  config::BatchingDecision DecideBatching(const config::ModelConfig& config, core::EngineModel& model,
                                          const config::CompletionOptions& options) const;
  base::Result<core::Engine*> FindEngine(const config::ModelConfig& config) const;
  // Does all of Load() except the warm-up.
  base::Result<std::shared_ptr<const core::ModelVersion>> Make(const LoadJob& job, base::Executor& retire) const;
  base::Status WarmUpAll(const LoadJob& job, const std::shared_ptr<const core::ModelVersion>& version) const;
  // Returns false if there are no records.
  base::Result<bool> WarmUpWithRecords(const LoadJob& job,
                                       const std::shared_ptr<const core::ModelVersion>& version) const;
  // Makes the scheduler of one of the version's signatures, and the signature as clients see it. The function fills in
  // what `parts` lacks.
  base::Result<core::ModelVersion::Function> MakeFunction(core::SchedulerParts parts,
                                                          const std::filesystem::path& model_dir) const;

  // Returns a maker of graph calls. Each call is a version of its own beside this one, which shares its statistics and
  // does not batch. Must not be called after the loader is gone.
  core::GraphCalls::Make GraphCallMaker(const core::ModelVersion::Parts& version, core::SignatureOpener open,
                                        base::Executor& retire) const;

  const config::CompletionOptions completion_;
  const LoaderServices services_;
};

}  // namespace inferd::repository
