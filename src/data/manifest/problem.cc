#include "data/manifest/problem.h"

#include "base/text/printable.h"

namespace inferd::manifest {

namespace {
constexpr size_t kKeyBytesMax = 256;
}

std::string Problem::ToString(std::string_view file) const {
  std::string text(file);
  if (position.line > 0) {
    if (!text.empty()) text += ":";
    text += std::to_string(position.line) + ":" + std::to_string(position.column);
  }
  if (!text.empty()) text += ": ";
  if (!path.empty()) text += path + ": ";
  return text + message;
}

std::string PathOf(std::string_view parent, std::string_view key) {
  const bool plain = !key.empty() && key.find_first_of(".[]/ ") == std::string_view::npos;
  const std::string name = base::Printable(key, kKeyBytesMax);
  if (!plain) return std::string(parent) + "[" + name + "]";
  return parent.empty() ? name : std::string(parent) + "." + name;
}

std::string PathOf(std::string_view parent, size_t index) {
  return std::string(parent) + "[" + std::to_string(index) + "]";
}

}  // namespace inferd::manifest
