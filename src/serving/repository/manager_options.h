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
  // Models to serve by name, besides those of the repositories. Absent if none are served so; then ReplaceModels() is
  // refused.
  std::optional<std::vector<config::ServedModel>> served_models;
  bool labels_for_unavailable_versions = false;  // ReplaceModels() may label such versions
  config::ControlMode control = config::ControlMode::kPoll;
  int64_t poll_interval_ms = 2000;
  bool new_models = true;                   // kPoll: models that come after the first look are loaded
  bool unload_removed = true;               // kPoll: models whose folders are removed are unloaded
  int64_t settle_ms = 1000;                 // a changed version must be stable for so long before a load
  std::vector<std::string> startup_models;  // kExplicit only; "*" for all
  // True if Start() fails when a repository cannot be read, or when a startup model or a ready model is in none of
  // them. (In explicit mode, ready models are not checked: load calls may bring them.)
  bool checks_startup = false;
  // True if a model that is given by its own path, but has no readable model file, counts as failed. (A link may be
  // broken.)
  bool needs_models = false;
  // True if a wrong configuration, found once every model of the start was tried, makes the server neither live nor
  // ready, for good.
  bool bad_configuration_fails_startup = false;
  // True if a wrong configuration at the start ends the server. No model is loaded then.
  bool bad_configuration_ends_startup = false;
  config::ReadinessMode readiness = config::ReadinessMode::kAll;
  std::vector<std::string> ready_models;  // ReadinessMode::kNamed
  LazyLoading lazy;
  config::VersionTransition version_transition = config::VersionTransition::kAvailability;  // if models do not state it
  int64_t sequence_grace_ms = 30'000;  // how long open sequences keep a replaced version
  size_t loader_threads = 4;
  std::string model_config_name;  // a model's configs/NAME.pbtxt overrides its config.pbtxt; may be empty
  uint32_t load_repeats = 0;      // a failed load is repeated at once, this many times
  uint32_t load_retries = 0;      // looks at the folders retry a version with at most this many failures
  int64_t load_retry_ms = 60'000;
  config::CompletionOptions completion;
  // Models come and go as in Triton: load and unload calls need kExplicit. All wanted versions of a new model are
  // loaded, or none serves. A model in a second repository is unloaded. A model whose folder was removed is unavailable
  // rather than unknown. A load call without a configuration keeps the last call's. An unload call waits for a load. If
  // unreadable repositories do not end the start, the server is not live.
  bool triton_exact = false;
  bool tensorflow_metrics = false;    // also count loads under TensorFlow's names
  std::filesystem::path staging_dir;  // for the files of load calls; empty for the system's temporary folder
};

// The services that the manager uses. All must outlive it.
struct ManagerServices {
  core::SnapshotPublisher& snapshots;
  std::span<core::Engine* const> engines;
  core::SchedulerFactory scheduler_factory;
  const base::Clock& clock;
  base::Logger& logger;
  metrics::Registry& metrics;
  RecordedWarmups recorded_warmups = nullptr;
  core::GroupCoresFinder group_cores = nullptr;  // null if instances may run anywhere
};

}  // namespace inferd::repository
