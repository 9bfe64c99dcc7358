// Fuzzes archives. Whatever they contain, no file may be written outside of the folder, the limits must hold, and no
// link may lead out of the folder.

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "fuzz/require.h"
#include "storage/archive/unpack.h"

namespace inferd::fuzz {
namespace {

namespace fs = std::filesystem;
using base::StatusCode;

constexpr storage::UnpackLimits kLimits{
    .bytes_max = 1 << 20, .entries_max = 64, .ratio_max = 100, .ratio_free_bytes = 64 << 10, .depth_max = 8};

const fs::path& Place() {
  static const fs::path place = [] {
    std::string pattern = (fs::temp_directory_path() / "inferd-fuzz-XXXXXX").string();
    return fs::path(mkdtemp(pattern.data()));
  }();
  static const int removed = std::atexit([] { fs::remove_all(place); });
  Require(removed == 0, "the folder would stay");
  return place;
}

void CheckTree(const fs::path& folder) {
  uint64_t bytes = 0;
  size_t entries = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    ++entries;
    const fs::path real = fs::canonical(entry.path());
    Require(real.string().starts_with(folder.string()), "a link leads out");
    Require(entry.is_symlink() || entry.is_regular_file() || entry.is_directory(), "something else than files came");
    if (!entry.is_symlink() && entry.is_regular_file() && entry.hard_link_count() == 1) bytes += entry.file_size();
  }
  Require(bytes <= kLimits.bytes_max, "more bytes than the limit");
  Require(entries <= kLimits.entries_max * static_cast<size_t>(kLimits.depth_max), "more entries than the limit");
}

void Check(storage::ArchiveKind kind, const fs::path& archive) {
  const fs::path folder = Place() / "outside" / "folder";
  fs::create_directories(folder);
  const base::Status status = storage::Unpack(archive, kind, folder, kLimits, {});
  Require(
      status.ok() || status.code() == StatusCode::kInvalidArgument || status.code() == StatusCode::kResourceExhausted,
      "refused as something else");
  if (status.ok()) CheckTree(fs::canonical(folder));
  size_t outside = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(Place() / "outside")) outside += !entry.path().empty();
  Require(outside == 1, "something came outside of the folder");
  fs::remove_all(Place() / "outside");
}

}  // namespace
}  // namespace inferd::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::filesystem::path archive = inferd::fuzz::Place() / "archive";
  std::ofstream(archive, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  inferd::fuzz::Check(inferd::storage::ArchiveKind::kTar, archive);
  inferd::fuzz::Check(inferd::storage::ArchiveKind::kZip, archive);
  return 0;
}
