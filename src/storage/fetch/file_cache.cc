#include "storage/fetch/file_cache.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/text/hex.h"
#include "storage/fetch/file_copy.h"
#include "storage/locked_folder.h"

namespace inferd::storage {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kIncomingPrefix = ".inferd-cache-";
constexpr size_t kNameBytes = 64;  // SHA-256

std::string Digest(const std::string& text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned int size = 0;
  EVP_Digest(text.data(), text.size(), bytes.data(), &size, EVP_sha256(), nullptr);
  std::string digest;
  for (unsigned int i = 0; i < size; ++i) base::AppendHex(digest, bytes[i], 2);
  return digest;
}

struct KeptFile {
  timespec used{};
  uint64_t size = 0;
  fs::path path;
};

std::vector<KeptFile> FilesIn(const fs::path& folder) {
  std::vector<KeptFile> files;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    struct stat info{};
    const bool ours = at->path().filename().string().size() == kNameBytes;
    if (!ours || lstat(at->path().c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    files.push_back({.used = info.st_mtim, .size = static_cast<uint64_t>(info.st_size), .path = at->path()});
  }
  std::ranges::sort(files, {}, [](const KeptFile& file) { return std::pair(file.used.tv_sec, file.used.tv_nsec); });
  return files;
}

}  // namespace

base::Result<FileCache> FileCache::Open(fs::path folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return std::unexpected(base::Internal(folder.string() + ": " + error.message()));
  RemoveAbandonedFolders(folder, kIncomingPrefix);
  return FileCache(std::move(folder));
}

fs::path FileCache::PathOf(const std::string& place, const RemoteFile& file) const {
  std::string identity;
  // Each part has its length, so that different parts never give the same text.
  for (const std::string& part : {place, file.key, file.tag, file.size.has_value() ? std::to_string(*file.size) : ""}) {
    identity += std::to_string(part.size()) + ":" + part;
  }
  return folder_ / Digest(identity);
}

base::Result<bool> FileCache::Take(const std::string& place, const RemoteFile& file, const fs::path& local) const {
  if (file.tag.empty()) return false;
  const fs::path kept = PathOf(place, file);
  const base::Status copied = CopyFile(kept, local, false);
  if (copied.code() == base::StatusCode::kNotFound) return false;
  INFERD_RETURN_IF_ERROR(copied);
  struct stat info{};
  const bool whole =
      stat(local.c_str(), &info) == 0 && (!file.size.has_value() || static_cast<uint64_t>(info.st_size) == *file.size);
  if (!whole) {  // something wrote to it
    unlink(local.c_str());
    unlink(kept.c_str());
    return false;
  }
  utimensat(AT_FDCWD, kept.c_str(), nullptr, 0);  // marks it as used now
  return true;
}

base::Status FileCache::Keep(const std::string& place, const RemoteFile& file, const fs::path& local) const {
  if (file.tag.empty()) return {};
  INFERD_ASSIGN_OR_RETURN(const LockedFolder incoming, LockedFolder::Create(folder_, kIncomingPrefix));
  INFERD_RETURN_IF_ERROR(CopyFile(local, incoming.path() / "file", true));
  std::error_code error;
  fs::rename(incoming.path() / "file", PathOf(place, file), error);
  return error ? base::Internal(folder_.string() + ": " + error.message()) : base::OkStatus();
}

void FileCache::Trim(uint64_t bytes_max) const {
  const std::vector<KeptFile> files = FilesIn(folder_);
  uint64_t bytes = 0;
  for (const KeptFile& file : files) bytes += file.size;
  for (const KeptFile& file : files) {
    if (bytes <= bytes_max) return;
    unlink(file.path.c_str());
    bytes -= file.size;
  }
}

}  // namespace inferd::storage
