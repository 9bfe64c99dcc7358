#include "ctl/init/staged_model.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/text/digits.h"
#include "ctl/program/interrupt.h"
#include "ctl/text/quoted_path.h"

namespace inferd::ctl {

namespace {

namespace fs = std::filesystem;
using base::Status;

constexpr int kCopyDepthMax = 32;
constexpr size_t kCopyFilesMax = 100'000;

Status SystemError(const std::string& what, const std::error_code& error) {
  return base::FailedPrecondition("cannot " + what + ": " + error.message());
}

// A file or folder to copy, with its place.
struct Entry {
  fs::path from;
  fs::path to;
  bool is_folder = false;
};

struct Entries {
  std::vector<Entry> all;  // folders before what they contain
  uint64_t bytes = 0;
};

Status AddEntries(const fs::path& from, const fs::path& to, int depth, Entries& entries) {
  std::error_code error;
  const fs::file_status status = fs::status(from, error);
  if (error) return SystemError("read " + QuotedPath(from), error);
  if (entries.all.size() == kCopyFilesMax) {
    return base::ResourceExhausted("the model has more than " + std::to_string(kCopyFilesMax) + " files");
  }
  if (fs::is_regular_file(status)) {
    entries.bytes += fs::file_size(from, error);
    entries.all.push_back({from, to});
    return base::OkStatus();
  }
  if (!fs::is_directory(status)) return base::InvalidArgument(QuotedPath(from) + " is neither a file nor a folder");
  if (depth == kCopyDepthMax) {
    return base::ResourceExhausted(QuotedPath(from) + " is nested deeper than " + std::to_string(kCopyDepthMax) +
                                   " folders");
  }
  entries.all.push_back({from, to, /*is_folder=*/true});
  for (fs::directory_iterator it(from, error), end; !error && it != end; it.increment(error)) {
    const fs::path name = it->path().filename();
    if (name.string().starts_with('.')) continue;
    INFERD_RETURN_IF_ERROR(AddEntries(it->path(), to / name, depth + 1, entries));
  }
  return error ? SystemError("read the folder " + QuotedPath(from), error) : base::OkStatus();
}

std::string Megabytes(uint64_t bytes) { return std::to_string((bytes + 999'999) / 1'000'000) + " MB"; }

Status CheckSpace(const fs::path& folder, uint64_t bytes) {
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  if (error || space.available >= bytes) return base::OkStatus();
  return base::ResourceExhausted("the model has " + Megabytes(bytes) + ", and " + QuotedPath(folder.parent_path()) +
                                 " has " + Megabytes(space.available) +
                                 " free; --link makes a link in place of a copy");
}

Status CopyEntry(const Entry& entry) {
  std::error_code error;
  if (entry.is_folder) {
    fs::create_directories(entry.to, error);
  } else {
    fs::create_directories(entry.to.parent_path(), error);
    if (!error) fs::copy_file(entry.from, entry.to, error);
  }
  return error ? SystemError("copy " + QuotedPath(entry.from), error) : base::OkStatus();
}

Status LinkTo(const fs::path& from, const fs::path& to) {
  std::error_code error;
  const fs::path target = fs::canonical(from, error);
  if (!error) fs::create_directories(to.parent_path(), error);
  if (!error) fs::create_symlink(target, to, error);
  return error ? SystemError("make a link to " + QuotedPath(from), error) : base::OkStatus();
}

// Moves a folder or a link to a place where nothing is.
Status MoveTo(const fs::path& from, const fs::path& to) {
  int failed = ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0 ? 0 : errno;
  if (failed == EINVAL || failed == ENOSYS) {  // the file system cannot; a folder with content is still not replaced
    std::error_code error;
    failed = fs::exists(fs::symlink_status(to, error))    ? EEXIST
             : std::rename(from.c_str(), to.c_str()) == 0 ? 0
                                                          : errno;
  }
  if (failed == 0) return base::OkStatus();
  if (failed == EEXIST || failed == ENOTEMPTY) return base::AlreadyExists(QuotedPath(to) + " has come meanwhile");
  return SystemError("make " + QuotedPath(to), {failed, std::generic_category()});
}

// Makes the folder, and returns the outermost folder that was made for it; empty if it was there.
base::Result<fs::path> MakeFolder(const fs::path& folder) {
  std::error_code error;
  fs::path made;
  for (fs::path each = folder; !each.empty() && !fs::exists(each, error); each = each.parent_path()) {
    made = each;
    if (each == each.parent_path()) break;
  }
  fs::create_directories(folder, error);
  if (error) return std::unexpected(SystemError("make the folder " + QuotedPath(folder), error));
  return made;
}

}  // namespace

std::vector<int64_t> VersionsOf(const fs::path& model_folder) {
  std::vector<int64_t> versions;
  std::error_code error;
  for (fs::directory_iterator it(model_folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    int64_t version = 0;
    const auto [at, failed] = std::from_chars(name.data(), name.data() + name.size(), version);
    if (base::IsDigits(name) && failed == std::errc() && at == name.data() + name.size()) versions.push_back(version);
  }
  std::ranges::sort(versions);
  return versions;
}

base::Result<StagedModel> StagedModel::Create(const fs::path& repository, const std::string& model,
                                              const std::string& version) {
  std::error_code error;
  fs::path folder = fs::absolute(repository, error).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  StagedModel staged;
  INFERD_ASSIGN_OR_RETURN(staged.made_repository_, MakeFolder(folder));
  staged.final_model_ = folder / model;
  staged.version_ = version;
  staged.model_exists_ = fs::exists(fs::symlink_status(staged.final_model_, error));
  std::string hidden = folder / ".inferctl-init-XXXXXX";
  if (::mkdtemp(hidden.data()) == nullptr) {
    return std::unexpected(SystemError("make a folder in " + QuotedPath(folder), {errno, std::generic_category()}));
  }
  staged.hidden_ = hidden;
  staged.staged_model_ = staged.hidden_ / model;
  fs::create_directory(staged.staged_model_, error);
  if (error) return std::unexpected(SystemError("make " + QuotedPath(staged.staged_model_), error));
  return staged;
}

StagedModel::StagedModel(StagedModel&& other) noexcept
    : final_model_(std::move(other.final_model_)),
      hidden_(std::exchange(other.hidden_, {})),
      staged_model_(std::move(other.staged_model_)),
      made_repository_(std::exchange(other.made_repository_, {})),
      version_(std::move(other.version_)),
      model_exists_(other.model_exists_) {}

StagedModel::~StagedModel() {
  std::error_code error;
  if (!hidden_.empty()) fs::remove_all(hidden_, error);
  // Only folders without content are removed.
  for (fs::path each = final_model_.parent_path(); !made_repository_.empty(); each = each.parent_path()) {
    if (!fs::remove(each, error) || each == made_repository_) break;
  }
}

Status StagedModel::Fill(const std::vector<ModelPart>& parts, bool link) {
  if (link) {
    for (const ModelPart& part : parts) INFERD_RETURN_IF_ERROR(LinkTo(part.from, staged_model_ / part.to));
    return base::OkStatus();
  }
  Entries entries;
  for (const ModelPart& part : parts) {
    INFERD_RETURN_IF_ERROR(AddEntries(part.from, staged_model_ / part.to, 0, entries));
  }
  INFERD_RETURN_IF_ERROR(CheckSpace(hidden_, entries.bytes));
  for (const Entry& entry : entries.all) {
    if (WasInterrupted()) return base::Cancelled("interrupted");
    INFERD_RETURN_IF_ERROR(CopyEntry(entry));
  }
  return base::OkStatus();
}

Status StagedModel::LinkShared() {
  std::error_code error;
  if (!model_exists_) return base::OkStatus();
  for (fs::directory_iterator it(final_model_, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.starts_with('.') || base::IsDigits(name)) continue;
    INFERD_RETURN_IF_ERROR(LinkTo(it->path(), staged_model_ / name));
  }
  return error ? SystemError("read the folder " + QuotedPath(final_model_), error) : base::OkStatus();
}

Status StagedModel::Publish() {
  if (model_exists_) {
    INFERD_RETURN_IF_ERROR(MoveTo(staged_model_ / version_, final_model_ / version_));
  } else {
    INFERD_RETURN_IF_ERROR(MoveTo(staged_model_, final_model_));
  }
  made_repository_.clear();
  return base::OkStatus();
}

}  // namespace inferd::ctl
