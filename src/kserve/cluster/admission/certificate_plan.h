#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "data/manifest/value.h"
#include "kserve/kubernetes/api/resource.h"
#include "net/authority/pem_pair.h"

namespace inferd::cluster {

// The validity periods of certificates, and when they are renewed. An authority gets a successor long before it
// expires, and both are trusted from then on. A certificate stays in use until its own end is near. So every API server
// trusts an authority long before it meets a certificate of it.
struct CertificateTimes {
  std::chrono::seconds authority{std::chrono::hours(24 * 3650)};
  std::chrono::seconds authority_margin{std::chrono::hours(24 * 365)};  // renewed this long before it expires
  std::chrono::seconds authority_known{std::chrono::hours(24)};         // API servers trust it after this time
  std::chrono::seconds serving{std::chrono::hours(24 * 90)};
  std::chrono::seconds serving_margin{std::chrono::hours(24 * 30)};
};

// The contents of a Secret of the type kubernetes.io/tls:
//
//   ca.crt   trusted authorities, the newest first           ca.key   of the first
//   tls.crt  the certificate in use                          tls.key
struct KeptCertificates {
  std::string authorities;
  net::PemPair serving;
};

// Reads the certificates of a Secret without checking them. Nullopt if it has no certificate with a key. Thread-safe,
// like the other functions of this file.
std::optional<KeptCertificates> KeptIn(const manifest::Value& secret);

struct CertificatePlan {
  std::optional<manifest::Value>
      secret;          // to write, with the live one's resourceVersion; nullopt if nothing must change
  std::string reason;  // of the change, for people
};

// Computes the changes that the Secret needs. `live` is null if there is no Secret. `names` are the host names of the
// webhooks; names that a certificate cannot have are ignored. Without any name, only an authority is created. Any
// invalid part of the Secret is created again. If the clock was wrong, certificates expire earlier or later than
// intended; the next call with a correct clock repairs that. INTERNAL with OpenSSL's reason if that fails.
base::Result<CertificatePlan> PlanCertificates(const manifest::Value* live, const kubernetes::ObjectName& name,
                                               const std::vector<std::string>& names, int64_t now_s,
                                               const CertificateTimes& times = {});

const kubernetes::Resource& SecretResource();

}  // namespace inferd::cluster
