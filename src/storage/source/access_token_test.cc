#include "storage/source/access_token.h"

#include <gtest/gtest.h>

namespace inferd::storage {
namespace {

using std::chrono::seconds;

TEST(AccessTokenTest, AnAnswerHasATokenAndItsLifetime) {
  const struct {
    const char* json;
    seconds lifetime;
  } cases[] = {{R"({"access_token": "t", "token_type": "Bearer", "expires_in": 3599})", seconds(3599)},
               {R"({"access_token": "t", "expires_in": "600", "resource": "r"})", seconds(600)},
               {R"({"access_token": "t"})", seconds(3600)},
               {R"({"access_token": "t", "expires_in": -5})", seconds(0)},
               {R"({"access_token": "t", "expires_in": 9223372036854775807})", seconds(86400)}};
  for (const auto& one : cases) {
    const auto token = ReadAccessToken("name", one.json);
    ASSERT_TRUE(token.has_value()) << one.json;
    EXPECT_EQ(token->text, "t");
    EXPECT_EQ(token->lifetime, one.lifetime) << one.json;
  }
}

TEST(AccessTokenTest, WhatIsNoTokenIsRefusedWithoutAWordOfIt) {
  for (const char* json : {"", "{}", "<html>", R"({"access_token": 1})",
                           R"({"access_token": "secret", "expires_in": "x"})", R"({"access_token": "secret")"}) {
    EXPECT_EQ(ReadAccessToken("name", json).error(), base::FailedPrecondition("name: the answer has no token")) << json;
  }
}

TEST(TokenKeeperTest, ATokenIsKeptForHalfOfItsLife) {
  TokenKeeper keeper;
  int asked = 0;
  const auto ask_for = [&](seconds lifetime) {
    return keeper.Get([&]() -> base::Result<AccessToken> {
      return AccessToken{.text = std::to_string(++asked), .lifetime = lifetime};
    });
  };
  EXPECT_EQ(ask_for(seconds(0)), "1");
  EXPECT_EQ(ask_for(seconds(3600)), "2");
  EXPECT_EQ(ask_for(seconds(3600)), "2");
}

TEST(TokenKeeperTest, AnErrorIsNotKept) {
  TokenKeeper keeper;
  EXPECT_EQ(keeper.Get([] { return base::Result<AccessToken>(std::unexpected(base::Unavailable("no"))); }).error(),
            base::Unavailable("no"));
  EXPECT_EQ(keeper.Get([] { return base::Result<AccessToken>(AccessToken{.text = "t"}); }), "t");
}

}  // namespace
}  // namespace inferd::storage
