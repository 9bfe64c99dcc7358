#include "protocols/access/token_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"

namespace inferd::access {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class TokenFileTest : public ::testing::Test {
 protected:
  std::string path() const { return dir_.path() / "tokens"; }
  void Write(const std::string& text) const { dir_.Write("tokens", text); }

  std::string ErrorOf(const std::string& text) const {
    Write(text);
    const auto file = TokenFile::Open(path());
    return file.has_value() ? "" : file.error().message();
  }

  const support::TempDir dir_;
};

TEST_F(TokenFileTest, HasOneTokenALine) {
  Write("# for the batch jobs\nfirst-token\r\n\n  second.token/+~_==\t\n#third");
  const auto file = TokenFile::Open(path());
  ASSERT_TRUE(file.has_value()) << file.error().ToString();
  EXPECT_TRUE((*file)->Has("first-token"));
  EXPECT_TRUE((*file)->Has("second.token/+~_=="));
  for (const std::string_view other :
       {"", "#third", "third", "first-toke", "first-token ", "first-token\r", "FIRST-TOKEN"}) {
    EXPECT_FALSE((*file)->Has(other)) << other;
  }
}

TEST_F(TokenFileTest, MistakesNameTheLineAndKeepTheSecret) {
  EXPECT_THAT(ErrorOf("good\nmy secret\n"), AllOf(HasSubstr(path() + ":2: "), Not(HasSubstr("secret"))));
  EXPECT_THAT(ErrorOf("==="), HasSubstr(":1: "));
  EXPECT_THAT(ErrorOf("\xff\n"), HasSubstr(":1: "));
  EXPECT_THAT(ErrorOf("# nobody\n\n"), HasSubstr("there is no token in it"));
  std::string many;
  for (size_t i = 0; i <= TokenFile::kTokensMax; ++i) many += std::to_string(i) + "\n";
  EXPECT_THAT(ErrorOf(many), HasSubstr(":1001: more than 1000 tokens"));
  EXPECT_THAT(ErrorOf(std::string(TokenFile::kFileBytesMax + 1, '#')), HasSubstr("may have 1048576 bytes"));
  dir_.Remove("tokens");
  EXPECT_THAT(TokenFile::Open(path()).error().message(), HasSubstr("cannot read tokens from"));
  EXPECT_FALSE(TokenFile::Open(dir_.path()).has_value());
}

TEST_F(TokenFileTest, ReloadReplacesTheTokensOrKeepsThem) {
  Write("old\n");
  const auto file = TokenFile::Open(path());
  ASSERT_TRUE(file.has_value());
  Write("new\n");
  EXPECT_FALSE((*file)->Has("new"));
  ASSERT_TRUE((*file)->Reload().ok());
  EXPECT_TRUE((*file)->Has("new"));
  EXPECT_FALSE((*file)->Has("old"));
  Write("not a token\n");
  EXPECT_FALSE((*file)->Reload().ok());
  EXPECT_TRUE((*file)->Has("new"));
}

}  // namespace
}  // namespace inferd::access
