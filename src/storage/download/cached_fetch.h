#pragma once

#include <stop_token>
#include <vector>

#include "base/status.h"
#include "storage/download/download.h"
#include "storage/fetch/file_fetcher.h"
#include "storage/source/environment.h"
#include "storage/source/source.h"

namespace inferd::storage {

// FetchFiles, but for the files that the options' cache has, which keeps the others.
base::Status FetchThroughCache(Source& source, const std::vector<FileToFetch>& files, const DownloadOptions& options,
                               const std::stop_token& stop);

// The cache that the environment names: INFERD_STORAGE_CACHE, INFERD_STORAGE_CACHE_BYTES. INVALID_ARGUMENT: the latter
// is no number.
base::Status ReadCacheOptions(const Environment& environment, DownloadOptions& options);

// Where each file goes below `folder`, whose folders are made. Paths are the other side's: none leads out of it.
// INVALID_ARGUMENT: a path does, or is another file's folder.
base::Result<std::vector<FileToFetch>> PlanFiles(std::vector<RemoteFile> files, const std::filesystem::path& folder);

}  // namespace inferd::storage
