#include "serving/scheduling/queue/level_queue.h"

#include <gtest/gtest.h>

namespace inferd::scheduling {
namespace level_queue_test {

constexpr int64_t kMs = 1'000'000;

class LevelQueueTest : public ::testing::Test {
 protected:
  static std::unique_ptr<QueueEntry> Entry(const std::string& id, int64_t queued_ns = 0, uint64_t timeout_us = 0,
                                           int64_t deadline_ns = 0) {
    auto entry = std::make_unique<QueueEntry>();
    entry->queued.request = std::make_unique<core::InferRequest>();
    entry->queued.request->id = id;
    entry->queued.request->timeout_us = timeout_us;
    entry->queued.request->deadline_ns = deadline_ns;
    entry->queued.queued_ns = queued_ns;
    return entry;
  }
  // Takes the next entry that may run: waiting ones before delayed ones.
  std::string PopId(LevelQueue& queue, int64_t now_ns) {
    queue.Settle(now_ns, dropped_);
    EntryFifo& fifo = queue.waiting().empty() ? queue.delayed() : queue.waiting();
    if (fifo.empty()) return "";
    const auto entry = queue.Take(fifo, fifo.front(), now_ns, dropped_);
    return entry == nullptr ? "may not run" : entry->queued.request->id;
  }
  std::string DroppedIds() const {
    std::string ids;
    for (const auto& [entry, verdict] : dropped_) ids += entry->queued.request->id;
    return ids;
  }
  DroppedEntries dropped_;
};

TEST_F(LevelQueueTest, FirstInFirstOut) {
  LevelQueue queue({}, 8);
  EXPECT_EQ(queue.Push(Entry("a"), 0, dropped_), nullptr);
  EXPECT_EQ(queue.Push(Entry("b"), 0, dropped_), nullptr);
  EXPECT_EQ(PopId(queue, 0), "a");
  EXPECT_EQ(PopId(queue, 0), "b");
  EXPECT_EQ(PopId(queue, 0), "");
}

TEST_F(LevelQueueTest, AFullQueueGivesTheRequestBack) {
  LevelQueue queue(config::QueuePolicy{.queue_size_max = 1}, 8);
  EXPECT_EQ(queue.Push(Entry("a"), 0, dropped_), nullptr);
  const auto refused = queue.Push(Entry("b"), 0, dropped_);
  ASSERT_NE(refused, nullptr);
  EXPECT_EQ(refused->queued.request->id, "b");
}

TEST_F(LevelQueueTest, WhoComesBackFindsRoom) {
  LevelQueue queue(config::QueuePolicy{.queue_size_max = 1}, 8);
  EXPECT_EQ(queue.Push(Entry("a"), 0, dropped_), nullptr);
  queue.PushFront(Entry("back"));
  EXPECT_EQ(PopId(queue, 0), "back");
  EXPECT_EQ(PopId(queue, 0), "a");
}

TEST_F(LevelQueueTest, AbandonedRequestsMakeRoom) {
  LevelQueue queue(config::QueuePolicy{.queue_size_max = 1}, 8);
  auto first = Entry("a");
  first->queued.request->cancel = std::make_shared<core::CancelFlag>();
  const auto flag = first->queued.request->cancel;
  EXPECT_EQ(queue.Push(std::move(first), 10 * kMs, dropped_), nullptr);
  flag->Cancel();
  EXPECT_EQ(queue.Push(Entry("b"), 10 * kMs, dropped_), nullptr);
  EXPECT_EQ(DroppedIds(), "a");
  EXPECT_EQ(dropped_[0].second, QueueVerdict::kCancel);
}

TEST_F(LevelQueueTest, ExpiredRequestsNeverRun) {
  LevelQueue queue({}, 8);
  EXPECT_EQ(queue.Push(Entry("a", 0, 5), 0, dropped_), nullptr);
  EXPECT_EQ(queue.Push(Entry("b", 0, 0, 6'000), 0, dropped_), nullptr);
  EXPECT_EQ(queue.Push(Entry("c"), 0, dropped_), nullptr);
  EXPECT_EQ(PopId(queue, 6'000), "c");
  EXPECT_EQ(DroppedIds(), "ab");
}

TEST_F(LevelQueueTest, TakingJudgesOnceMore) {
  LevelQueue queue({}, 8);
  EXPECT_EQ(queue.Push(Entry("a", 0, 5), 0, dropped_), nullptr);
  EXPECT_EQ(queue.Take(queue.waiting(), queue.waiting().front(), 6'000, dropped_), nullptr);
  EXPECT_EQ(DroppedIds(), "a");
  EXPECT_EQ(queue.size(), 0u);
}

TEST_F(LevelQueueTest, ExpireTakesOutOfTheMiddle) {
  LevelQueue queue({}, 8);
  EXPECT_EQ(queue.Push(Entry("a"), 0, dropped_), nullptr);
  EXPECT_EQ(queue.Push(Entry("b", 0, 9), 0, dropped_), nullptr);
  EXPECT_EQ(queue.Push(Entry("c", 0, 0, 4'000), 0, dropped_), nullptr);
  queue.Expire(4'000, dropped_);
  EXPECT_EQ(DroppedIds(), "c");
  queue.Expire(9'000, dropped_);
  EXPECT_EQ(DroppedIds(), "cb");
  EXPECT_EQ(queue.size(), 1u);
}

TEST_F(LevelQueueTest, ExpireDelaysWhatIsPastItsTimeout) {
  LevelQueue queue(
      config::QueuePolicy{
          .timeout_action = config::TimeoutAction::kDelay, .default_timeout_us = 9, .allow_timeout_override = true},
      8);
  EXPECT_EQ(queue.Push(Entry("a"), 0, dropped_), nullptr);
  EXPECT_EQ(queue.Push(Entry("late", 0, 5, 7'000), 0, dropped_), nullptr);
  EXPECT_EQ(queue.Push(Entry("c"), 0, dropped_), nullptr);
  queue.Expire(4'999, dropped_);
  EXPECT_EQ(queue.waiting().size(), 3u);
  queue.Expire(5'000, dropped_);
  EXPECT_EQ(queue.waiting().size(), 2u);
  ASSERT_EQ(queue.delayed().size(), 1u);
  EXPECT_EQ(queue.delayed().front().queued.request->id, "late");
  EXPECT_TRUE(dropped_.empty());
  queue.Expire(7'000, dropped_);
  EXPECT_EQ(DroppedIds(), "late") << "its client's deadline holds behind the others, too";
}

TEST_F(LevelQueueTest, TheEarlierOfDeadlineAndTimeoutExpiresARequest) {
  LevelQueue queue({}, 8);
  EXPECT_EQ(queue.Push(Entry("a", 0, 9, 4'000), 0, dropped_), nullptr);
  EXPECT_EQ(queue.waiting().front().expires_ns, 4'000);
  EXPECT_EQ(PopId(queue, 0), "a");
  EXPECT_EQ(queue.Push(Entry("b", 0, 9), 0, dropped_), nullptr);
  EXPECT_EQ(queue.waiting().front().expires_ns, 9'000);
}

TEST_F(LevelQueueTest, TheLastIsWhoeverWouldRunLast) {
  LevelQueue queue(config::QueuePolicy{.timeout_action = config::TimeoutAction::kDelay, .default_timeout_us = 5}, 8);
  for (const std::string_view id : {"delayed", "x", "y"}) {
    EXPECT_EQ(queue.Push(Entry(std::string(id), id == "delayed" ? 0 : 9'000), 9'000, dropped_), nullptr);
  }
  queue.Settle(9'000, dropped_);
  for (const std::string_view id : {"delayed", "y", "x"})
    EXPECT_EQ(queue.TakeLast(9'000, dropped_)->queued.request->id, id);
  EXPECT_TRUE(dropped_.empty());
  auto cancelled = Entry("z", 9'000);
  cancelled->queued.request->cancel = std::make_shared<core::CancelFlag>();
  cancelled->queued.request->cancel->Cancel();
  EXPECT_EQ(queue.Push(std::move(cancelled), 9'000, dropped_), nullptr);
  EXPECT_EQ(queue.TakeLast(9'000, dropped_), nullptr);
  EXPECT_EQ(DroppedIds(), "z");
}

TEST_F(LevelQueueTest, DelayedRequestsRunWhenNothingElseWaits) {
  LevelQueue queue(config::QueuePolicy{.timeout_action = config::TimeoutAction::kDelay, .default_timeout_us = 5}, 8);
  EXPECT_EQ(queue.Push(Entry("late", 0), 0, dropped_), nullptr);
  EXPECT_EQ(queue.waiting().front().expires_ns, 0) << "a delayed request needs no timer";
  EXPECT_EQ(queue.Push(Entry("x", 9'000), 9'000, dropped_), nullptr);
  EXPECT_EQ(queue.Push(Entry("y", 9'000), 9'000, dropped_), nullptr);
  EXPECT_EQ(PopId(queue, 9'000), "x");
  EXPECT_EQ(PopId(queue, 9'000), "y");
  EXPECT_EQ(PopId(queue, 9'000), "late");
  EXPECT_TRUE(dropped_.empty());
}

}  // namespace level_queue_test
}  // namespace inferd::scheduling
