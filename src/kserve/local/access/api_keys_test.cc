#include "kserve/local/access/api_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "net/authority/certificates.h"
#include "tests/support/temp_dir.h"

namespace inferd::local {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::MatchesRegex;

constexpr int64_t kNowS = 1'800'000'000;
constexpr int64_t kYearS = int64_t{365} * 86'400;

class ApiKeysTest : public ::testing::Test {
 protected:
  base::Result<ApiKeys> Keep(int64_t now_s = kNowS) { return KeepApiKeys(folder_.path().string(), "192.0.2.7", now_s); }

  support::TempDir folder_;
};

TEST_F(ApiKeysTest, AreMadeOnceAndKept) {
  const auto first = Keep();
  ASSERT_TRUE(first.has_value()) << first.error().message();
  EXPECT_THAT(first->token, MatchesRegex("[0-9a-f]{64}"));
  for (const char* const name : {"api-token", "api-authority.pem"}) {
    EXPECT_EQ(fs::status(folder_.path() / name).permissions(), fs::perms::owner_read | fs::perms::owner_write) << name;
  }
  const auto second = Keep();
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->token, first->token);
  EXPECT_EQ(second->authority, first->authority);
  EXPECT_TRUE(net::IsSignedBy(second->certificate.certificate, first->authority));
  EXPECT_THAT(net::ReadCertificate(second->certificate.certificate)->names,
              IsSupersetOf({"localhost", "127.0.0.1", "192.0.2.7"}));
  const support::TempDir other;
  EXPECT_NE(KeepApiKeys(other.path().string(), "127.0.0.1", kNowS)->token, first->token);
}

TEST_F(ApiKeysTest, AnAuthorityNearItsEndIsReplaced) {
  const auto first = Keep();
  const auto later = Keep(kNowS + 10 * kYearS);
  ASSERT_TRUE(later.has_value());
  EXPECT_NE(later->authority, first->authority);
  EXPECT_EQ(later->token, first->token);
}

TEST_F(ApiKeysTest, AFileWithAFaultIsNamedAndLeftAsItIs) {
  ASSERT_TRUE(Keep().has_value());
  for (const char* const name : {"api-token", "api-authority.pem"}) {
    for (const char* const text : {"", "short\n", "-----BEGIN CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----\n"}) {
      folder_.Write(name, text);
      const auto kept = Keep();
      ASSERT_FALSE(kept.has_value()) << name << ": " << text;
      EXPECT_EQ(kept.error().code(), base::StatusCode::kFailedPrecondition);
      EXPECT_THAT(kept.error().message(), HasSubstr(name));
      EXPECT_EQ(fs::file_size(folder_.path() / name), std::string_view(text).size());
    }
    folder_.Remove(name);
    EXPECT_TRUE(Keep().has_value());
  }
}

}  // namespace
}  // namespace inferd::local
