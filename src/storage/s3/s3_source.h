#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "storage/s3/s3_credentials.h"
#include "storage/s3/s3_settings.h"
#include "storage/source/environment.h"
#include "storage/source/source.h"

namespace inferd::storage {

// A model in a bucket of Amazon's S3, or of a server with the same protocol. Requests are signed with the key that
// FindS3Credentials() finds, or unsigned if there is none.
class S3Source final : public Source {
 public:
  // Errors are ReadS3Settings()'s.
  static base::Result<std::unique_ptr<Source>> Open(const std::string& uri, const Environment& environment);

  std::string Place() const override { return settings_.bucket_url; }
  base::Result<std::vector<RemoteFile>> List(const std::stop_token& stop) override;
  base::Status Read(const RemoteFile& file, const ByteRange& range, const ByteSink& sink,
                    const std::stop_token& stop) override;

 private:
  S3Source(S3Settings settings, Environment environment);
  base::Result<FetchRequest> Request(std::string url, const std::stop_token& stop);

  const S3Settings settings_;
  const Environment environment_;
  const FetchClient client_;
  base::Mutex mutex_;
  bool asked_ GUARDED_BY(mutex_) = false;  // true if credentials were looked up
  std::optional<S3Credentials> credentials_ GUARDED_BY(mutex_);
};

}  // namespace inferd::storage
