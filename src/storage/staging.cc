#include "storage/staging.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/text/printable.h"

namespace inferd::storage {

namespace {

namespace fs = std::filesystem;

constexpr size_t kPathBytesMax = 1024;
constexpr size_t kNameBytesMax = 255;

base::Status Refuse(std::string_view path, std::string_view why) {
  return base::InvalidArgument("file " + base::QuotedName(path) + ": " + std::string(why));
}

bool HasOddCharacter(std::string_view text) {
  for (const unsigned char c : text) {
    if (c < 0x20 || c == 0x7f || c == '\\') return true;
  }
  return false;
}

base::Status WriteFile(const fs::path& path, std::string_view bytes) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) {
    if (errno == EEXIST) return base::InvalidArgument("file '" + path.filename().string() + "' is given twice");
    return base::Internal("cannot write " + path.string() + ": " + std::strerror(errno));
  }
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      const int error = errno;
      close(fd);
      return base::Internal("cannot write " + path.string() + ": " + std::strerror(error));
    }
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  close(fd);
  return base::OkStatus();
}

constexpr std::string_view kPrefix = "inferd-load-";

}  // namespace

size_t RemoveAbandonedStaging(const fs::path& parent) { return RemoveAbandonedFolders(parent, kPrefix); }

base::Status CheckRelativePath(std::string_view path) {
  if (path.empty()) return Refuse(path, "the path is empty");
  if (path.size() > kPathBytesMax) return Refuse(path.substr(0, 64), "the path is longer than 1024 bytes");
  if (path.front() == '/') return Refuse(path, "the path is absolute");
  if (HasOddCharacter(path)) return Refuse(path, "the path has a backslash or a control character");
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view part = path.substr(begin, end - begin);
    if (part.empty() || part == ".") return Refuse(path, "the path has an empty component");
    if (part == "..") return Refuse(path, "the path leads out of the model's folder");
    if (part.size() > kNameBytesMax) return Refuse(path.substr(0, 64), "a component is longer than 255 bytes");
    begin = end + 1;
  }
  return base::OkStatus();
}

base::Status CheckModelName(std::string_view name) {
  if (name.empty()) return base::InvalidArgument("the model's name is empty");
  if (name.size() > kNameBytesMax) return base::InvalidArgument("the model's name is longer than 255 bytes");
  if (name.front() == '.' || name.find('/') != std::string_view::npos || name.find('\\') != std::string_view::npos ||
      !base::IsPrintable(name)) {
    return base::InvalidArgument(base::QuotedName(name) +
                                 " is no name of a model: it begins with a dot, has a slash, a backslash or a control "
                                 "character, or is not UTF-8");
  }
  return base::OkStatus();
}

base::Result<std::shared_ptr<const StagingFolder>> StagingFolder::Create(
    const fs::path& parent, const std::vector<std::pair<std::string, std::string>>& files) {
  for (const auto& [path, bytes] : files) INFERD_RETURN_IF_ERROR(CheckRelativePath(path));
  INFERD_ASSIGN_OR_RETURN(LockedFolder folder, LockedFolder::Create(parent, kPrefix));
  std::shared_ptr<const StagingFolder> staging(new StagingFolder(std::move(folder)));
  for (const auto& [path, bytes] : files) {
    const fs::path target = staging->path() / path;
    std::error_code error;
    fs::create_directories(target.parent_path(), error);
    if (error) return std::unexpected(base::InvalidArgument("file '" + path + "': " + error.message()));
    INFERD_RETURN_IF_ERROR(WriteFile(target, bytes));
  }
  return staging;
}

}  // namespace inferd::storage
