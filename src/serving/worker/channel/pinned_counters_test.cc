#include "serving/worker/channel/pinned_counters.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace inferd::worker {
namespace {

TEST(PinnedCountersTest, OneSideShowsWhatTheOtherCounts) {
  auto here = PinnedCounters::Create();
  ASSERT_TRUE(here.has_value()) << here.error().ToString();
  const auto there = PinnedCounters::Open((*here)->descriptor());
  ASSERT_TRUE(there.has_value()) << there.error().ToString();
  EXPECT_EQ((*there)->descriptor(), -1);
  (*here)->Sent();
  EXPECT_EQ((*here)->descriptor(), -1);
  const auto shown = PinnedCounters::Use(*here);
  here->reset();
  const auto counted = PinnedCounters::Use(*there);
  EXPECT_EQ(shown->bytes + shown->used + shown->blocks + shown->refusals, 0u);
  counted->bytes = 4096;
  counted->Refuse();
  EXPECT_EQ(shown->bytes, 4096u);
  EXPECT_EQ(shown->refusals, 1u);
}

TEST(PinnedCountersTest, WhatIsNoneIsRefused) {
  EXPECT_FALSE(PinnedCounters::Open(-1).has_value());
  const base::FileDescriptor small(memfd_create("small", MFD_CLOEXEC));
  ASSERT_EQ(ftruncate(small.get(), 8), 0);
  const auto opened = PinnedCounters::Open(small.get());
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error(), base::InvalidArgument("memory for the counters of a worker process is too small"));
}

}  // namespace
}  // namespace inferd::worker
