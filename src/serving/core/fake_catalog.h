#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "serving/core/model/catalog.h"

// For tests of the front-ends. Single-threaded.

namespace inferd::core {

// A Catalog that returns the answers in its members, and records the arguments.
class FakeCatalog final : public Catalog {
 public:
  bool ServerLive() const override { return live; }
  bool ServerReady() const override { return ready; }
  base::Status ModelReady(std::string_view, std::string_view) const override { return model_ready; }
  base::Result<ModelMetadata> Metadata(std::string_view, std::string_view) const override { return metadata; }
  base::Result<std::string> ConfigJson(std::string_view, std::string_view) const override { return config; }
  base::Result<std::vector<ModelStatistics>> Statistics(std::string_view model, std::string_view) const override {
    asked_model = model;
    return statistics;
  }
  base::Result<SchedulerReport> Scheduling(std::string_view model, std::string_view) const override {
    asked_model = model;
    return scheduling;
  }
  base::Result<std::vector<IndexEntry>> Index(std::string_view repository, bool ready_only) const override {
    asked_repository = repository;
    asked_ready_only = ready_only;
    return index;
  }
  base::Result<std::vector<IndexEntry>> Versions(std::string_view model) const override {
    asked_model = model;
    return versions;
  }
  std::vector<std::string> ModelNames() const override { return names; }
  std::vector<DepartedModel> Departed(std::string_view model) const override {
    std::vector<DepartedModel> listed = departed;
    std::erase_if(listed, [model](const DepartedModel& each) { return !model.empty() && each.name != model; });
    return listed;
  }
  DepartedModel DepartedVersions(std::string_view) const override { return left; }
  bool StartupFailed() const override { return startup_failed; }
  void Load(LoadCall call, ControlCallback done) override {
    load = std::move(call);
    done(control);
  }
  void Unload(UnloadCall call, ControlCallback done) override {
    unload = std::move(call);
    done(control);
  }
  void ReplaceModels(std::vector<config::ServedModel> models, ControlCallback done) override {
    served = std::move(models);
    done(control);
  }

  std::vector<std::string> names = {"a", "b"};
  bool live = true;
  bool ready = true;
  bool startup_failed = false;
  std::vector<DepartedModel> departed;
  DepartedModel left;
  base::Status model_ready;
  base::Status control;
  base::Result<ModelMetadata> metadata;
  base::Result<std::string> config = std::string("{}");
  base::Result<std::vector<ModelStatistics>> statistics;
  base::Result<SchedulerReport> scheduling = SchedulerReport();
  base::Result<std::vector<IndexEntry>> index;
  base::Result<std::vector<IndexEntry>> versions;
  mutable std::string asked_model;
  mutable std::string asked_repository;
  mutable bool asked_ready_only = false;
  std::optional<std::vector<config::ServedModel>> served;
  std::optional<LoadCall> load;
  std::optional<UnloadCall> unload;
};

}  // namespace inferd::core
