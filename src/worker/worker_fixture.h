#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

// What tests with real worker processes share.

namespace inferd::worker {

inline const std::filesystem::path kLibrary = std::filesystem::path(INFERD_ENGINES_DIR) / "fake.so";
inline const std::filesystem::path kProgram = std::filesystem::path(INFERD_PROGRAMS_DIR) / "inferd-worker";

// The worker processes of this test.
inline std::set<pid_t> Workers() {
  std::set<pid_t> workers;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream stat(entry.path() / "stat");
    pid_t pid = 0;
    std::string name;
    char state = 0;
    pid_t parent = 0;
    if (stat >> pid >> name >> state >> parent && parent == getpid() && name == "(inferd-worker)" && state != 'Z') {
      workers.insert(pid);
    }
  }
  return workers;
}

}  // namespace inferd::worker
