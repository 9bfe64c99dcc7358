#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace inferd::base {

// Returns the number of typing errors between two names: characters left out, added or replaced, or two neighbours
// exchanged (the optimal string alignment distance). Ignores case. Returns `limit` + 1 if there are more than `limit`.
// Takes time in proportion to the product of both lengths.
size_t EditDistance(std::string_view a, std::string_view b, size_t limit);

// Finds the candidate that `name` was probably meant to be: the one with the fewest typing errors, the first of equals.
// One error is allowed for each three characters of the longer name, and three at most. A candidate that contains a
// name of four characters or more is near, whatever its length.
class NearestName {
 public:
  explicit NearestName(std::string_view name) : name_(name) {}
  void Offer(std::string_view candidate);
  // Returns " (did you mean '<prefix>name'?)", or "" if no candidate is near.
  std::string Suggestion(std::string_view prefix = "") const;

 private:
  std::string name_;
  std::string nearest_;
  size_t distance_ = 0;
};

// Returns the suggestion after all candidates were offered.
template <typename Candidates>
std::string SuggestName(std::string_view name, const Candidates& candidates, std::string_view prefix = "") {
  NearestName nearest(name);
  for (const auto& candidate : candidates) nearest.Offer(candidate);
  return nearest.Suggestion(prefix);
}

}  // namespace inferd::base
