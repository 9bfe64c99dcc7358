#include "storage/s3/s3_settings.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "base/text/ascii_case.h"
#include "storage/source/uri.h"

namespace inferd::storage {

namespace {

bool IsTrue(const std::string& text) { return base::EqualWithoutCase(text, "true") || text == "1"; }
bool IsFalse(const std::string& text) { return base::EqualWithoutCase(text, "false") || text == "0"; }

std::string FirstOf(const std::string& first, const std::string& second) { return first.empty() ? second : first; }

// With a dot it would not match a wildcard certificate, which covers one label.
bool CanBeInHostName(std::string_view bucket) {
  return std::ranges::all_of(bucket,
                             [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
}

bool IsBucketName(std::string_view bucket) {
  return !bucket.empty() && std::ranges::all_of(bucket, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
           c == '_';
  });
}

std::string EndpointIn(const Environment& environment) {
  std::string endpoint = environment("AWS_ENDPOINT_URL");
  if (endpoint.empty()) {
    endpoint = environment("S3_ENDPOINT");
    if (!endpoint.empty() && endpoint.find("://") == std::string::npos) {
      endpoint.insert(0, IsFalse(environment("S3_USE_HTTPS")) ? "http://" : "https://");
    }
  }
  while (endpoint.ends_with('/')) endpoint.pop_back();
  return endpoint;
}

std::string BucketUrl(const S3Settings& settings, std::string endpoint, const Environment& environment) {
  const bool at_amazon = endpoint.empty();
  const bool asked = IsTrue(FirstOf(environment("S3_USER_VIRTUAL_BUCKET"), environment("S3_USE_VIRTUAL_BUCKET")));
  const bool accelerated = IsTrue(environment("S3_USE_ACCELERATE"));
  if (accelerated) return "https://" + settings.bucket + ".s3-accelerate.amazonaws.com";
  if (at_amazon) endpoint = "https://s3." + settings.region + ".amazonaws.com";
  if (!asked && !(at_amazon && CanBeInHostName(settings.bucket))) return endpoint + "/" + settings.bucket;
  return endpoint.insert(endpoint.find("://") + 3, settings.bucket + ".");
}

}  // namespace

base::Result<S3Settings> ReadS3Settings(const std::string& uri, const Environment& environment) {
  S3Settings settings;
  const std::string_view behind_scheme = std::string_view(uri).substr(std::string_view("s3://").size());
  const size_t slash = std::min(behind_scheme.find('/'), behind_scheme.size());
  settings.bucket = behind_scheme.substr(0, slash);
  const size_t path = behind_scheme.find_first_not_of('/', slash);
  if (path != std::string_view::npos) settings.path = behind_scheme.substr(path);
  if (!IsBucketName(settings.bucket)) return std::unexpected(base::InvalidArgument(ShownUri(uri) + " names no bucket"));
  settings.region = FirstOf(FirstOf(environment("AWS_DEFAULT_REGION"), environment("AWS_REGION")), "us-east-1");
  const std::string endpoint = EndpointIn(environment);
  const UriParts parts = SplitUri(endpoint);
  if (!endpoint.empty() && ((parts.scheme != "http" && parts.scheme != "https") || parts.host.empty())) {
    return std::unexpected(base::InvalidArgument("the endpoint " + ShownUri(endpoint) + " is no URL of HTTP"));
  }
  settings.bucket_url = BucketUrl(settings, endpoint, environment);
  settings.anonymous = IsTrue(environment("awsAnonymousCredential"));
  settings.client.verify_peer = !IsFalse(environment("S3_VERIFY_SSL"));
  settings.client.ca_file = settings.client.verify_peer ? environment("AWS_CA_BUNDLE") : "";
  std::error_code error;
  if (!settings.client.ca_file.empty() && !std::filesystem::exists(settings.client.ca_file, error)) {
    return std::unexpected(base::FailedPrecondition("Failed to find ca bundle file(" + settings.client.ca_file + ")."));
  }
  return settings;
}

}  // namespace inferd::storage
