#include "kserve/apiserver/logs/log_times.h"

#include <gtest/gtest.h>

#include <chrono>

namespace inferd::apiserver {
namespace {

using std::chrono::system_clock;

system_clock::time_point At(int seconds, int ms = 0) {
  return system_clock::from_time_t(1'000'000'000 + seconds) + std::chrono::milliseconds(ms);
}

TEST(LogTimes, StandBeforeEachLine) {
  const std::vector<LogMoment> moments = {{90, At(0, 7)}, {104, At(1)}, {107, At(2)}, {900, At(3)}};
  struct Case {
    const char* text;
    bool line_begins;
    const char* timed;
  };
  const std::vector<Case> cases = {
      {"", true, ""},
      {"a", true, "2001-09-09T01:46:40.007000000Z a"},
      {"a\n", true, "2001-09-09T01:46:40.007000000Z a\n"},
      {"a\n", false, "a\n"},
      {"\n\n", true, "2001-09-09T01:46:40.007000000Z \n2001-09-09T01:46:40.007000000Z \n"},
      {"abc\nde\nf", true,
       "2001-09-09T01:46:40.007000000Z abc\n2001-09-09T01:46:41.000000000Z de\n2001-09-09T01:46:42.000000000Z f"},
      {"abcde\nf", false, "abcde\n2001-09-09T01:46:41.000000000Z f"},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(WithTimes(each.text, 100, each.line_begins, moments), each.timed) << each.text;
  }
  EXPECT_EQ(WithTimes("a\nb", 100, true, {}), "a\nb");
}

}  // namespace
}  // namespace inferd::apiserver
