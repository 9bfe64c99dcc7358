#include "server/process/signals.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace inferd::server {
namespace {

TEST(SignalsTest, WaitTakesASignalThatWasSentBefore) {
  Signals signals;
  // raise() signals this thread. Other threads, left behind by an engine's library, may not block signals.
  raise(SIGHUP);
  EXPECT_EQ(signals.Wait(std::chrono::seconds(5)), SIGHUP);
  raise(SIGTERM);
  EXPECT_EQ(signals.Wait(std::chrono::seconds(5)), SIGTERM);
}

TEST(SignalsTest, WaitEndsWithItsTimeout) { EXPECT_EQ(Signals().Wait(std::chrono::seconds(0)), 0); }

TEST(SignalsDeathTest, SecondSignalEndsTheProcess) {
  EXPECT_EXIT(
      {
        Signals signals;
        kill(getpid(), SIGTERM);
        signals.Wait(std::chrono::seconds(5));
        signals.ExitOnNext();
        kill(getpid(), SIGTERM);
        pause();
      },
      ::testing::ExitedWithCode(1), "");
}

}  // namespace
}  // namespace inferd::server
