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

// Checks a file name that a client sent. It must be relative and have at most 1024 bytes, no empty, "." or ".."
// component, no NUL, backslash or control character. INVALID_ARGUMENT otherwise.
base::Status CheckRelativePath(std::string_view path);

// Checks a model name that a client sent. It must be one path component that does not begin with a dot, printable UTF-8
// without a backslash, at most 255 bytes. INVALID_ARGUMENT otherwise, with a printable message.
base::Status CheckModelName(std::string_view name);

// A temporary folder with the files of a load call. It lives as long as the model that was loaded from them. Immutable
// once made; the destructor removes it.
class StagingFolder final {
 public:
  // Makes a folder with a new name below `parent` (if empty, the system's temporary folder) and writes `files`
  // (relative path, bytes) into it, never through a link. INVALID_ARGUMENT if a path is not allowed, or is repeated.
  static base::Result<std::shared_ptr<const StagingFolder>> Create(
      const std::filesystem::path& parent, const std::vector<std::pair<std::string, std::string>>& files);

  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  explicit StagingFolder(LockedFolder folder) : folder_(std::move(folder)) {}
  const LockedFolder folder_;
};

// Removes folders below `parent` (if empty, the system's temporary folder) that servers which have ended left behind:
// those of this user that nobody has locked. Returns their number.
size_t RemoveAbandonedStaging(const std::filesystem::path& parent);

}  // namespace inferd::storage
