#include "kserve/cluster/queue/work_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace inferd::cluster {
namespace {

const WorkQueue::Key kA = {"n", "a"};
const WorkQueue::Key kB = {"n", "b"};

class WorkQueueTest : public testing::Test {
 protected:
  // Takes all available names, and returns them as "ab". None is reported as done.
  std::string TakeAll() {
    std::string names;
    while (const auto key = queue.TryTake()) names += key->name;
    return names;
  }

  base::FakeClock clock;
  WorkQueue queue{{.first_retry = std::chrono::milliseconds(100), .retry_max = std::chrono::milliseconds(1000)}, clock};
};

TEST_F(WorkQueueTest, WhatIsAddedOftenIsWorkedOnOnceInOrder) {
  for (const auto& key : {kB, kA, kB, kA}) queue.Add(key);
  EXPECT_EQ(queue.waiting(), 2U);
  EXPECT_EQ(TakeAll(), "ba");
}

TEST_F(WorkQueueTest, WhatIsTakenIsNotTakenTwice) {
  queue.Add(kA);
  EXPECT_EQ(TakeAll(), "a");
  queue.Add(kA);
  queue.Add(kA);
  EXPECT_EQ(TakeAll(), "");
  queue.Done(kA);
  EXPECT_EQ(TakeAll(), "a");
  queue.Done(kA);
  EXPECT_EQ(TakeAll(), "");
}

TEST_F(WorkQueueTest, PausesDoubleUpToTheLimitAndBeginAnew) {
  queue.Add(kA);
  for (const int64_t pause_ms : {100, 200, 400, 800, 1000, 1000}) {
    ASSERT_EQ(TakeAll(), "a");
    queue.Retry(kA);
    EXPECT_EQ(queue.retries(), 1U);
    clock.AdvanceMs(pause_ms - 1);
    EXPECT_EQ(TakeAll(), "") << pause_ms;
    clock.AdvanceMs(1);
  }
  EXPECT_EQ(TakeAll(), "a");
  queue.Done(kA);
  EXPECT_EQ(queue.retries(), 0U);
  queue.Add(kA);
  EXPECT_EQ(TakeAll(), "a");
  queue.Retry(kA);
  clock.AdvanceMs(100);
  EXPECT_EQ(TakeAll(), "a");
}

TEST_F(WorkQueueTest, NewsEndAPause) {
  queue.Add(kA);
  EXPECT_EQ(TakeAll(), "a");
  queue.Retry(kA);
  queue.Add(kA);
  EXPECT_EQ(TakeAll(), "a");
  queue.Add(kA);
  queue.Retry(kA);
  EXPECT_EQ(TakeAll(), "a") << "it was added while it was worked on";
  queue.Done(kA);
  clock.AdvanceMs(10'000);
  EXPECT_EQ(TakeAll(), "");
}

TEST_F(WorkQueueTest, OfTwoTimesTheEarlierCounts) {
  queue.AddAfter(kA, std::chrono::milliseconds(500));
  queue.AddAfter(kA, std::chrono::milliseconds(900));
  queue.AddAfter(kB, std::chrono::milliseconds(900));
  queue.AddAfter(kB, std::chrono::milliseconds(600));
  clock.AdvanceMs(500);
  EXPECT_EQ(queue.waiting(), 1U);
  EXPECT_EQ(TakeAll(), "a");
  clock.AdvanceMs(100);
  EXPECT_EQ(TakeAll(), "b");
  queue.Done(kA);
  queue.Done(kB);
  clock.AdvanceMs(10'000);
  EXPECT_EQ(TakeAll(), "");
}

TEST_F(WorkQueueTest, NothingIsTakenWhileItIsPaused) {
  queue.SetPaused(true);
  queue.Add(kA);
  EXPECT_EQ(TakeAll(), "");
  queue.SetPaused(false);
  EXPECT_EQ(TakeAll(), "a");
}

TEST(WorkQueueThreadsTest, EachIsWorkedOnByOneThreadAtATime) {
  constexpr int kKeys = 8;
  constexpr int kTurns = 2000;
  const base::SystemClock clock;
  WorkQueue queue({.first_retry = std::chrono::milliseconds(1)}, clock);
  std::array<std::atomic<int>, kKeys> working{};
  std::atomic<int> turns = 0;
  std::atomic<bool> together = false;
  std::stop_source stop;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        while (const auto key = queue.Take(stop.get_token())) {
          std::atomic<int>& mine = working.at(static_cast<size_t>(std::stoi(key->name)));
          if (mine.fetch_add(1) != 0) together = true;
          queue.Add(*key);
          mine.fetch_sub(1);
          const int turn = turns.fetch_add(1);
          if (turn % 5 == 0) {
            queue.Retry(*key);
          } else {
            queue.Done(*key);
          }
          if (turn >= kTurns) stop.request_stop();
        }
      });
    }
    for (int i = 0; i < kKeys; ++i) queue.AddAfter({"n", std::to_string(i)}, std::chrono::milliseconds(i));
  }
  EXPECT_FALSE(together);
  EXPECT_GE(turns, kTurns);
}

}  // namespace
}  // namespace inferd::cluster
