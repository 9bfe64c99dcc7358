#include "kserve/local/access/private_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "base/system/file_descriptor.h"

namespace inferd::local {

namespace {

constexpr mode_t kFileMode = S_IRUSR | S_IWUSR;
constexpr mode_t kFolderMode = S_IRWXU;

base::Status Failed(const std::string& path, int error) {
  return base::Unavailable("cannot write '" + path + "': " + std::strerror(error));
}

bool WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return fsync(fd) == 0;
}

// Returns true for a folder of this user, but not for a link to one.
bool IsOwnFolder(const std::string& path) {
  struct stat info{};
  return lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid();
}

}  // namespace

base::Status WritePrivateFile(const std::string& path, std::string_view text) {
  const std::string next = path + ".next";
  unlink(next.c_str());  // left by a killed process
  const base::FileDescriptor file(open(next.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kFileMode));
  if (!file) return Failed(path, errno);
  if (fchmod(file.get(), kFileMode) == 0 && WriteAll(file.get(), text) && rename(next.c_str(), path.c_str()) == 0) {
    return base::OkStatus();
  }
  const int error = errno;
  unlink(next.c_str());
  return Failed(path, error);
}

bool MakePrivateFolder(const std::string& path) {
  struct stat info{};
  if (lstat(path.c_str(), &info) != 0) {
    if (errno != ENOENT) return false;
    const std::string parent = std::filesystem::path(path).parent_path().string();
    if (parent == path) return false;
    // A parent may be a link to a folder of this user, as a home folder may be.
    const bool has_parent = stat(parent.c_str(), &info) == 0;
    if (has_parent ? info.st_uid != geteuid() : !MakePrivateFolder(parent)) return false;
    if (mkdir(path.c_str(), kFolderMode) != 0 && errno != EEXIST) return false;
  }
  return IsOwnFolder(path) && chmod(path.c_str(), kFolderMode) == 0;
}

}  // namespace inferd::local
