#include "ctl/import/properties.h"

#include <algorithm>

namespace inferd::ctl {

namespace {

std::string_view WithoutSpaces(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\f");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\f") - begin + 1);
}

// Takes the next line, with those that continue it.
std::string TakeLine(std::string_view& text) {
  std::string line;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view part = WithoutSpaces(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const bool is_comment = line.empty() && (part.starts_with('#') || part.starts_with('!'));
    if (is_comment || !part.ends_with('\\')) return line + std::string(part);
    part.remove_suffix(1);
    line += part;
  }
  return line;
}

}  // namespace

std::map<std::string, std::string> ParseProperties(std::string_view text) {
  std::map<std::string, std::string> properties;
  while (!text.empty()) {
    const std::string line = TakeLine(text);
    if (line.empty() || line.starts_with('#') || line.starts_with('!')) continue;
    const size_t end = line.find_first_of("=:");
    const std::string_view key = WithoutSpaces(std::string_view(line).substr(0, end));
    const std::string_view value =
        end == std::string::npos ? std::string_view() : WithoutSpaces(std::string_view(line).substr(end + 1));
    properties.insert_or_assign(std::string(key), std::string(value));
  }
  return properties;
}

}  // namespace inferd::ctl
