#include "net/body/body.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace inferd::net {
namespace {

std::span<const std::byte> Bytes(std::string_view text) { return std::as_bytes(std::span(text)); }

class BodyTest : public ::testing::Test {
 protected:
  static bool Aligned(const std::byte* at) { return reinterpret_cast<uintptr_t>(at) % base::kBufferAlignment == 0; }

  std::shared_ptr<MemoryBudget> budget_ = std::make_shared<MemoryBudget>(64 << 20);
  BodyPool pool_{budget_};
};

TEST_F(BodyTest, AShortBodyIsAlignedWhereAsked) {
  Body body(pool_, 100, 1000, 37);
  ASSERT_EQ(body.Append(Bytes(std::string(100, 'x'))), Body::Fill::kOk);
  EXPECT_TRUE(body.Space().empty());
  EXPECT_EQ(budget_->used(), 100u);
  const base::BufferSlice slice = body.Finish();
  EXPECT_EQ(slice.view(), std::string(100, 'x'));
  EXPECT_TRUE(Aligned(slice.data() + 37));
}

TEST_F(BodyTest, ALongBodyIsWrittenInPlace) {
  constexpr size_t kSize = 600'000;
  Body body(pool_, kSize, 1 << 30, 301);
  const std::byte* where = body.Space().data();
  EXPECT_EQ(budget_->used(), 0u) << "a promise is not charged";
  for (size_t done = 0; done < kSize;) {
    const std::span<std::byte> space = body.Space();
    ASSERT_EQ(space.data(), where + done);
    const size_t count = std::min<size_t>(space.size(), 77'777);
    std::memset(space.data(), static_cast<int>(done % 251), count);
    ASSERT_EQ(body.Commit(count), Body::Fill::kOk);
    done += count;
    EXPECT_EQ(budget_->used(), done);
  }
  base::BufferSlice slice = body.Finish();
  EXPECT_EQ(slice.data(), where);
  EXPECT_EQ(slice.size(), kSize);
  EXPECT_TRUE(Aligned(slice.data() + 301));
  slice = {};
  EXPECT_EQ(budget_->used(), 0u);
}

TEST_F(BodyTest, MemoryThatIsGivenIsUsedAndGoesBack) {
  constexpr size_t kSize = 100'000;
  std::vector<std::byte> memory(kSize);
  int released = 0;
  const auto given = [&] { return base::Buffer::Wrap(memory.data(), kSize, [&released] { ++released; }); };
  Body body(pool_, kSize, 1 << 30, 0, given());
  EXPECT_EQ(body.Space().data(), memory.data());
  EXPECT_EQ(body.Space().size(), kSize);
  EXPECT_EQ(budget_->used(), 0u);
  ASSERT_EQ(body.Append(Bytes(std::string(kSize, 'x'))), Body::Fill::kOk);
  EXPECT_EQ(budget_->used(), kSize);
  Body moved = std::move(body);
  base::BufferSlice slice = moved.Finish();
  EXPECT_EQ(slice.data(), memory.data());
  EXPECT_EQ(slice.view(), std::string(kSize, 'x'));
  EXPECT_EQ(released, 0);
  slice = {};
  EXPECT_EQ(released, 1);
  EXPECT_EQ(budget_->used(), 0u);
  // An unfinished body, and one refused because of the budget.
  Body dropped(pool_, kSize, 1 << 30, 0, given());
  ASSERT_EQ(dropped.Append(Bytes("x")), Body::Fill::kOk);
  dropped = Body();
  EXPECT_EQ(released, 2);
  EXPECT_EQ(budget_->used(), 0u);
  ASSERT_TRUE(budget_->TryCharge(budget_->bytes_max()));
  Body refused(pool_, kSize, 1 << 30, 0, given());
  EXPECT_EQ(refused.Append(Bytes("x")), Body::Fill::kNoMemory);
  budget_->Release(budget_->bytes_max());
}

TEST_F(BodyTest, MemoryThatDoesNotFitIsLetGo) {
  std::vector<std::byte> memory(1000);
  int released = 0;
  const auto given = [&] { return base::Buffer::Wrap(memory.data(), 1000, [&released] { ++released; }); };
  for (const auto& [length, bytes_max] :
       {std::pair<std::optional<uint64_t>, uint64_t>(1001, 5000), {1000, 999}, {std::nullopt, 5000}}) {
    Body body(pool_, length, bytes_max, 0, given());
    EXPECT_NE(body.Space().data(), memory.data());
  }
  EXPECT_EQ(released, 3);
}

TEST_F(BodyTest, WhatWasReadToItsSpaceIsNotCopied) {
  Body body(pool_, 600'000, 1 << 30, 0);
  const std::span<std::byte> space = body.Space();
  std::memset(space.data(), 'a', 1000);
  ASSERT_EQ(body.Append(space.first(1000)), Body::Fill::kOk);
  EXPECT_EQ(budget_->used(), 1000u);
  EXPECT_EQ(body.Space().data(), space.data() + 1000);
  ASSERT_EQ(body.Append(Bytes("b")), Body::Fill::kOk);
  EXPECT_EQ(body.Finish().view(), std::string(1000, 'a') + "b");
}

TEST_F(BodyTest, BlocksAreUsedAgainAndTrimmed) {
  const std::byte* first = nullptr;
  for (int i = 0; i < 3; ++i) {
    Body body(pool_, 600'000, 1 << 30, 0);
    if (first == nullptr) first = body.Space().data();
    EXPECT_EQ(body.Space().data(), first);
    ASSERT_EQ(body.Append(Bytes(std::string(600'000, 'y'))), Body::Fill::kOk);
    (void)body.Finish();
  }
  EXPECT_EQ(pool_.cached_bytes(), size_t{1} << 20);
  pool_.Trim();
  EXPECT_EQ(pool_.cached_bytes(), size_t{1} << 20) << "it was used since the last Trim";
  pool_.Trim();
  EXPECT_EQ(pool_.cached_bytes(), 0u);
}

TEST_F(BodyTest, UnknownLengthGrowsWithoutLosingBytes) {
  std::string expected;
  Body body(pool_, std::nullopt, 1 << 30, 5);
  for (int i = 0; expected.size() < 3'000'000; ++i) {
    const std::string piece(static_cast<size_t>(1 + i * 37 % 20'000), static_cast<char>('a' + i % 26));
    ASSERT_EQ(body.Append(Bytes(piece)), Body::Fill::kOk);
    expected += piece;
  }
  const base::BufferSlice slice = body.Finish();
  EXPECT_TRUE(slice.view() == expected);
  EXPECT_TRUE(Aligned(slice.data() + 5));
}

TEST_F(BodyTest, TheLimitHolds) {
  Body body(pool_, std::nullopt, 10, 0);
  EXPECT_EQ(body.Append(Bytes("0123456789")), Body::Fill::kOk);
  EXPECT_TRUE(body.Space().empty());
  EXPECT_EQ(body.Append(Bytes("x")), Body::Fill::kTooLarge);
}

TEST_F(BodyTest, TheBudgetHolds) {
  const auto small = std::make_shared<MemoryBudget>(1000);
  BodyPool pool(small);
  {
    Body body(pool, 2000, 1 << 20, 0);
    EXPECT_EQ(body.Append(Bytes(std::string(1000, 'x'))), Body::Fill::kOk);
    EXPECT_EQ(body.Append(Bytes("x")), Body::Fill::kNoMemory);
  }
  EXPECT_EQ(small->used(), 0u);
}

TEST_F(BodyTest, AHugePromiseCostsNothing) {
  Body body(pool_, uint64_t{3} << 30, uint64_t{4} << 30, 0);
  EXPECT_EQ(body.Space().size(), size_t{3} << 30);
  EXPECT_EQ(body.Append(Bytes("abc")), Body::Fill::kOk);
  EXPECT_EQ(budget_->used(), 3u);
  // A length beyond the address space: handled as an unknown length.
  Body impossible(pool_, uint64_t{1} << 62, UINT64_MAX, 0);
  EXPECT_EQ(impossible.Append(Bytes("abc")), Body::Fill::kOk);
}

TEST_F(BodyTest, ABodyMayOutliveItsPool) {
  base::BufferSlice slice;
  {
    BodyPool pool(budget_);
    Body body(pool, 100'000, 1 << 20, 0);
    ASSERT_EQ(body.Append(Bytes(std::string(100'000, 'z'))), Body::Fill::kOk);
    slice = body.Finish();
  }
  EXPECT_EQ(slice.view(), std::string(100'000, 'z'));
  EXPECT_EQ(budget_->used(), 100'000u);
  slice = {};
  EXPECT_EQ(budget_->used(), 0u);
}

TEST_F(BodyTest, BytesMadeElsewhereAreCharged) {
  base::BufferSlice slice(base::Buffer::CopyOf("decompressed"));
  EXPECT_TRUE(pool_.Charge(slice));
  EXPECT_EQ(budget_->used(), slice.size());
  slice = {};
  EXPECT_EQ(budget_->used(), 0u);
  EXPECT_TRUE(pool_.Charge({}));
  const auto small = std::make_shared<MemoryBudget>(5);
  BodyPool pool(small);
  EXPECT_FALSE(pool.Charge(base::BufferSlice(base::Buffer::CopyOf("decompressed"))));
  EXPECT_EQ(small->used(), 0u);
}

TEST_F(BodyTest, AnEmptyBodyIsEmpty) {
  Body body(pool_, 0, 100, 0);
  EXPECT_TRUE(body.Space().empty());
  EXPECT_TRUE(body.Finish().empty());
}

}  // namespace
}  // namespace inferd::net
