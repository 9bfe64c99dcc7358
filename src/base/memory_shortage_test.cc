#include "base/memory_shortage.h"

#include <gtest/gtest.h>

#include <memory>

namespace inferd::base {
namespace {

class MemoryShortageTest : public ::testing::Test {
 protected:
  MemoryShortageTest() { KeepMemoryReserve(1 << 20); }
  ~MemoryShortageTest() override { std::set_new_handler(nullptr); }
};

TEST_F(MemoryShortageTest, AnAllocationThatFailsHasTheReserveAndThenFails) {
  EXPECT_FALSE(MemoryIsShort());
  const std::new_handler handler = std::get_new_handler();
  ASSERT_NE(handler, nullptr);
  EXPECT_NO_THROW(handler()) << "there is the reserve to be had";
  EXPECT_TRUE(MemoryIsShort());
  EXPECT_THROW(handler(), std::bad_alloc);
  EXPECT_TRUE(RestoreMemoryReserve());
  EXPECT_FALSE(MemoryIsShort());
  EXPECT_NO_THROW(handler());
}

TEST_F(MemoryShortageTest, WhatIsDroppedForWantOfMemoryKnows) {
  bool knew = false;
  const auto note = [&knew](int*) { knew = DropsForWantOfMemory(); };
  int owned = 0;
  {
    const std::unique_ptr<int, decltype(note)> holder(&owned, note);
  }
  EXPECT_FALSE(knew);
  const bool ran = RunUnlessOutOfMemory([holder = std::unique_ptr<int, decltype(note)>(&owned, note)] {
    EXPECT_FALSE(DropsForWantOfMemory());
    throw std::bad_alloc();
  });
  EXPECT_FALSE(ran);
  EXPECT_TRUE(knew) << "a task that is destroyed because it had no memory";
  EXPECT_TRUE(RunUnlessOutOfMemory([] {}));
  EXPECT_FALSE(DropsForWantOfMemory());
}

}  // namespace
}  // namespace inferd::base
