#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "storage/tree_stat.h"

namespace inferd::repository {

// A model's folder taken apart (facts 3.4): the version folders, and all that they share.
struct ModelLayout {
  storage::TreeStat shared;                       // config.pbtxt, labels, ...
  std::map<int64_t, storage::TreeStat> versions;  // paths relative to the version's folder
  std::vector<std::string> warnings;              // about folders that look like versions and are none

  bool HasFile(const std::string& path) const;  // among the shared ones
  std::vector<int64_t> VersionNumbers() const;  // ascending
  bool operator==(const ModelLayout&) const = default;
};

// A version folder's name is decimal, without leading zeros, below 2^63. Other folders belong to the shared files.
ModelLayout SplitTree(const storage::TreeStat& tree);

// The names directly inside a version's folder.
std::vector<std::string> TopEntries(const storage::TreeStat& version);

}  // namespace inferd::repository
