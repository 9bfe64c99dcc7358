#include "storage/hdfs/hdfs_source.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text/percent.h"
#include "base/text/printable.h"
#include "storage/source/answer.h"
#include "storage/source/file_response.h"
#include "storage/source/model_listing.h"

namespace inferd::storage {

namespace {

constexpr size_t kEntriesMax = 1'000'000;
constexpr int kFoldersDeepMax = 32;

// True if the error is temporary, or another name node may succeed.
bool MayPass(std::string_view exception) {
  constexpr std::array<std::string_view, 3> kPassing = {"StandbyException", "RetriableException", "SafeModeException"};
  return std::ranges::find(kPassing, exception) != kPassing.end();
}

RemoteFile FileOfStatus(const HdfsStatus& status, std::string path, std::string key) {
  RemoteFile file{.path = std::move(path), .key = std::move(key), .size = status.size, .tag = status.tag};
  file.ranges = true;
  file.archive = ArchiveKindOf(file.key);
  return file;
}

}  // namespace

// A folder below the model's; "" is the model's itself.
struct HdfsSource::Folder {
  std::string path;
  int depth = 0;
};

HdfsSource::HdfsSource(std::string name, HdfsSettings settings)
    : name_(std::move(name)), settings_(std::move(settings)), client_(settings_.client) {}

base::Result<std::unique_ptr<Source>> HdfsSource::Open(const std::string& uri, const Environment& environment) {
  INFERD_ASSIGN_OR_RETURN(HdfsSettings settings, ReadHdfsSettings(uri, environment));
  return std::unique_ptr<Source>(new HdfsSource(ShownUri(uri), std::move(settings)));
}

std::string HdfsSource::Place() const {
  std::string place;
  for (const std::string& node : settings_.name_nodes) place += node + ";";
  return place;
}

std::string HdfsSource::KeyOf(const std::string& path) const {
  if (path.empty()) return settings_.path;
  return (settings_.path == "/" ? "" : settings_.path) + "/" + path;
}

std::string HdfsSource::Url(size_t node, std::string_view path, std::string_view operation) const {
  std::string url = settings_.name_nodes[node] + "/webhdfs/v1" + base::PercentEncoded(path, true) + "?op=";
  url += operation;
  if (!settings_.user_proxy.empty()) url += "&doas=" + base::PercentEncoded(settings_.user_proxy, false);
  return url;
}

base::Result<std::string> HdfsSource::Ask(std::string_view path, std::string_view operation,
                                          const std::stop_token& stop) {
  size_t node = node_;
  HdfsError error;
  const auto explain = [&](std::string_view body) {
    error = ReadHdfsError(body);
    // A server that requires Kerberos refuses with 401 and HTML.
    return error.text.empty() ? "no answer of WebHDFS; Kerberos is not supported" : error.text;
  };
  const FetchRequest request{.url = Url(node, path, operation), .headers = settings_.headers};
  auto answer = FetchAnswer(client_, request, name_, explain, stop);
  if (answer.has_value()) return answer;
  base::Status status = std::move(answer).error();
  if (MayPass(error.exception)) status = base::Unavailable(status.message());
  if (status.code() == base::StatusCode::kUnavailable) {
    node_.compare_exchange_strong(node, (node + 1) % settings_.name_nodes.size());
  }
  return std::unexpected(std::move(status));
}

base::Result<HdfsStatus> HdfsSource::StatusOf(const std::string& path, const std::stop_token& stop) {
  INFERD_ASSIGN_OR_RETURN(const std::string answer, Ask(path, "GETFILESTATUS", stop));
  auto status = ReadHdfsStatus(answer);
  if (!status.has_value()) return std::unexpected(status.error().WithContext(name_));
  return status;
}

base::Result<std::vector<HdfsStatus>> HdfsSource::EntriesOf(const Folder& folder, const std::stop_token& stop) {
  INFERD_ASSIGN_OR_RETURN(const std::string answer, Ask(KeyOf(folder.path), "LISTSTATUS", stop));
  auto entries = ReadHdfsListing(answer);
  if (!entries.has_value()) return std::unexpected(entries.error().WithContext(name_));
  return entries;
}

base::Result<std::vector<RemoteFile>> HdfsSource::List(const std::stop_token& stop) {
  INFERD_ASSIGN_OR_RETURN(const HdfsStatus status, StatusOf(settings_.path, stop));
  if (status.kind == HdfsKind::kFile) {
    const std::string& path = settings_.path;
    return std::vector<RemoteFile>{FileOfStatus(status, path.substr(path.rfind('/') + 1), path)};
  }
  INFERD_ASSIGN_OR_RETURN(std::vector<RemoteFile> files, Walk(stop));
  if (files.empty()) return std::unexpected(NoModelFound(name_));
  std::ranges::sort(files, {}, &RemoteFile::path);
  return files;
}

base::Result<std::vector<RemoteFile>> HdfsSource::Walk(const std::stop_token& stop) {
  std::vector<RemoteFile> files;
  std::vector<Folder> folders{Folder{}};
  for (size_t entries_seen = 0; !folders.empty();) {
    const Folder folder = std::move(folders.back());
    folders.pop_back();
    if (folder.depth > kFoldersDeepMax) {
      return std::unexpected(
          base::ResourceExhausted(name_ + ": folders are nested deeper than " + std::to_string(kFoldersDeepMax)));
    }
    INFERD_ASSIGN_OR_RETURN(const std::vector<HdfsStatus> entries, EntriesOf(folder, stop));
    entries_seen += entries.size();
    if (entries_seen > kEntriesMax) {
      return std::unexpected(
          base::ResourceExhausted(name_ + ": more than " + std::to_string(kEntriesMax) + " files and folders"));
    }
    for (const HdfsStatus& entry : entries) {
      std::string path = folder.path.empty() ? entry.name : folder.path + "/" + entry.name;
      switch (entry.kind) {
        case HdfsKind::kFile: files.push_back(FileOfStatus(entry, path, KeyOf(path))); break;
        case HdfsKind::kFolder: folders.push_back({.path = std::move(path), .depth = folder.depth + 1}); break;
        case HdfsKind::kOther:
          return std::unexpected(
              base::FailedPrecondition(name_ + ": " + base::QuotedName(path) + " is neither a file nor a folder"));
      }
    }
  }
  return files;
}

// A part is requested by a parameter here, not by an HTTP range, so the response is complete. The data node does not
// identify the file that it reads. Afterwards the name node tells whether the file is still the listed one and, after a
// refusal, the reason.
base::Status HdfsSource::Read(const RemoteFile& file, const ByteRange& range, const ByteSink& sink,
                              const std::stop_token& stop) {
  const std::string name = name_ + ": " + file.path;
  const uint64_t end = range.end.value_or(file.size.value_or(range.begin));
  FetchRequest request{.url = Url(node_, file.key, "OPEN"), .headers = settings_.headers};
  request.url += "&offset=" + std::to_string(range.begin) + "&length=" + std::to_string(end - range.begin);
  RemoteFile asked = file;
  asked.ranges = false;
  asked.tag.clear();
  base::Status read = FetchFile(client_, std::move(request), asked, range, name, sink, stop);
  if (read.code() == base::StatusCode::kCancelled) return read;
  const auto now = StatusOf(file.key, stop);
  if (!now.has_value() && now.error().code() != base::StatusCode::kNotFound) return now.error();
  if (!now.has_value() || now->size != file.size || now->tag != file.tag) return ChangedMeanwhile(name);
  return read;
}

}  // namespace inferd::storage
