#include "storage/s3/s3_source.h"

#include <utility>

#include "base/text/percent.h"
#include "storage/s3/s3_listing.h"
#include "storage/source/file_response.h"
#include "storage/source/model_listing.h"

namespace inferd::storage {

namespace {

// S3 requires the body's digest in the signature, and Debian 12's libcurl adds none. This is the digest of an empty
// body.
constexpr const char* kNoBodyDigest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

// Parameters are sorted by name, since libcurl signs them in the given order.
std::string PageUrl(const S3Settings& settings, const std::string& token) {
  std::string url = settings.bucket_url + "/?";
  if (!token.empty()) url += "continuation-token=" + base::PercentEncoded(token, false) + "&";
  return url + "encoding-type=url&list-type=2&prefix=" + base::PercentEncoded(settings.path, false);
}

}  // namespace

S3Source::S3Source(S3Settings settings, Environment environment)
    : settings_(std::move(settings)), environment_(std::move(environment)), client_(settings_.client) {}

base::Result<std::unique_ptr<Source>> S3Source::Open(const std::string& uri, const Environment& environment) {
  INFERD_ASSIGN_OR_RETURN(S3Settings settings, ReadS3Settings(uri, environment));
  return std::unique_ptr<Source>(new S3Source(std::move(settings), environment));
}

base::Result<FetchRequest> S3Source::Request(std::string url, const std::stop_token& stop) {
  FetchRequest request{.url = std::move(url)};
  if (settings_.anonymous) return request;
  const base::MutexLock lock(mutex_);
  if (!asked_) {
    INFERD_ASSIGN_OR_RETURN(credentials_, FindS3Credentials(environment_, settings_.region, client_, stop));
    asked_ = true;
  }
  if (!credentials_.has_value()) return request;
  request.signing = S3Signing{.region = settings_.region,
                              .access_key_id = credentials_->access_key_id,
                              .secret_access_key = credentials_->secret_access_key};
  request.headers.emplace_back("x-amz-content-sha256", kNoBodyDigest);
  if (!credentials_->session_token.empty()) {
    request.headers.emplace_back("x-amz-security-token", credentials_->session_token);
  }
  return request;
}

base::Result<std::vector<RemoteFile>> S3Source::List(const std::stop_token& stop) {
  const BucketListing listing{
      .name = "s3://" + settings_.bucket + "/" + settings_.path,
      .path = settings_.path,
      .model = settings_.path,
      .request = [&](const std::string& token) { return Request(PageUrl(settings_, token), stop); },
      .read_page = ReadS3Page,
      .read_error = ReadS3Error,
  };
  return ListModel(client_, listing, stop);
}

base::Status S3Source::Read(const RemoteFile& file, const ByteRange& range, const ByteSink& sink,
                            const std::stop_token& stop) {
  INFERD_ASSIGN_OR_RETURN(FetchRequest request,
                          Request(settings_.bucket_url + "/" + base::PercentEncoded(file.key, true), stop));
  return FetchFile(client_, std::move(request), file, range, "s3://" + settings_.bucket + "/" + file.key, sink, stop);
}

}  // namespace inferd::storage
