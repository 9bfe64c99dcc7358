#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "serving/core/catalog_snapshot.h"
#include "serving/core/model/catalog.h"
#include "serving/core/model_version.h"
#include "serving/core/request/load_demand.h"
#include "serving/repository/load/loader.h"
#include "serving/repository/records/held_memory.h"
#include "serving/repository/records/load_plan.h"
#include "serving/repository/records/version_harness.h"
#include "serving/repository/tree/model_layout.h"

namespace inferd::repository {

// A version to serve, and what to load it from. Its job has no generation yet.
struct WantedVersion {
  VersionContent content;
  LoadJob job;
  HeldMemory held = {};  // the memory that it will hold; no GPUs unless they have a budget
};

// A request that waits for a version to be loaded.
struct LoadWaiter {
  core::LoadDemand demand;
  int64_t until_ns = 0;  // the time at which it stops waiting
};

// The source of the decision which versions of a model are wanted.
enum class Authority {
  kFolder,      // the repository's folder and the version policy
  kLoadCall,    // a load call, until the folder changes
  kUnloadCall,  // an unload call, until the folder changes
};

// One model: the versions wanted and the state of each. Guarded by the manager's lock. load_plan.h decides what to do
// with it.
struct ModelRecord {
  std::string name;
  std::string repository;
  Authority authority = Authority::kFolder;
  config::VersionTransition transition = config::VersionTransition::kAvailability;
  bool on_demand = false;  // versions are loaded when requests need them, and may be evicted for others
  bool on_disk = false;
  bool changing = false;  // the folder is being written
  ModelLayout layout;     // of the folder, as last settled or as a call found it
  config::VersionLabels labels;
  std::string problem;                // why no version is wanted, if none is
  bool polled = true;                 // false: readiness does not ask for it, as it could not be read (Triton)
  std::filesystem::path config_file;  // if no version is wanted: what its configuration is read from
  std::vector<config::Dependency> dependencies;  // of what is wanted
  std::vector<config::Dependency> left_needs;    // of loads that take no more requests, and are not gone
  bool loaded_along = false;                     // it was loaded because another model depends on it, and for no more
  std::map<int64_t, WantedVersion> wanted;
  std::map<int64_t, VersionHarness> versions;
  std::map<int64_t, std::vector<LoadWaiter>> waiters;  // by version; no list is empty
  std::vector<core::ControlCallback> load_waiters;     // of load calls; answered when no version is loading
  std::vector<core::ControlCallback> unload_waiters;   // of unload calls; answered when no version serves
  std::vector<base::Task> when_loaded;                 // run when no version is loading
  bool shrinks = false;  // load calls are answered once the replaced load is gone, as instances must end
  bool was_up = false;   // true once every wanted version has served

  // Returns a job that names the configuration: that of the highest wanted version, or the model's own if no version is
  // wanted. nullopt if there is neither.
  std::optional<LoadJob> Described() const;
  std::vector<VersionView> Views() const;
  bool Loading() const;
  bool AnyReady() const;
  // Returns true if a version serves only until no other model needs it.
  bool Ending() const;
  // Notes that `load` takes no more requests. The models that it needs stay needed until all such loads are gone.
  void NoteLeft(const core::ModelVersion& load);
  void ForgetLeft();
  // Returns true if a version waits until the one that it replaces is gone.
  bool Replaces() const;
  // Returns true if a ready version must go once a wanted one serves.
  bool Replacing() const;
  // Returns true if the version is loaded by the first request for it. False for a version that replaces a ready one:
  // it is loaded at once.
  bool LoadsOnDemand(int64_t version) const;
  // Returns the version that a request for `version` means, if versions are loaded on demand. An empty `version` means
  // the newest that has not failed just now. Null if there is none.
  const int64_t* MeantOnDemand(std::string_view version, int64_t now_ns) const;
  size_t Waiters() const;
  // Returns true if requests are answered, or would be once they have loaded a version.
  bool Available() const;
  // Returns true if nothing of the record is worth keeping.
  bool Forgettable() const;
  // Returns true if every wanted version was tried or waits for a request, and at least one is available.
  bool Up() const;
  // Returns why no version is ready although every wanted one was tried. Empty if one is ready, or may still become so.
  std::string Failure() const;
  bool AnyFailed() const;
  // Returns true if a wanted version failed to load from its present content.
  bool WantedFailed() const;
  // Clears failures that are at least `wait_ns` old, of versions that failed `failures_max` times at most: they may be
  // tried again.
  void RetryFailed(int64_t now_ns, uint32_t failures_max, int64_t wait_ns);
  // Returns true if RetryFailed() would forget a failure now.
  bool RetryDue(int64_t now_ns, uint32_t failures_max, int64_t wait_ns) const;
  // Sets the reason of versions that wait for a request.
  void NoteNotLoaded();
  // Drops the versions that there is nothing more to say about, and returns their numbers. Keeps the `gone_max` highest
  // of those that have served, whose folders have gone, and that did not fail.
  std::vector<int64_t> Prune(size_t gone_max);
  // Returns the result of a load call. Call it once nothing is loading.
  base::Status LoadOutcome() const;
  core::CatalogSnapshot::Model Snapshot() const;
  void AppendIndex(bool ready_only, std::vector<core::IndexEntry>& entries) const;
};

}  // namespace inferd::repository
