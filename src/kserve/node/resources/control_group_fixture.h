#pragma once

#include <filesystem>

namespace inferd::node {

// The kernel's files go with a group; those of a folder that stands for one do not.
inline bool RemoveStandIn(const std::filesystem::path& group) {
  std::filesystem::remove_all(group);
  return true;
}

}  // namespace inferd::node
