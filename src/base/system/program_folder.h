#pragma once

#include <filesystem>
#include <system_error>

namespace inferd::base {

// Returns the folder of this program and the others of its installation: <prefix>/bin. Empty if the system does not
// tell.
inline std::filesystem::path ProgramFolder() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
}

}  // namespace inferd::base
