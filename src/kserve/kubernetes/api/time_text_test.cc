#include "kserve/kubernetes/api/time_text.h"

#include <gtest/gtest.h>

#include "base/text/utc_time.h"

namespace inferd::kubernetes {
namespace {

TEST(TimeTextTest, TimesOfRfc3339AreRead) {
  const struct {
    const char* text;
    const char* utc;
  } cases[] = {{"1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000000Z"},
               {"2026-02-28T23:59:59.5Z", "2026-02-28T23:59:59.500000Z"},
               {"2024-02-29t01:02:03.000006789z", "2024-02-29T01:02:03.000006Z"},
               {"2026-01-02T00:30:00+01:00", "2026-01-01T23:30:00.000000Z"},
               {"2026-01-01T23:30:00-01:30", "2026-01-02T01:00:00.000000Z"}};
  for (const auto& one : cases) {
    const auto time = ParseTime(one.text);
    ASSERT_TRUE(time.has_value()) << one.text;
    EXPECT_EQ(base::UtcTimeText(*time), one.utc) << one.text;
  }
}

TEST(TimeTextTest, WhatIsNoTimeIsNone) {
  for (const char* text :
       {"", "2026", "2026-01-02", "2026-01-02T03:04:05", "2026-13-02T03:04:05Z", "2026-02-29T03:04:05Z",
        "2026-01-02T24:04:05Z", "2026-01-02T03:60:05Z", "2026-01-02T03:04:61Z", "2026-01-02T03:04:05.Z",
        "2026-01-02T03:04:05+1:00", "2026-01-02T03:04:05+24:00", "2026-01-02T03:04:05Zx", "-026-01-02T03:04:05Z",
        "1969-01-02T03:04:05Z", "9999-01-02T03:04:05Z"}) {
    EXPECT_FALSE(ParseTime(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace inferd::kubernetes
