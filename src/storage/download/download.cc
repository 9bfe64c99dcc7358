#include "storage/download/download.h"

#include <memory>
#include <utility>
#include <vector>

#include "storage/download/cached_fetch.h"
#include "storage/download/deadline.h"
#include "storage/download/local_model.h"
#include "storage/download/placement.h"
#include "storage/open_source.h"

namespace inferd::storage {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPvcPrefix = "/mnt/pvc";
constexpr std::string_view kModelsFolder = "/mnt/models";
constexpr int kListingsMax = 3;  // for a model that changes while it is downloaded

bool Exists(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

base::Status NoModel(const std::string& uri) {
  return base::NotFound("Failed to fetch model. No model found in " + uri + ".");
}

base::Status LinkLocal(const std::string& uri, const fs::path& source, const fs::path& folder,
                       const DownloadOptions& options, const std::stop_token& stop) {
  if (!Exists(source)) return base::NotFound("Local path " + uri + " does not exist.");
  INFERD_ASSIGN_OR_RETURN(Placement placement, Placement::Begin(folder));
  const std::optional<fs::path> only = OnlyFile(source);
  const ArchiveKind archive = only.has_value() ? ArchiveKindOf(only->string()) : ArchiveKind::kNone;
  if (archive != ArchiveKind::kNone) {
    INFERD_RETURN_IF_ERROR(Unpack(*only, archive, placement.folder(), options.unpack, stop));
  } else {
    INFERD_ASSIGN_OR_RETURN(const size_t entries, LinkEntries(source, placement.folder(), folder));
    if (entries == 0) return NoModel(uri);
  }
  return placement.Commit();
}

base::Status CheckSpace(const std::vector<RemoteFile>& files, const fs::path& folder) {
  uint64_t bytes = 0;
  for (const RemoteFile& file : files) bytes += file.size.value_or(0);
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  if (error || bytes <= space.available) return {};
  return base::ResourceExhausted("the model has " + std::to_string(bytes) + " bytes, and " + folder.string() +
                                 " has room for " + std::to_string(space.available));
}

base::Status FetchOnce(Source& source, const fs::path& folder, const DownloadOptions& options,
                       const std::stop_token& stop) {
  std::vector<RemoteFile> files;
  INFERD_RETURN_IF_ERROR(Retry(options.fetch.retry, stop, [&]() -> base::Status {
    INFERD_ASSIGN_OR_RETURN(files, source.List(stop));
    return {};
  }));
  if (files.size() > options.files_max) {
    return base::ResourceExhausted("the model has more than " + std::to_string(options.files_max) + " files");
  }
  INFERD_ASSIGN_OR_RETURN(Placement placement, Placement::Begin(folder));
  INFERD_RETURN_IF_ERROR(CheckSpace(files, placement.folder()));
  const ArchiveKind archive = files.size() == 1 ? files.front().archive : ArchiveKind::kNone;
  const bool unpack = archive != ArchiveKind::kNone;
  INFERD_ASSIGN_OR_RETURN(const std::vector<FileToFetch> planned,
                          PlanFiles(std::move(files), unpack ? placement.scratch() : placement.folder()));
  INFERD_RETURN_IF_ERROR(FetchThroughCache(source, planned, options, stop));
  if (unpack) {
    INFERD_RETURN_IF_ERROR(Unpack(planned.front().local, archive, placement.folder(), options.unpack, stop));
  }
  return placement.Commit();
}

base::Status FetchRemote(const std::string& uri, const fs::path& folder, const Environment& environment,
                         const DownloadOptions& options, const std::stop_token& stop) {
  INFERD_ASSIGN_OR_RETURN(const std::unique_ptr<Source> source, OpenSource(uri, environment));
  for (int listings = 1;; ++listings) {
    base::Status status = FetchOnce(*source, folder, options, stop);
    if (status.code() != base::StatusCode::kAborted || listings == kListingsMax) return status;
  }
}

}  // namespace

base::Status Download(const std::string& uri, const fs::path& folder, const Environment& environment,
                      const DownloadOptions& options, const std::stop_token& stop) {
  if (uri.starts_with(kPvcPrefix) && !Exists(uri))
    return base::NotFound("Cannot locate source uri " + uri + " for PVC");
  const Deadline deadline(options.time_max, stop);
  base::Status status;
  if (const std::optional<fs::path> local = LocalPathOf(uri)) {
    status = LinkLocal(uri, *local, folder, options, deadline.token());
  } else if (!uri.starts_with(kModelsFolder)) {
    status = FetchRemote(uri, folder, environment, options, deadline.token());
  }
  if (!status.ok() && deadline.passed()) {
    return base::DeadlineExceeded("the download took more than " + std::to_string(options.time_max.count()) + " s");
  }
  return status;
}

}  // namespace inferd::storage
