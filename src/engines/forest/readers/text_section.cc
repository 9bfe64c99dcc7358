#include "engines/forest/readers/text_section.h"

namespace inferd::forest {

namespace {

std::string_view TakeLine(std::string_view* text) {
  const size_t end = text->find('\n');
  std::string_view line = text->substr(0, end);
  text->remove_prefix(end == std::string_view::npos ? text->size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

base::Result<TextSection> TextSection::Take(std::string_view* text) {
  TextSection section;
  while (!text->empty()) {
    const std::string_view line = TakeLine(text);
    if (line.empty() && section.empty()) continue;
    if (line.empty()) break;
    const size_t equals = line.find('=');
    const std::string_view key = line.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? std::string_view() : line.substr(equals + 1);
    if (!section.values_.emplace(key, value).second) {
      return std::unexpected(base::InvalidArgument("'" + std::string(key) + "' is there twice"));
    }
  }
  return section;
}

std::string_view TextSection::Text(std::string_view key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? std::string_view() : found->second;
}

base::Result<int64_t> TextSection::Integer(std::string_view key, int64_t min, int64_t max) const {
  INFERD_ASSIGN_OR_RETURN(const std::vector<int64_t> numbers, List<int64_t>(key, 1));
  if (numbers[0] >= min && numbers[0] <= max) return numbers[0];
  return std::unexpected(base::InvalidArgument("'" + std::string(key) + "' is " + std::to_string(numbers[0]) +
                                               ", and not from " + std::to_string(min) + " to " + std::to_string(max)));
}

}  // namespace inferd::forest
