#include "config/base_path.h"

#include <algorithm>

namespace inferd::config {

std::string LocalPath(std::string_view uri) {
  for (const std::string_view begin : {"file:///", "file://localhost/"}) {
    if (uri.starts_with(begin)) return std::string(uri.substr(begin.size() - 1));
  }
  return std::string(uri);
}

NamedPath SplitNamedPath(std::string_view text) {
  if (text.starts_with('/') || text.starts_with("file:")) return {.name = "", .path = LocalPath(text)};
  const size_t equals = std::min({text.find("=/"), text.find("=file:"), text.find("=gs:"), text.find("=s3:")});
  const size_t split = equals == std::string_view::npos ? text.find('=') : equals;
  if (split == std::string_view::npos || split == 0) return {.name = "", .path = std::string(text)};
  return {.name = std::string(text.substr(0, split)), .path = LocalPath(text.substr(split + 1))};
}

}  // namespace inferd::config
