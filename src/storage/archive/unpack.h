#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stop_token>

#include "base/status.h"
#include "storage/source/archive_kind.h"

namespace inferd::storage {

// What an archive may become. A header is the archive's word; what is counted is what comes out.
struct UnpackLimits {
  uint64_t bytes_max = uint64_t{1} << 40;  // of all files together, holes of sparse files included
  size_t entries_max = 100'000;            // files, folders and links
  uint64_t ratio_max = 100;                // bytes that come out for each byte of the archive,
  uint64_t ratio_free_bytes = 64 << 20;    // but for the first so many
  int depth_max = 32;                      // components of a path
};

// Unpacks a tar file (compressed by gzip or not) or a zip file into `folder`, which must exist and be empty. Nothing is
// written outside of it. Files keep whether they may be executed, and nothing else of their modes, owners and times.
//
// INVALID_ARGUMENT: it is no such archive, is cut, encrypted or empty; an entry has an absolute path, one with "..", or
// one that was there before; it is a device, a pipe or a socket; or a link leads out of the folder, or nowhere.
// RESOURCE_EXHAUSTED: a limit, or the disk is full. CANCELLED: `stop`. After an error the folder has some of the files.
base::Status Unpack(const std::filesystem::path& archive, ArchiveKind kind, const std::filesystem::path& folder,
                    const UnpackLimits& limits, std::stop_token stop);

}  // namespace inferd::storage
