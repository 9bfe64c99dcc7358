#include "kserve/cluster/admission/certificate_plan.h"

#include <algorithm>
#include <utility>

#include "base/text/base64.h"
#include "data/manifest/fields.h"
#include "data/manifest/value_path.h"
#include "kserve/kubernetes/api/object_meta.h"
#include "net/authority/certificates.h"

namespace inferd::cluster {

namespace {

using manifest::Value;
using net::PemPair;

constexpr std::string_view kCalled = "inferd webhooks";
constexpr std::string_view kMadeAnnotation = "serving.inferd.io/authority-made";  // in seconds since 1970
constexpr size_t kAuthoritiesMax = 4;
constexpr size_t kNamesMax = 100;

std::string DataAt(const Value* secret, std::string_view key) {
  const Value* const data = secret == nullptr ? nullptr : secret->Find("data");
  const Value* const value = data == nullptr ? nullptr : data->Find(key);
  return value == nullptr ? std::string() : base::DecodedBase64(value->text());
}

Value Encoded(const std::string& text) {
  std::string encoded(base::Base64Size(text.size()), '\0');
  base::EncodeBase64(text, encoded.data());
  return Value::String(std::move(encoded));
}

// Returns the seconds until the certificate expires. Nullopt if it is not valid now.
std::optional<int64_t> SecondsLeft(const net::CertificateFacts& facts, int64_t now_s) {
  if (now_s < facts.not_before_s || now_s >= facts.not_after_s) return std::nullopt;
  return facts.not_after_s - now_s;
}

std::vector<std::string> UsableNames(const std::vector<std::string>& names) {
  std::vector<std::string> usable;
  for (const std::string& name : names) {
    if (usable.size() < kNamesMax && net::IsCertificateName(name)) usable.push_back(name);
  }
  std::ranges::sort(usable);
  const auto repeated = std::ranges::unique(usable);
  usable.erase(repeated.begin(), repeated.end());
  return usable;
}

// Reads the parts of a Secret, and computes the new ones.
class CertificatePlanner {
 public:
  CertificatePlanner(const Value* live, int64_t now_s, const CertificateTimes& times)
      : now_s_(now_s),
        times_(times),
        key_(DataAt(live, "ca.key")),
        serving_{.certificate = DataAt(live, "tls.crt"), .key = DataAt(live, "tls.key")},
        made_s_(manifest::ParseInt64(live == nullptr
                                         ? std::string()
                                         : manifest::TextAt(*live, {"metadata", "annotations", kMadeAnnotation}))
                    .value_or(0)) {
    TakeAuthorities(DataAt(live, "ca.crt"));
  }

  base::Status Plan(std::vector<std::string> names) {
    INFERD_RETURN_IF_ERROR(PlanAuthority());
    const std::optional<int64_t> left = ServingLeft();
    const bool covers = std::ranges::includes(serving_names_, names);
    if (left.has_value() && covers && !IsDue(*left)) return base::OkStatus();
    if (names.empty()) names = UsableNames(serving_names_);
    if (names.empty()) return base::OkStatus();  // the names of the webhooks are not known yet
    return Issue(names, !left.has_value() ? "there is no usable certificate"
                        : !covers         ? "webhooks are called by other names"
                                          : "the certificate ends soon");
  }

  CertificatePlan Take(const Value* live, const kubernetes::ObjectName& name) {
    if (reason_.empty()) return {};
    Value secret = live == nullptr ? kubernetes::MakeObject(SecretResource(), name) : *live;
    if (live == nullptr) secret.Set("type", Value::String("kubernetes.io/tls"));
    Annotate(secret);
    std::string bundle;
    for (const std::string& authority : authorities_) bundle += authority;
    secret.Set("data", Value::Map({{"ca.crt", Encoded(bundle)},
                                   {"ca.key", Encoded(key_)},
                                   {"tls.crt", Encoded(serving_.certificate)},
                                   {"tls.key", Encoded(serving_.key)}}));
    return {.secret = std::move(secret), .reason = std::move(reason_)};
  }

