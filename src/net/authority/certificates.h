#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "net/authority/pem_pair.h"

// Certificates that a program makes for itself: an authority, and a server's that it signs. All keys are of P-256.
// Times are seconds since the Unix epoch, of the years 1970 to 2200. Certificates are good from 2020 on: only their end
// is of interest here, and a clock that is behind, be it ours or that of who checks, refuses nothing. Thread-safe.
//
//   const auto authority = MakeAuthority("webhooks", now_s + 3650 * 86400);
//   const auto server = IssueCertificate(*authority, {"webhooks.kserve.svc", "127.0.0.1"}, now_s + 90 * 86400);

namespace inferd::net {

// Self-signed. `name`: what it is called, at most 40 characters; a random number makes it one of its own. INTERNAL:
// OpenSSL's reason.
base::Result<PemPair> MakeAuthority(std::string_view name, int64_t not_after_s);

// What a certificate may be for: a DNS name of at most 253 characters, or an address.
bool IsCertificateName(std::string_view name);

// `names`: at least one, at most 100. INVALID_ARGUMENT: one is none; the authority is no certificate with its key.
base::Result<PemPair> IssueCertificate(const PemPair& authority, const std::vector<std::string>& names,
                                       int64_t not_after_s);

struct CertificateFacts {
  int64_t not_before_s = 0;
  int64_t not_after_s = 0;
  bool is_authority = false;
  std::vector<std::string> names;  // DNS names and addresses, sorted
};

// Of the first certificate of a PEM text of at most 64 KiB. INVALID_ARGUMENT: there is none.
base::Result<CertificateFacts> ReadCertificate(std::string_view pem);

// Whether the key is that of the first certificate.
bool IsPair(const PemPair& pair);

// Whether the first certificate of `pem` was signed by that of `authority`.
bool IsSignedBy(std::string_view pem, std::string_view authority);

// The certificates of a PEM text, each as a text of its own, up to the first that is none; 16 at most.
std::vector<std::string> SplitCertificates(std::string_view pem);

}  // namespace inferd::net
