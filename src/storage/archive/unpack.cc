#include "storage/archive/unpack.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text/printable.h"
#include "storage/archive/archive_reader.h"
#include "storage/staging.h"

namespace inferd::storage {

namespace {

namespace fs = std::filesystem;

constexpr mode_t kFileMode = 0666;  // minus the process's umask
constexpr mode_t kExecutableMode = 0777;

// Normalizes "./a//b/" to "a/b"; empty for the archive's root. A forbidden path is an error.
base::Result<std::string> PathInside(const std::string& written, int depth_max) {
  if (written.starts_with('/')) return std::unexpected(base::InvalidArgument("the path is absolute"));
  std::string path;
  int depth = 0;
  for (size_t begin = 0; begin < written.size();) {
    const size_t end = std::min(written.find('/', begin), written.size());
    const std::string_view part = std::string_view(written).substr(begin, end - begin);
    begin = end + 1;
    if (part.empty() || part == ".") continue;
    if (++depth > depth_max) {
      return std::unexpected(base::ResourceExhausted("it is nested deeper than " + std::to_string(depth_max)));
    }
    if (!path.empty()) path += '/';
    path += part;
  }
  if (!path.empty()) INFERD_RETURN_IF_ERROR(CheckRelativePath(path));
  return path;
}

base::Status SystemError(int error) {
  if (error == EEXIST || error == ENOTDIR || error == EISDIR) {
    return base::InvalidArgument("the archive has something else of that name");
  }
  if (error == ENOSPC || error == EDQUOT) return base::ResourceExhausted(std::strerror(error));
  return base::Internal(std::strerror(error));
}

bool IsBelow(const fs::path& path, const fs::path& folder) {
  return std::ranges::mismatch(folder, path).in1 == folder.end();
}

// One run of Unpack(). While it writes files, the folder has no symbolic link, so that no path leads out of it. Links
// are made at the end, and checked when all of them exist, since a link's target may depend on other links.
class Unpacking final {
 public:
  Unpacking(const fs::path& folder, uint64_t archive_bytes, const UnpackLimits& limits, std::stop_token stop)
      : folder_(folder), archive_bytes_(archive_bytes), limits_(limits), stop_(std::move(stop)) {}

  base::Status Run(ArchiveReader& reader) {
    size_t entries = 0;
    for (;; ++entries) {
      auto next = reader.NextEntry();
      if (!next.has_value()) return NotValid(next.error());
      const std::optional<ArchiveEntry>& entry = *next;
      if (!entry.has_value()) break;
      if (entries >= limits_.entries_max) {
        return base::ResourceExhausted("the archive has more than " + std::to_string(limits_.entries_max) + " entries");
      }
      INFERD_RETURN_IF_ERROR(CheckStop());
      const ArchiveEntry& found = *entry;
      const base::Status made = MakeEntry(found, reader);
      if (!made.ok()) return made.WithContext("entry " + base::QuotedName(found.path));
    }
    if (entries == 0) return NotValid(base::InvalidArgument("it is empty"));
    return MakeSymlinks();
  }

 private:
  static base::Status NotValid(const base::Status& why) {
    return base::InvalidArgument("Failed to unpack archive file. The file format is not valid. (" + why.message() +
                                 ")");
  }

  base::Status CheckStop() const {
    return stop_.stop_requested() ? base::Cancelled("the unpacking was cancelled") : base::OkStatus();
  }

  base::Status MakeEntry(const ArchiveEntry& entry, ArchiveReader& reader) {
    INFERD_ASSIGN_OR_RETURN(const std::string path, PathInside(entry.path, limits_.depth_max));
    if (path.empty()) {
      return entry.kind == EntryKind::kFolder ? base::OkStatus() : base::InvalidArgument("it has no name");
    }
    const fs::path place = folder_ / path;
    std::error_code error;
    fs::create_directories(entry.kind == EntryKind::kFolder ? place : place.parent_path(), error);
    if (error) return SystemError(error.value());
    switch (entry.kind) {
      case EntryKind::kFolder: return {};
      case EntryKind::kFile: return WriteFile(place, entry.executable, reader);
      case EntryKind::kHardlink: return MakeHardlink(place, entry.target);
      case EntryKind::kSymlink: symlinks_.emplace_back(path, entry.target); return {};
      case EntryKind::kOther: break;
    }
    return base::InvalidArgument("it is neither a file, a folder nor a link");
  }