 private:
  // Takes the authorities that have not expired. The rest of the text is dropped.
  void TakeAuthorities(const std::string& bundle) {
    for (std::string& certificate : net::SplitCertificates(bundle)) {
      const auto facts = net::ReadCertificate(certificate);
      const bool good = facts.has_value() && facts->is_authority && SecondsLeft(*facts, now_s_).has_value();
      if (good && authorities_.size() < kAuthoritiesMax) authorities_.push_back(std::move(certificate));
    }
  }

  base::Status PlanAuthority() {
    const bool usable = !authorities_.empty() && net::IsPair({authorities_.front(), key_});
    const auto facts = net::ReadCertificate(usable ? authorities_.front() : std::string());
    if (usable && facts->not_after_s - now_s_ > times_.authority_margin.count()) return base::OkStatus();
    INFERD_ASSIGN_OR_RETURN(PemPair made, net::MakeAuthority(kCalled, now_s_ + times_.authority.count()));
    authorities_.insert(authorities_.begin(), std::move(made.certificate));
    if (authorities_.size() > kAuthoritiesMax) authorities_.pop_back();
    key_ = std::move(made.key);
    made_s_ = now_s_;
    reason_ = usable ? "the authority ends soon" : "there is no usable authority";
    return base::OkStatus();
  }

  // Returns the seconds for which the current certificate is still valid and trusted.
  std::optional<int64_t> ServingLeft() {
    const auto facts = net::ReadCertificate(serving_.certificate);
    if (!facts.has_value()) return std::nullopt;
    serving_names_ = facts->names;
    const bool trusted = std::ranges::any_of(
        authorities_, [&](const std::string& authority) { return net::IsSignedBy(serving_.certificate, authority); });
    if (!trusted || !net::IsPair(serving_)) return std::nullopt;
    return SecondsLeft(*facts, now_s_);
  }

  // Returns true if the certificate must be renewed. A new authority that is not known everywhere yet must not sign.
  bool IsDue(int64_t left_s) const {
    const bool is_new = now_s_ >= made_s_ && now_s_ - made_s_ < times_.authority_known.count();
    return left_s < times_.serving_margin.count() && !(is_new && authorities_.size() > 1);
  }

  base::Status Issue(const std::vector<std::string>& names, std::string why) {
    INFERD_ASSIGN_OR_RETURN(serving_, net::IssueCertificate({.certificate = authorities_.front(), .key = key_}, names,
                                                            now_s_ + times_.serving.count()));
    if (reason_.empty()) reason_ = std::move(why);
    return base::OkStatus();
  }

  void Annotate(Value& secret) const {
    Value& annotations = secret.MapAt("metadata").MapAt("annotations");
    annotations.Set(kMadeAnnotation, Value::String(std::to_string(made_s_)));
  }

  const int64_t now_s_;
  const CertificateTimes& times_;
  std::vector<std::string> authorities_;
  std::string key_;  // of the first authority
  PemPair serving_;
  std::vector<std::string> serving_names_;
  int64_t made_s_;  // time at which the first authority was created
  std::string reason_;
};

}  // namespace

const kubernetes::Resource& SecretResource() {
  static const kubernetes::Resource resource{.group = "", .version = "v1", .kind = "Secret", .plural = "secrets"};
  return resource;
}

std::optional<KeptCertificates> KeptIn(const Value& secret) {
  KeptCertificates kept{.authorities = DataAt(&secret, "ca.crt"),
                        .serving = {.certificate = DataAt(&secret, "tls.crt"), .key = DataAt(&secret, "tls.key")}};
  if (!net::IsPair(kept.serving)) return std::nullopt;
  return kept;
}

base::Result<CertificatePlan> PlanCertificates(const Value* live, const kubernetes::ObjectName& name,
                                               const std::vector<std::string>& names, int64_t now_s,
                                               const CertificateTimes& times) {
  CertificatePlanner planner(live, now_s, times);
  INFERD_RETURN_IF_ERROR(planner.Plan(UsableNames(names)));
  return planner.Take(live, name);
}

}  // namespace inferd::cluster
