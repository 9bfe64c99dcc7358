#include "engines/kit/background.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <thread>

namespace inferd::kit {
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

// Touches `bytes` of the stack: more than a thread usually has.
[[gnu::noinline]] int UseStack(size_t bytes) {
  auto* const memory = static_cast<volatile char*>(__builtin_alloca(bytes));
  for (size_t i = 0; i < bytes; i += 1024) memory[bytes - 1 - i] = 1;
  return memory[bytes - 1];
}

TEST(BackgroundTest, HasTheStackThatItIsToHave) {
  int used = 0;
  RunInBackground([&] { used = UseStack(size_t{24} << 20); }, size_t{32} << 20);
  EXPECT_EQ(used, 1);
}

TEST(BackgroundTest, WhatIsStartedAfterwardsHasTheCallersPriority) {
  RunInBackground([] {});
  int later = -1;
  std::thread([&] { later = Niceness(); }).join();
  EXPECT_EQ(later, Niceness());
}

}  // namespace
}  // namespace inferd::kit
