#include "net/secret.h"

#include <gtest/gtest.h>

#include <string>

namespace inferd::net {
namespace {

TEST(SecretDigestTest, OnlyTheSameSecretMatches) {
  const SecretDigest digest("open sesame");
  EXPECT_TRUE(digest.Matches(SecretDigest(std::string("open sesame"))));
  for (const std::string_view other : {"", "open", "open sesam", "open sesamf", "Open sesame", "open sesame "}) {
    EXPECT_FALSE(digest.Matches(SecretDigest(other))) << other;
  }
  EXPECT_FALSE(digest.Matches(SecretDigest(std::string_view("open sesame\0", 12))));
}

}  // namespace
}  // namespace inferd::net
