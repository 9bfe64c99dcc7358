#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/status.h"
#include "storage/locked_folder.h"

namespace inferd::node {

// A temporary folder for the Unix sockets of one controller's replicas. Only this user may enter it. Thread-safe.
class SocketFolder final {
 public:
  // Creates the folder, and removes the folders of killed controllers. Errors are those of LockedFolder::Create.
  static base::Result<std::unique_ptr<SocketFolder>> Make();

  // Returns a new path. It leaves room in a socket's address for a short suffix.
  std::string TakePath() { return folder_.path().string() + "/" + std::to_string(next_++); }

 private:
  explicit SocketFolder(storage::LockedFolder folder) : folder_(std::move(folder)) {}

  const storage::LockedFolder folder_;
  std::atomic<uint64_t> next_{0};
};

}  // namespace inferd::node
