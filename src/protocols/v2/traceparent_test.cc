#include "protocols/v2/traceparent.h"

#include <gtest/gtest.h>

#include <string>

namespace inferd::v2 {
namespace {

TEST(CheckedTraceparentTest, TakesVersion00InLowerCase) {
  constexpr std::string_view kGood = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  EXPECT_EQ(CheckedTraceparent(kGood), kGood);
  EXPECT_EQ(CheckedTraceparent(""), "");
  EXPECT_EQ(CheckedTraceparent(kGood.substr(1)), "");
  for (size_t i = 0; i < kGood.size(); ++i) {
    std::string bad(kGood);
    bad[i] = 'G';
    EXPECT_EQ(CheckedTraceparent(bad), "") << bad;
  }
}

}  // namespace
}  // namespace inferd::v2
