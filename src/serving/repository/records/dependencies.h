#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

namespace inferd::repository {

// Which models need which others, by both ends, and which are to be planned again as what they need has changed. A
// model that is needed may be unknown. What a change costs goes with the models that need what changed. Not
// thread-safe: guarded by the manager's lock.
class Dependencies final {
 public:
  using Names = std::set<std::string, std::less<>>;

  // What the model needs, in place of what it needed. Models that need it are planned again if that differs.
  void Set(const std::string& model, Names needed);

  const Names& NeededBy(std::string_view model) const { return Find(needed_, model); }
  const Names& DependentsOf(std::string_view model) const { return Find(dependents_, model); }
  // What these need, and what that needs, and so on, without themselves unless they are in a circle.
  Names AllNeededBy(const Names& models) const;
  // "a -> b -> a", the shortest that leads from the model to itself; empty: there is none.
  std::string CircleOf(const std::string& model) const;

  // How a model looks to those that need it: they are planned again if that is not what was noted before.
  void NoteLook(const std::string& model, std::string look);
  void PlanLater(const std::string& model) { affected_.insert(model); }
  bool AnyAffected() const { return !affected_.empty(); }
  Names TakeAffected();

 private:
  using Edges = std::map<std::string, Names, std::less<>>;
  static const Names& Find(const Edges& edges, std::string_view model);
  void PlanDependents(const std::string& model);

  Edges needed_;                                           // none is empty
  Edges dependents_;                                       // none is empty
  std::map<std::string, std::string, std::less<>> looks_;  // of models that others need
  Names affected_;
};

}  // namespace inferd::repository
