#pragma once

#include <chrono>
#include <filesystem>
#include <stop_token>
#include <string>

#include "base/status.h"
#include "storage/archive/unpack.h"
#include "storage/fetch/file_fetcher.h"
#include "storage/source/environment.h"

namespace inferd::storage {

struct DownloadOptions {
  FetchOptions fetch{};
  UnpackLimits unpack{};
  size_t files_max = 100'000;
  std::filesystem::path cache;  // a folder of files that came before (file_cache.h); empty: none are kept
  uint64_t cache_bytes_max = uint64_t{100} << 30;
  std::chrono::seconds time_max{24 * 3600};
};

// Brings the model that a storage URI names to `folder`, by the rules of KServe's storage initializer:
//
// - "file://<path>", and a path that exists: links to the file, or to each entry of the folder
// - "http://", "https://": the file (http_source.h)
// - "s3://", "gs://", Azure's blobs: the objects below the path (stored_object.h)
// - where that is one file, and an archive (archive_kind.h): what is in it, instead of it
//
// A path below /mnt/models that is not there is left to what else fills it: nothing is done. The model is at its place
// whole or, after an error or a crash, not at all; where the folder exists already, its other entries stay, and this
// holds for each new entry (placement.h). Blocks.
//
// With a cache, files whose source says that they have not changed are not transferred again. A cache that fails is
// done without.
//
// Errors have KServe's text where it has one. INVALID_ARGUMENT: the URI, or an archive that is none; NOT_FOUND: there
// is no model; PERMISSION_DENIED; RESOURCE_EXHAUSTED: a limit, or the disk is full; DEADLINE_EXCEEDED: the time;
// DATA_LOSS: a checksum differs; ABORTED: the model was changed again and again meanwhile; UNAVAILABLE: the tries are
// used up; UNIMPLEMENTED: the scheme; CANCELLED: `stop`.
base::Status Download(const std::string& uri, const std::filesystem::path& folder, const Environment& environment,
                      const DownloadOptions& options, const std::stop_token& stop);

}  // namespace inferd::storage
