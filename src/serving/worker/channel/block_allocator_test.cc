#include "serving/worker/channel/block_allocator.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/buffer.h"

namespace inferd::worker {
namespace {

class BlockAllocatorTest : public ::testing::Test {
 protected:
  static constexpr size_t kBytes = 1 << 16;

  std::shared_ptr<ChannelMemory> memory_ = *ChannelMemory::Create(kBytes);
  BlockAllocator allocator_{memory_->header(), memory_->answer_area()};

  void Release(uint32_t index) { memory_->header().released[index].store(1); }
};

TEST_F(BlockAllocatorTest, BlocksAreAlignedAndApart) {
  const auto a = allocator_.Allocate(1);
  const auto b = allocator_.Allocate(100);
  ASSERT_TRUE(a && b);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(a->data) % base::kBufferAlignment, 0u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(b->data) % base::kBufferAlignment, 0u);
  EXPECT_GE(b->data - a->data, static_cast<ptrdiff_t>(1 + base::kBufferSlack));
}

TEST_F(BlockAllocatorTest, WhatIsDroppedOrReleasedIsUsedAgain) {
  const size_t bytes = kBytes - 128;
  for (int i = 0; i < 3; ++i) {
    const auto dropped = allocator_.Allocate(bytes);
    ASSERT_TRUE(dropped.has_value());
    EXPECT_FALSE(allocator_.Allocate(bytes).has_value());
    allocator_.Drop(dropped->index, dropped->use);
    const auto given = allocator_.Allocate(bytes);
    ASSERT_TRUE(given.has_value());
    allocator_.Give(given->index);
    EXPECT_FALSE(allocator_.Allocate(bytes).has_value()) << "the server has it";
    Release(given->index);
  }
}

TEST_F(BlockAllocatorTest, NeighboursGrowTogetherInAnyOrder) {
  for (const std::vector<int>& order : {std::vector{0, 1, 2}, std::vector{2, 0, 1}, std::vector{1, 2, 0}}) {
    std::vector<BlockAllocator::Block> blocks;
    for (int i = 0; i < 3; ++i) blocks.push_back(*allocator_.Allocate(kBytes / 4));
    for (const int i : order) allocator_.Drop(blocks[i].index, blocks[i].use);
    const auto whole = allocator_.Allocate(kBytes - 128);
    ASSERT_TRUE(whole.has_value());
    allocator_.Drop(whole->index, whole->use);
  }
}

TEST_F(BlockAllocatorTest, ALateDropDoesNotHitTheNextUse) {
  const auto first = allocator_.Allocate(10);
  allocator_.Give(first->index);
  Release(first->index);
  const auto second = allocator_.Allocate(10);
  ASSERT_EQ(second->index, first->index);
  allocator_.Drop(first->index, first->use);
  EXPECT_TRUE(allocator_.Find({second->data, 10}).has_value());
}

TEST_F(BlockAllocatorTest, FindsOnlyWhatIsWhollyInsideAHeldBlock) {
  const auto block = allocator_.Allocate(100);
  EXPECT_EQ(allocator_.Find({block->data, 100})->index, block->index);
  EXPECT_EQ(allocator_.Find({block->data + 50, 50})->index, block->index);
  EXPECT_FALSE(allocator_.Find({block->data, 4096}).has_value());
  const std::byte elsewhere[4] = {};
  EXPECT_FALSE(allocator_.Find(elsewhere).has_value());
  allocator_.Give(block->index);
  EXPECT_FALSE(allocator_.Find({block->data, 100}).has_value());
}

TEST_F(BlockAllocatorTest, RunsOutOfBlocksWithoutHarm) {
  auto memory = *ChannelMemory::Create(kBlocksMax * 1024);
  BlockAllocator allocator(memory->header(), memory->answer_area());
  for (uint32_t i = 0; i < kBlocksMax; ++i) ASSERT_TRUE(allocator.Allocate(1).has_value());
  EXPECT_FALSE(allocator.Allocate(1).has_value());
  EXPECT_FALSE(allocator.Allocate(SIZE_MAX).has_value());
}

TEST(ChannelMemoryTest, BothSidesSeeTheSame) {
  auto ours = *ChannelMemory::Create(5000);
  auto theirs = ChannelMemory::Open(ours->descriptor());
  ASSERT_TRUE(theirs.has_value()) << theirs.error().ToString();
  ASSERT_EQ(ours->call_area().size(), 8192u);
  ASSERT_EQ((*theirs)->call_area().size(), 8192u);
  ours->call_area()[8191] = std::byte{7};
  EXPECT_EQ((*theirs)->call_area()[8191], std::byte{7});
  EXPECT_EQ((*theirs)->answer_area()[0], std::byte{0});
}

TEST(ChannelMemoryTest, PagesBehindWhatIsKeptAreGivenBack) {
  auto memory = *ChannelMemory::Create(kKeptBytes + 8192);
  const auto area = memory->call_area();
  std::memset(area.data() + kKeptBytes - 4096, 1, 8192);
  ChannelMemory::Trim(area, area.first(kKeptBytes + 4096));
  EXPECT_EQ(area[kKeptBytes - 1], std::byte{1});
  EXPECT_EQ(area[kKeptBytes], std::byte{0});
}

}  // namespace
}  // namespace inferd::worker
