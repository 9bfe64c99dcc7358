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
  std::filesystem::path cache;  // a folder of earlier downloads (file_cache.h); empty for no cache
  uint64_t cache_bytes_max = uint64_t{100} << 30;
  std::chrono::seconds time_max{24 * 3600};
};

// Downloads the model that a storage URI names to `folder`, by the rules of KServe's storage initializer:
//
// - "file://<path>", and a path that exists: links to the file, or to each entry of the folder
// - "http://", "https://": the file (http_source.h)
// - "s3://", "gs://", Azure's blobs: the objects below the path (stored_object.h)
// - if that is a single archive (archive_kind.h): its content, in place of the archive
//
// A missing path below /mnt/models is ignored, since something else will fill it. The model is complete at its place
// or, after an error or a crash, absent. If the folder exists already, its other entries stay, and the same holds for
// each new entry (placement.h). Blocks.
//
// With a cache, files that are unchanged according to their source are not transferred again. A failing cache is not
// used.
//
// Errors have KServe's text if it has one. INVALID_ARGUMENT if the URI or an archive is invalid. NOT_FOUND if there is
// no model. PERMISSION_DENIED. RESOURCE_EXHAUSTED if a limit is exceeded, or the disk is full. DEADLINE_EXCEEDED if the
// time is up. DATA_LOSS if a checksum differs. ABORTED if the model kept changing meanwhile. UNAVAILABLE if all tries
// failed. UNIMPLEMENTED for an unsupported scheme. CANCELLED by `stop`.
base::Status Download(const std::string& uri, const std::filesystem::path& folder, const Environment& environment,
                      const DownloadOptions& options, const std::stop_token& stop);

}  // namespace inferd::storage
