#include "ctl/text/suggestion.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text/ascii_case.h"

namespace inferd::ctl {

namespace {

bool Same(char a, char b) { return base::LowerAscii(a) == base::LowerAscii(b); }

size_t ErrorsMax(std::string_view name) {
  constexpr size_t kErrorsMax = 3;
  constexpr size_t kCharactersPerError = 3;
  // A name with one character gets no suggestion.
  return name.size() < 2 ? 0 : std::min((name.size() + kCharactersPerError - 1) / kCharactersPerError, kErrorsMax);
}

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

std::string_view Nearest(std::string_view name, std::span<const std::string> candidates) {
  std::string_view nearest;
  size_t limit = ErrorsMax(name) + 1;
  for (const std::string& candidate : candidates) {
    if (limit == 0) break;
    const size_t distance = EditDistance(name, candidate, limit - 1);
    if (distance >= limit) continue;
    nearest = candidate;
    limit = distance;
  }
  return nearest;
}

std::string Suggestion(std::string_view name, std::span<const std::string> candidates) {
  const std::string_view nearest = Nearest(name, candidates);
  return nearest.empty() ? "" : "; did you mean '" + std::string(nearest) + "'?";
}

}  // namespace inferd::ctl
