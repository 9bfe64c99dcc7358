#include "kserve/cluster/admission/certificate_keeper.h"

#include <memory>
#include <utility>

#include "data/manifest/value_path.h"
#include "kserve/cluster/admission/webhook_configuration.h"

namespace inferd::cluster {

namespace {

constexpr int64_t kNsPerS = 1'000'000'000;

}  // namespace

CertificateKeeper::CertificateKeeper(CertificateStore& store, Options options, std::function<bool()> leads, Show show,
                                     const base::Clock& clock, base::Logger& logger)
    : store_(store),
      options_(std::move(options)),
      leads_(std::move(leads)),
      show_(std::move(show)),
      clock_(clock),
      logger_(logger) {}

void CertificateKeeper::Step() {
  if (!store_.synced()) return;
  kubernetes::ObjectPointer secret = store_.secret();
  const bool leads = leads_();
  if (leads) {
    auto plan = PlanCertificates(secret.get(), options_.secret, Names(), clock_.WallNs() / kNsPerS, options_.times);
    if (!plan.has_value()) return logger_.Error(plan.error().WithContext("certificates of webhooks").message());
    if (plan->secret.has_value() && !Write(*std::move(plan), secret)) return;
  }
  if (secret == nullptr) return;
  const std::optional<KeptCertificates> kept = KeptIn(*secret);
  if (!kept.has_value()) return;
  // The order matters: the first certificate must be in use before API servers trust its authority. The authority of a
  // later certificate has been trusted for long.
  ShowKept(kept->serving);
  if (leads) HaveTrusted(kept->authorities);
}

bool CertificateKeeper::Write(CertificatePlan plan, kubernetes::ObjectPointer& secret) {
  auto written = store_.WriteSecret(*plan.secret);
  if (!written.has_value()) {
    // Another process wrote first. The watch reports its change, and a later step uses it.
    if (written.error().is_conflict() || written.error().is_already_exists()) return false;
    logger_.Error("the Secret with the certificates of webhooks cannot be written",
                  {{"secret", options_.secret.name}, {"error", written.error().ToString()}});
    return false;
  }
  logger_.Info("certificates of webhooks were made", {{"secret", options_.secret.name}, {"because", plan.reason}});
  secret = std::make_shared<const manifest::Value>(*std::move(written));
  return true;
}

void CertificateKeeper::ShowKept(const net::PemPair& serving) {
  if (shown_ == serving) return;
  if (show_(serving)) shown_ = serving;
}

void CertificateKeeper::HaveTrusted(const std::string& authorities) {
  for (const kubernetes::ObjectPointer& live : store_.configurations()) {
    manifest::Value configuration = *live;
    if (!SetAuthorities(configuration, authorities)) continue;
    const auto written = store_.WriteConfiguration(*live, configuration);
    if (written.has_value()) {
      logger_.Info("webhooks are trusted by a new authority",
                   {{"kind", manifest::TextAt(configuration, {"kind"})},
                    {"name", manifest::TextAt(configuration, {"metadata", "name"})}});
    } else if (!written.error().is_conflict() && !written.error().is_not_found()) {
      logger_.Error("the authority of webhooks cannot be written", {{"error", written.error().ToString()}});
    }
  }
}

std::vector<std::string> CertificateKeeper::Names() const {
  std::vector<std::string> names;
  for (const kubernetes::ObjectPointer& configuration : store_.configurations()) {
    for (std::string& name : CalledNames(*configuration)) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace inferd::cluster
