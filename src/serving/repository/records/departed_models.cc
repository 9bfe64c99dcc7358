#include "serving/repository/records/departed_models.h"

#include <algorithm>
#include <utility>

namespace inferd::repository {

void DepartedModels::Close(Version& version) {
  if (version.last == nullptr) return;
  if (version.earlier == nullptr) version.earlier = std::make_unique<core::ModelStatistics>();
  core::AddRequests(version.last->Read(), *version.earlier);
  version.last.reset();
}

void DepartedModels::NoteIn(Model& model, int64_t version, const core::ModelVersion* load) {
  Version& noted = model.versions[version];
  if (load != nullptr) {
    auto statistics = load->shared_statistics();
    if (noted.last != statistics) {
      Close(noted);
      noted.last = std::move(statistics);
    }
    model.document = load->config().document;
  }
  if (model.versions.size() > kVersionsMax) model.versions.erase(model.versions.begin());
}

DepartedModels::Model& DepartedModels::FindOrAdd(Models& models, const std::string& name) {
  const auto known = std::ranges::find(models, name, &Model::name);
  if (known != models.end()) return *known;
  if (models.size() == kModelsMax) models.pop_front();
  return models.emplace_back(Model{.name = name, .document = nullptr, .versions = {}});
}

const DepartedModels::Model* DepartedModels::Find(std::string_view name) const {
  for (const Models* models : {&gone_, &left_}) {
    const auto known = std::ranges::find(*models, name, &Model::name);
    if (known != models->end()) return &*known;
  }
  return nullptr;
}

void DepartedModels::Note(const ModelRecord& record) {
  const auto left = std::ranges::find(left_, record.name, &Model::name);
  if (record.versions.empty() && left == left_.end()) return;
  Model& model = FindOrAdd(gone_, record.name);
  if (left != left_.end()) {
    model = std::move(*left);
    left_.erase(left);
  }
  for (const auto& [version, harness] : record.versions) {
    NoteIn(model, version, nullptr);
    if (harness.serving() != nullptr) model.document = harness.serving()->config().document;
  }
}

void DepartedModels::Forget(std::string_view name) {
  std::erase_if(gone_, [name](const Model& model) { return model.name == name; });
}

void DepartedModels::ForgetVersions(std::string_view model) {
  std::erase_if(left_, [model](const Model& each) { return each.name == model; });
}

void DepartedModels::NoteVersion(const std::string& model, int64_t version, const core::ModelVersion* load) {
  const auto gone = std::ranges::find(gone_, model, &Model::name);
  NoteIn(gone != gone_.end() ? *gone : FindOrAdd(left_, model), version, load);
}

void DepartedModels::CloseVersion(std::string_view model, int64_t version) {
  for (Models* models : {&gone_, &left_}) {
    const auto known = std::ranges::find(*models, model, &Model::name);
    if (known == models->end()) continue;
    const auto noted = known->versions.find(version);
    if (noted != known->versions.end()) Close(noted->second);
  }
}

std::vector<core::DepartedModel> DepartedModels::List(std::string_view name) const {
  std::vector<core::DepartedModel> listed;
  for (const Model& model : gone_) {
    if (name.empty() || model.name == name) listed.push_back(Shown(model));
  }
  std::ranges::sort(listed, {}, &core::DepartedModel::name);
  return listed;
}

core::DepartedModel DepartedModels::Versions(std::string_view model) const {
  const Model* const known = Find(model);
  return known == nullptr ? core::DepartedModel() : Shown(*known);
}

core::DepartedModel DepartedModels::Shown(const Model& model) {
  core::DepartedModel shown{.name = model.name, .config_json = {}, .versions = {}, .statistics = {}};
  if (model.document != nullptr) shown.config_json = model.document->ToJson();
  for (const auto& [version, noted] : model.versions) {
    const std::string number = std::to_string(version);
    shown.versions.push_back({.name = model.name,
                              .version = number,
                              .state = core::ModelState::kUnavailable,
                              .reason = "its folder has gone",
                              .repository = ""});
    if (noted.last == nullptr && noted.earlier == nullptr) continue;
    core::ModelStatistics& statistics = shown.statistics.emplace_back();
    if (noted.earlier != nullptr) statistics = *noted.earlier;
    if (noted.last != nullptr) core::AddRequests(noted.last->Read(), statistics);
    statistics.name = model.name;
    statistics.version = number;
  }
  return shown;
}

}  // namespace inferd::repository
