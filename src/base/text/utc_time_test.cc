#include "base/text/utc_time.h"

#include <gtest/gtest.h>

namespace inferd::base {
namespace {

TEST(UtcTimeTest, HasMicroseconds) {
  EXPECT_EQ(UtcTimeText(0), "1970-01-01T00:00:00.000000Z");
  EXPECT_EQ(UtcTimeText(1'767'323'045'000'006'999), "2026-01-02T03:04:05.000006Z");
}

}  // namespace
}  // namespace inferd::base
