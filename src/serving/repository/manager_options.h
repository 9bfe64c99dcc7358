#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/logging.h"
#include "base/metrics/registry.h"
#include "config/model/model_config_completion.h"
#include "config/options/served_model.h"
#include "config/options/server_options.h"
#include "serving/core/engine.h"
#include "serving/core/scheduler.h"
#include "serving/core/snapshot_publisher.h"
#include "serving/repository/load/warmup.h"
#include "serving/repository/room/lazy_loading.h"
#include "serving/repository/tree/repository_path.h"

namespace inferd::repository {

struct ManagerOptions {
  std::vector<RepositoryPath> repositories;
  // Models named to be served besides; absent: none, and none will be (ReplaceModels).
  std::optional<std::vector<config::ServedModel>> served_models;
  bool labels_for_unavailable_versions = false;  // ReplaceModels may label versions that are not ready
  config::ControlMode control = config::ControlMode::kPoll;
  int64_t poll_interval_ms = 2000;
  bool new_models = true;                   // kPoll: models that come after the first look are loaded
  bool unload_removed = true;               // kPoll: models whose folders are removed are unloaded
  int64_t settle_ms = 1000;                 // a changed version must look the same for so long before it is loaded
  std::vector<std::string> startup_models;  // kExplicit; "*": all
  // Start() fails where a repository cannot be read, or a startup model or a ready model is in none of them. (Ready
  // models may come by load calls where control is explicit.)
  bool checks_startup = false;
  // A model whose path is given alone, and has no file of one, has failed to load. (Links may lead to what is gone.)
  bool needs_models = false;
  // A configuration that is wrong in itself, once every model of the start was tried: neither live nor ready, for good.
  bool bad_configuration_fails_startup = false;
  // The server ends for a configuration that is wrong at the start: where one is found, no model is loaded.
  bool bad_configuration_ends_startup = false;
  config::ReadinessMode readiness = config::ReadinessMode::kAll;
  std::vector<std::string> ready_models;  // ReadinessMode::kNamed
  LazyLoading lazy;
  config::VersionTransition version_transition = config::VersionTransition::kAvailability;  // where models do not say
  int64_t sequence_grace_ms = 30'000;  // how long sequences keep a version that another has replaced
  size_t loader_threads = 4;
  std::string model_config_name;  // a model's configs/NAME.pbtxt goes before its config.pbtxt; empty: there is none
  uint32_t load_repeats = 0;      // a load that fails is repeated so often at once
  uint32_t load_retries = 0;      // looks at the folders try a version that failed so often again
  int64_t load_retry_ms = 60'000;
  config::CompletionOptions completion;
  // Models come and go as in Triton: load and unload calls are for kExplicit alone; all wanted versions of a new model
  // are loaded or none serves; a model in a second repository is unloaded, one whose folder went is unavailable rather
  // than unknown; a load call without a configuration keeps that of the last one; an unload call waits for a load; and
  // where repositories that cannot be read do not end the start, the server is not live.
  bool triton_exact = false;
  bool tensorflow_metrics = false;    // loads count under TensorFlow's names as well
  std::filesystem::path staging_dir;  // for the files of load calls; empty: the system's temporary folder
};

// What the manager works with. All outlive it.
struct ManagerServices {
  core::SnapshotPublisher& snapshots;
  std::span<core::Engine* const> engines;
  core::SchedulerFactory scheduler_factory;
  const base::Clock& clock;
  base::Logger& logger;
  metrics::Registry& metrics;
  RecordedWarmups recorded_warmups = nullptr;
  core::GroupCoresFinder group_cores = nullptr;  // null: instances run anywhere
};

}  // namespace inferd::repository
