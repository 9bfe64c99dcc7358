#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stop_token>

#include "base/status.h"
#include "storage/source/archive_kind.h"

namespace inferd::storage {

// The limits of an archive's content. They apply to the actual output, since an archive's headers are not trusted.
struct UnpackLimits {
  uint64_t bytes_max = uint64_t{1} << 40;  // of all files together, including holes of sparse files
  size_t entries_max = 100'000;            // files, folders and links
  uint64_t ratio_max = 100;                // output bytes for each byte of the archive ...
  uint64_t ratio_free_bytes = 64 << 20;    // ... after this many output bytes
  int depth_max = 32;                      // components of a path
};

// Unpacks a tar file (compressed by gzip or not) or a zip file into `folder`, which must exist and be empty. Writes
// nothing outside of it. Files keep their executable bit, but not their other mode bits, owners and times.
//
// INVALID_ARGUMENT if the archive is of another kind, truncated, encrypted or empty; if an entry has an absolute path,
// a path with "..", or a repeated path; if it is a device, a pipe or a socket; or if a link leads out of the folder, or
// nowhere. RESOURCE_EXHAUSTED if a limit is exceeded, or the disk is full. CANCELLED by `stop`. After an error the
// folder has some of the files.
base::Status Unpack(const std::filesystem::path& archive, ArchiveKind kind, const std::filesystem::path& folder,
                    const UnpackLimits& limits, std::stop_token stop);

}  // namespace inferd::storage
