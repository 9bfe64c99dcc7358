#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "storage/tree_stat.h"

namespace inferd::repository {

// The contents of a model's folder: the version folders, and the files that all versions share.
struct ModelLayout {
  storage::TreeStat shared;                       // config.pbtxt, labels, ...
  std::map<int64_t, storage::TreeStat> versions;  // paths relative to the version's folder
  std::map<int64_t, std::string> folders;         // names of version folders with leading zeros
  std::vector<std::string> warnings;              // about folders that look like versions but are not

  bool HasFile(const std::string& path) const;  // among the shared ones
  std::vector<int64_t> VersionNumbers() const;  // ascending
  std::string FolderOf(int64_t version) const;
  bool operator==(const ModelLayout&) const = default;
};

// The folder names that are versions: decimal numbers below 2^63, without leading zeros (Triton) or with any number of
// them (TensorFlow Serving). If several folders name the same version, the last one counts.
enum class VersionNames { kExact, kLeadingZeros };

// Splits the tree of a model's folder. Folders that are not versions belong to the shared files.
ModelLayout SplitTree(const storage::TreeStat& tree, VersionNames names = VersionNames::kExact);

// Returns the names directly inside a version's folder.
std::vector<std::string> TopEntries(const storage::TreeStat& version);

}  // namespace inferd::repository
