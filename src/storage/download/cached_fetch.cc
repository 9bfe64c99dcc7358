#include "storage/download/cached_fetch.h"

#include <charconv>
#include <filesystem>
#include <string>
#include <utility>

#include "base/text/printable.h"
#include "storage/fetch/file_cache.h"
#include "storage/staging.h"

namespace inferd::storage {

namespace fs = std::filesystem;

base::Result<std::vector<FileToFetch>> PlanFiles(std::vector<RemoteFile> files, const fs::path& folder) {
  std::vector<FileToFetch> planned;
  for (RemoteFile& file : files) {
    INFERD_RETURN_IF_ERROR(CheckRelativePath(file.path));
    const fs::path local = folder / file.path;
    std::error_code error;
    fs::create_directories(local.parent_path(), error);
    if (error) return std::unexpected(base::InvalidArgument(file.path + ": " + error.message()));
    planned.push_back({.remote = std::move(file), .local = local});
  }
  return planned;
}

base::Status FetchThroughCache(Source& source, const std::vector<FileToFetch>& files, const DownloadOptions& options,
                               const std::stop_token& stop) {
  if (options.cache.empty()) return FetchFiles(source, files, options.fetch, stop);
  const auto cache = FileCache::Open(options.cache);
  if (!cache.has_value()) return FetchFiles(source, files, options.fetch, stop);
  std::vector<FileToFetch> missing;
  for (const FileToFetch& file : files) {
    if (stop.stop_requested()) return base::Cancelled("the download was cancelled");
    const auto taken = cache->Take(source.Place(), file.remote, file.local);
    if (!taken.value_or(false)) missing.push_back(file);
  }
  INFERD_RETURN_IF_ERROR(FetchFiles(source, missing, options.fetch, stop));
  for (const FileToFetch& file : missing) {
    if (!cache->Keep(source.Place(), file.remote, file.local).ok()) break;
  }
  cache->Trim(options.cache_bytes_max);
  return {};
}

base::Status ReadCacheOptions(const Environment& environment, DownloadOptions& options) {
  options.cache = environment("INFERD_STORAGE_CACHE");
  const std::string bytes = environment("INFERD_STORAGE_CACHE_BYTES");
  if (bytes.empty()) return {};
  const auto [end, error] = std::from_chars(bytes.data(), bytes.data() + bytes.size(), options.cache_bytes_max);
  if (error == std::errc() && end == bytes.data() + bytes.size()) return {};
  return base::InvalidArgument("INFERD_STORAGE_CACHE_BYTES is no number of bytes: " + base::QuotedName(bytes));
}

}  // namespace inferd::storage
