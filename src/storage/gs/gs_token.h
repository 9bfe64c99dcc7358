#pragma once

#include <chrono>
#include <stop_token>
#include <string>

#include "base/status.h"
#include "storage/source/access_token.h"
#include "storage/transfer/fetch_client.h"

namespace inferd::storage {

// A service account, as a file of type "service_account" has it. The key is a secret.
struct ServiceAccount {
  std::string email;
  std::string private_key;  // PEM
  std::string token_url;
};

// INVALID_ARGUMENT: it is no such file; its message has nothing of the file.
base::Result<ServiceAccount> ReadServiceAccount(std::string_view json);

// What the account signs to ask for a token that reads storage: a JSON Web Token (RFC 7519) with RS256, valid for an
// hour from `now`. INVALID_ARGUMENT: the key is none.
base::Result<std::string> SignedAssertion(const ServiceAccount& account, std::chrono::seconds now);

// A token for the account, from its token URL (RFC 7523). Blocks. Errors are FetchAnswer's and
// ReadAccessToken's.
base::Result<AccessToken> FetchAccessToken(const ServiceAccount& account, const FetchClient& client,
                                           const std::stop_token& stop);

}  // namespace inferd::storage
