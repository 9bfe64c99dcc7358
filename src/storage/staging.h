#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "storage/locked_folder.h"

namespace inferd::storage {

// Whether a client may name a file so: relative, at most 1024 bytes, no empty, "." or ".." component, no NUL, backslash
// or control character. INVALID_ARGUMENT otherwise.
base::Status CheckRelativePath(std::string_view path);

// Whether a client may name a model so: one path component that does not begin with a dot, printable UTF-8
// without a backslash, at most 255 bytes. INVALID_ARGUMENT otherwise; its message is printable.
base::Status CheckModelName(std::string_view name);

// A folder of our own that holds the files of a load call for as long as the model that was loaded from them lives.
// Immutable once made; the destructor removes it.
class StagingFolder final {
 public:
  // Makes a folder of a new name below `parent` (empty: the system's temporary folder) and writes `files` (relative
  // path, bytes) into it, never through a link. INVALID_ARGUMENT: a path that is not allowed, or named twice.
  static base::Result<std::shared_ptr<const StagingFolder>> Create(
      const std::filesystem::path& parent, const std::vector<std::pair<std::string, std::string>>& files);

  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  explicit StagingFolder(LockedFolder folder) : folder_(std::move(folder)) {}
  const LockedFolder folder_;
};

// Removes the folders that servers which are no more have left below `parent` (empty: the system's temporary folder):
// of this user, and with nobody's lock. How many.
size_t RemoveAbandonedStaging(const std::filesystem::path& parent);

}  // namespace inferd::storage
