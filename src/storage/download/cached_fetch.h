#pragma once

#include <stop_token>
#include <vector>

#include "base/status.h"
#include "storage/download/download.h"
#include "storage/fetch/file_fetcher.h"
#include "storage/source/environment.h"
#include "storage/source/source.h"

namespace inferd::storage {

// Fetches files like FetchFiles(), but takes files from the options' cache if it has them, and stores the others in it.
base::Status FetchThroughCache(Source& source, const std::vector<FileToFetch>& files, const DownloadOptions& options,
                               const std::stop_token& stop);

// Reads the cache's settings from INFERD_STORAGE_CACHE and INFERD_STORAGE_CACHE_BYTES. INVALID_ARGUMENT if the latter
// is not a number.
base::Status ReadCacheOptions(const Environment& environment, DownloadOptions& options);

// Plans each file's path below `folder`, and makes their folders. Remote paths are not trusted: none may lead out of
// the folder. INVALID_ARGUMENT if one does, or if a file's path is another file's folder.
base::Result<std::vector<FileToFetch>> PlanFiles(std::vector<RemoteFile> files, const std::filesystem::path& folder);

}  // namespace inferd::storage
