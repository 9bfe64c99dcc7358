#include "net/authority/certificates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::net {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int64_t kEndS = 2'000'000'000;

PemPair Authority(int64_t end_s = kEndS) { return *MakeAuthority("test", end_s); }

TEST(CertificatesTest, AnAuthorityIsOneAndSignsItself) {
  const PemPair made = Authority();
  const auto facts = ReadCertificate(made.certificate);
  ASSERT_TRUE(facts.has_value());
  EXPECT_TRUE(facts->is_authority);
  EXPECT_EQ(facts->not_after_s, kEndS);
  EXPECT_EQ(facts->not_before_s, 1'577'836'800);
  EXPECT_TRUE(IsPair(made));
  EXPECT_TRUE(IsSignedBy(made.certificate, made.certificate));
  EXPECT_NE(made, Authority()) << "each has a key of its own";
}

TEST(CertificatesTest, WhatAnAuthorityIssuesIsForItsNames) {
  const PemPair authority = Authority();
  const auto issued = IssueCertificate(authority, {"webhooks.kserve.svc", "127.0.0.1", "::1"}, kEndS - 5);
  ASSERT_TRUE(issued.has_value()) << issued.error().message();
  const auto facts = ReadCertificate(issued->certificate);
  ASSERT_TRUE(facts.has_value());
  EXPECT_FALSE(facts->is_authority);
  EXPECT_EQ(facts->not_after_s, kEndS - 5);
  EXPECT_THAT(facts->names, ElementsAre("127.0.0.1", "::1", "webhooks.kserve.svc"));
  EXPECT_TRUE(IsPair(*issued));
  EXPECT_TRUE(IsSignedBy(issued->certificate, authority.certificate));
  EXPECT_FALSE(IsSignedBy(issued->certificate, Authority().certificate));
}

TEST(CertificatesTest, EndsBeyondAnyYearAreHeld) {
  EXPECT_EQ(ReadCertificate(Authority(INT64_MAX).certificate)->not_after_s, 7'258'118'400);
  EXPECT_EQ(ReadCertificate(Authority(INT64_MIN).certificate)->not_after_s, 0);
}

TEST(CertificatesTest, NamesThatAreNoneAreRefused) {
  const PemPair authority = Authority();
  for (const std::string name : {"", "a b", "a,DNS:b", "ü", "a/b"}) {
    const auto issued = IssueCertificate(authority, {"fine", name}, kEndS);
    ASSERT_FALSE(issued.has_value()) << name;
    EXPECT_EQ(issued.error().code(), base::StatusCode::kInvalidArgument);
    EXPECT_THAT(issued.error().message(), HasSubstr("'" + name + "' is no DNS name"));
  }
  EXPECT_FALSE(IssueCertificate(authority, {}, kEndS).has_value());
  EXPECT_FALSE(IssueCertificate(authority, std::vector<std::string>(101, "a"), kEndS).has_value());
  EXPECT_TRUE(IssueCertificate(authority, {std::string(253, 'a')}, kEndS).has_value());
}

TEST(CertificatesTest, WhatIsNoCertificateIsNone) {
  const PemPair made = Authority();
  const std::string half = made.certificate.substr(0, made.certificate.size() / 2);
  for (const std::string& text : {std::string(), std::string("x"), half, made.key, std::string(100'000, '\n')}) {
    EXPECT_FALSE(ReadCertificate(text).has_value());
    EXPECT_FALSE(IsPair({text, made.key}));
    EXPECT_FALSE(IsSignedBy(text, made.certificate));
    EXPECT_FALSE(IsSignedBy(made.certificate, text));
    EXPECT_THAT(SplitCertificates(text), IsEmpty());
    EXPECT_FALSE(IssueCertificate({text, made.key}, {"a"}, kEndS).has_value());
  }
  EXPECT_FALSE(IsPair({made.certificate, Authority().key}));
  EXPECT_FALSE(IsPair({made.certificate, "x"}));
  EXPECT_FALSE(IssueCertificate({made.certificate, Authority().key}, {"a"}, kEndS).has_value());
}

TEST(CertificatesTest, ABundleIsTakenApart) {
  const PemPair one = Authority();
  const PemPair other = Authority();
  EXPECT_THAT(SplitCertificates("words\n" + one.certificate + "\n" + other.certificate + "-----END CERTIFICATE-----"),
              ElementsAre(one.certificate, other.certificate));
  std::string many;
  for (int i = 0; i < 20; ++i) many += one.certificate;
  EXPECT_THAT(SplitCertificates(many), SizeIs(16));
}

}  // namespace
}  // namespace inferd::net