  base::Status WriteFile(const fs::path& place, bool executable, ArchiveReader& reader) {
    const base::FileDescriptor file(open(place.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                                         executable ? kExecutableMode : kFileMode));
    if (!file) return SystemError(errno);
    uint64_t size = 0;
    for (;;) {
      auto next = reader.NextBlock();
      if (!next.has_value()) return NotValid(next.error());
      const std::optional<ArchiveBlock>& block = *next;
      if (!block.has_value()) break;
      const ArchiveBlock& piece = *block;
      const uint64_t end = piece.offset + piece.bytes.size();
      if (end < piece.offset || end < size) return NotValid(base::InvalidArgument("its pieces overlap"));
      INFERD_RETURN_IF_ERROR(Count(end - size));
      INFERD_RETURN_IF_ERROR(CheckStop());
      INFERD_RETURN_IF_ERROR(WriteAt(file.get(), piece));
      size = end;
    }
    return ftruncate(file.get(), static_cast<off_t>(size)) == 0 ? base::OkStatus() : SystemError(errno);
  }

  static base::Status WriteAt(int file, ArchiveBlock block) {
    while (!block.bytes.empty()) {
      const ssize_t written = pwrite(file, block.bytes.data(), block.bytes.size(), static_cast<off_t>(block.offset));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return SystemError(errno);
      block.offset += static_cast<uint64_t>(written);
      block.bytes.remove_prefix(static_cast<size_t>(written));
    }
    return {};
  }

  base::Status Count(uint64_t bytes) {
    if (bytes > limits_.bytes_max - bytes_) {
      return base::ResourceExhausted("the archive has more than " + std::to_string(limits_.bytes_max) +
                                     " bytes of files");
    }
    bytes_ += bytes;
    if (bytes_ > limits_.ratio_free_bytes && bytes_ / std::max<uint64_t>(archive_bytes_, 1) >= limits_.ratio_max) {
      return base::ResourceExhausted("the archive's files are more than " + std::to_string(limits_.ratio_max) +
                                     " times as large as itself");
    }
    return {};
  }

  base::Status MakeHardlink(const fs::path& place, const std::string& target) {
    auto path = PathInside(target, limits_.depth_max);
    if (!path.has_value()) return path.error().WithContext("its link");
    struct stat info{};
    if (lstat((folder_ / *path).c_str(), &info) != 0 || !S_ISREG(info.st_mode)) {
      return base::InvalidArgument("it is a link to a file that does not stand before it");
    }
    return link((folder_ / *path).c_str(), place.c_str()) == 0 ? base::OkStatus() : SystemError(errno);
  }

  base::Status MakeSymlinks() const {
    for (const auto& [path, target] : symlinks_) {
      base::Status made;
      if (target.empty() || target.front() == '/') {
        made = base::InvalidArgument("it is a link out of the archive");
      } else if (symlink(target.c_str(), (folder_ / path).c_str()) != 0) {
        made = SystemError(errno);
      }
      if (!made.ok()) return made.WithContext("entry " + base::QuotedName(path));
    }
    std::error_code error;
    const fs::path root = fs::canonical(folder_, error);
    for (const auto& [path, target] : symlinks_) {
      const fs::path leads_to = fs::canonical(folder_ / path, error);
      if (error || !IsBelow(leads_to, root)) {
        return base::InvalidArgument("entry " + base::QuotedName(path) +
                                     ": it is a link out of the archive, or to nothing");
      }
    }
    return {};
  }

  const fs::path& folder_;
  const uint64_t archive_bytes_;
  const UnpackLimits& limits_;
  const std::stop_token stop_;
  uint64_t bytes_ = 0;                                         // of the files so far
  std::vector<std::pair<std::string, std::string>> symlinks_;  // path, target
};

}  // namespace

base::Status Unpack(const fs::path& archive, ArchiveKind kind, const fs::path& folder, const UnpackLimits& limits,
                    std::stop_token stop) {
  struct stat info{};
  if (stat(archive.c_str(), &info) != 0) return base::NotFound(archive.string() + ": " + std::strerror(errno));
  auto reader = ArchiveReader::Open(archive, kind);
  if (!reader.has_value()) {
    return base::InvalidArgument("Failed to unpack archive file. The file format is not valid. (" +
                                 reader.error().message() + ")");
  }
  return Unpacking(folder, static_cast<uint64_t>(info.st_size), limits, std::move(stop)).Run(*reader);
}

}  // namespace inferd::storage
