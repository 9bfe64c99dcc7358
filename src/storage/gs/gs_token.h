#pragma once

#include <chrono>
#include <stop_token>
#include <string>

#include "base/status.h"
#include "storage/source/access_token.h"
#include "storage/transfer/fetch_client.h"

namespace inferd::storage {

// A service account, from a file of type "service_account". The key is a secret.
struct ServiceAccount {
  std::string email;
  std::string private_key;  // PEM
  std::string token_url;
};

// INVALID_ARGUMENT if it is not such a file; the message contains nothing of the file.
base::Result<ServiceAccount> ReadServiceAccount(std::string_view json);

// Returns the assertion that the account signs to request a token for reading storage: a JSON Web Token (RFC 7519) with
// RS256, valid for an hour from `now`. INVALID_ARGUMENT if the key is invalid.
base::Result<std::string> SignedAssertion(const ServiceAccount& account, std::chrono::seconds now);

// Returns a token for the account, from its token URL (RFC 7523). Blocks. Errors are FetchAnswer()'s and
// ReadAccessToken()'s.
base::Result<AccessToken> FetchAccessToken(const ServiceAccount& account, const FetchClient& client,
                                           const std::stop_token& stop);

}  // namespace inferd::storage
