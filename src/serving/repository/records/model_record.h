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

// A version that shall be served, and what it is to be loaded from. Its job has no generation yet.
struct WantedVersion {
  VersionContent content;
  LoadJob job;
  HeldMemory held = {};  // that it will hold; of GPUs, nothing where no budget is kept of them
};

// A request that waits for a version to be loaded.
struct LoadWaiter {
  core::LoadDemand demand;
  int64_t until_ns = 0;  // then it does not wait any more
};

// What says which versions of a model are wanted.
enum class Authority {
  kFolder,      // the repository's folder and the version policy
  kLoadCall,    // a load call, until the folder changes
  kUnloadCall,  // an unload call, until the folder changes
};

// One model: what is wanted of it, and how far it is. Guarded by the manager's lock; decisions about it are
// load_plan.h's.
struct ModelRecord {
  std::string name;
  std::string repository;
  Authority authority = Authority::kFolder;
  config::VersionTransition transition = config::VersionTransition::kAvailability;
  bool on_demand = false;  // its versions are loaded when requests need them, and may go when others do
  bool on_disk = false;
  bool changing = false;  // the folder is being written
  ModelLayout layout;     // the folder, as last settled or as a call found it
  config::VersionLabels labels;
  std::string problem;                           // why no version is wanted, if none is
  std::filesystem::path config_file;             // if no version is wanted: what its configuration is read from
  std::vector<config::Dependency> dependencies;  // of what is wanted
  std::vector<config::Dependency> left_needs;    // of loads that take no more requests, and are not gone
  bool loaded_along = false;                     // it was loaded because another model depends on it, and for no more
  std::map<int64_t, WantedVersion> wanted;
  std::map<int64_t, VersionHarness> versions;
  std::map<int64_t, std::vector<LoadWaiter>> waiters;  // by version; none has an empty list
  std::vector<core::ControlCallback> load_waiters;     // of load calls; answered when nothing is loading any more
  std::vector<core::ControlCallback> unload_waiters;   // of unload calls; answered when nothing serves any more
  std::vector<base::Task> when_loaded;                 // run when nothing is loading any more
  bool was_up = false;                                 // all that was wanted of it served, once

  // What its configuration is read from: that of the highest wanted version, or without versions the model's own.
  // Nothing if neither is there.
  std::optional<LoadJob> Described() const;
  std::vector<VersionView> Views() const;
  bool Loading() const;
  bool AnyReady() const;
  // Whether a version serves only until other models need it no more.
  bool Ending() const;
  // What these loads needed is needed until the last of them is gone.
  void NoteLeft(const core::ModelVersion& load);
  void ForgetLeft();
  // Whether a version waits for what it replaces to be gone.
  bool Replaces() const;
  // Whether a ready version is to go when a wanted one serves.
  bool Replacing() const;
  // Whether the version is one that requests have loaded. (What replaces a ready one does not wait for them.)
  bool LoadsOnDemand(int64_t version) const;
  // Which version a request means, as far as it is loaded on demand; null: none.
  const int64_t* MeantOnDemand(std::string_view version, int64_t now_ns) const;
  size_t Waiters() const;
  // Whether requests are answered, or would be once they have it loaded.
  bool Available() const;
  // Whether there is anything to remember it for.
  bool Forgettable() const;
  // Every wanted version was tried, or waits for a request, and at least one is available.
  bool Up() const;
  // Why no version is ready though all that is wanted was tried; empty: one is, or may yet be.
  std::string Failure() const;
  bool AnyFailed() const;
  // True if a wanted version failed to load from what is there.
  bool WantedFailed() const;
  // Forgets that versions failed, no more than so often and so long ago: it is time to try them again.
  void RetryFailed(int64_t now_ns, uint32_t failures_max, int64_t wait_ns);
  // Whether there are such versions.
  bool RetryDue(int64_t now_ns, uint32_t failures_max, int64_t wait_ns) const;
  // Says of versions that wait for a request that they do.
  void NoteNotLoaded();
  // Drops the versions that there is nothing more to say about, and returns their numbers.
  std::vector<int64_t> Prune();
  // What a load call is told once nothing is loading.
  base::Status LoadOutcome() const;
  core::CatalogSnapshot::Model Snapshot() const;
  void AppendIndex(bool ready_only, std::vector<core::IndexEntry>& entries) const;
};

}  // namespace inferd::repository
