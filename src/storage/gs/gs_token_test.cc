#include "storage/gs/gs_token.h"

#include <gtest/gtest.h>

namespace inferd::storage {
namespace {

TEST(GsTokenTest, AServiceAccountsFileIsRead) {
  const auto account = ReadServiceAccount(
      R"({"type": "service_account", "client_email": "me@x", "private_key": "pem", "token_uri": "http://t", "other": 1})");
  ASSERT_TRUE(account.has_value());
  EXPECT_EQ(account->email, "me@x");
  EXPECT_EQ(account->private_key, "pem");
  EXPECT_EQ(account->token_url, "http://t");
  EXPECT_EQ(ReadServiceAccount(R"({"type": "service_account", "client_email": "m", "private_key": "p"})")->token_url,
            "https://oauth2.googleapis.com/token");
}

TEST(GsTokenTest, OtherFilesAreRefusedWithoutTheirText) {
  for (const char* text : {"", "secret", R"({"type": "authorized_user", "client_email": "m", "private_key": "secret"})",
                           R"({"type": "service_account", "private_key": "secret"})", R"({"private_key": "secret)"}) {
    const auto account = ReadServiceAccount(text);
    ASSERT_FALSE(account.has_value()) << text;
    EXPECT_EQ(account.error(), base::InvalidArgument("it is no service account's file"));
  }
}

TEST(GsTokenTest, AKeyThatIsNoneIsRefused) {
  const auto assertion =
      SignedAssertion({.email = "m", .private_key = "secret", .token_url = "t"}, std::chrono::seconds(1));
  ASSERT_FALSE(assertion.has_value());
  EXPECT_EQ(assertion.error(), base::InvalidArgument("the service account's private key is no RSA key"));
}

}  // namespace
}  // namespace inferd::storage
