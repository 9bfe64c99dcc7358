#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "storage/gs/gs_token.h"
#include "storage/source/access_token.h"
#include "storage/source/environment.h"
#include "storage/source/source.h"

namespace inferd::storage {

// A model in a bucket of Google's Cloud Storage, over its JSON API. GOOGLE_APPLICATION_CREDENTIALS names a service
// account's file; without it requests are anonymous, as in KServe. STORAGE_EMULATOR_HOST names another server than
// Google's.
class GsSource final : public Source {
 public:
  // INVALID_ARGUMENT if there is no bucket, or the file is not a service account's. NOT_FOUND if the file does not
  // exist.
  static base::Result<std::unique_ptr<Source>> Open(const std::string& uri, const Environment& environment);

  std::string Place() const override { return objects_url_; }
  base::Result<std::vector<RemoteFile>> List(const std::stop_token& stop) override;
  base::Status Read(const RemoteFile& file, const ByteRange& range, const ByteSink& sink,
                    const std::stop_token& stop) override;

 private:
  GsSource(std::string name, std::string path, std::string objects_url, std::optional<ServiceAccount> account);
  base::Result<FetchRequest> Request(std::string url, const std::stop_token& stop);

  const std::string name_;  // "gs://bucket/path"
  const std::string path_;
  const std::string objects_url_;  // ".../storage/v1/b/bucket/o"
  const std::optional<ServiceAccount> account_;
  const FetchClient client_{FetchClient::Options{}};
  TokenKeeper token_;
};

}  // namespace inferd::storage
