#include "serving/scheduling/policy/batch_policy.h"

#include <gtest/gtest.h>

namespace inferd::scheduling {
namespace batch_policy_test {

using core::BatchReason;

constexpr int64_t kNow = 1'000'000;
constexpr int64_t kDelay = 500;
constexpr int64_t kService = 100;

BatchRules Rules(std::vector<int64_t> preferred = {}, int64_t delay_ns = kDelay) {
  return {.batching = true, .rows_max = 8, .preferred_rows = std::move(preferred), .delay_ns = delay_ns};
}

// Summarizes this many single rows, the oldest of which has just come.
WaitingSummary Waiting(int64_t rows) { return {.requests = rows, .rows = rows, .oldest_ns = kNow}; }

BatchDecision Decide(const BatchRules& rules, const WaitingSummary& waiting, int64_t now_ns = kNow) {
  return DecideBatch(rules, waiting, now_ns, kService);
}

void ExpectBegins(const BatchDecision& decision, int64_t rows, BatchReason reason) {
  EXPECT_TRUE(decision.begin);
  EXPECT_EQ(decision.rows, rows);
  EXPECT_EQ(core::BatchReasonName(decision.reason), core::BatchReasonName(reason));
}

void ExpectWaits(const BatchDecision& decision, int64_t until_ns) {
  EXPECT_FALSE(decision.begin);
  EXPECT_EQ(decision.wait_until_ns, until_ns);
}

TEST(BatchPolicyTest, NothingWaits) { ExpectWaits(Decide(Rules(), {}), 0); }

TEST(BatchPolicyTest, WithoutADelayAnIdleInstanceTakesWhatThereIs) {
  ExpectBegins(Decide(Rules({}, 0), Waiting(1)), 1, BatchReason::kNoneWaiting);
  ExpectBegins(Decide(Rules({4}, 0), Waiting(3)), 3, BatchReason::kNoneWaiting);
}

TEST(BatchPolicyTest, NeverMoreRowsThanTheModelTakes) {
  ExpectBegins(Decide(Rules(), Waiting(8)), 8, BatchReason::kFull);
  ExpectBegins(Decide(Rules(), Waiting(90)), 8, BatchReason::kFull);
}

TEST(BatchPolicyTest, WaitsForCompanyAsLongAsTheDelaySays) {
  ExpectWaits(Decide(Rules(), Waiting(3)), kNow + kDelay);
  ExpectWaits(Decide(Rules(), Waiting(3), kNow + kDelay - 1), kNow + kDelay);
  ExpectBegins(Decide(Rules(), Waiting(3), kNow + kDelay), 3, BatchReason::kDelayOver);
}

TEST(BatchPolicyTest, TakesTheLargestPreferredSizeThatIsReached) {
  ExpectWaits(Decide(Rules({4, 6}), Waiting(3)), kNow + kDelay);
  ExpectBegins(Decide(Rules({4, 6}), Waiting(4)), 4, BatchReason::kPreferredSize);
  ExpectBegins(Decide(Rules({4, 6}), Waiting(5)), 4, BatchReason::kPreferredSize);
  ExpectBegins(Decide(Rules({4, 6}), Waiting(7)), 6, BatchReason::kPreferredSize);
  ExpectBegins(Decide(Rules({4, 6}), Waiting(90)), 6, BatchReason::kPreferredSize);
  ExpectBegins(Decide(Rules({4, 8}), Waiting(90)), 8, BatchReason::kFull);
}

TEST(BatchPolicyTest, BehindTheDelayItTakesAllThatFits) {
  const int64_t over_ns = kNow + kDelay;
  ExpectBegins(Decide(Rules({2, 6}), Waiting(7), over_ns - 1), 6, BatchReason::kPreferredSize);
  ExpectBegins(Decide(Rules({2, 6}), Waiting(7), over_ns), 7, BatchReason::kDelayOver);
  ExpectBegins(Decide(Rules({2, 6}), Waiting(6), over_ns), 6, BatchReason::kPreferredSize);
  ExpectBegins(Decide(Rules({2, 6}), Waiting(8), over_ns), 8, BatchReason::kFull);
  ExpectBegins(Decide(Rules({2, 6}), Waiting(90), over_ns), 8, BatchReason::kFull);
  WaitingSummary several = Waiting(7);
  several.preferred_rows = 2;
  ExpectBegins(Decide(Rules({2, 6}), several, over_ns), 7, BatchReason::kDelayOver);
  several.preferred_rows = 0;
  ExpectBegins(Decide(Rules({2, 6}), several, over_ns), 7, BatchReason::kDelayOver);
  ExpectBegins(Decide(Rules({2, 6}, 0), Waiting(7), over_ns), 6, BatchReason::kPreferredSize);
}

TEST(BatchPolicyTest, RequestsOfSeveralRowsWaitForExactlyAPreferredSize) {
  const auto waiting = [](int64_t rows, int64_t preferred_rows) {
    return WaitingSummary{.requests = 1, .rows = rows, .preferred_rows = preferred_rows, .oldest_ns = kNow};
  };
  ExpectWaits(Decide(Rules({2, 6}), waiting(3, 0)), kNow + kDelay);
  ExpectBegins(Decide(Rules({2, 6}), waiting(3, 2)), 2, BatchReason::kPreferredSize);
  ExpectBegins(Decide(Rules({2, 6}), waiting(6, 6)), 6, BatchReason::kPreferredSize);
  ExpectBegins(Decide(Rules({2, 6}), waiting(7, 0)), 6, BatchReason::kFull);
  ExpectBegins(Decide(Rules({2, 6}), waiting(5, 0), kNow + kDelay), 5, BatchReason::kDelayOver);
  ExpectBegins(Decide(Rules({2, 6}, 0), waiting(3, 0)), 2, BatchReason::kPreferredSize);
}

TEST(BatchPolicyTest, NoMoreRequestsThanMayShare) {
  BatchRules rules = Rules({6});
  rules.requests_max = 3;
  const auto waiting = [](int64_t requests) {
    return WaitingSummary{.requests = requests, .rows = requests, .sharing = requests, .oldest_ns = kNow};
  };
  ExpectWaits(Decide(rules, waiting(2)), kNow + kDelay);
  for (const int64_t requests : {3, 4, 90}) {
    const BatchDecision decision = Decide(rules, waiting(requests));
    ExpectBegins(decision, std::min<int64_t>(requests, 8), BatchReason::kCautious);
    EXPECT_EQ(decision.requests, 3);
  }
  ExpectBegins(Decide(rules, waiting(3), kNow + kDelay), 3, BatchReason::kDelayOver);
  rules.hold_until_requests = 5;
  ExpectWaits(Decide(rules, waiting(4)), 0);
}

TEST(BatchPolicyTest, EnoughIsEnoughAndMoreIsTakenToo) {
  BatchRules rules = Rules();
  rules.enough_rows = 3;
  ExpectWaits(Decide(rules, Waiting(2)), kNow + kDelay);
  ExpectBegins(Decide(rules, Waiting(5)), 5, BatchReason::kPreferredSize);
}

TEST(BatchPolicyTest, WhoCannotShareClosesTheBatch) {
  WaitingSummary waiting = Waiting(3);
  waiting.requests = 4;
  waiting.other_kind = true;
  ExpectBegins(Decide(Rules(), waiting), 3, BatchReason::kOtherKind);
}

TEST(BatchPolicyTest, WhoIsAloneDoesNotWaitWhateverItsRows) {
  WaitingSummary waiting = Waiting(1);
  waiting.rows = 20;
  waiting.alone = true;
  ExpectBegins(Decide(Rules(), waiting), 20, BatchReason::kFull);
  waiting.retry = true;
  ExpectBegins(Decide(Rules(), waiting), 20, BatchReason::kRetry);
  waiting.retry = false;
  ExpectBegins(Decide({}, waiting), 20, BatchReason::kNotBatching);
}

TEST(BatchPolicyTest, NobodyExpiresWhileWaitingForCompany) {
  WaitingSummary waiting = Waiting(3);
  waiting.expires_ns = kNow + 300;
  ExpectWaits(Decide(Rules(), waiting), kNow + 300 - kService);
  ExpectBegins(Decide(Rules(), waiting, kNow + 200), 3, BatchReason::kDeadline);
  waiting.expires_ns = kNow + kDelay + kService;
  ExpectWaits(Decide(Rules(), waiting), kNow + kDelay);
}

TEST(BatchPolicyTest, HoldsUntilSoManyWait) {
  BatchRules rules = Rules({}, 0);
  rules.hold_until_requests = 3;
  ExpectWaits(Decide(rules, Waiting(2)), 0);
  ExpectBegins(Decide(rules, Waiting(3)), 3, BatchReason::kNoneWaiting);
}

TEST(BatchPolicyTest, OnlyDynamicBatchingHoldsRequests) {
  config::ModelConfig config;
  core::ModelSignature signature;
  signature.max_batch_size = 8;
  EXPECT_EQ(MakeBatchRules(config, signature, 3).hold_until_requests, 0);
  config.dynamic_batching.emplace();
  EXPECT_EQ(MakeBatchRules(config, signature, 3).hold_until_requests, 3);
  signature.max_batch_size = 0;
  EXPECT_EQ(MakeBatchRules(config, signature, 3).hold_until_requests, 3) << "whatever its batches may have";
  config.batching = config::BatchingMode::kOff;
  EXPECT_EQ(MakeBatchRules(config, signature, 3).hold_until_requests, 0);
}

TEST(BatchPolicyTest, RulesComeFromTheConfiguration) {
  config::ModelConfig config;
  core::ModelSignature signature;
  signature.max_batch_size = 8;
  EXPECT_FALSE(MakeBatchRules(config, signature).batching);
  config.dynamic_batching.emplace();
  config.dynamic_batching->preferred_batch_sizes = {6, 2, 9};
  config.dynamic_batching->max_queue_delay_us = 7;
  const BatchRules rules = MakeBatchRules(config, signature);
  EXPECT_TRUE(rules.batching);
  EXPECT_EQ(rules.rows_max, 8);
  EXPECT_EQ(rules.preferred_rows, (std::vector<int64_t>{2, 6})) << "none beyond the largest batch";
  EXPECT_EQ(rules.delay_ns, 7000);
  config.dynamic_batching->max_queue_delay_us = UINT64_MAX;
  EXPECT_GT(MakeBatchRules(config, signature).delay_ns, 0);
  config.batching = config::BatchingMode::kOff;
  EXPECT_FALSE(MakeBatchRules(config, signature).batching);
  config.batching = config::BatchingMode::kConfigured;
  signature.max_batch_size = 0;
  EXPECT_FALSE(MakeBatchRules(config, signature).batching);
}

}  // namespace batch_policy_test
}  // namespace inferd::scheduling
