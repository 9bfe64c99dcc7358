#include "base/text/percent.h"

#include <gtest/gtest.h>

namespace inferd::base {
namespace {

TEST(PercentTest, EscapesAreReadAndWritten) {
  EXPECT_EQ(PercentDecoded("a%20b%2Fc%zz%4"), "a b/c%zz%4");
  EXPECT_EQ(PercentDecoded("%41%"), "A%");
  EXPECT_EQ(PercentEncoded("a b/c+d~e=ü", true), "a%20b/c%2Bd~e%3D%C3%BC");
  EXPECT_EQ(PercentEncoded("a/b", false), "a%2Fb");
}

}  // namespace
}  // namespace inferd::base
