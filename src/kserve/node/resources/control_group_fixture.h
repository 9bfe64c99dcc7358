#pragma once

#include <filesystem>

namespace inferd::node {

// Removes a stand-in for a group. The kernel removes a real group's files with it, but not those of a plain folder.
inline bool RemoveStandIn(const std::filesystem::path& group) {
  std::filesystem::remove_all(group);
  return true;
}

}  // namespace inferd::node
