#include "serving/cache/local_store.h"

#include <gtest/gtest.h>

#include <thread>

#include "serving/cache/cache_fixture.h"
#include "tests/support/allocated_bytes.h"

namespace inferd::cache {
namespace {

class LocalStoreTest : public ::testing::Test {
 protected:
  void Put(LocalStore& store, const std::string& bytes, const std::string& answer, const KeySecret& secret) {
    core::QueuedRequest queued = model_.Queue(CachedModel::Request(bytes), [](core::InferResponse&&) {});
    core::InferResponse response;
    response.outputs.push_back({.name = "OUT",
                                .datatype = tensor::DataType::kUint8,
                                .shape = {static_cast<int64_t>(answer.size())},
                                .data = base::BufferSlice(base::Buffer::CopyOf(answer)),
                                .parameters = {}});
    store.Insert(std::make_shared<const StoredKey>(RequestKey("s", "", queued, secret)),
                 CachedResponse::CopyOf(response));
    queued.Fail(base::Cancelled("test"));
  }
  std::string Get(LocalStore& store, const std::string& bytes, const KeySecret& secret) {
    core::QueuedRequest queued = model_.Queue(CachedModel::Request(bytes), [](core::InferResponse&&) {});
    const auto found = store.Find(RequestKey("s", "", queued, secret));
    queued.Fail(base::Cancelled("test"));
    return found == nullptr ? "none" : std::string(found->Answer().outputs[0].data.view());
  }
  void Put(LocalStore& store, const std::string& bytes, const std::string& answer) {
    Put(store, bytes, answer, secret_);
  }
  std::string Get(LocalStore& store, const std::string& bytes) { return Get(store, bytes, secret_); }

  base::FakeClock clock_;
  const KeySecret secret_;
  LocalStore unused_{{.bytes_max = 1}, clock_};
  CachedModel model_{unused_, secret_, clock_, [](core::QueuedRequest&&) {}};
};

TEST_F(LocalStoreTest, FindsWhatWasPutThere) {
  LocalStore store({.bytes_max = 1 << 20}, clock_);
  Put(store, "a", "A");
  Put(store, "b", "B");
  EXPECT_EQ(Get(store, "a"), "A");
  EXPECT_EQ(Get(store, "b"), "B");
  EXPECT_EQ(Get(store, "c"), "none");
  Put(store, "a", "A2");
  EXPECT_EQ(Get(store, "a"), "A2");
  EXPECT_EQ(store.figures().entries, 2u);
}

TEST_F(LocalStoreTest, TheLeastRecentlyUsedGoFirst) {
  LocalStore sizes({.bytes_max = 1 << 20}, clock_);
  Put(sizes, "a", "A");
  LocalStore store({.bytes_max = 3 * sizes.figures().bytes}, clock_);
  for (const char* name : {"a", "b", "c"}) Put(store, name, name);
  EXPECT_EQ(Get(store, "a"), "a");
  Put(store, "d", "d");
  EXPECT_EQ(Get(store, "b"), "none");
  EXPECT_EQ(Get(store, "a") + Get(store, "c") + Get(store, "d"), "acd");
  EXPECT_EQ(store.figures().evictions, 1u);
  EXPECT_EQ(store.figures().bytes, store.bytes_max());
}

// For small entries, too: counts all the bytes that malloc has given out for them, or a few more.
TEST_F(LocalStoreTest, AllThatKeepingTakesIsCounted) {
  constexpr size_t kMax = size_t{8} << 20;
  LocalStore store({.bytes_max = kMax}, clock_);
  const size_t before = support::AllocatedBytes();
  for (int i = 0; store.figures().evictions == 0; ++i) Put(store, std::to_string(i), "x");
  const size_t allocated = support::AllocatedBytes() - before;
  EXPECT_LE(store.figures().bytes, kMax);
  EXPECT_GT(store.figures().bytes, kMax - 2000);
#ifndef INFERD_UNDER_SANITIZER  // its allocators have other sizes
  EXPECT_LE(allocated, kMax) << store.figures().entries << " entries";
#endif
  EXPECT_GT(allocated, kMax / 2);
}

TEST_F(LocalStoreTest, WhatIsLargerThanAllIsNotKept) {
  LocalStore store({.bytes_max = 8000}, clock_);
  Put(store, "a", "A");
  Put(store, "b", std::string(8000, 'x'));
  EXPECT_EQ(Get(store, "a"), "A");
  EXPECT_EQ(Get(store, "b"), "none");
  EXPECT_FALSE(store.Keeps(8000));
  EXPECT_TRUE(store.Keeps(100));
}

TEST_F(LocalStoreTest, WhatIsTooOldIsGone) {
  LocalStore store({.bytes_max = 1 << 20, .ttl_ns = 1'000'000}, clock_);
  Put(store, "a", "A");
  clock_.AdvanceNs(999'999);
  EXPECT_EQ(Get(store, "a"), "A");
  clock_.AdvanceNs(1);
  EXPECT_EQ(Get(store, "a"), "none");
  EXPECT_EQ(store.figures().entries, 0u);
  EXPECT_EQ(store.figures().bytes, 0u);
}

TEST_F(LocalStoreTest, AHashIsNoAnswer) {
  const KeySecret secret = KeySecret::ThatTellsNothing();
  LocalStore store({.bytes_max = 1 << 20}, clock_);
  Put(store, "a", "A", secret);
  EXPECT_EQ(Get(store, "a", secret), "A");
  EXPECT_EQ(Get(store, "b", secret), "none");
  Put(store, "b", "B", secret);
  EXPECT_EQ(Get(store, "a", secret), "none");
  EXPECT_EQ(Get(store, "b", secret), "B");
  EXPECT_EQ(store.figures().entries, 1u);
}

TEST_F(LocalStoreTest, WhatIsGivenOutStays) {
  LocalStore store({.bytes_max = 4000}, clock_);
  Put(store, "a", "A");
  core::QueuedRequest queued = model_.Queue(CachedModel::Request("a"), [](core::InferResponse&&) {});
  const core::InferResponse answer = store.Find(RequestKey("s", "", queued, secret_))->Answer();
  queued.Fail(base::Cancelled("test"));
  for (int i = 0; i < 20; ++i) Put(store, std::to_string(i), std::string(500, 'x'));
  EXPECT_EQ(Get(store, "a"), "none");
  EXPECT_EQ(answer.outputs[0].data.view(), "A");
}

}  // namespace
}  // namespace inferd::cache
