#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "ctl/doctor/finding.h"

namespace inferd::ctl {

// A folder of models, and the disk that has it.
struct Repository {
  std::string path;
  bool is_there = false;
  std::string unreadable;   // why the folder, or a folder in it, cannot be read; empty if all can
  size_t models = 0;        // folders in it
  uint64_t bytes = 0;       // of all files below it
  bool is_counted = true;   // false: there are more files than are counted
  uint64_t disk_free = 0;   // bytes
  uint64_t disk_bytes = 0;  // 0: unknown
};

// Reads the folder. Counts 100,000 files at most, 32 levels deep, without those whose name begins with a dot. Follows
// links, and counts a file once for each name.
Repository ReadRepository(const std::filesystem::path& path);

// `must_exist` is true if the person named the folder.
Findings JudgeRepository(const Repository& repository, bool must_exist);

}  // namespace inferd::ctl
