#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "serving/core/model/catalog.h"
#include "serving/core/request/load_demand.h"
#include "serving/repository/manager_options.h"

namespace inferd::repository {

// Keeps the wanted versions of the wanted models loaded. Reports which versions are up, and why the others are not.
// Thread-safe.
//
//   Manager -> Start() -> [Load(), Unload(), queries] -> Shutdown() -> destructor
//
// Queries are answered at any time; before Start() there is no model. After Shutdown(), Load() and Unload() answer
// UNAVAILABLE. Call Start() at most once. Shutdown() may be called any number of times; the destructor calls it.
class Manager final : public core::Catalog, public core::DemandLoader {
 public:
  Manager(ManagerOptions options, ManagerServices services);
  ~Manager() override;

  // Starts to look at the repositories and to load models, on the manager's own threads. Returns at once.
  // INVALID_ARGUMENT if two repositories have the same name. With checks_startup, also NOT_FOUND and UNAVAILABLE, see
  // there. Without it, a repository that cannot be read is logged and looked at again.
  base::Status Start();

  // Returns why a model of the initial set is not up, as "model 'm': reason". If several models have failed, reports
  // the first by name. Empty if none has failed so far.
  std::string StartupFailure() const;
  // Like StartupFailure(), but only for models whose configuration itself is wrong. Reads files.
  std::string BadConfiguration() const;

  // Returns true if every model of the initial set was tried: it serves, or has failed.
  bool StartupTried() const override;
  bool StartupFailed() const override;

  // Makes ServerReady() return false from now on. The models go on serving.
  void BeginDrain();

  // Unloads all models and waits until the last request has released its version. Do not call on a loop thread.
  void Shutdown();
  // Likewise, but waits until `until` at most. Returns the number of loads in progress, which cannot be interrupted, if
  // nothing else is left. 0 if nothing, or something else, is left. Shutdown() or the process's end follows.
  size_t ShutdownBefore(std::chrono::steady_clock::time_point until);

  bool ServerLive() const override;
  bool ServerReady() const override;
  base::Status ModelReady(std::string_view model, std::string_view version) const override;
  void AskModelReady(std::string_view model, std::string_view version, core::ControlCallback done) const override;
  base::Result<core::ModelMetadata> Metadata(std::string_view model, std::string_view version) const override;
  base::Result<std::string> ConfigJson(std::string_view model, std::string_view version) const override;
  base::Result<std::string> WrittenConfigJson(std::string_view model) const override;
  base::Result<std::vector<core::ModelStatistics>> Statistics(std::string_view model,
                                                              std::string_view version) const override;
  base::Result<core::SchedulerReport> Scheduling(std::string_view model, std::string_view version) const override;
  base::Result<std::vector<core::IndexEntry>> Index(std::string_view repository, bool ready_only) const override;
  base::Result<std::vector<core::IndexEntry>> Versions(std::string_view model) const override;
  std::vector<std::string> ModelNames() const override;
  std::vector<core::DepartedModel> Departed(std::string_view model) const override;
  core::DepartedModel DepartedVersions(std::string_view model) const override;
  void Load(core::LoadCall call, core::ControlCallback done) override;
  void Unload(core::UnloadCall call, core::ControlCallback done) override;
  void ReplaceModels(std::vector<config::ServedModel> models, core::ControlCallback done) override;

  // Loads a version on demand. Works with lazy loading only.
  void Demand(core::LoadDemand demand) override;

  // For tests with a fake clock: takes one look at the folders, as the poller does. Call after Start().
  void LookNow();
  // For tests: blocks until no look, load or unload is in progress.
  void WaitIdle();
  // For tests with a fake clock: answers the demands that have expired.
  void ExpireDemands();
  // For tests: the number of refused (impossible) version transitions, and the number of records that all steps
  // together have touched.
  uint64_t RefusedTransitions() const;
  uint64_t RecordsTouched() const;

 private:
  class Core;
  const core::SnapshotPublisher& snapshots_;
  std::unique_ptr<Core> core_;
};

}  // namespace inferd::repository
