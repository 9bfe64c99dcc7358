#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "storage/tree_stat.h"

namespace inferd::repository {

// A model's folder taken apart: the version folders, and all that they share.
struct ModelLayout {
  storage::TreeStat shared;                       // config.pbtxt, labels, ...
  std::map<int64_t, storage::TreeStat> versions;  // paths relative to the version's folder
  std::map<int64_t, std::string> folders;         // where a name has leading zeros: the version's
  std::vector<std::string> warnings;              // about folders that look like versions and are none

  bool HasFile(const std::string& path) const;  // among the shared ones
  std::vector<int64_t> VersionNumbers() const;  // ascending
  std::string FolderOf(int64_t version) const;
  bool operator==(const ModelLayout&) const = default;
};

// Which names of folders are versions: decimal numbers below 2^63, without leading zeros (Triton) or with any
// (TensorFlow Serving). Of folders that name the same version, the last one is it.
enum class VersionNames { kExact, kLeadingZeros };

// Folders that are no versions belong to the shared files.
ModelLayout SplitTree(const storage::TreeStat& tree, VersionNames names = VersionNames::kExact);

// The names directly inside a version's folder.
std::vector<std::string> TopEntries(const storage::TreeStat& version);

}  // namespace inferd::repository
