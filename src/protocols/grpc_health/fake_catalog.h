#pragma once

#include <map>
#include <string>
#include <vector>

#include "serving/core/model/catalog.h"

namespace inferd::grpc_health {

// A catalog with the server's readiness, and `models`.
class FakeCatalog final : public core::Catalog {
 public:
  bool ServerLive() const override { return true; }
  bool ServerReady() const override { return ready; }
  base::Status ModelReady(std::string_view model, std::string_view) const override {
    const auto found = models.find(model);
    return found == models.end() ? base::NotFound("no such model") : found->second;
  }
  base::Result<core::ModelMetadata> Metadata(std::string_view, std::string_view) const override { return {}; }
  base::Result<std::string> ConfigJson(std::string_view, std::string_view) const override { return {}; }
  base::Result<std::vector<core::ModelStatistics>> Statistics(std::string_view, std::string_view) const override {
    return {};
  }
  base::Result<core::SchedulerReport> Scheduling(std::string_view, std::string_view) const override { return {}; }
  base::Result<std::vector<core::IndexEntry>> Index(std::string_view, bool) const override { return {}; }
  base::Result<std::vector<core::IndexEntry>> Versions(std::string_view) const override { return {}; }
  std::vector<std::string> ModelNames() const override { return {}; }
  void Load(core::LoadCall, core::ControlCallback) override {}
  void Unload(core::UnloadCall, core::ControlCallback) override {}
  void ReplaceModels(std::vector<config::ServedModel>, core::ControlCallback) override {}

  bool ready = true;
  std::map<std::string, base::Status, std::less<>> models;
};

}  // namespace inferd::grpc_health
