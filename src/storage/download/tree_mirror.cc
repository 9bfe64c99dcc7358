#include "storage/download/tree_mirror.h"

#include <set>
#include <system_error>
#include <utility>

#include "storage/archive/unpack.h"
#include "storage/download/cached_fetch.h"
#include "storage/download/placement.h"
#include "storage/staging.h"
#include "storage/transfer/backoff.h"

namespace inferd::storage {

namespace {

namespace fs = std::filesystem;

constexpr int kMirrorListingsMax = 3;  // for a tree that changes while it is downloaded

std::string FingerprintOf(const RemoteFile& file) {
  return file.path + '\n' + (file.size.has_value() ? std::to_string(*file.size) : "?") + '\n' + file.tag + '\n';
}

std::set<std::string> NamesIn(const fs::path& folder) {
  std::set<std::string> names;
  std::error_code error;
  fs::directory_iterator at(folder, error);
  for (const fs::directory_iterator end; !error && at != end; at.increment(error)) {
    names.insert(at->path().filename().string());
  }
  return names;
}

}  // namespace

TreeMirror::TreeMirror(std::unique_ptr<Source> source, fs::path folder, MirrorLayout layout, DownloadOptions options)
    : source_(std::move(source)), folder_(std::move(folder)), layout_(layout), options_(std::move(options)) {}

base::Result<size_t> TreeMirror::Sync(const std::stop_token& stop) {
  for (int listings = 1;; ++listings) {
    Files files;
    INFERD_RETURN_IF_ERROR(Retry(options_.fetch.retry, stop, [&]() -> base::Status {
      INFERD_ASSIGN_OR_RETURN(files, source_->List(stop));
      return {};
    }));
    if (files.size() > options_.files_max) {
      return std::unexpected(base::ResourceExhausted("more than " + std::to_string(options_.files_max) + " files"));
    }
    auto changed = files.size() == 1 && files.front().archive != ArchiveKind::kNone
                       ? SyncArchive(std::move(files.front()), stop)
                       : SyncFiles(std::move(files), stop);
    const bool outrun = !changed.has_value() && changed.error().code() == base::StatusCode::kAborted;
    if (!outrun || listings == kMirrorListingsMax) return changed;
  }
}

base::Result<std::map<std::string, TreeMirror::Entries>> TreeMirror::EntriesByModel(Files files) const {
  std::map<std::string, Entries> models;
  for (RemoteFile& file : files) {
    INFERD_RETURN_IF_ERROR(CheckRelativePath(file.path));
    std::string model(kOneModelFolder);
    if (layout_ == MirrorLayout::kModels) {
      const size_t slash = file.path.find('/');
      if (slash == std::string::npos) continue;  // beside the models
      model = file.path.substr(0, slash);
      file.path.erase(0, slash + 1);
    }
    Entry& entry = models[model][file.path.substr(0, file.path.find('/'))];
    entry.fingerprint += FingerprintOf(file);
    entry.files.push_back(std::move(file));
  }
  return models;
}

base::Result<size_t> TreeMirror::SyncFiles(Files files, const std::stop_token& stop) {
  INFERD_ASSIGN_OR_RETURN(const auto wanted, EntriesByModel(std::move(files)));
  // The fingerprints of an archive's content do not match those of files.
  if (!std::exchange(archive_, {}).empty()) models_.clear();
  size_t changes = 0;
  base::Status fault;
  for (const auto& [model, entries] : wanted) {
    const auto changed = SyncModel(model, entries, stop);
    if (changed.has_value()) {
      changes += *changed ? 1 : 0;
    } else if (fault.ok()) {
      fault = changed.error().WithContext(model);
    }
  }
  for (const std::string& name : NamesIn(folder_)) {
    if (wanted.contains(name)) continue;
    Remove(folder_ / name);
    models_.erase(name);
    ++changes;
  }
  if (!fault.ok()) return std::unexpected(fault);
  return changes;
}

base::Result<bool> TreeMirror::SyncModel(const std::string& model, const Entries& wanted, const std::stop_token& stop) {
  std::map<std::string, std::string>& here = models_[model];
  Files missing;
  for (const auto& [name, entry] : wanted) {
    const auto found = here.find(name);
    if (found != here.end() && found->second == entry.fingerprint) continue;
    missing.insert(missing.end(), entry.files.begin(), entry.files.end());
  }
  const fs::path place = folder_ / model;
  if (!missing.empty()) INFERD_RETURN_IF_ERROR(Bring(place, missing, stop));
  size_t gone = 0;
  for (const std::string& name : NamesIn(place)) {
    if (wanted.contains(name)) continue;
    Remove(place / name);
    ++gone;
  }
  here.clear();
  for (const auto& [name, entry] : wanted) here[name] = entry.fingerprint;
  return !missing.empty() || gone > 0;
}

base::Status TreeMirror::Bring(const fs::path& place, const Files& files, const std::stop_token& stop) {
  INFERD_ASSIGN_OR_RETURN(Placement placement, Placement::Begin(place));
  INFERD_ASSIGN_OR_RETURN(const std::vector<FileToFetch> planned, PlanFiles(files, placement.folder()));
  INFERD_RETURN_IF_ERROR(FetchThroughCache(*source_, planned, options_, stop));
  return placement.Commit();
}

base::Result<size_t> TreeMirror::SyncArchive(RemoteFile archive, const std::stop_token& stop) {
  INFERD_RETURN_IF_ERROR(CheckRelativePath(archive.path));
  std::string fingerprint = FingerprintOf(archive);
  if (fingerprint == archive_) return size_t{0};
  const fs::path place = layout_ == MirrorLayout::kOneModel ? folder_ / kOneModelFolder : folder_;
  INFERD_ASSIGN_OR_RETURN(Placement placement, Placement::Begin(place));
  const ArchiveKind kind = archive.archive;
  INFERD_ASSIGN_OR_RETURN(const std::vector<FileToFetch> planned, PlanFiles({std::move(archive)}, placement.scratch()));
  INFERD_RETURN_IF_ERROR(FetchThroughCache(*source_, planned, options_, stop));
  INFERD_RETURN_IF_ERROR(Unpack(planned.front().local, kind, placement.folder(), options_.unpack, stop));
  const std::set<std::string> wanted = NamesIn(placement.folder());
  INFERD_RETURN_IF_ERROR(placement.Commit());
  for (const std::string& name : NamesIn(place)) {
    if (!wanted.contains(name) && !name.starts_with('.')) Remove(place / name);
  }
  models_.clear();
  archive_ = std::move(fingerprint);
  return wanted.size();
}

void TreeMirror::Remove(const fs::path& path) {
  // Renames it first, so that it disappears at once. Folders that begin with a dot are not models.
  std::error_code ignored;
  const fs::path aside = path.parent_path() / (".removed-" + path.filename().string());
  fs::remove_all(aside, ignored);
  fs::rename(path, aside, ignored);
  fs::remove_all(aside, ignored);
}

}  // namespace inferd::storage
