#include "storage/gs/gs_source.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/system/regular_file.h"
#include "base/text/percent.h"
#include "storage/gs/gs_listing.h"
#include "storage/source/answer.h"
#include "storage/source/file_response.h"
#include "storage/source/stored_object.h"
#include "storage/source/uri.h"

namespace inferd::storage {

namespace {

constexpr std::string_view kScheme = "gs://";
constexpr size_t kAccountBytesMax = 64 << 10;

}  // namespace

GsSource::GsSource(std::string name, std::string path, std::string objects_url, std::optional<ServiceAccount> account)
    : name_(std::move(name)),
      path_(std::move(path)),
      objects_url_(std::move(objects_url)),
      account_(std::move(account)) {}

base::Result<std::unique_ptr<Source>> GsSource::Open(const std::string& uri, const Environment& environment) {
  const std::string_view behind_scheme = std::string_view(uri).substr(kScheme.size());
  const size_t slash = std::min(behind_scheme.find('/'), behind_scheme.size());
  const std::string bucket(behind_scheme.substr(0, slash));
  if (bucket.empty()) return std::unexpected(base::InvalidArgument(ShownUri(uri) + " names no bucket"));
  const size_t path = std::min(behind_scheme.find_first_not_of('/', slash), behind_scheme.size());
  std::optional<ServiceAccount> account;
  if (const std::string file = environment("GOOGLE_APPLICATION_CREDENTIALS"); !file.empty()) {
    INFERD_ASSIGN_OR_RETURN(const std::string text, base::ReadRegularFile(file, kAccountBytesMax));
    auto read = ReadServiceAccount(text);
    if (!read.has_value()) return std::unexpected(read.error().WithContext(file));
    account = *std::move(read);
  }
  std::string server = environment("STORAGE_EMULATOR_HOST");
  if (server.empty()) server = "https://storage.googleapis.com";
  if (server.find("://") == std::string::npos) server.insert(0, "http://");
  while (server.ends_with('/')) server.pop_back();
  return std::unique_ptr<Source>(new GsSource(uri, std::string(behind_scheme.substr(path)),
                                              server + "/storage/v1/b/" + base::PercentEncoded(bucket, false) + "/o",
                                              std::move(account)));
}

base::Result<FetchRequest> GsSource::Request(std::string url, const std::stop_token& stop) {
  FetchRequest request{.url = std::move(url)};
  if (!account_.has_value()) return request;
  const base::MutexLock lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (token_.empty() || now >= renew_at_) {
    INFERD_ASSIGN_OR_RETURN(const AccessToken token, FetchAccessToken(*account_, client_, stop));
    token_ = token.text;
    renew_at_ = now + token.lifetime / 2;
  }
  request.headers.emplace_back("Authorization", "Bearer " + token_);
  return request;
}

base::Result<std::vector<RemoteFile>> GsSource::List(const std::stop_token& stop) {
  const auto fetch_page = [&](const std::string& token) -> base::Result<ObjectPage> {
    std::string url = objects_url_ + "?prefix=" + base::PercentEncoded(path_, false);
    if (!token.empty()) url += "&pageToken=" + base::PercentEncoded(token, false);
    INFERD_ASSIGN_OR_RETURN(const FetchRequest request, Request(std::move(url), stop));
    INFERD_ASSIGN_OR_RETURN(const std::string answer, FetchAnswer(client_, request, name_, ReadGsError, stop));
    auto page = ReadGsPage(answer);
    if (!page.has_value()) return std::unexpected(page.error().WithContext(name_));
    return page;
  };
  INFERD_ASSIGN_OR_RETURN(const std::vector<StoredObject> objects, AllObjects(name_, fetch_page));
  std::vector<RemoteFile> files = FilesOfModel(objects, path_);
  if (files.empty()) return std::unexpected(base::NotFound("Failed to fetch model. No model found in " + name_ + "."));
  return files;
}

// The generation that was listed is asked for, so that all parts are of one. Its bytes have no tag of their own to
// compare.
base::Status GsSource::Read(const RemoteFile& file, const ByteRange& range, const ByteSink& sink,
                            const std::stop_token& stop) {
  std::string url = objects_url_ + "/" + base::PercentEncoded(file.key, false) + "?alt=media";
  if (!file.tag.empty()) url += "&generation=" + base::PercentEncoded(file.tag, false);
  INFERD_ASSIGN_OR_RETURN(FetchRequest request, Request(std::move(url), stop));
  RemoteFile asked = file;
  asked.tag.clear();
  base::Status status = FetchFile(client_, std::move(request), asked, range, name_ + ": " + file.path, sink, stop);
  if (status.code() != base::StatusCode::kNotFound) return status;
  return {base::StatusCode::kAborted, name_ + ": " + file.path + " was changed while it was downloaded"};
}

}  // namespace inferd::storage
