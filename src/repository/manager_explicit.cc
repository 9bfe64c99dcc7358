#include <algorithm>
#include <set>
#include <string_view>

#include "repository/manager_core.h"

// Explicit control: what is loaded is what the options and the load calls say. The folders are looked into then; until
// then a model is a name. So thousands of models that nobody loads cost next to nothing.

namespace inferd::repository {

namespace {

base::Status UnknownModel(std::string_view option, const std::string& name, const std::set<std::string>& models) {
  constexpr size_t kShownMax = 10;
  std::string known;
  size_t shown = 0;
  for (const std::string& model : models) {
    if (shown++ == kShownMax) break;
    known += (known.empty() ? "" : ", ") + model;
  }
  if (models.size() > kShownMax) known += ", ...";
  return base::NotFound(std::string(option) + ": no model repository has a model '" + name +
                        "' (there are: " + (known.empty() ? "none" : known) + ")");
}

}  // namespace

base::Status Manager::Core::CheckStartup(const Source& source) const {
  INFERD_ASSIGN_OR_RETURN(const std::set<std::string> models, source.ModelNames());
  const bool by_calls = options_.control == config::ControlMode::kExplicit;
  if (by_calls) {
    for (const std::string& name : options_.startup_models) {
      if (name != "*" && !models.contains(name)) return UnknownModel("--load-model", name, models);
    }
  }
  if (by_calls || options_.readiness != config::ReadinessMode::kNamed) return base::OkStatus();
  for (const std::string& name : options_.ready_models) {
    if (models.contains(name)) continue;
    return UnknownModel("--readiness", name, models)
        .WithContext("--readiness takes tried, all, any, server or names of models");
  }
  return base::OkStatus();
}

void Manager::Core::ExpectStartupModels() {
  for (const std::string& name : options_.startup_models) {
    if (name == "*") continue;
    records_.Expect(name);
    records_.Add(name).problem = "no repository has it";
  }
}

std::vector<ModelLook> Manager::Core::LookAtNames(const Listing& listing, bool initial) {
  std::vector<ModelLook> looks;
  for (const Listing::Model& model : listing.models) {
    if (!WantedFromFolder(model.name, initial) || !model.problem.ok()) continue;
    auto look = source_->LookAt(model.name, model.repository);
    if (!look.has_value()) {
      ModelLook unreadable;
      unreadable.name = model.name;
      unreadable.repository = model.repository;
      unreadable.problem = look.error();
      unreadable.changing = true;
      look = std::move(unreadable);
    }
    looks.push_back(*std::move(look));
  }
  return looks;
}

void Manager::Core::ApplyListing(const Listing& listing, bool initial, Deferred& deferred) {
  std::set<std::string_view> names;
  for (const Listing::Model& model : listing.models) {
    names.insert(model.name);
    ModelRecord& record = records_.Add(model.name);
    record.on_disk = true;
    if (record.repository.empty()) record.repository = model.repository;
    if (initial && WantedFromFolder(model.name, initial)) records_.Expect(model.name);
    if (model.problem.ok() || record.problem == model.problem.message()) continue;
    services_.logger.Error(model.problem.message(), {{"model", model.name}});
    record.problem = model.problem.message();
  }
  std::vector<std::string> gone;
  for (const auto& [name, known] : records_.all()) {
    const bool unknown = std::ranges::find(listing.unknown, known.repository) != listing.unknown.end();
    if (!known.on_disk || names.contains(name) || unknown) continue;
    ModelRecord& record = *records_.Change(name);
    record.on_disk = false;
    record.layout = {};
    Advance(record, deferred);
    if (record.Forgettable()) gone.push_back(name);
  }
  for (const std::string& name : gone) {
    records_.Forget(name);
    records_.Erase(name);
  }
}

}  // namespace inferd::repository
