#include "protocols/clientshm/guarded_range.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <memory>
#include <thread>
#include <vector>

#include "protocols/clientshm/shared_object_fixture.h"

namespace inferd::clientshm {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kPages = 64;

TEST(GuardedRangeTest, PagesThatAreGoneAreZerosAndTheRestIsThere) {
  const support::SharedObject object(kPages * kPage);
  const GuardedRange range(object.bytes());
  ASSERT_TRUE(range.guarded());
  std::byte* const bytes = object.bytes().data();
  bytes[kPage] = std::byte{3};
  object.Resize(2 * kPage);
  EXPECT_EQ(bytes[kPage], std::byte{3});
  EXPECT_FALSE(range.broken());
  EXPECT_EQ(bytes[10 * kPage], std::byte{0});
  EXPECT_TRUE(range.broken());
  bytes[10 * kPage] = std::byte{4};
  EXPECT_EQ(bytes[10 * kPage], std::byte{4});
  bytes[5 * kPage] = std::byte{5};  // before the replaced pages
  EXPECT_EQ(bytes[10 * kPage], std::byte{4});
  EXPECT_EQ(bytes[kPage], std::byte{3});
}

TEST(GuardedRangeTest, ThreadsMissPagesAtTheSameTime) {
  for (int round = 0; round < 20; ++round) {
    const support::SharedObject object(kPages * kPage);
    const GuardedRange range(object.bytes());
    object.Resize(0);
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&object, thread] {
        std::byte* const bytes = object.bytes().data();
        for (size_t page = kPages; page-- > 0;) bytes[page * kPage + static_cast<size_t>(thread)] = std::byte{1};
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_TRUE(range.broken());
    // A thread's writes stay when another thread misses a page.
    for (size_t i = 0; i < kPages * 4; ++i) {
      ASSERT_EQ(object.bytes()[i / 4 * kPage + i % 4], std::byte{1}) << i;
    }
  }
}

TEST(GuardedRangeTest, SystemCallsFailOnPagesThatAreGone) {
  const support::SharedObject object(kPages * kPage);
  const GuardedRange range(object.bytes());
  object.Resize(0);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_EQ(write(ends[1], object.bytes().data(), 10), -1);
  EXPECT_EQ(errno, EFAULT);
  close(ends[0]);
  close(ends[1]);
}

TEST(GuardedRangeTest, SlotsAreUsedAgain) {
  const support::SharedObject object(kPage);
  std::vector<std::unique_ptr<GuardedRange>> ranges;
  for (size_t i = 0; i < GuardedRange::kRangesMax; ++i)
    ranges.push_back(std::make_unique<GuardedRange>(object.bytes()));
  EXPECT_TRUE(ranges.back()->guarded());
  EXPECT_FALSE(GuardedRange(object.bytes()).guarded());
  ranges.erase(ranges.begin() + 5);
  EXPECT_TRUE(GuardedRange(object.bytes()).guarded());
}

TEST(GuardedRangeDeathTest, OtherMemoryEndsTheProcessAsEver) {
  const support::SharedObject guarded(kPage);
  const GuardedRange range(guarded.bytes());
  const support::SharedObject other(kPage);
  other.Resize(0);
  EXPECT_DEATH({ static_cast<volatile std::byte*>(other.bytes().data())[0] = std::byte{1}; }, "");
  EXPECT_DEATH(raise(SIGBUS), "");
}

}  // namespace
}  // namespace inferd::clientshm
