#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <utility>
#include <vector>

namespace inferd::base {
namespace {

TEST(ThreadPoolTest, RunsAllThatIsQueuedBeforeItEnds) {
  std::atomic<int> ran{0};
  {
    ThreadPool pool("pool", 3);
    for (int i = 0; i < 1000; ++i) pool.Post([&ran] { ++ran; });
  }
  EXPECT_EQ(ran.load(), 1000);
}

TEST(ThreadPoolTest, OneThreadKeepsOrder) {
  std::vector<int> order;
  {
    ThreadPool pool("pool", 1);
    for (int i = 0; i < 100; ++i) pool.Post([&order, i] { order.push_back(i); });
  }
  ASSERT_EQ(order.size(), 100u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(ThreadPoolTest, MayBeDestroyedByATaskThatItRuns) {
  std::atomic<bool> ended{false};
  std::optional<ThreadPool> pool(std::in_place, "pool", 1);
  pool->Post([&] {
    pool.reset();
    ended.store(true);
    ended.notify_all();
  });
  ended.wait(false);
  EXPECT_FALSE(pool.has_value());
}

}  // namespace
}  // namespace inferd::base
