#include "data/zip/zip_directory.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <string_view>

namespace inferd::zip {
namespace {

constexpr uint64_t kDirectoryBytesMax = 1 << 20;
// The record at the end of an archive, and the longest comment that may follow it.
constexpr size_t kEndBytes = 22;
constexpr uint64_t kTailBytesMax = kEndBytes + 0xffff;
constexpr size_t kLocatorBytes = 20;
constexpr size_t kEnd64Bytes = 56;
constexpr size_t kEntryBytes = 46;
constexpr uint64_t kInEnd64 = 0xffffffff;
constexpr size_t kHeaderBytes = 30;

constexpr std::string_view kHeaderMark("PK\3\4", 4);
constexpr std::string_view kEndMark("PK\5\6", 4);
constexpr std::string_view kLocatorMark("PK\6\7", 4);
constexpr std::string_view kEnd64Mark("PK\6\6", 4);
constexpr std::string_view kEntryMark("PK\1\2", 4);

// Reads a little-endian number; the text must have the bytes.
uint64_t NumberAt(std::string_view text, size_t at, size_t size) {
  uint64_t number = 0;
  for (size_t i = size; i-- > 0;) number = number << 8 | static_cast<unsigned char>(text[at + i]);
  return number;
}

// Reads up to `size` bytes, as many as exist.
std::string ReadAt(int file, uint64_t offset, uint64_t size) {
  std::string bytes(size, '\0');
  size_t filled = 0;
  while (filled < size) {
    const ssize_t count = pread(file, bytes.data() + filled, size - filled, static_cast<off_t>(offset + filled));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    filled += static_cast<size_t>(count);
  }
  bytes.resize(filled);
  return bytes;
}

// Returns the start of the directory. An archive that needs more than 32 bits for it has a second record before the
// last one, and a locator of that record between the two.
std::optional<uint64_t> FindDirectory(int file, uint64_t file_size) {
  const uint64_t tail_size = std::min(file_size, kTailBytesMax);
  const std::string tail = ReadAt(file, file_size - tail_size, tail_size);
  if (tail.size() < kEndBytes) return std::nullopt;
  const size_t end = tail.rfind(kEndMark, tail.size() - kEndBytes);
  if (end == std::string::npos) return std::nullopt;
  const uint64_t directory = NumberAt(tail, end + 16, 4);
  if (directory != kInEnd64) return directory;
  if (end < kLocatorBytes || std::string_view(tail).substr(end - kLocatorBytes, 4) != kLocatorMark) return std::nullopt;
  const uint64_t at = NumberAt(tail, end - kLocatorBytes + 8, 8);
  if (at >= file_size) return std::nullopt;
  const std::string end64 = ReadAt(file, at, kEnd64Bytes);
  if (end64.size() < kEnd64Bytes || !end64.starts_with(kEnd64Mark)) return std::nullopt;
  return NumberAt(end64, 48, 8);
}

}  // namespace

std::vector<Entry> ReadDirectory(int file) {
  struct stat info{};
  if (fstat(file, &info) != 0 || info.st_size <= 0) return {};
  const auto file_size = static_cast<uint64_t>(info.st_size);
  const std::optional<uint64_t> begin = FindDirectory(file, file_size);
  if (!begin.has_value() || *begin >= file_size) return {};
  const std::string directory = ReadAt(file, *begin, std::min(file_size - *begin, kDirectoryBytesMax));
  std::vector<Entry> entries;
  std::string_view rest = directory;
  while (rest.size() >= kEntryBytes && rest.starts_with(kEntryMark)) {
    const uint64_t name_size = NumberAt(rest, 28, 2);
    const uint64_t size = kEntryBytes + name_size + NumberAt(rest, 30, 2) + NumberAt(rest, 32, 2);
    if (size > rest.size()) break;
    entries.push_back({.name = std::string(rest.substr(kEntryBytes, name_size)),
                       .method = static_cast<uint16_t>(NumberAt(rest, 10, 2)),
                       .packed_size = NumberAt(rest, 20, 4),
                       .size = NumberAt(rest, 24, 4),
                       .header_offset = NumberAt(rest, 42, 4)});
    rest.remove_prefix(size);
  }
  return entries;
}

base::Result<std::string> ReadPacked(int file, const Entry& entry, size_t bytes_max) {
  const auto problem = [&](const char* what) {
    return std::unexpected(base::InvalidArgument("the file '" + entry.name + "' of the archive " + what));
  };
  if (entry.packed_size > bytes_max) return problem("is too large");
  const std::string header = ReadAt(file, entry.header_offset, kHeaderBytes);
  if (header.size() < kHeaderBytes || !header.starts_with(kHeaderMark)) return problem("is not where it should be");
  const uint64_t begin = entry.header_offset + kHeaderBytes + NumberAt(header, 26, 2) + NumberAt(header, 28, 2);
  std::string bytes = ReadAt(file, begin, entry.packed_size);
  if (bytes.size() < entry.packed_size) return problem("is truncated");
  return bytes;
}

}  // namespace inferd::zip
