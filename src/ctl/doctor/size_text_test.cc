#include "ctl/doctor/size_text.h"

#include <gtest/gtest.h>

namespace inferd::ctl {
namespace {

TEST(SizeTextTest, UsesTheUnitThatFits) {
  EXPECT_EQ(SizeText(0), "0 B");
  EXPECT_EQ(SizeText(1023), "1023 B");
  EXPECT_EQ(SizeText(1536), "1.5 KiB");
  EXPECT_EQ(SizeText(uint64_t{64} << 20), "64.0 MiB");
  EXPECT_EQ(SizeText(uint64_t{3} << 30), "3.0 GiB");
  EXPECT_EQ(SizeText(uint64_t{5} << 50), "5120.0 TiB");
}

}  // namespace
}  // namespace inferd::ctl
