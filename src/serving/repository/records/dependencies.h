#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace inferd::repository {

// The graph of models that need each other, in both directions, and the models to plan again because a model that they
// need has changed. A needed model may be unknown. The cost of a change grows with the number of models that need the
// changed one. Not thread-safe: guarded by the manager's lock.
class Dependencies final {
 public:
  using Names = std::set<std::string, std::less<>>;

  // Replaces the set of models that `model` needs. Plans the models that need `model` again if the set differs.
  void Set(const std::string& model, Names needed);

  const Names& NeededBy(std::string_view model) const { return Find(needed_, model); }
  const Names& DependentsOf(std::string_view model) const { return Find(dependents_, model); }
  // Returns all models that these need, directly or not. Contains one of `models` only if it is needed too, as in a
  // circle.
  Names AllNeededBy(const Names& models) const;
  // Returns the shortest circle through the model, as "a -> b -> a". Empty if there is none.
  std::string CircleOf(const std::string& model) const;

  // Notes how a model looks to the models that need it. If the look differs from the last one, they are planned again.
  void NoteLook(const std::string& model, std::string look);
  void PlanLater(const std::string& model) { affected_.insert(model); }
  bool AnyAffected() const { return !affected_.empty(); }
  Names TakeAffected();

 private:
  using Edges = std::map<std::string, Names, std::less<>>;
  static const Names& Find(const Edges& edges, std::string_view model);
  void PlanDependents(const std::string& model);

  Edges needed_;                                           // no set is empty
  Edges dependents_;                                       // no set is empty
  std::map<std::string, std::string, std::less<>> looks_;  // only models that others need
  Names affected_;
};

}  // namespace inferd::repository
