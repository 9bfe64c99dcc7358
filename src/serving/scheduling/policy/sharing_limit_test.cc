#include "serving/scheduling/policy/sharing_limit.h"

#include <gtest/gtest.h>

#include <random>

namespace inferd::scheduling {
namespace {

class SharingLimitTest : public ::testing::Test {
 protected:
  // Fails a batch of `requests`. Then `succeeded` of them succeed alone, and the others are cancelled.
  void FailBlamelessly(size_t requests, size_t succeeded, const base::Status& status = base::Internal("it failed")) {
    const auto batch = limit_.RecordFailedBatch(requests, status);
    for (size_t i = 0; i < succeeded; ++i) {
      limit_.RecordAnswers(1, false);
      batch->RecordSuccess();
    }
  }
  void FailWithACulprit(size_t requests) {
    const auto batch = limit_.RecordFailedBatch(requests, base::Internal("it failed"));
    for (size_t i = 1; i < requests; ++i) {
      limit_.RecordAnswers(1, false);
      batch->RecordSuccess();
    }
    EXPECT_TRUE(batch->RecordFailure());
    EXPECT_FALSE(batch->RecordFailure());
  }

  std::unique_ptr<base::Logger> logger_ = base::Logger::Silent();
  SharingLimit limit_{{"m", 1}, *logger_};
};

TEST_F(SharingLimitTest, AnyNumberSharesWhileNothingFails) {
  limit_.RecordAnswers(8, false);
  EXPECT_EQ(limit_.requests_max(), 0);
  EXPECT_FALSE(limit_.stopped());
}

TEST_F(SharingLimitTest, FailuresOfRequestsThatWereAloneAnywayChangeNothing) {
  for (int i = 0; i < 1000; ++i) limit_.RecordAnswers(1, true);
  EXPECT_EQ(limit_.requests_max(), 0);
}

TEST_F(SharingLimitTest, AFailedBatchMakesTheNextSmallerUntilGoodAnswersFollow) {
  FailWithACulprit(2);
  const int64_t first = limit_.requests_max();
  EXPECT_GT(first, 8);
  EXPECT_LT(first, 16);
  FailWithACulprit(2);
  EXPECT_LT(limit_.requests_max(), first);
  limit_.RecordAnswers(300, false);
  EXPECT_GT(limit_.requests_max(), first);
  limit_.RecordAnswers(10'000, false);
  EXPECT_EQ(limit_.requests_max(), 0);
  EXPECT_EQ(limit_.Report().failed, 2u);
  EXPECT_EQ(limit_.Report().repeated, 4u);
}

TEST_F(SharingLimitTest, WhereHalfOfAllIsBadEachRunsAlone) {
  FailWithACulprit(4);
  for (int i = 0; i < 200; ++i) limit_.RecordAnswers(1, i % 2 == 0);
  EXPECT_EQ(limit_.requests_max(), 1);
  EXPECT_FALSE(limit_.stopped()) << "for the time being";
}

// Checks the header's promise: executions per request, for batches of up to 64 and any share of bad requests.
TEST_F(SharingLimitTest, WhatIsRepeatedIsBounded) {
  std::mt19937 random(1);
  const auto cost = [&](double share) {
    SharingLimit limit({"m", 1}, *logger_);
    int64_t requests = 0;
    int64_t executions = 0;
    while (requests < 200'000) {
      const int64_t group = limit.requests_max() == 0 ? 64 : std::min<int64_t>(limit.requests_max(), 64);
      std::bernoulli_distribution bad(share);
      std::vector<bool> members;
      for (int64_t i = 0; i < group; ++i) members.push_back(bad(random));
      requests += group;
      ++executions;
      const bool fails = std::ranges::count(members, true) > 0;
      if (!fails || group == 1) {
        limit.RecordAnswers(static_cast<size_t>(group), fails);
        continue;
      }
      const auto batch = limit.RecordFailedBatch(static_cast<size_t>(group), base::Internal("it failed"));
      executions += group;
      for (const bool fault : members) {
        if (!fault) batch->RecordSuccess();
        if (!fault || !batch->RecordFailure()) limit.RecordAnswers(1, fault);
      }
    }
    EXPECT_FALSE(limit.stopped());
    return static_cast<double>(executions) / static_cast<double>(requests);
  };
  EXPECT_LT(cost(0), 0.02);
  EXPECT_LT(cost(0.0001), 0.05);
  EXPECT_LT(cost(0.01), 0.3);
  EXPECT_LT(cost(0.1), 0.75);
  for (const double share : {0.2, 0.25, 0.3, 0.5, 0.8, 1.0}) EXPECT_LT(cost(share), 1.1) << share;
}

TEST_F(SharingLimitTest, StopsWhereSharingItselfIsWhatFails) {
  for (int i = 1; i < SharingLimit::kBlamelessMax; ++i) FailBlamelessly(3, 3);
  EXPECT_FALSE(limit_.stopped());
  FailBlamelessly(3, 3);
  EXPECT_TRUE(limit_.stopped());
  EXPECT_TRUE(limit_.may_fill_up()) << "a model may be made for some sizes only";
  EXPECT_EQ(limit_.requests_max(), 1);
  EXPECT_EQ(limit_.Report().stopped,
            "executions of several requests failed where each request alone succeeded: it failed");
  limit_.RecordAnswers(100'000, false);
  EXPECT_EQ(limit_.requests_max(), 1) << "for good";
}

TEST_F(SharingLimitTest, DoesNotStopForWhatSaysNothingOfSharing) {
  for (int i = 0; i < 100; ++i) {
    if (i % 3 == 0) FailWithACulprit(3);
    FailBlamelessly(3, 3);
  }
  for (int i = 0; i < 100; ++i) {
    if (i % 3 == 0) limit_.RecordAnswers(3, false);
    FailBlamelessly(3, 3);
  }
  limit_.RecordAnswers(2, false);
  for (int i = 0; i < 100; ++i) FailBlamelessly(3, 2);
  for (int i = 0; i < 100; ++i) FailBlamelessly(3, 3, base::ResourceExhausted("no memory"));
  EXPECT_FALSE(limit_.stopped());
}

TEST_F(SharingLimitTest, StopsOnceAndSaysTheFirstReason) {
  limit_.RecordWrongRows("the first");
  limit_.RecordWrongRows("the second");
  EXPECT_EQ(limit_.Report().stopped, "the first");
  EXPECT_FALSE(limit_.may_fill_up());
}

}  // namespace
}  // namespace inferd::scheduling
