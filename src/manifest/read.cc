#include "manifest/read.h"

#include "base/system/regular_file.h"
#include "json/text.h"

namespace inferd::manifest {

base::Result<std::vector<Value>> Read(std::string_view text, std::string_view file, const Limits& limits) {
  const char* const end = text.data() + text.size();
  const char* const begin = json::SkipSpace(text.data(), end);
  const bool is_json = begin != end && *begin == '{';
  return is_json ? ReadJson(text, file, limits) : ReadYaml(text, file, limits);
}

base::Result<std::vector<Value>> ReadFile(const std::string& path, const Limits& limits) {
  INFERD_ASSIGN_OR_RETURN(const std::string text, base::ReadRegularFile(path, limits.file_bytes_max));
  return Read(text, path, limits);
}

}  // namespace inferd::manifest
