#include "net/loop/task_queue.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace inferd::net {
namespace {

TEST(TaskQueueTest, RunsInOrderOfPushing) {
  TaskQueue queue;
  std::vector<int> order;
  for (int i = 0; i < 10; ++i) queue.Push([&order, i] { order.push_back(i); });
  queue.RunAll();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(TaskQueueTest, AsksForOneWakeUpPerSleep) {
  TaskQueue queue;
  EXPECT_FALSE(queue.Push([] {}));
  EXPECT_FALSE(queue.Sleep());
  queue.RunAll();
  EXPECT_TRUE(queue.Sleep());
  EXPECT_TRUE(queue.Push([] {}));
  EXPECT_FALSE(queue.Push([] {}));
  queue.RunAll();
  EXPECT_FALSE(queue.Push([] {}));
}

TEST(TaskQueueTest, WhatATaskPushesWaitsForTheNextTurn) {
  TaskQueue queue;
  int ran = 0;
  queue.Push([&] { queue.Push([&] { ++ran; }); });
  queue.RunAll();
  EXPECT_EQ(ran, 0);
  EXPECT_FALSE(queue.Sleep());
  queue.RunAll();
  EXPECT_EQ(ran, 1);
}

TEST(TaskQueueTest, ClosedDestroysUnrun) {
  TaskQueue queue;
  bool ran = false;
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> watched = held;
  queue.Push([&ran, held = std::move(held)] { ran = true; });
  queue.Close();
  EXPECT_TRUE(watched.expired());
  EXPECT_FALSE(queue.Push([&ran] { ran = true; }));
  queue.RunAll();
  EXPECT_FALSE(ran);
}

TEST(TaskQueueTest, ManyProducersLoseNothingAndKeepTheirOrder) {
  constexpr int kProducers = 4;
  constexpr int kTasks = 2000;
  TaskQueue queue;
  std::vector<int> last(kProducers, -1);
  int ran = 0;
  bool ordered = true;
  std::vector<std::thread> producers;
  for (int p = 0; p < kProducers; ++p) {
    producers.emplace_back([&, p] {
      for (int i = 0; i < kTasks; ++i) {
        queue.Push([&, p, i] {
          ordered = ordered && last[static_cast<size_t>(p)] == i - 1;
          last[static_cast<size_t>(p)] = i;
          ++ran;
        });
      }
    });
  }
  while (ran < kProducers * kTasks) {
    queue.RunAll();
    std::this_thread::yield();
  }
  for (auto& producer : producers) producer.join();
  EXPECT_TRUE(ordered);
}

}  // namespace
}  // namespace inferd::net
