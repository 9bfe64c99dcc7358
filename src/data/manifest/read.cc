#include "data/manifest/read.h"

#include <algorithm>

#include "base/system/regular_file.h"

namespace inferd::manifest {

base::Result<std::vector<Value>> Read(std::string_view text, std::string_view file, const Limits& limits) {
  const bool is_json = text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size())).starts_with('{');
  return is_json ? ReadJson(text, file, limits) : ReadYaml(text, file, limits);
}

base::Result<std::vector<Value>> ReadFile(const std::string& path, const Limits& limits) {
  INFERD_ASSIGN_OR_RETURN(const std::string text, base::ReadRegularFile(path, limits.file_bytes_max));
  return Read(text, path, limits);
}

}  // namespace inferd::manifest
