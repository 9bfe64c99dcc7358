#include "storage/download/placement.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/system/file_descriptor.h"

namespace inferd::storage {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStagingPrefix = ".inferd-download-";  // dot-folders of a model tree are ignored

base::Status FromErrno(const fs::path& path, int error) {
  const std::string text = path.string() + ": " + std::strerror(error);
  return error == ENOSPC || error == EDQUOT ? base::ResourceExhausted(text) : base::Internal(text);
}

base::Status SyncOne(const fs::path& path, int flags) {
  const base::FileDescriptor opened(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | flags));
  if (!opened || fsync(opened.get()) != 0) return FromErrno(path, errno);
  return {};
}

bool Rename(const fs::path& from, const fs::path& to, unsigned int flags) {
  return renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags) == 0;
}

// Not every file system can exchange two paths. If it cannot, the old entry is moved away first, and is missing for a
// moment.
base::Status Replace(const fs::path& from, const fs::path& to, const fs::path& aside) {
  if (Rename(from, to, RENAME_NOREPLACE)) return {};
  if (errno == EEXIST && Rename(from, to, RENAME_EXCHANGE)) return {};
  if (errno != EINVAL && errno != ENOSYS) return FromErrno(to, errno);
  if (!Rename(to, aside, 0) && errno != ENOENT) return FromErrno(to, errno);
  return Rename(from, to, 0) ? base::OkStatus() : FromErrno(to, errno);
}

}  // namespace

base::Status SyncTree(const fs::path& path) {
  std::error_code error;
  if (fs::is_regular_file(fs::symlink_status(path, error))) return SyncOne(path, 0);
  fs::recursive_directory_iterator at(path, error);
  for (const fs::recursive_directory_iterator end; !error && at != end; at.increment(error)) {
    if (at->is_symlink()) continue;
    INFERD_RETURN_IF_ERROR(SyncOne(at->path(), at->is_directory() ? O_DIRECTORY : 0));
  }
  if (error) return FromErrno(path, error.value());
  return SyncOne(path, O_DIRECTORY);
}

Placement::Placement(fs::path place, LockedFolder staging)
    : place_(std::move(place)),
      staging_(std::move(staging)),
      folder_(staging_.path() / "model"),
      scratch_(staging_.path() / "scratch") {}

base::Result<Placement> Placement::Begin(const fs::path& given) {
  std::error_code error;
  fs::path place = fs::absolute(given, error).lexically_normal();
  if (!place.has_filename()) place = place.parent_path();  // a '/' at the end
  const fs::path parent = fs::is_directory(place, error) ? place : place.parent_path();
  fs::create_directories(parent, error);
  if (error) return std::unexpected(FromErrno(parent, error.value()));
  RemoveAbandonedFolders(parent, kStagingPrefix);
  INFERD_ASSIGN_OR_RETURN(LockedFolder staging, LockedFolder::Create(parent, kStagingPrefix));
  Placement placement(std::move(place), std::move(staging));
  for (const fs::path& folder : {placement.folder_, placement.scratch_}) {
    if (!fs::create_directory(folder, error)) return std::unexpected(FromErrno(folder, error.value()));
  }
  return placement;
}

base::Status Placement::Commit() {
  INFERD_RETURN_IF_ERROR(SyncTree(folder_));
  if (Rename(folder_, place_, RENAME_NOREPLACE)) return SyncOne(place_.parent_path(), O_DIRECTORY);
  std::error_code error;
  if (!fs::is_directory(place_, error)) {
    INFERD_RETURN_IF_ERROR(Replace(folder_, place_, scratch_ / "replaced"));
    return SyncOne(place_.parent_path(), O_DIRECTORY);
  }
  size_t replaced = 0;
  fs::directory_iterator at(folder_, error);
  for (const fs::directory_iterator end; !error && at != end; at.increment(error)) {
    const fs::path aside = staging_.path() / ("replaced-" + std::to_string(replaced++));
    INFERD_RETURN_IF_ERROR(Replace(at->path(), place_ / at->path().filename(), aside));
  }
  if (error) return FromErrno(folder_, error.value());
  return SyncOne(place_, O_DIRECTORY);
}

}  // namespace inferd::storage
