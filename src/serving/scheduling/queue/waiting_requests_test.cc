#include "serving/scheduling/queue/waiting_requests.h"

#include <gtest/gtest.h>

namespace inferd::scheduling {
namespace {

class WaitingRequestsTest : public ::testing::Test {
 protected:
  WaitingRequestsTest() {
    config_.name = "m";
    config_.dynamic_batching.emplace();
    signature_.max_batch_size = 8;
    signature_.inputs = {{.name = "IN", .datatype = tensor::DataType::kInt32, .shape = {-1, -1}}};
  }

  WaitingRequests Make() const { return WaitingRequests(config_, signature_, {}, 16); }

  std::unique_ptr<QueueEntry> Entry(const std::string& id, int64_t columns = 4, int64_t rows = 1,
                                    uint64_t level = 1) const {
    auto entry = std::make_unique<QueueEntry>();
    entry->queued.request = std::make_unique<core::InferRequest>();
    entry->queued.request->id = id;
    entry->queued.request->inputs.emplace_back().shape = {rows, columns};
    entry->queued.layout.inputs = {0};
    entry->queued.layout.rows = rows;
    entry->key = MakeBatchKey(entry->queued, signature_, {});
    entry->level = level;
    return entry;
  }
  void Push(WaitingRequests& waiting, std::unique_ptr<QueueEntry> entry, int64_t now_ns = 0) {
    EXPECT_EQ(waiting.Push(std::move(entry), now_ns, dropped_), nullptr);
  }
  // Returns the ids of the next execution, with a `+` at the end if one more sharing request did not fit.
  std::string Take(WaitingRequests& waiting, int64_t rows_max = 8, int64_t now_ns = 0, int64_t requests_max = 0) {
    std::vector<std::unique_ptr<QueueEntry>> taken;
    const bool more = waiting.Take(rows_max, requests_max, now_ns, taken, dropped_);
    std::string ids;
    for (const auto& entry : taken) ids += entry->queued.request->id;
    return more ? ids + "+" : ids;
  }
  WaitingSummary Summarize(WaitingRequests& waiting, int64_t now_ns = 0) {
    return waiting.Summarize(now_ns, 0, dropped_);
  }

