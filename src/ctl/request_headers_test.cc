#include "ctl/request_headers.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temp_dir.h"

namespace inferd::ctl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(RequestHeadersTest, ReadsNamesAndValues) {
  const auto headers = MakeHeaders({.headers = {"X-Request-Id: 7", "A:b:c ", "Empty:"}, .token = {}, .token_file = {}});
  ASSERT_TRUE(headers.has_value());
  EXPECT_THAT(*headers, ElementsAre(Pair("X-Request-Id", "7"), Pair("A", "b:c"), Pair("Empty", "")));
}

TEST(RequestHeadersTest, ATokenIsABearerToken) {
  const auto headers = MakeHeaders({.headers = {}, .token = "secret", .token_file = {}});
  ASSERT_TRUE(headers.has_value());
  EXPECT_THAT(*headers, ElementsAre(Pair("Authorization", "Bearer secret")));
}

TEST(RequestHeadersTest, AFileHasTheTokenInItsFirstLine) {
  support::TempDir dir;
  std::ofstream(dir.path() / "token") << " secret \nmore\n";
  std::ofstream(dir.path() / "empty") << "\n";
  const auto headers = MakeHeaders({.headers = {}, .token = {}, .token_file = dir.path() / "token"});
  ASSERT_TRUE(headers.has_value());
  EXPECT_THAT(*headers, ElementsAre(Pair("Authorization", "Bearer secret")));
  EXPECT_THAT(MakeHeaders({.headers = {}, .token = {}, .token_file = dir.path() / "empty"}).error().message(),
              HasSubstr("has no token"));
  EXPECT_FALSE(MakeHeaders({.headers = {}, .token = {}, .token_file = dir.path() / "none"}).has_value());
}

TEST(RequestHeadersTest, RefusesWhatNoHeaderMayBe) {
  for (const char* wrong : {"no colon", ": no name", "a b: c", "A: one\r\nB: two"}) {
    EXPECT_FALSE(MakeHeaders({.headers = {wrong}, .token = {}, .token_file = {}}).has_value()) << wrong;
  }
  EXPECT_FALSE(MakeHeaders({.headers = {}, .token = "a\nb", .token_file = {}}).has_value());
  EXPECT_FALSE(MakeHeaders({.headers = {}, .token = "a", .token_file = "b"}).has_value());
}

}  // namespace
}  // namespace inferd::ctl
