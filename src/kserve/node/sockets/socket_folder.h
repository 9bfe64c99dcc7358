#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/status.h"
#include "storage/locked_folder.h"

namespace inferd::node {

// A temporary folder for the Unix sockets of the replicas of one controller. Only this user may enter it. Thread-safe.
class SocketFolder final {
 public:
  // Makes the folder, and removes those of controllers that were killed. The errors are those of LockedFolder::Create.
  static base::Result<std::unique_ptr<SocketFolder>> Make();

  // Returns a path that it has not returned before. A few more bytes behind it still fit into a socket's address.
  std::string TakePath() { return folder_.path().string() + "/" + std::to_string(next_++); }

 private:
  explicit SocketFolder(storage::LockedFolder folder) : folder_(std::move(folder)) {}

  const storage::LockedFolder folder_;
  std::atomic<uint64_t> next_{0};
};

}  // namespace inferd::node
