#include <algorithm>
#include <set>

#include "repository/manager_core.h"

// Explicit control: what is loaded is what the options and the load calls say. The folders are looked into then; until
// then a model is a name. So thousands of models that nobody loads cost next to nothing.

namespace inferd::repository {

void Manager::Core::ExpectStartupModels() {
  for (const std::string& name : options_.startup_models) {
    if (name == "*") continue;
    initial_models_.insert(name);
    models_[name].name = name;
    models_[name].problem = "no repository has it";
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
    ModelRecord& record = models_[model.name];
    record.name = model.name;
    record.on_disk = true;
    if (record.repository.empty()) record.repository = model.repository;
    if (initial && WantedFromFolder(model.name, initial)) initial_models_.insert(model.name);
    if (model.problem.ok() || record.problem == model.problem.message()) continue;
    services_.logger.Error(model.problem.message(), {{"model", model.name}});
    record.problem = model.problem.message();
  }
  std::vector<std::string> gone;
  for (auto& [name, record] : models_) {
    const bool unknown = std::ranges::find(listing.unknown, record.repository) != listing.unknown.end();
    if (!record.on_disk || names.contains(name) || unknown) continue;
    record.on_disk = false;
    record.layout = {};
    Advance(record, deferred);
    if (record.Forgettable()) gone.push_back(name);
  }
  for (const std::string& name : gone) {
    initial_models_.erase(name);
    models_.erase(name);
  }
}

}  // namespace inferd::repository
