#include "serving/repository/records/departed_models.h"

#include <algorithm>
#include <utility>

#include "serving/core/model_version.h"

namespace inferd::repository {

void DepartedModels::Note(const ModelRecord& record) {
  if (record.versions.empty()) return;
  Model model{.name = record.name, .document = nullptr, .versions = {}};
  for (const auto& [version, harness] : record.versions) {
    Version& noted = model.versions.emplace_back(Version{.version = version, .statistics = nullptr});
    if (harness.serving() == nullptr) continue;
    noted.statistics = harness.serving()->shared_statistics();
    model.document = harness.serving()->config().document;
  }
  // A second look at a folder that went finds less of the model than the first one.
  const auto known = std::ranges::find(models_, record.name, &Model::name);
  if (known != models_.end() && model.document == nullptr) return;
  Forget(record.name);
  models_.push_back(std::move(model));
  if (models_.size() > kModelsMax) models_.pop_front();
}

void DepartedModels::Forget(std::string_view name) {
  std::erase_if(models_, [name](const Model& model) { return model.name == name; });
}

std::vector<core::DepartedModel> DepartedModels::List(std::string_view name) const {
  std::vector<core::DepartedModel> listed;
  for (const Model& model : models_) {
    if (name.empty() || model.name == name) listed.push_back(Shown(model));
  }
  std::ranges::sort(listed, {}, &core::DepartedModel::name);
  return listed;
}

core::DepartedModel DepartedModels::Shown(const Model& model) {
  core::DepartedModel shown{.name = model.name, .config_json = {}, .versions = {}, .statistics = {}};
  if (model.document != nullptr) shown.config_json = model.document->ToJson();
  for (const Version& version : model.versions) {
    const std::string number = std::to_string(version.version);
    shown.versions.push_back({.name = model.name,
                              .version = number,
                              .state = core::ModelState::kUnavailable,
                              .reason = "its folder has gone",
                              .repository = ""});
    if (version.statistics == nullptr) continue;
    shown.statistics.push_back(version.statistics->Read());
    shown.statistics.back().name = model.name;
    shown.statistics.back().version = number;
  }
  return shown;
}

}  // namespace inferd::repository
