#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "net/authority/pem_pair.h"

// Certificates that a program makes for itself: an authority's, and a server's signed by that authority. All keys are
// of P-256. Times are seconds since the Unix epoch, between 1970 and 2200. Certificates are valid from 2020 on: only
// their end matters here, and a slow clock, of ours or of the peer, must not refuse them. Thread-safe.
//
//   const auto authority = MakeAuthority("webhooks", now_s + 3650 * 86400);
//   const auto server = IssueCertificate(*authority, {"webhooks.kserve.svc", "127.0.0.1"}, now_s + 90 * 86400);

namespace inferd::net {

// Makes a self-signed authority. `name` has at most 40 characters; a random number makes it unique. INTERNAL, with
// OpenSSL's reason, if it fails.
base::Result<PemPair> MakeAuthority(std::string_view name, int64_t not_after_s);

// Returns true if a certificate may be issued for `name`: a DNS name of at most 253 characters, or an IP address.
bool IsCertificateName(std::string_view name);

// Issues a certificate for 1 to 100 `names`. INVALID_ARGUMENT if a name is invalid, or if `authority` is not a
// certificate with its key.
base::Result<PemPair> IssueCertificate(const PemPair& authority, const std::vector<std::string>& names,
                                       int64_t not_after_s);

struct CertificateFacts {
  int64_t not_before_s = 0;
  int64_t not_after_s = 0;
  bool is_authority = false;
  std::vector<std::string> names;  // DNS names and addresses, sorted
};

// Reads the first certificate of a PEM text of at most 64 KiB. INVALID_ARGUMENT if there is none.
base::Result<CertificateFacts> ReadCertificate(std::string_view pem);

// Returns true if the key belongs to the first certificate.
bool IsPair(const PemPair& pair);

// Returns true if the first certificate of `pem` was signed by the first of `authority`.
bool IsSignedBy(std::string_view pem, std::string_view authority);

// Splits a PEM text into its certificates, up to the first invalid one; 16 at most.
std::vector<std::string> SplitCertificates(std::string_view pem);

}  // namespace inferd::net
