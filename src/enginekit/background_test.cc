#include "enginekit/background.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <thread>

namespace inferd::enginekit {
namespace {

int Niceness() { return ::getpriority(PRIO_PROCESS, 0); }  // of this thread

TEST(BackgroundTest, LowersThePriorityOfTheWorkAlone) {
  const int before = Niceness();
  int during = before;
  const std::thread::id caller = std::this_thread::get_id();
  std::thread::id worker = caller;
  RunInBackground([&] {
    during = Niceness();
    worker = std::this_thread::get_id();
  });
  EXPECT_NE(worker, caller);
  EXPECT_EQ(during, std::min(before + 10, 19));
  EXPECT_EQ(Niceness(), before);
}

TEST(BackgroundTest, WhatIsStartedAfterwardsHasTheCallersPriority) {
  RunInBackground([] {});
  int later = -1;
  std::thread([&] { later = Niceness(); }).join();
  EXPECT_EQ(later, Niceness());
}

}  // namespace
}  // namespace inferd::enginekit
