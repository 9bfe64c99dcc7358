#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "net/authority/pem_pair.h"

namespace inferd::local {

// The credentials that the API and its clients present to each other. All except the authority's certificate are
// secret.
struct ApiKeys {
  std::string token;           // 64 hexadecimal digits
  std::string authority;       // PEM certificate that clients trust
  net::PemPair certificate{};  // the server's, signed by the authority
};

// Reads the keys of a state folder, or creates them if the folder has none. The token is in `api-token`, the authority
// with its key in `api-authority.pem`, both with mode 0600. So clients can keep using keys from an earlier start. The
// server's certificate is new for each start, for `address` and the loopback. An authority that expires within a year
// is replaced.
//
// UNAVAILABLE if a file cannot be written. FAILED_PRECONDITION if a file has invalid content. Such a file is not
// changed.
base::Result<ApiKeys> KeepApiKeys(const std::string& folder, const std::string& address, int64_t now_s);

}  // namespace inferd::local
