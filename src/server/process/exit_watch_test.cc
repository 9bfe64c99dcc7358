#include "server/process/exit_watch.h"

#include <gtest/gtest.h>

#include <atomic>

namespace inferd::server {
namespace {

std::atomic<int> exits = 0;

class ExitWatchTest : public ::testing::Test {
 protected:
  ExitWatchTest() { exits = 0; }
  std::unique_ptr<base::Logger> logger_ = base::Logger::Silent();
  ExitWatch watch_{*logger_, [] {
                     ++exits;
                     exits.notify_all();
                   }};
};

TEST_F(ExitWatchTest, ExitsWhenItsTimeHasPassed) {
  watch_.ExitAfter(std::chrono::milliseconds(1), "stuck");
  exits.wait(0);
  EXPECT_EQ(exits, 1);
}

TEST_F(ExitWatchTest, ALaterLimitTakesThePlaceOfTheEarlier) {
  watch_.ExitAfter(std::chrono::hours(1), "stuck");
  watch_.ExitAfter(std::chrono::milliseconds(1), "stuck later");
  exits.wait(0);
  EXPECT_EQ(exits, 1);
}

TEST_F(ExitWatchTest, DoesNothingWhenAllGoesWell) {
  {
    ExitWatch idle(*logger_, [] { ++exits; });
  }
  {
    ExitWatch watch(*logger_, [] { ++exits; });
    watch.ExitAfter(std::chrono::hours(1), "stuck");
  }
  EXPECT_EQ(exits, 0);
}

}  // namespace
}  // namespace inferd::server
