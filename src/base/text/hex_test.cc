#include "base/text/hex.h"

#include <gtest/gtest.h>

namespace inferd::base {
namespace {

TEST(HexTest, HasAsManyDigitsAsAskedFor) {
  std::string text = "x";
  AppendHex(text, 0x0a, 2);
  AppendHex(text, 0x123456789abcdef0, 16);
  AppendHex(text, 0x1ff, 2);
  AppendHex(text, 7, 0);
  EXPECT_EQ(text, "x0a123456789abcdef0ff");
}

}  // namespace
}  // namespace inferd::base
