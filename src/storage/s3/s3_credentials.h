#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "base/status.h"
#include "storage/source/environment.h"
#include "storage/transfer/fetch_client.h"

namespace inferd::storage {

// All three are secrets.
struct S3Credentials {
  std::string access_key_id;
  std::string secret_access_key;
  std::string session_token;  // empty: the key is not a temporary one
};

// The key in AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN; else, where AWS_ROLE_ARN and
// AWS_WEB_IDENTITY_TOKEN_FILE are set (a pod's service account with a role), a temporary one of Amazon's Security Token
// Service in `region`, or at AWS_ENDPOINT_URL_STS. nullopt: neither is set. Blocks. NOT_FOUND, INVALID_ARGUMENT: the
// token's file; PERMISSION_DENIED, FAILED_PRECONDITION: the service refuses; UNAVAILABLE: another try may mend it.
base::Result<std::optional<S3Credentials>> FindS3Credentials(const Environment& environment, const std::string& region,
                                                             const FetchClient& client, const std::stop_token& stop);

}  // namespace inferd::storage
