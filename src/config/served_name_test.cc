#include "config/served_name.h"

#include <gtest/gtest.h>

namespace inferd::config {
namespace {

TEST(ServedNameTest, NamesArePrintableAndShort) {
  for (const char* good : {"m", "team/x", "a=b", "mod\xC3\xA8le"}) EXPECT_TRUE(CheckServedName(good).ok()) << good;
  for (const std::string& bad : {std::string("a\nb"), std::string("caf\xE9"), std::string(256, 'a')}) {
    EXPECT_EQ(CheckServedName(bad).code(), base::StatusCode::kInvalidArgument);
  }
  EXPECT_TRUE(CheckServedName("a\x1b[2J").message().starts_with(R"('a\x1b[2J' is no name of a model)"));
}

}  // namespace
}  // namespace inferd::config
