#include "serving/enginehost/transfer/pinned_pool.h"

#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <vector>

namespace inferd::enginehost {
namespace {

class PinnedPoolTest : public ::testing::Test {
 protected:
  base::Status Open(PinnedPool& pool) {
    return pool.Open([this](size_t bytes) -> base::Result<base::Buffer> {
      asked_.push_back(bytes);
      if (fails_) return std::unexpected(base::ResourceExhausted("none"));
      memory_ = base::Buffer::Allocate(bytes);
      return base::Buffer::Wrap(memory_.data(), bytes, [this] { ++released_; },
                                {.kind = base::MemoryKind::kCpuPinned, .runtime = 3});
    });
  }

  base::Buffer memory_;
  std::vector<size_t> asked_;
  bool fails_ = false;
  int released_ = 0;
};

TEST_F(PinnedPoolTest, NothingIsAskedForBeforeItIsOpened) {
  const auto use = std::make_shared<PinnedUse>();
  PinnedPool pool(4096, use);
  EXPECT_FALSE(pool.Take(1));
  EXPECT_EQ(use->refusals, 1u);
  EXPECT_EQ(pool.bytes(), 0u);
  EXPECT_TRUE(asked_.empty());
  EXPECT_TRUE(Open(pool).ok());
  EXPECT_TRUE(Open(pool).ok());
  EXPECT_EQ(asked_, std::vector<size_t>{4096}) << "once";
  EXPECT_EQ(pool.bytes(), 4096u);
}

TEST_F(PinnedPoolTest, OneOfNoBytesStaysClosed) {
  PinnedPool pool(0);
  EXPECT_TRUE(Open(pool).ok());
  EXPECT_TRUE(asked_.empty());
  EXPECT_FALSE(pool.Take(1));
}

TEST_F(PinnedPoolTest, WhatCannotBeHadMayBeHadLater) {
  PinnedPool pool(4096);
  fails_ = true;
  EXPECT_EQ(Open(pool), base::ResourceExhausted("none"));
  EXPECT_FALSE(pool.Take(1));
  fails_ = false;
  EXPECT_TRUE(Open(pool).ok());
  EXPECT_TRUE(pool.Take(1));
}

TEST_F(PinnedPoolTest, BlocksAreApartAlignedAndGivenBack) {
  PinnedPool pool(4096);
  ASSERT_TRUE(Open(pool).ok());
  std::vector<base::Buffer> blocks;
  while (base::Buffer block = pool.Take(100)) blocks.push_back(std::move(block));
  EXPECT_EQ(blocks.size(), 16u) << "of 256 bytes each, slack included";
  EXPECT_EQ(pool.used(), 4096u);
  for (size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(blocks[i].data()) % base::kBufferAlignment, 0u);
    EXPECT_EQ(blocks[i].size(), 100u);
    EXPECT_EQ(blocks[i].place().kind, base::MemoryKind::kCpuPinned);
    std::memset(blocks[i].data(), static_cast<int>(i), 100);
  }
  for (size_t i = 0; i < blocks.size(); ++i) EXPECT_EQ(blocks[i].data()[99], static_cast<std::byte>(i));
  blocks.pop_back();
  EXPECT_EQ(pool.used(), 4096u - 256);
  EXPECT_FALSE(pool.Take(300)) << "there is no room for that";
  blocks.clear();
  EXPECT_EQ(pool.used(), 0u);
  EXPECT_TRUE(pool.Take(4032)) << "all of it, but for the slack";
  EXPECT_FALSE(pool.Take(4097));
  EXPECT_FALSE(pool.Take(SIZE_MAX));
  EXPECT_FALSE(pool.Take(0));
}

TEST_F(PinnedPoolTest, WhatBecomesOfItIsCounted) {
  const auto use = std::make_shared<PinnedUse>();
  PinnedPool pool(4096, use);
  ASSERT_TRUE(Open(pool).ok());
  EXPECT_EQ(use->bytes, 4096u);
  base::Buffer block = pool.Take(100);
  EXPECT_EQ(use->used, 256u);
  EXPECT_FALSE(pool.Take(4096));
  EXPECT_FALSE(pool.Take(5000));
  EXPECT_FALSE(pool.Take(0));
  block = {};
  EXPECT_EQ(use->used, 0u);
  EXPECT_EQ(use->blocks, 1u);
  EXPECT_EQ(use->refusals, 2u) << "where nothing is asked for, nothing is refused";
}

TEST_F(PinnedPoolTest, BlocksOutliveIt) {
  const auto use = std::make_shared<PinnedUse>();
  std::optional<PinnedPool> pool(std::in_place, 4096, use);
  ASSERT_TRUE(Open(*pool).ok());
  base::Buffer block = pool->Take(10);
  pool.reset();
  EXPECT_EQ(released_, 0);
  EXPECT_EQ(use->bytes, 4096u);
  block.data()[9] = std::byte{1};
  block = {};
  EXPECT_EQ(released_, 1);
  EXPECT_EQ(use->bytes, 0u);
}

}  // namespace
}  // namespace inferd::enginehost
