#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/status.h"
#include "storage/source/source.h"
#include "storage/transfer/backoff.h"

namespace inferd::storage {

// The progress of a download. Plain data.
struct DownloadProgress {
  size_t files = 0;
  size_t files_complete = 0;
  uint64_t bytes = 0;                   // received, without failed tries
  std::optional<uint64_t> bytes_total;  // nullopt if a file's size is unknown
};

struct FetchOptions {
  RetryPolicy retry{};
  int parallel = 8;                        // connections
  uint64_t range_bytes = 32 << 20;         // larger files are fetched in parts of this size
  uint64_t bytes_max = uint64_t{1} << 40;  // of all files together
  // Called by one thread at a time, at most as often as bytes arrive. Must return soon.
  std::function<void(const DownloadProgress&)> on_progress;
};

// A remote file, and its local path, which must not exist; the path's folder must exist.
struct FileToFetch {
  RemoteFile remote;
  std::filesystem::path local;
};

// Fetches files in parallel, and large ones in parts. Keeps the bytes of a broken connection if the source supports
// ranges. Verifies a checksum that the source states. Blocks.
//
// Errors are those of Source::Read() once its tries are used up. RESOURCE_EXHAUSTED if there are more bytes than the
// options allow, or the disk is full. DATA_LOSS if a checksum differs. CANCELLED by `stop`. The first error ends
// everything.
base::Status FetchFiles(Source& source, const std::vector<FileToFetch>& files, const FetchOptions& options,
                        const std::stop_token& stop);

}  // namespace inferd::storage