  config::ModelConfig config_;
  core::ModelSignature signature_;
  DroppedEntries dropped_;
};

TEST_F(WaitingRequestsTest, AnExecutionTakesNoMoreRequestsThanItMay) {
  WaitingRequests waiting = Make();
  for (const char* id : {"a", "b", "c"}) Push(waiting, Entry(id, 1));
  EXPECT_EQ(Summarize(waiting).sharing, 3);
  EXPECT_EQ(Take(waiting, 8, 0, 2), "ab");
  EXPECT_EQ(Take(waiting, 8, 0, 1), "c");
}

TEST_F(WaitingRequestsTest, AnExecutionTakesWhatSharesTheFirstOnesKey) {
  WaitingRequests waiting = Make();
  Push(waiting, Entry("a", 4));
  Push(waiting, Entry("B", 5));
  Push(waiting, Entry("c", 4, 3));
  const WaitingSummary summary = Summarize(waiting);
  EXPECT_EQ(summary.requests, 3);
  EXPECT_EQ(summary.rows, 4);
  EXPECT_TRUE(summary.other_kind);
  EXPECT_EQ(Take(waiting), "ac");
  EXPECT_FALSE(Summarize(waiting).other_kind);
  EXPECT_EQ(Take(waiting), "B");
  EXPECT_EQ(Take(waiting), "");
}

TEST_F(WaitingRequestsTest, TheFirstThatDoesNotFitClosesIt) {
  WaitingRequests waiting = Make();
  Push(waiting, Entry("a", 4, 3));
  Push(waiting, Entry("b", 4, 6));
  Push(waiting, Entry("c", 4, 1));
  EXPECT_EQ(Take(waiting), "a+") << "c does not overtake b";
  EXPECT_EQ(Take(waiting), "bc");
}

TEST_F(WaitingRequestsTest, WhoIsAloneStaysAloneAndOthersPassBy) {
  WaitingRequests waiting = Make();
  Push(waiting, Entry("a"));
  auto alone = Entry("X", 4, 20);
  alone->alone = true;
  Push(waiting, std::move(alone));
  Push(waiting, Entry("b"));
  EXPECT_TRUE(Summarize(waiting).other_kind);
  EXPECT_EQ(Take(waiting), "ab");
  EXPECT_TRUE(Summarize(waiting).alone);
  EXPECT_EQ(Summarize(waiting).rows, 20);
  EXPECT_EQ(Take(waiting), "X");
}

TEST_F(WaitingRequestsTest, EqualHashesAloneDoNotMakeABatch) {
  WaitingRequests waiting = Make();
  Push(waiting, Entry("a", 4));
  auto clash = Entry("b", 5);
  clash->key = MakeBatchKey(Entry("", 4)->queued, signature_, {});
  Push(waiting, std::move(clash));
  EXPECT_EQ(Take(waiting), "a+");
  EXPECT_EQ(Take(waiting), "b");
}

TEST_F(WaitingRequestsTest, UrgentLevelsComeFirstAndLessUrgentOnesFillUp) {
  config_.dynamic_batching->priority_levels = 3;
  config_.dynamic_batching->default_priority_level = 2;
  WaitingRequests waiting = Make();
  EXPECT_EQ(*PriorityLevel(config_, 0), 2u);
  EXPECT_EQ(*PriorityLevel(config_, 3), 3u);
  EXPECT_EQ(PriorityLevel(config_, 4).error(),
            base::InvalidArgument("request priority must be in range [0, 3] for model 'm', got 4"));
  Push(waiting, Entry("l", 4, 1, 3));
  Push(waiting, Entry("X", 5, 1, 3));
  Push(waiting, Entry("h", 4, 1, 1));
  Push(waiting, Entry("m", 5, 1, 2));
  EXPECT_EQ(Take(waiting), "hl");
  EXPECT_EQ(Take(waiting), "mX");
}

TEST_F(WaitingRequestsTest, TheLeastUrgentThatCameLastMakesWay) {
  config_.dynamic_batching->priority_levels = 3;
  config_.dynamic_batching->default_priority_level = 2;
  config_.dynamic_batching->priority_queue_policy[2].queue_size_max = 2;
  WaitingRequests waiting = Make();
  const auto make_way = [&](uint64_t level) {
    const auto entry = waiting.TakeLessUrgent(level, 0, dropped_);
    return entry == nullptr ? "" : entry->queued.request->id;
  };
  Push(waiting, Entry("a", 4, 1, 3));
  Push(waiting, Entry("b", 4, 1, 2));
  Push(waiting, Entry("c", 4, 1, 3));
  Push(waiting, Entry("d", 4, 1, 1));
  EXPECT_EQ(make_way(3), "") << "for nobody of its own level";
  EXPECT_EQ(make_way(2), "c");
  EXPECT_EQ(make_way(1), "a");
  EXPECT_EQ(make_way(2), "");
  EXPECT_EQ(make_way(1), "b");
  EXPECT_EQ(make_way(1), "");
  for (const char* id : {"e", "f"}) Push(waiting, Entry(id, 4, 1, 2));
  Push(waiting, Entry("g", 4, 1, 3));
  EXPECT_EQ(make_way(2), "") << "whose own queue is full";
  EXPECT_EQ(Take(waiting), "defg");
}

TEST_F(WaitingRequestsTest, AModelWithoutLevelsHasOne) {
  EXPECT_EQ(*PriorityLevel(config_, 0), 1u);
  EXPECT_EQ(*PriorityLevel(config_, 9), 1u);
}

TEST_F(WaitingRequestsTest, EachLevelHasItsPolicy) {
  config_.dynamic_batching->priority_levels = 2;
  config_.dynamic_batching->default_priority_level = 1;
  config_.dynamic_batching->default_queue_policy.queue_size_max = 2;
  config_.dynamic_batching->priority_queue_policy[2].queue_size_max = 1;
  WaitingRequests waiting = Make();
  EXPECT_EQ(PolicyOf(config_, 1).queue_size_max, 2u);
  EXPECT_EQ(PolicyOf(config_, 2).queue_size_max, 1u);
  Push(waiting, Entry("a", 4, 1, 1));
  Push(waiting, Entry("b", 4, 1, 2));
  Push(waiting, Entry("c", 4, 1, 1));
  EXPECT_NE(waiting.Push(Entry("d", 4, 1, 2), 0, dropped_), nullptr);
  EXPECT_NE(waiting.Push(Entry("e", 4, 1, 1), 0, dropped_), nullptr);
  EXPECT_EQ(waiting.size(), 3u);
  ASSERT_EQ(waiting.Report().size(), 2u);
  EXPECT_EQ(waiting.Report()[1].requests, 1);
  EXPECT_EQ(waiting.Report()[1].size_max, 1);
}

TEST_F(WaitingRequestsTest, DelayedRequestsComeAfterEveryLevel) {
  config_.dynamic_batching->priority_levels = 2;
  config_.dynamic_batching->default_priority_level = 1;
  config_.dynamic_batching->priority_queue_policy[1] = {.timeout_action = config::TimeoutAction::kDelay,
                                                        .default_timeout_us = 5};
  WaitingRequests waiting = Make();
  Push(waiting, Entry("late", 4, 1, 1));
  Push(waiting, Entry("a", 4, 1, 2), 9'000);
  EXPECT_EQ(Summarize(waiting, 9'000).rows, 1) << "who is delayed does not join";
  EXPECT_EQ(Take(waiting, 8, 9'000), "a");
  EXPECT_EQ(Summarize(waiting, 9'000).rows, 1);
  EXPECT_EQ(Take(waiting, 8, 9'000), "late");
  EXPECT_TRUE(dropped_.empty());
}

TEST_F(WaitingRequestsTest, KnowsWhenARequestIsDelayed) {
  config_.dynamic_batching->default_queue_policy = {.timeout_action = config::TimeoutAction::kDelay,
                                                    .default_timeout_us = 5};
  WaitingRequests waiting = Make();
  Push(waiting, Entry("late"));
  EXPECT_EQ(waiting.NextExpiryNs(0, 10), 5'000);
  waiting.Expire(5'000, dropped_);
  EXPECT_EQ(waiting.NextExpiryNs(5'000, 10), 0) << "nothing more happens to it";
  EXPECT_EQ(Take(waiting, 8, 5'000), "late");
}

TEST_F(WaitingRequestsTest, WhoGaveUpDoesNotRun) {
  WaitingRequests waiting = Make();
  auto cancelled = Entry("a");
  cancelled->queued.request->cancel = std::make_shared<core::CancelFlag>();
  cancelled->queued.request->cancel->Cancel();
  Push(waiting, std::move(cancelled));
  auto expired = Entry("b");
  expired->queued.request->deadline_ns = 5;
  Push(waiting, std::move(expired));
  Push(waiting, Entry("c"));
  EXPECT_EQ(Take(waiting, 8, 6), "c");
  EXPECT_EQ(dropped_.size(), 2u);
}

TEST_F(WaitingRequestsTest, KnowsWhenToLookForThoseThatGaveUp) {
  WaitingRequests waiting = Make();
  EXPECT_EQ(waiting.NextExpiryNs(100, 10), 0);
  auto due = Entry("a");
  due->queued.request->deadline_ns = 500;
  Push(waiting, std::move(due));
  EXPECT_EQ(waiting.NextExpiryNs(100, 10), 500);
  auto cancellable = Entry("b");
  cancellable->queued.request->cancel = std::make_shared<core::CancelFlag>();
  Push(waiting, std::move(cancellable));
  EXPECT_EQ(waiting.NextExpiryNs(100, 10), 110);
}

TEST_F(WaitingRequestsTest, TheSummaryNamesTheOldestAndTheFirstToExpire) {
  WaitingRequests waiting = Make();
  for (const int64_t deadline_ns : {700, 500, 900}) {
    auto entry = Entry("a");
    entry->queued.queued_ns = deadline_ns - 300;
    entry->queued.request->deadline_ns = deadline_ns;
    Push(waiting, std::move(entry));
  }
  const WaitingSummary summary = Summarize(waiting);
  EXPECT_EQ(summary.oldest_ns, 400);
  EXPECT_EQ(summary.expires_ns, 500);
  EXPECT_EQ(Take(waiting, 2), "aa") << "as many as there may be";
  EXPECT_EQ(Summarize(waiting, 600).expires_ns, 900);
}

TEST_F(WaitingRequestsTest, LevelsThatAreEmptyAreForgotten) {
  config_.dynamic_batching->priority_levels = UINT64_MAX;
  config_.dynamic_batching->default_priority_level = 1;
  WaitingRequests waiting = Make();
  for (uint64_t level = 1; level < 1000; ++level) {
    Push(waiting, Entry("a", 4, 1, level));
    Take(waiting);
  }
  EXPECT_LT(waiting.Report().size(), 100u);
}

}  // namespace
}  // namespace inferd::scheduling
