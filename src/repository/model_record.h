#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/catalog.h"
#include "core/catalog_snapshot.h"
#include "core/model_version.h"
#include "repository/load_plan.h"
#include "repository/loader.h"
#include "repository/model_layout.h"

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
};

// One version of a model.
//
//   (unknown) --load--> loading --ok--> ready --unload--> ending --last request lets go--> unavailable "unloaded"
//                          |              |
//                          +--error--> unavailable, with why (a failed reload stays ready, with why)
//
// A reload goes through `loading` while `serving` stays.
struct VersionRecord {
  std::shared_ptr<const core::ModelVersion> serving;  // set: ready
  VersionContent serving_content;
  bool loading = false;
  VersionContent loading_content;
  bool failed = false;  // the last load did
  VersionContent failed_content;
  uint32_t failures = 0;  // of that content, one after the other
  int64_t failed_ns = 0;  // when it last did
  int alive = 0;          // loads of it that are not quite gone: loading, serving, or held by requests
  std::string reason;

  core::ModelState State() const;
};

// Who says what is wanted of a model.
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
  // Whether there is anything to remember it for.
  bool Forgettable() const;
  // Every wanted version was tried, and at least one is ready.
  bool Up() const;
  // Why no version is ready though all that is wanted was tried; empty: one is, or may yet be.
  std::string Failure() const;
  // Drops the versions that there is nothing more to say about.
  void Prune();
  // What a load call is told once nothing is loading.
  base::Status LoadOutcome() const;
  core::CatalogSnapshot::Model Snapshot() const;
  void AppendIndex(bool ready_only, std::vector<core::IndexEntry>& entries) const;
};

}  // namespace inferd::repository
