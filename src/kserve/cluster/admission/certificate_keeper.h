#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/logging.h"
#include "kserve/cluster/admission/certificate_plan.h"
#include "kserve/cluster/admission/certificate_store.h"
#include "net/authority/pem_pair.h"

namespace inferd::cluster {

// Keeps the webhooks' certificates current. It creates them in advance, renews them before they expire, passes the
// Secret's certificate to the server, and makes the API server trust its authority. If several processes share the
// Secret, only the leader writes; the others use what they find. If a write conflicts, the other writer's result is
// used.
//
// The caller must use one thread for Step().
class CertificateKeeper final {
 public:
  struct Options {
    kubernetes::ObjectName secret;
    CertificateTimes times = {};
  };
  // Puts the certificate into use. Returns false if that failed; the next step tries again.
  using Show = std::function<bool(const net::PemPair& serving)>;

  // All references must outlive the keeper. `leads` returns true if this process may write; it must be thread-safe.
  CertificateKeeper(CertificateStore& store, Options options, std::function<bool()> leads, Show show,
                    const base::Clock& clock, base::Logger& logger);

  // Performs the actions that are due now.
  void Step();

 private:
  bool Write(CertificatePlan plan, kubernetes::ObjectPointer& secret);
  void ShowKept(const net::PemPair& serving);
  void HaveTrusted(const std::string& authorities);
  std::vector<std::string> Names() const;

  CertificateStore& store_;
  const Options options_;
  const std::function<bool()> leads_;
  const Show show_;
  const base::Clock& clock_;
  base::Logger& logger_;
  std::optional<net::PemPair> shown_;
};

}  // namespace inferd::cluster
