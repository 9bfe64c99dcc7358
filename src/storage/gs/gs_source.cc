#include "storage/gs/gs_source.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/system/regular_file.h"
#include "base/text/percent.h"
#include "storage/gs/gs_listing.h"
#include "storage/source/file_response.h"
#include "storage/source/model_listing.h"
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
  INFERD_ASSIGN_OR_RETURN(const std::string token,
                          token_.Get([&] { return FetchAccessToken(*account_, client_, stop); }));
  request.headers.emplace_back("Authorization", "Bearer " + token);
  return request;
}

base::Result<std::vector<RemoteFile>> GsSource::List(const std::stop_token& stop) {
  const auto request = [&](const std::string& token) {
    std::string url = objects_url_ + "?prefix=" + base::PercentEncoded(path_, false);
    if (!token.empty()) url += "&pageToken=" + base::PercentEncoded(token, false);
    return Request(std::move(url), stop);
  };
  const BucketListing listing{.name = name_,
                              .path = path_,
                              .model = name_,
                              .request = request,
                              .read_page = ReadGsPage,
                              .read_error = ReadGsError};
  return ListModel(client_, listing, stop);
}

// Requests the listed generation, so that all parts belong to one. Its responses have no tag to compare.
base::Status GsSource::Read(const RemoteFile& file, const ByteRange& range, const ByteSink& sink,
                            const std::stop_token& stop) {
  std::string url = objects_url_ + "/" + base::PercentEncoded(file.key, false) + "?alt=media";
  if (!file.tag.empty()) url += "&generation=" + base::PercentEncoded(file.tag, false);
  INFERD_ASSIGN_OR_RETURN(FetchRequest request, Request(std::move(url), stop));
  RemoteFile asked = file;
  asked.tag.clear();
  base::Status status = FetchFile(client_, std::move(request), asked, range, name_ + ": " + file.path, sink, stop);
  if (status.code() != base::StatusCode::kNotFound) return status;
  return ChangedMeanwhile(name_ + ": " + file.path);
}

}  // namespace inferd::storage
