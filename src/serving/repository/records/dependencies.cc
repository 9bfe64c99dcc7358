#include "serving/repository/records/dependencies.h"

#include <utility>
#include <vector>

namespace inferd::repository {

const Dependencies::Names& Dependencies::Find(const Edges& edges, std::string_view model) {
  static const Names none;
  const auto it = edges.find(model);
  return it == edges.end() ? none : it->second;
}

void Dependencies::PlanDependents(const std::string& model) {
  const Names& dependents = DependentsOf(model);
  affected_.insert(dependents.begin(), dependents.end());
}

void Dependencies::Set(const std::string& model, Names needed) {
  const Names& before = NeededBy(model);
  if (before == needed) return;
  for (const std::string& other : before) {
    const auto known = dependents_.find(other);
    known->second.erase(model);
    if (!known->second.empty()) continue;
    dependents_.erase(known);
    looks_.erase(other);
  }
  for (const std::string& other : needed) dependents_[other].insert(model);
  if (needed.empty()) {
    needed_.erase(model);
  } else {
    needed_.insert_or_assign(model, std::move(needed));
  }
  // The change may have closed or opened a circle.
  PlanDependents(model);
}

Dependencies::Names Dependencies::AllNeededBy(const Names& models) const {
  Names all;
  std::vector<std::string_view> left(models.begin(), models.end());
  while (!left.empty()) {
    const Names& needed = NeededBy(left.back());
    left.pop_back();
    for (const std::string& other : needed) {
      const auto [entry, is_new] = all.insert(other);
      if (is_new) left.push_back(*entry);
    }
  }
  return all;
}

std::string Dependencies::CircleOf(const std::string& model) const {
  // A model that no other one needs is in no circle.
  if (DependentsOf(model).empty()) return {};
  std::map<std::string_view, std::string_view> reached_from;
  std::vector<std::string_view> reached = {model};
  for (size_t next = 0; next < reached.size(); ++next) {
    const std::string_view from = reached[next];
    for (const std::string& other : NeededBy(from)) {
      if (other == model) {
        std::string path = model;
        for (std::string_view at = from; at != model; at = reached_from.at(at)) {
          path.insert(0, std::string(at) + " -> ");
        }
        return from == model ? model + " -> " + model : model + " -> " + path;
      }
      if (reached_from.emplace(other, from).second) reached.push_back(other);
    }
  }
  return {};
}

void Dependencies::NoteLook(const std::string& model, std::string look) {
  if (DependentsOf(model).empty()) return;
  std::string& before = looks_[model];
  if (before == look) return;
  before = std::move(look);
  PlanDependents(model);
}

Dependencies::Names Dependencies::TakeAffected() { return std::exchange(affected_, {}); }

}  // namespace inferd::repository
