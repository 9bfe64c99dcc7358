#include "ctl/program/interrupt.h"

#include <gtest/gtest.h>

#include <unistd.h>

namespace inferd::ctl {
namespace {

TEST(InterruptTest, TheFirstSignalIsNoted) {
  ::signal(SIGINT, SIG_DFL);
  {
    const InterruptCatcher catcher;
    EXPECT_FALSE(WasInterrupted());
    ::kill(::getpid(), SIGINT);
    EXPECT_TRUE(WasInterrupted());
    struct sigaction action{};
    ::sigaction(SIGINT, nullptr, &action);
    EXPECT_EQ(action.sa_handler, SIG_DFL) << "a second one ends the program";
  }
  const InterruptCatcher next;
  EXPECT_FALSE(WasInterrupted());
}

TEST(InterruptTest, AnIgnoredSignalStaysIgnored) {
  ::signal(SIGINT, SIG_IGN);
  {
    const InterruptCatcher catcher;
    ::kill(::getpid(), SIGINT);
    EXPECT_FALSE(WasInterrupted());
  }
  ::signal(SIGINT, SIG_DFL);
}

}  // namespace
}  // namespace inferd::ctl
