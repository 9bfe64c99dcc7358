#include "kserve/cluster/admission/certificate_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/text/base64.h"
#include "data/manifest/value_path.h"
#include "kserve/kubernetes/api/object_meta.h"
#include "net/authority/certificates.h"

namespace inferd::cluster {
namespace {

using manifest::Value;
using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr int64_t kDay = 86'400;
constexpr int64_t kNow = 1'800'000'000;
const kubernetes::ObjectName kName{.namespace_name = "kserve", .name = "certificates"};
const std::vector<std::string> kNames = {"webhooks.kserve.svc"};

std::string DataOf(const Value& secret, std::string_view key) {
  return base::DecodedBase64(secret.Find("data")->Find(key)->text());
}

void SetData(Value& secret, std::string_view key, const std::string& text) {
  std::string encoded(base::Base64Size(text.size()), '\0');
  base::EncodeBase64(text, encoded.data());
  secret.MapAt("data").Set(key, Value::String(encoded));
}

CertificatePlan Plan(const Value* live, int64_t now_s, const std::vector<std::string>& names = kNames) {
  auto plan = PlanCertificates(live, kName, names, now_s);
  EXPECT_TRUE(plan.has_value()) << plan.error().message();
  return plan.value_or(CertificatePlan());
}

Value First(int64_t now_s = kNow) { return *Plan(nullptr, now_s).secret; }

std::string ReasonAt(const Value& live, int64_t now_s, const std::vector<std::string>& names = kNames) {
  const CertificatePlan plan = Plan(&live, now_s, names);
  EXPECT_EQ(plan.secret.has_value(), !plan.reason.empty());
  return plan.reason;
}

size_t AuthoritiesOf(const Value& secret) { return net::SplitCertificates(DataOf(secret, "ca.crt")).size(); }

// The clients' view: an authority that they trust has signed the certificate.
bool IsTrusted(const Value& secret) {
  for (const std::string& authority : net::SplitCertificates(DataOf(secret, "ca.crt"))) {
    if (net::IsSignedBy(DataOf(secret, "tls.crt"), authority)) return true;
  }
  return false;
}

TEST(CertificatePlanTest, TheFirstSecretHasAll) {
  const CertificatePlan plan = Plan(nullptr, kNow);
  EXPECT_EQ(plan.reason, "there is no usable authority");
  const Value& secret = *plan.secret;
  EXPECT_EQ(kubernetes::NameOf(secret), kName);
  EXPECT_EQ(manifest::TextAt(secret, {"type"}), "kubernetes.io/tls");
  EXPECT_EQ(kubernetes::ResourceVersionOf(secret), "");
  EXPECT_TRUE(IsTrusted(secret));
  const auto kept = KeptIn(secret);
  ASSERT_TRUE(kept.has_value());
  const auto facts = net::ReadCertificate(kept->serving.certificate);
  EXPECT_THAT(facts->names, ElementsAre("webhooks.kserve.svc"));
  EXPECT_EQ(facts->not_after_s, kNow + 90 * kDay);
  EXPECT_EQ(kept->authorities, DataOf(secret, "ca.crt"));
  EXPECT_EQ(ReasonAt(secret, kNow), "");
}

TEST(CertificatePlanTest, WithoutNamesThereIsAnAuthorityAlone) {
  const Value secret = *Plan(nullptr, kNow, {}).secret;
  EXPECT_EQ(AuthoritiesOf(secret), 1U);
  EXPECT_FALSE(KeptIn(secret).has_value());
  EXPECT_EQ(ReasonAt(secret, kNow, {}), "");
  EXPECT_EQ(ReasonAt(secret, kNow, {"not a name"}), "");
  EXPECT_EQ(ReasonAt(secret, kNow), "there is no usable certificate");
}

struct Due {
  int64_t day;
  std::string reason;
};

TEST(CertificatePlanTest, ACertificateIsMadeAnewBeforeItsEnd) {
  const Value secret = First();
  for (const Due& due : std::vector<Due>{{0, ""},
                                         {59, ""},
                                         {61, "the certificate ends soon"},
                                         {89, "the certificate ends soon"},
                                         {91, "there is no usable certificate"},
                                         {-30, ""},  // the clock was set back
                                         {9 * 365 - 10, "there is no usable certificate"},
                                         {9 * 365 + 10, "the authority ends soon"},
                                         {11 * 365, "there is no usable authority"}}) {
    EXPECT_EQ(ReasonAt(secret, kNow + due.day * kDay), due.reason) << due.day;
  }
  EXPECT_EQ(ReasonAt(secret, kNow + 61 * kDay, {}), "the certificate ends soon") << "also while nothing calls it";
}

TEST(CertificatePlanTest, OtherNamesAreAnotherCertificateOfTheSameAuthority) {
  const Value secret = First();
  const CertificatePlan plan = Plan(&secret, kNow, {"webhooks.kserve.svc", "127.0.0.1", "127.0.0.1", "no name"});
  EXPECT_EQ(plan.reason, "webhooks are called by other names");
  EXPECT_EQ(DataOf(*plan.secret, "ca.crt"), DataOf(secret, "ca.crt"));
  EXPECT_THAT(net::ReadCertificate(DataOf(*plan.secret, "tls.crt"))->names,
              ElementsAre("127.0.0.1", "webhooks.kserve.svc"));
  EXPECT_EQ(ReasonAt(*plan.secret, kNow), "") << "fewer names are no reason";
}

// Plans every 20 days for eleven years, beyond the end of an authority. The certificate is always valid until the next
// plan, and trusted by clients that know the authorities of the previous plan.
TEST(CertificatePlanTest, NoTimeIsWithoutACertificateThatIsTrusted) {
  Value secret = First();
  int changes = 0;
  size_t authorities_most = 0;
  std::string trusted_before = DataOf(secret, "ca.crt");
  for (int64_t day = 20; day < 11 * 365; day += 20) {
    const CertificatePlan plan = Plan(&secret, kNow + day * kDay);
    if (plan.secret.has_value()) {
      secret = *plan.secret;
      ++changes;
    }
    const std::string shown = DataOf(secret, "tls.crt");
    ASSERT_GT(net::ReadCertificate(shown)->not_after_s, kNow + (day + 20) * kDay);
    bool known = false;
    for (const std::string& authority : net::SplitCertificates(trusted_before)) {
      known = known || net::IsSignedBy(shown, authority);
    }
    ASSERT_TRUE(known) << "day " << day;
    trusted_before = DataOf(secret, "ca.crt");
    authorities_most = std::max(authorities_most, AuthoritiesOf(secret));
  }
  EXPECT_GT(changes, 40);
  EXPECT_LT(changes, 80);
  EXPECT_EQ(authorities_most, 2U);
}

TEST(CertificatePlanTest, AnAuthorityOfTodaySignsNothingThatCanWait) {
  Value secret = First();
  // Both must be renewed. The old authority's certificate is still valid for some days.
  const int64_t end_s = kNow + 3650 * kDay;
  const net::PemPair old{.certificate = DataOf(secret, "ca.crt"), .key = DataOf(secret, "ca.key")};
  const int64_t now_s = end_s - 300 * kDay;
  const auto soon = net::IssueCertificate(old, kNames, now_s + 5 * kDay);
  SetData(secret, "tls.crt", soon->certificate);
  SetData(secret, "tls.key", soon->key);
  const CertificatePlan plan = Plan(&secret, now_s);
  EXPECT_EQ(plan.reason, "the authority ends soon");
  EXPECT_EQ(DataOf(*plan.secret, "tls.crt"), soon->certificate);
  EXPECT_EQ(AuthoritiesOf(*plan.secret), 2U);
  EXPECT_EQ(ReasonAt(*plan.secret, now_s + kDay / 2), "");
  EXPECT_EQ(ReasonAt(*plan.secret, now_s + kDay), "the certificate ends soon");
}

TEST(CertificatePlanTest, ClocksThatJumpAreBorne) {
  // The clock is twelve years ahead, and then correct. The certificates of that time are valid now.
  Value secret = First();
  secret = *Plan(&secret, kNow + 12 * 365 * kDay).secret;
  EXPECT_EQ(ReasonAt(secret, kNow), "");
  EXPECT_TRUE(IsTrusted(secret));
  // A clock at 1970 makes a certificate that has expired for everybody else. The next plan with a correct clock notices
  // that.
  secret = *Plan(nullptr, 0).secret;
  EXPECT_NE(ReasonAt(secret, kNow), "");
}

TEST(CertificatePlanTest, WhatIsWrongWithASecretIsMadeAnew) {
  const Value good = First();
  const Value other = First();
  for (const auto& [key, text] : std::vector<std::pair<std::string, std::string>>{
           {"ca.crt", ""},
           {"ca.crt", "x"},
           {"ca.crt", DataOf(other, "ca.crt")},
           {"ca.crt", DataOf(good, "tls.crt")},
           {"ca.key", ""},
           {"ca.key", DataOf(other, "ca.key")},
           {"tls.crt", ""},
           {"tls.crt", DataOf(other, "tls.crt")},
           {"tls.crt", DataOf(good, "ca.crt")},
           {"tls.key", DataOf(other, "tls.key")},
           {"tls.key", std::string(100'000, 'x')},
       }) {
    Value secret = good;
    SetData(secret, key, text);
    const CertificatePlan plan = Plan(&secret, kNow);
    ASSERT_TRUE(plan.secret.has_value()) << key;
    EXPECT_TRUE(KeptIn(*plan.secret).has_value());
    EXPECT_TRUE(IsTrusted(*plan.secret));
    EXPECT_EQ(ReasonAt(*plan.secret, kNow), "");
  }
  Value secret = good;
  secret.Set("data", Value::String("x"));
  EXPECT_TRUE(Plan(&secret, kNow).secret.has_value());
  secret.Remove("data");
  EXPECT_TRUE(Plan(&secret, kNow).secret.has_value());
}

TEST(CertificatePlanTest, WhatIsChangedIsTheLiveOne) {
  Value live = First();
  live.MapAt("metadata").Set("resourceVersion", Value::String("7"));
  live.Set("type", Value::String("Opaque"));
  const CertificatePlan plan = Plan(&live, kNow + 61 * kDay);
  EXPECT_EQ(kubernetes::ResourceVersionOf(*plan.secret), "7");
  EXPECT_EQ(manifest::TextAt(*plan.secret, {"type"}), "Opaque") << "which cannot be changed";
}

}  // namespace
}  // namespace inferd::cluster
