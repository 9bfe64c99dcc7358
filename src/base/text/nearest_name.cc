#include "config/nearest_name.h"

#include <algorithm>
#include <vector>

namespace inferd::config {
namespace {

// Returns Levenshtein's distance.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

void NearestName::Offer(std::string_view candidate) {
  const size_t distance = EditDistance(name_, candidate);
  // A third of the letters may be wrong; a name that continues the given one is near too.
  const bool near = distance * 3 <= std::max(name_.size(), candidate.size()) ||
                    (name_.size() >= 4 && candidate.find(name_) != std::string_view::npos);
  if (!near || (!nearest_.empty() && distance >= distance_)) return;
  nearest_ = candidate;
  distance_ = distance;
}

std::string NearestName::Suggestion(std::string_view prefix) const {
  return nearest_.empty() ? "" : " (did you mean '" + std::string(prefix) + nearest_ + "'?)";
}

}  // namespace inferd::config
