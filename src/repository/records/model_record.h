#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/catalog_snapshot.h"
#include "core/model/catalog.h"
#include "core/model_version.h"
#include "core/request/load_demand.h"
#include "repository/load/loader.h"
#include "repository/records/load_plan.h"
#include "repository/tree/model_layout.h"

namespace inferd::repository {

// The files a version is loaded from. Equal: loading again would give the same.
struct VersionContent {
  storage::TreeStat shared;
  storage::TreeStat files;
  std::string config_json;  // of a load call

  bool operator==(const VersionContent&) const = default;
};

// A version that shall be served, and what it is to be loaded from. Its job has no generation yet.
struct WantedVersion {
  VersionContent content;
  LoadJob job;
  int64_t bytes = 0;  // that it will hold, by estimate
};

// A request that waits for a version to be loaded.
struct LoadWaiter {
  core::LoadDemand demand;
  int64_t until_ns = 0;  // then it does not wait any more
};

// One version of a model.
//
//   (unknown) --load--> loading --ok--> ready --unload--> ending --last request lets go--> unavailable "unloaded"
//                          |              |
//                          +--error--> unavailable, with why (a failed reload stays ready, with why)
//
// A reload goes through `loading` while `serving` stays, or after that is gone (config::VersionTransition). Where
// models are loaded on demand, a version is unavailable until a request demands it, and before `loading` it waits for
// room.
struct VersionRecord {
  std::shared_ptr<const core::ModelVersion> serving;  // set: ready
  VersionContent serving_content;
  bool demanded = false;          // a request or a call has it loaded
  bool waits_to_replace = false;  // and what it replaces is to go first
  bool waits_for_room = false;    // and what is in the way is to go first
  std::vector<LoadWaiter> waiters;
  int64_t bytes = 0;  // that each load of it holds, by estimate
  bool loading = false;
  VersionContent loading_content;
  bool failed = false;  // the last load did
  VersionContent failed_content;
  base::StatusCode failed_code = base::StatusCode::kOk;  // of `reason`, where a failed load gave it
  uint32_t failures = 0;  // of that content, one after the other; refusals for want of room aside
  int64_t failed_ns = 0;  // when it last did
  int alive = 0;          // loads of it that are not quite gone: loading, serving, or held by requests
  std::string reason;

  core::ModelState State() const;
  // On its way to serve.
  bool Pending() const { return loading || waits_for_room || waits_to_replace; }
  // Loads of it that take no more requests, and are not gone yet.
  int Leaving() const { return alive - (serving == nullptr ? 0 : 1) - (loading ? 1 : 0); }
  // Loads of it that hold memory.
  int Resident() const;
  // When a request may have a version that failed loaded again: the wait doubles, from a second to a minute.
  int64_t RetryNs() const;
};

// Why a version is not loaded yet that replaces another, or itself.
inline constexpr std::string_view kWaitsToReplace = "waits for what it replaces to be gone";

// Why a version is not loaded that waits for a request.
inline constexpr std::string_view kNotLoaded = "not loaded: waits for a request";

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
  std::string problem;  // why no version is wanted, if none is
  std::map<int64_t, WantedVersion> wanted;
  std::map<int64_t, VersionRecord> versions;
  std::vector<core::ControlCallback> load_waiters;  // of load calls; answered when nothing is loading any more

  std::vector<VersionView> Views() const;
  bool Loading() const;
  bool AnyReady() const;
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
  // Forgets that versions failed, no more than so often and so long ago: it is time to try them again.
  void RetryFailed(int64_t now_ns, uint32_t failures_max, int64_t wait_ns);
  // Says of versions that wait for a request that they do.
  void NoteNotLoaded();
  // Drops the versions that there is nothing more to say about.
  void Prune();
  // What a load call is told once nothing is loading.
  base::Status LoadOutcome() const;
  core::CatalogSnapshot::Model Snapshot() const;
  void AppendIndex(bool ready_only, std::vector<core::IndexEntry>& entries) const;
};

}  // namespace inferd::repository
