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

// Keeps the certificates of webhooks: has them made before they are needed and anew before they end, shows what the
// Secret has, and has the API server trust it. Of several programs with one Secret, the one that leads writes; the
// others show what they find. A write that meets another's is dropped, and what that has made is taken.
//
// Step() is called by one thread.
class CertificateKeeper final {
 public:
  struct Options {
    kubernetes::ObjectName secret;
    CertificateTimes times = {};
  };
  // What is to be shown from now on; false: it cannot be, and is told again at the next step.
  using Show = std::function<bool(const net::PemPair& serving)>;

  // All outlive it. `leads`: whether this program writes; from any thread.
  CertificateKeeper(CertificateStore& store, Options options, std::function<bool()> leads, Show show,
                    const base::Clock& clock, base::Logger& logger);

  // Does what is to be done now.
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
