#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"

namespace inferd::zip {

// A file in an archive, as the archive's directory describes it.
struct Entry {
  std::string name;
  uint16_t method = 0;         // kStored, kDeflated, or another
  uint64_t packed_size = 0;    // bytes in the archive
  uint64_t size = 0;           // bytes when unpacked
  uint64_t header_offset = 0;  // of its own header, after which its bytes follow
};

inline constexpr uint16_t kStored = 0;
inline constexpr uint16_t kDeflated = 8;

// Returns an open archive's files, in the order of its directory, as far as its first MiB has them. Empty if it is not
// an archive, or is truncated. Sizes and offsets above 4 GiB are UINT32_MAX.
std::vector<Entry> ReadDirectory(int file);

// Returns the bytes of a file as they are in the archive, packed or not. INVALID_ARGUMENT if they are not there, or are
// more than `bytes_max`.
base::Result<std::string> ReadPacked(int file, const Entry& entry, size_t bytes_max);

}  // namespace inferd::zip
