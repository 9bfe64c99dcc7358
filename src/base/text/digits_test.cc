#include "base/text/digits.h"

#include <gtest/gtest.h>

namespace inferd::base {
namespace {

TEST(DigitsTest, AreAllThatThereIs) {
  for (const char* text : {"0", "9", "007", "123456789012345678901234567890"}) EXPECT_TRUE(IsDigits(text)) << text;
  for (const char* text : {"", "-1", "+1", " 1", "1 ", "1.0", "1e2", "0x1", "a", "/", ":", "\xd9\xa1"}) {
    EXPECT_FALSE(IsDigits(text)) << text;
  }
}

}  // namespace
}  // namespace inferd::base
