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

// How long what is made is good, and when it is made anew. An authority is followed by the next one long before its
// end, and both are trusted from then on; what it has signed is shown until its own end nears. So every API server
// knows an authority long before it meets a certificate of it.
struct CertificateTimes {
  std::chrono::seconds authority{std::chrono::hours(24 * 3650)};
  std::chrono::seconds authority_margin{std::chrono::hours(24 * 365)};  // before its end
  std::chrono::seconds authority_known{std::chrono::hours(24)};         // by API servers, after it was made
  std::chrono::seconds serving{std::chrono::hours(24 * 90)};
  std::chrono::seconds serving_margin{std::chrono::hours(24 * 30)};
};

// What is kept in a Secret of the type kubernetes.io/tls:
//
//   ca.crt   authorities that are trusted, the newest first     ca.key   of the first
//   tls.crt  the certificate that is shown                      tls.key
struct KeptCertificates {
  std::string authorities;
  net::PemPair serving;
};

// Those of a Secret, as they are. Nothing: there is no certificate with its key yet. Thread-safe, as the others are.
std::optional<KeptCertificates> KeptIn(const manifest::Value& secret);

struct CertificatePlan {
  std::optional<manifest::Value>
      secret;          // that is to be written, with the live one's resourceVersion; none: all is well
  std::string reason;  // why, for people
};

// What is to become of the Secret `live`; null: there is none. `names`: what the webhooks are called by; those that a
// certificate cannot have are left out. Without any, there is an authority alone. What is wrong with a Secret, whoever
// wrote it, is made anew. With a clock that is wrong, certificates are good for longer or shorter than they should be;
// the next call with a right one mends that. INTERNAL: OpenSSL's reason.
base::Result<CertificatePlan> PlanCertificates(const manifest::Value* live, const kubernetes::ObjectName& name,
                                               const std::vector<std::string>& names, int64_t now_s,
                                               const CertificateTimes& times = {});

const kubernetes::Resource& SecretResource();

}  // namespace inferd::cluster
