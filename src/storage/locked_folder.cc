#include "storage/locked_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace inferd::storage {

namespace {

namespace fs = std::filesystem;

constexpr size_t kRandomCharacters = 6;  // mkdtemp(3)
constexpr int kTriesMax = 100;
constexpr int kOpenFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

fs::path ParentOf(const fs::path& parent) {
  std::error_code ignored;
  return parent.empty() ? fs::temp_directory_path(ignored) : parent;
}

// Locks a folder that no process has locked. Returns none if a process has, or if the folder is another user's.
base::FileDescriptor LockAbandoned(const fs::path& folder) {
  base::FileDescriptor opened(open(folder.c_str(), kOpenFolder));
  struct stat info{};
  if (!opened || fstat(opened.get(), &info) != 0 || info.st_uid != geteuid()) return {};
  if (flock(opened.get(), LOCK_EX | LOCK_NB) != 0) return {};
  return opened;
}

// Returns true if the path still leads to the opened file.
bool StandsAt(const base::FileDescriptor& opened, const std::string& path) {
  struct stat own{};
  struct stat there{};
  return fstat(opened.get(), &own) == 0 && lstat(path.c_str(), &there) == 0 && own.st_dev == there.st_dev &&
         own.st_ino == there.st_ino;
}

}  // namespace

base::Result<LockedFolder> LockedFolder::Create(const fs::path& parent, std::string_view prefix) {
  const fs::path base = ParentOf(parent);
  // Before the folder is locked, another process may take it for an abandoned one and remove it.
  for (int tries = 1;; ++tries) {
    std::string pattern = (base / (std::string(prefix) + std::string(kRandomCharacters, 'X'))).string();
    if (mkdtemp(pattern.data()) == nullptr) {
      return std::unexpected(base::Internal("cannot make a folder in " + base.string() + ": " + std::strerror(errno)));
    }
    base::FileDescriptor lock(open(pattern.c_str(), kOpenFolder));
    if (lock && flock(lock.get(), LOCK_EX | LOCK_NB) == 0 && StandsAt(lock, pattern)) {
      return LockedFolder(std::move(pattern), std::move(lock));
    }
    const std::string why = std::strerror(errno);
    std::error_code ignored;
    fs::remove_all(pattern, ignored);
    if (tries == kTriesMax) return std::unexpected(base::Internal("cannot lock " + pattern + ": " + why));
  }
}

LockedFolder::~LockedFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

size_t RemoveAbandonedFolders(const fs::path& parent, std::string_view prefix) {
  std::error_code error;
  std::vector<fs::path> found;
  size_t removed = 0;
  for (fs::directory_iterator at(ParentOf(parent), error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    const bool ours = name.starts_with(prefix) && name.size() == prefix.size() + kRandomCharacters;
    if (ours) found.push_back(at->path());
  }
  for (const fs::path& folder : found) {
    // Held until the folder is removed: a process that was about to lock it makes another one.
    const base::FileDescriptor lock = LockAbandoned(folder);
    if (!lock) continue;
    fs::remove_all(folder, error);
    ++removed;
  }
  return removed;
}

}  // namespace inferd::storage
