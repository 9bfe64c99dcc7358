#include "wire/utf8.h"

#include <gtest/gtest.h>

namespace inferd::wire {
namespace {

TEST(Utf8Test, WhatIsNoneIsReplaced) {
  EXPECT_EQ(ToUtf8("caf\xc3\xa9"), "caf\xc3\xa9");
  EXPECT_EQ(ToUtf8("a\xff\xc3"), "a\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(ToUtf8(""), "");
}

}  // namespace
}  // namespace inferd::wire
