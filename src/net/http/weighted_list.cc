#include "net/http/weighted_list.h"

#include <cstddef>

#include "base/text/ascii_case.h"
#include "net/http/ascii.h"

namespace inferd::net {

namespace {

// Returns the part of `text` before `separator`, and removes both from `text`.
std::string_view NextPart(std::string_view& text, char separator) {
  const size_t end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return TrimSpace(part);
}

// Parses a weight in thousandths: qvalue = ( "0" [ "." 0*3DIGIT ] ) / ( "1" [ "." 0*3("0") ] ).
std::optional<int> ParseWeight(std::string_view text) {
  constexpr int kMax = WeightedItem::kWeightMax;
  if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1')) return std::nullopt;
  int weight = (text[0] - '0') * kMax;
  if (text.size() > 1 && text[1] != '.') return std::nullopt;
  int unit = kMax / 10;
  for (size_t i = 2; i < text.size(); ++i, unit /= 10) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    weight += (text[i] - '0') * unit;
  }
  return weight <= kMax ? std::optional(weight) : std::nullopt;
}

}  // namespace

std::optional<WeightedItem> WeightedList::Next() {
  if (rest_.empty() || malformed_) return std::nullopt;
  std::string_view text = NextPart(rest_, ',');
  WeightedItem item{.name = NextPart(text, ';')};
  while (!text.empty()) {
    std::string_view parameter = NextPart(text, ';');
    if (!base::EqualWithoutCase(NextPart(parameter, '='), "q")) {
      item.has_parameters = true;
      continue;
    }
    const std::optional<int> weight = ParseWeight(TrimSpace(parameter));
    if (!weight) {
      malformed_ = true;
      return std::nullopt;
    }
    item.weight = *weight;
  }
  return item;
}

}  // namespace inferd::net
