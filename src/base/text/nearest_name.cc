#include "base/text/nearest_name.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text/ascii_case.h"

namespace inferd::base {
namespace {

constexpr size_t kErrorsMax = 3;
constexpr size_t kCharactersPerError = 3;
constexpr size_t kContainedMin = 4;  // characters

bool Same(char a, char b) { return LowerAscii(a) == LowerAscii(b); }

}  // namespace

size_t EditDistance(std::string_view a, std::string_view b, size_t limit) {
  const size_t longer = std::max(a.size(), b.size());
  if (longer - std::min(a.size(), b.size()) > limit) return limit + 1;
  // Rows of the distance matrix: for the first i - 2, i - 1 and i characters of `a`, and all prefixes of `b`.
  std::vector<size_t> before_last(b.size() + 1);
  std::vector<size_t> last(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    std::swap(before_last, last);
    std::swap(last, row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = last[j - 1] + (Same(a[i - 1], b[j - 1]) ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      const bool exchanged = i > 1 && j > 1 && Same(a[i - 1], b[j - 2]) && Same(a[i - 2], b[j - 1]);
      if (exchanged) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    // Distances in later rows are at least the minimum of this row.
    if (*std::ranges::min_element(row) > limit) return limit + 1;
  }
  return std::min(row[b.size()], limit + 1);
}

void NearestName::Offer(std::string_view candidate) {
  const size_t longer = std::max(name_.size(), candidate.size());
  const bool contained = name_.size() >= kContainedMin && candidate.find(name_) != std::string_view::npos;
  const size_t limit = contained ? longer : std::min(longer / kCharactersPerError, kErrorsMax);
  const size_t distance = EditDistance(name_, candidate, limit);
  if (distance > limit || (!nearest_.empty() && distance >= distance_)) return;
  nearest_ = candidate;
  distance_ = distance;
}

std::string NearestName::Suggestion(std::string_view prefix) const {
  return nearest_.empty() ? "" : " (did you mean '" + std::string(prefix) + nearest_ + "'?)";
}

}  // namespace inferd::base
