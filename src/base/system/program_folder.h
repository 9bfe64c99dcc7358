#pragma once

#include <filesystem>
#include <system_error>

namespace inferd::base {

// Where this program is, with the others of its installation: <prefix>/bin. Empty: the system does not say.
inline std::filesystem::path ProgramFolder() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
}

}  // namespace inferd::base
