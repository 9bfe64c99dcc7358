#pragma once

#include <filesystem>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "base/system/file_descriptor.h"

namespace inferd::storage {

// A folder with a new name that is locked (flock(2)) during its life and removed, with its content, at its end. If a
// process dies, its folder stays without a lock, and RemoveAbandonedFolders() finds it. Move-only; not thread-safe.
class LockedFolder final {
 public:
  // Creates a folder named `prefix` and six more characters, below `parent` (if empty, the system's temporary folder),
  // which must exist.
  static base::Result<LockedFolder> Create(const std::filesystem::path& parent, std::string_view prefix);
  ~LockedFolder();
  LockedFolder(LockedFolder&& other) noexcept : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}
  LockedFolder& operator=(LockedFolder&&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  LockedFolder(std::filesystem::path path, base::FileDescriptor lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}

  std::filesystem::path path_;
  base::FileDescriptor lock_;
};

// Removes the folders that Create() made with `prefix` below `parent`, that belong to this user, and whose processes
// have ended, so that they have no lock. Returns their number.
size_t RemoveAbandonedFolders(const std::filesystem::path& parent, std::string_view prefix);

}  // namespace inferd::storage
