#include "serving/enginehost/transfer/pending_copies.h"

#include <gtest/gtest.h>

#include <string>

#include "serving/enginehost/transfer/late_device_fixture.h"
#include "serving/enginehost/transfer/pinned_pool.h"
#include "serving/enginehost/transfer/staged_input.h"
#include "tests/support/far_memory.h"

namespace inferd::enginehost {
namespace {

class PendingCopiesTest : public ::testing::Test {
 protected:
  PendingCopiesTest() { EXPECT_TRUE(pool_.Open(Pinned).ok()); }
  void TearDown() override { EXPECT_EQ(TheLateDevice().under_way(), 0u); }

  static base::Buffer OnDevice(size_t size) { return *TheLateDevice().Allocate(TheLateDevice().place(), size); }
  base::BufferSlice InPool(const std::string& text) {
    base::Buffer block = pool_.Take(text.size());
    std::memcpy(block.data(), text.data(), text.size());
    return base::BufferSlice(block);
  }
  static std::string Read(const base::Buffer& buffer) {
    return {reinterpret_cast<const char*>(buffer.data()), buffer.size()};
  }

  PinnedPool pool_{256};  // has one block
};

TEST_F(PendingCopiesTest, WhatIsReadIsKeptUntilItIsThereAndNoLonger) {
  for (uint32_t seed = 0; seed < 50; ++seed) {
    TheLateDevice().Seed(seed);
    base::Buffer target = OnDevice(4);
    PendingCopies copies;
    ASSERT_TRUE(copies.Start(InPool("abcd"), target, target.data()).ok());
    ASSERT_FALSE(pool_.Take(4)) << "its first user has let go of it, and the device reads it";
    ASSERT_TRUE(copies.Await().ok());
    ASSERT_EQ(Read(target), "abcd");
    ASSERT_EQ(pool_.used(), 0u);
  }
}

TEST_F(PendingCopiesTest, TheirEndIsAwaitedWhateverBecomesOfThem) {
  for (uint32_t seed = 0; seed < 50; ++seed) {
    TheLateDevice().Seed(seed);
    {
      PendingCopies copies;
      base::Buffer target = OnDevice(4);
      ASSERT_TRUE(copies.Start(InPool("abcd"), target, target.data()).ok());
    }
    ASSERT_EQ(TheLateDevice().under_way(), 0u);
  }
}

TEST_F(PendingCopiesTest, WhatFailedToBeginMayHaveBegun) {
  PendingCopies copies;
  base::Buffer target = OnDevice(4);
  TheLateDevice().FailNext(base::Internal("broken"));
  EXPECT_EQ(copies.Start(InPool("abcd"), target, target.data()), base::Internal("broken"));
  EXPECT_EQ(pool_.used(), 256u);
  EXPECT_TRUE(copies.Await().ok());
  EXPECT_EQ(pool_.used(), 0u);
}

TEST_F(PendingCopiesTest, WithoutAQueueTheyAreDoneAtOnce) {
  PendingCopies copies;
  support::FarMemory& far = support::FarMemory::New();
  base::Buffer target = *far.Allocate(far.place(), 4);
  ASSERT_TRUE(copies.Start(InPool("abcd"), target, target.data()).ok());
  EXPECT_EQ(far.Read(base::BufferSlice(target)), "abcd");
  EXPECT_EQ(pool_.used(), 0u);

  base::Buffer here = base::Buffer::Allocate(4);
  ASSERT_TRUE(copies.Start(InPool("efgh"), here, here.data()).ok());
  EXPECT_EQ(Read(here), "efgh");
  EXPECT_EQ(pool_.used(), 0u);
}

TEST_F(PendingCopiesTest, BetweenTwoRuntimesTheyAreDoneAtOnce) {
  PendingCopies copies;
  support::FarMemory& far = support::FarMemory::New();
  base::Buffer target = OnDevice(4);
  ASSERT_TRUE(copies.Start(far.SliceOf("abcd"), target, target.data()).ok());
  EXPECT_EQ(Read(target), "abcd");
}

TEST_F(PendingCopiesTest, PiecesOfManySizesLieBehindEachOther) {
  PinnedPool pool(size_t{16} << 20);
  ASSERT_TRUE(pool.Open(Pinned).ok());
  for (const bool pinned : {true, false}) {
    TheLateDevice().Seed(pinned ? 1 : 2);
    std::string whole;
    std::vector<base::BufferSlice> pieces;
    for (const size_t size : {0u, 1u, 1u << 20, 3u << 20, (1u << 20) - 1, 100u}) {
      std::string text(size, static_cast<char>('a' + pieces.size()));
      whole += text;
      pieces.emplace_back(base::Buffer::CopyOf(text));
    }
    base::Buffer there = OnDevice(5);  // a piece that is already on the device
    std::memcpy(there.data(), "12345", 5);
    pieces.insert(pieces.begin() + 3, base::BufferSlice(there));
    whole.insert(1 + (size_t{1} << 20), "12345");

    base::Buffer target = OnDevice(whole.size());
    PendingCopies copies;
    StagedInput staged(copies, pinned ? pool.Take(whole.size()) : base::Buffer(), target, target.data());
    for (const base::BufferSlice& piece : pieces) ASSERT_TRUE(staged.Add(piece).ok());
    ASSERT_TRUE(staged.Finish().ok());
    ASSERT_TRUE(copies.Await().ok());
    EXPECT_TRUE(Read(target) == whole) << pinned;
  }
}

}  // namespace
}  // namespace inferd::enginehost
