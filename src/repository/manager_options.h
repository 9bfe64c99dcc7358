#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/logging.h"
#include "config/model_config_completion.h"
#include "core/engine.h"
#include "core/scheduler.h"
#include "core/snapshot_publisher.h"
#include "metrics/registry.h"

namespace inferd::repository {

// When models are loaded (facts 3.4). Load and unload calls work in every mode.
enum class ControlMode {
  kNone,      // everything at start, nothing later
  kPoll,      // everything, and what changes in the folders
  kExplicit,  // only ManagerOptions::startup_models
};

// What GET v2/health/ready waits for; once true it stays true until Shutdown().
enum class ReadyRule {
  kAll,    // every model of the initial set was tried, and each has a ready version
  kAny,    // at least one model is ready, or there is none to load
  kNamed,  // every model of ManagerOptions::ready_models is ready
};

// A folder of models, or one model file.
struct RepositoryPath {
  std::string name;  // unique; empty: the path's last component
  std::filesystem::path path;
};

struct ManagerOptions {
  std::vector<RepositoryPath> repositories;
  ControlMode control = ControlMode::kPoll;
  int64_t poll_interval_ms = 2000;
  int64_t settle_ms = 1000;  // a changed version must look the same for so long before it is loaded
  std::vector<std::string> startup_models;  // kExplicit; "*": all
  ReadyRule ready_rule = ReadyRule::kAll;
  std::vector<std::string> ready_models;
  size_t loader_threads = 4;
  int cpu_threads = 1;  // the process-wide compute thread budget, shared among the versions by LoadSpec::cpu_threads
  config::CompletionOptions completion;
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
};

}  // namespace inferd::repository
