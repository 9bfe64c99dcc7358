#include "serving/scheduling/queue/queue_policy.h"

#include <gtest/gtest.h>

namespace inferd::scheduling {
namespace {

using config::QueuePolicy;

TEST(QueuePolicyTest, TheModelsQueueSizeWins) {
  EXPECT_EQ(QueueSizeMax({}, 1024), 1024u);
  EXPECT_EQ(QueueSizeMax(QueuePolicy{.queue_size_max = 3}, 1024), 3u);
}

TEST(QueuePolicyTest, NoTimeoutAtAll) { EXPECT_EQ(QueueTimeoutAt({}, 0, 5), 0); }

TEST(QueuePolicyTest, TheRequestsTimeoutCountsWhereThePolicySetsNone) { EXPECT_EQ(QueueTimeoutAt({}, 7, 1000), 8000); }

TEST(QueuePolicyTest, AnOverrideOnlyShortensAndOnlyIfAllowed) {
  QueuePolicy policy{.default_timeout_us = 10};
  EXPECT_EQ(QueueTimeoutAt(policy, 5, 0), 10'000);
  policy.allow_timeout_override = true;
  EXPECT_EQ(QueueTimeoutAt(policy, 5, 0), 5'000);
  EXPECT_EQ(QueueTimeoutAt(policy, 50, 0), 10'000);
  EXPECT_EQ(QueueTimeoutAt(policy, 0, 0), 10'000);
}

TEST(QueuePolicyTest, ATimeoutThatMayNotBeOverriddenIsAnError) {
  QueuePolicy policy{.default_timeout_us = 10};
  EXPECT_EQ(CheckTimeout(policy, 5, "m"),
            base::InvalidArgument("request timeout may not override default_timeout_microseconds 10 of model 'm' "
                                  "without allow_timeout_override, got 5"));
  EXPECT_FALSE(CheckTimeout(policy, 50, "m").ok());
  EXPECT_TRUE(CheckTimeout(policy, 0, "m").ok()) << "none";
  EXPECT_TRUE(CheckTimeout(policy, 10, "m").ok()) << "overrides nothing";
  EXPECT_TRUE(CheckTimeout({}, 5, "m").ok()) << "the policy sets none";
  policy.allow_timeout_override = true;
  EXPECT_TRUE(CheckTimeout(policy, 5, "m").ok());
  EXPECT_TRUE(CheckTimeout(policy, 50, "m").ok()) << "is cut to the policy's, as in Triton";
}

TEST(QueuePolicyTest, ATimeoutBeyondTheClockIsNone) {
  EXPECT_EQ(QueueTimeoutAt({}, std::numeric_limits<uint64_t>::max(), 1), 0);
  EXPECT_EQ(QueueTimeoutAt({}, std::numeric_limits<int64_t>::max() / 1000, 1'000'000), 0);
}

TEST(QueuePolicyTest, JudgesByCancelThenDeadlineThenTimeout) {
  core::InferRequest request;
  EXPECT_EQ(Judge({}, request, 0, 100), QueueVerdict::kWait);
  EXPECT_EQ(Judge({}, request, 101, 100), QueueVerdict::kWait);
  EXPECT_EQ(Judge({}, request, 100, 100), QueueVerdict::kExpire);
  const QueuePolicy delay{.timeout_action = config::TimeoutAction::kDelay};
  EXPECT_EQ(Judge(delay, request, 100, 100), QueueVerdict::kDelay);
  request.deadline_ns = 100;
  EXPECT_EQ(Judge(delay, request, 100, 100), QueueVerdict::kExpire);
  request.cancel = std::make_shared<core::CancelFlag>();
  EXPECT_EQ(Judge({}, request, 0, 100), QueueVerdict::kExpire);
  request.cancel->Cancel();
  EXPECT_EQ(Judge({}, request, 0, 100), QueueVerdict::kCancel);
}

}  // namespace
}  // namespace inferd::scheduling
