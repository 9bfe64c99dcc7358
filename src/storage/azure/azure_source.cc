#include "storage/azure/azure_source.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "base/text/percent.h"
#include "storage/azure/azure_listing.h"
#include "storage/source/file_response.h"
#include "storage/source/model_listing.h"
#include "storage/source/uri.h"

namespace inferd::storage {

namespace {

constexpr const char* kServiceVersion = "2021-08-06";

std::string_view TrimSlashes(std::string_view text) {
  while (text.starts_with('/')) text.remove_prefix(1);
  while (text.ends_with('/')) text.remove_suffix(1);
  return text;
}

}  // namespace

base::Result<AzureLocation> ReadAzureLocation(const std::string& uri, const Environment& environment) {
  const UriParts parts = SplitUri(uri);
  const std::string_view path = TrimSlashes(parts.path);
  const size_t slash = std::min(path.find('/'), path.size());
  const std::string container(path.substr(0, slash));
  if (container.empty()) return std::unexpected(base::InvalidArgument(ShownUri(uri) + " names no container"));
  AzureLocation location{.account = std::string(parts.host.substr(0, parts.host.find('.'))),
                         .container_url = "https://" + std::string(parts.authority),
                         .path = base::PercentDecoded(TrimSlashes(path.substr(slash))),
                         .signature = std::string(parts.query)};
  if (std::string endpoint = environment("AZURE_STORAGE_BLOB_ENDPOINT"); !endpoint.empty()) {
    while (endpoint.ends_with('/')) endpoint.pop_back();
    location.container_url = endpoint + "/" + location.account;
  }
  location.container_url += "/" + container;
  return location;
}

AzureSource::AzureSource(std::string name, AzureLocation location, std::optional<AzurePrincipal> principal,
                         std::string key)
    : name_(std::move(name)),
      location_(std::move(location)),
      principal_(std::move(principal)),
      key_{.account = location_.account, .key = std::move(key)} {}

base::Result<std::unique_ptr<Source>> AzureSource::Open(const std::string& uri, const Environment& environment) {
  INFERD_ASSIGN_OR_RETURN(AzureLocation location, ReadAzureLocation(uri, environment));
  INFERD_ASSIGN_OR_RETURN(auto principal, FindAzurePrincipal(environment));
  return std::unique_ptr<Source>(new AzureSource(ShownUri(uri), std::move(location), std::move(principal),
                                                 environment("AZURE_STORAGE_ACCESS_KEY")));
}

base::Result<FetchRequest> AzureSource::Request(std::string url, const std::optional<ByteRange>& range,
                                                const std::stop_token& stop) {
  FetchRequest request{.url = std::move(url), .range = range};
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  request.headers = {{"x-ms-date", HttpDate(now)}, {"x-ms-version", kServiceVersion}};
  if (!location_.signature.empty()) {
    request.url += (request.url.find('?') == std::string::npos ? "?" : "&") + location_.signature;
  } else if (principal_.has_value()) {
    INFERD_ASSIGN_OR_RETURN(const std::string token,
                            token_.Get([&] { return FetchAzureToken(*principal_, client_, stop); }));
    request.headers.emplace_back("Authorization", "Bearer " + token);
  } else if (!key_.key.empty()) {
    INFERD_RETURN_IF_ERROR(SignForAzure(key_, request));
  }
  return request;
}

base::Result<std::vector<RemoteFile>> AzureSource::List(const std::stop_token& stop) {
  const auto request = [&](const std::string& token) {
    std::string url =
        location_.container_url + "?restype=container&comp=list&prefix=" + base::PercentEncoded(location_.path, false);
    if (!token.empty()) url += "&marker=" + base::PercentEncoded(token, false);
    return Request(std::move(url), std::nullopt, stop);
  };
  const BucketListing listing{.name = name_,
                              .path = location_.path,
                              .model = name_,
                              .request = request,
                              .read_page = ReadAzurePage,
                              .read_error = ReadAzureError};
  return ListModel(client_, listing, stop);
}

base::Status AzureSource::Read(const RemoteFile& file, const ByteRange& range, const ByteSink& sink,
                               const std::stop_token& stop) {
  INFERD_ASSIGN_OR_RETURN(FetchRequest request,
                          Request(location_.container_url + "/" + base::PercentEncoded(file.key, true), range, stop));
  return FetchFile(client_, std::move(request), file, range, name_ + ": " + file.path, sink, stop);
}

}  // namespace inferd::storage
