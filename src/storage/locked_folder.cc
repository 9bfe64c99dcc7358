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
constexpr int kOpenFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

fs::path ParentOf(const fs::path& parent) {
  std::error_code ignored;
  return parent.empty() ? fs::temp_directory_path(ignored) : parent;
}

bool IsAbandoned(const fs::path& folder) {
  const base::FileDescriptor opened(open(folder.c_str(), kOpenFolder));
  struct stat info{};
  if (!opened || fstat(opened.get(), &info) != 0 || info.st_uid != geteuid()) return false;
  return flock(opened.get(), LOCK_EX | LOCK_NB) == 0;
}

}  // namespace

base::Result<LockedFolder> LockedFolder::Create(const fs::path& parent, std::string_view prefix) {
  const fs::path base = ParentOf(parent);
  std::string pattern = (base / (std::string(prefix) + std::string(kRandomCharacters, 'X'))).string();
  if (mkdtemp(pattern.data()) == nullptr) {
    return std::unexpected(base::Internal("cannot make a folder in " + base.string() + ": " + std::strerror(errno)));
  }
  // Between these two another process may take it for one that was left; then the lock or a file fails.
  base::FileDescriptor lock(open(pattern.c_str(), kOpenFolder));
  if (!lock || flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    const std::string why = std::strerror(errno);
    std::error_code ignored;
    fs::remove_all(pattern, ignored);
    return std::unexpected(base::Internal("cannot lock " + pattern + ": " + why));
  }
  return LockedFolder(std::move(pattern), std::move(lock));
}

LockedFolder::~LockedFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

size_t RemoveAbandonedFolders(const fs::path& parent, std::string_view prefix) {
  std::error_code error;
  std::vector<fs::path> abandoned;
  for (fs::directory_iterator at(ParentOf(parent), error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    const bool ours = name.starts_with(prefix) && name.size() == prefix.size() + kRandomCharacters;
    if (ours && IsAbandoned(at->path())) abandoned.push_back(at->path());
  }
  for (const fs::path& folder : abandoned) fs::remove_all(folder, error);
  return abandoned.size();
}

}  // namespace inferd::storage
