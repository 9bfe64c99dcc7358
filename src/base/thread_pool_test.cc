#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>

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

}  // namespace
}  // namespace inferd::base
