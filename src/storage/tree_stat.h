#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace inferd::storage {

// A file or folder at one point in time, after following every symbolic link. If two are equal, nothing was written in
// between (ctime changes with every change, whatever tools do to mtime).
struct FileStat {
  std::string path;  // relative to the tree's root, '/' between components
  bool is_folder = false;
  uint64_t size = 0;  // 0 for a folder
  uint64_t inode = 0;
  int64_t ctime_ns = 0;  // 0 for a folder, whose entries are listed separately

  bool operator==(const FileStat&) const = default;
};

// A model's folder, or a part of it, sorted by path. Plain data.
struct TreeStat {
  std::vector<FileStat> files;

  bool operator==(const TreeStat&) const = default;
};

}  // namespace inferd::storage
