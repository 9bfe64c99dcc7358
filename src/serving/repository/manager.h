#pragma once

#include <memory>
#include <string>

#include "serving/core/model/catalog.h"
#include "serving/core/request/load_demand.h"
#include "serving/repository/manager_options.h"

namespace inferd::repository {

// Keeps the wanted versions of the wanted models loaded, and says which are up and why the others are not. Thread-safe.
//
//   Manager -> Start() -> [Load(), Unload(), queries] -> Shutdown() -> destructor
//
// Queries are answered at any time; before Start() there is no model. Load() and Unload() after Shutdown() answer
// UNAVAILABLE. Start() at most once; Shutdown() any number of times (the destructor calls it).
class Manager final : public core::Catalog, public core::DemandLoader {
 public:
  Manager(ManagerOptions options, ManagerServices services);
  ~Manager() override;

  // Looks at the repositories and begins to load, on threads of its own; returns at once. INVALID_ARGUMENT: two
  // repositories of one name. With checks_startup, NOT_FOUND and UNAVAILABLE: see there; without, a repository that
  // cannot be read is logged. It is looked at again.
  base::Status Start();

  // Why a model of the initial set did not come up: "model 'm': reason" of the first that was tried and has no version
  // ready. Empty: none so far.
  std::string StartupFailure() const;
  // So too, of one whose configuration is wrong in itself. Reads files.
  std::string BadConfiguration() const;

  // Whether every model of the initial set was tried: it serves, or cannot.
  bool StartupTried() const override;
  bool StartupFailed() const override;

  // ServerReady() is false from here on; the models go on serving.
  void BeginDrain();

  // Unloads everything and waits until the last request has let go. Not on a loop thread.
  void Shutdown();

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

  // With lazy loading; otherwise there is nothing that demands could load.
  void Demand(core::LoadDemand demand) override;

  // For tests with a fake clock: one look at the folders, as the poller does. Not before Start().
  void LookNow();
  // For tests: returns when nothing is being looked at, loaded or ended.
  void WaitIdle();
  // For tests with a fake clock: answers the requests that do not wait any more.
  void ExpireDemands();
  // For tests: transitions of versions that were impossible, and refused; how many records all steps together touched.
  uint64_t RefusedTransitions() const;
  uint64_t RecordsTouched() const;

 private:
  class Core;
  const core::SnapshotPublisher& snapshots_;
  std::unique_ptr<Core> core_;
};

}  // namespace inferd::repository
