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

// How far a download is. Plain data.
struct DownloadProgress {
  size_t files = 0;
  size_t files_complete = 0;
  uint64_t bytes = 0;                   // that came, those of tries that failed not counted
  std::optional<uint64_t> bytes_total;  // nullopt: a file's size is not known
};

struct FetchOptions {
  RetryPolicy retry{};
  int parallel = 8;                        // connections
  uint64_t range_bytes = 32 << 20;         // a larger file is fetched in parts of so many bytes
  uint64_t bytes_max = uint64_t{1} << 40;  // of all files together
  // Called by one thread at a time, not faster than the bytes come; must return soon.
  std::function<void(const DownloadProgress&)> on_progress;
};

// A remote file and the local path that it is written to, which must not exist; the path's folder must.
struct FileToFetch {
  RemoteFile remote;
  std::filesystem::path local;
};

// Fetches files side by side, and large ones in parts. What a cut connection has brought is kept where the source has
// ranges. A checksum that the source states is held against the bytes. Blocks.
//
// Errors: those of Source::Read once its tries are used up; RESOURCE_EXHAUSTED: more bytes than the options allow, or
// the disk is full; DATA_LOSS: another checksum; CANCELLED: `stop`. The first error ends all of it.
base::Status FetchFiles(Source& source, const std::vector<FileToFetch>& files, const FetchOptions& options,
                        const std::stop_token& stop);

}  // namespace inferd::storage
