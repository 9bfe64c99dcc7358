#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "base/status.h"
#include "storage/source/environment.h"
#include "storage/transfer/fetch_client.h"

namespace inferd::storage {

// Credentials for S3. All three members are secrets.
struct S3Credentials {
  std::string access_key_id;
  std::string secret_access_key;
  std::string session_token;  // empty unless the key is temporary
};

// Finds the key in AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN. Otherwise, if AWS_ROLE_ARN and
// AWS_WEB_IDENTITY_TOKEN_FILE are set (a pod's service account with a role), requests a temporary one from Amazon's
// Security Token Service in `region`, or at AWS_ENDPOINT_URL_STS. nullopt if neither is set. Blocks. NOT_FOUND or
// INVALID_ARGUMENT for the token's file. PERMISSION_DENIED or FAILED_PRECONDITION if the service refuses. UNAVAILABLE
// if a retry may help.
base::Result<std::optional<S3Credentials>> FindS3Credentials(const Environment& environment, const std::string& region,
                                                             const FetchClient& client, const std::stop_token& stop);

}  // namespace inferd::storage
