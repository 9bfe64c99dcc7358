#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "net/authority/pem_pair.h"

namespace inferd::local {

// What the API shows its clients, and they show it. All but the authority's certificate are secrets.
struct ApiKeys {
  std::string token;           // 64 hexadecimal digits
  std::string authority;       // the certificate (PEM) that clients trust
  net::PemPair certificate{};  // the server's, which the authority has signed
};

// Reads the keys of a state folder, or makes them if it has none: the token in `api-token`, the authority with its key
// in `api-authority.pem`, both of mode 0600. So clients that know them from an earlier start go on. The server's own
// certificate is made anew for each start, for `address` and the loopback. An authority that ends within a year is
// replaced.
//
// UNAVAILABLE: a file cannot be written. FAILED_PRECONDITION: a file that is there is not what it should be; it is left
// as it is.
base::Result<ApiKeys> KeepApiKeys(const std::string& folder, const std::string& address, int64_t now_s);

}  // namespace inferd::local
