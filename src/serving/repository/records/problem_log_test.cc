#include "serving/repository/records/problem_log.h"

#include <gtest/gtest.h>

namespace inferd::repository {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;

TEST(ProblemLogTest, WhatStaysIsLoggedLessAndLessOften) {
  ProblemLog log;
  int logged = 0;
  for (int second = 0; second < 3600; ++second) logged += log.Note("m", "gone", second * kSecondNs) ? 1 : 0;
  // At 0, 10, 30, 70, 150, 310, 630, 1230, 1830, 2430 and 3030 seconds.
  EXPECT_EQ(logged, 11);
}

TEST(ProblemLogTest, AnotherProblemIsNew) {
  ProblemLog log;
  EXPECT_TRUE(log.Note("m", "gone", 0));
  EXPECT_FALSE(log.Note("m", "gone", 1));
  EXPECT_TRUE(log.Note("n", "gone", 1));
  EXPECT_TRUE(log.Note("m", "unreadable", 2));
  EXPECT_TRUE(log.Forget("m"));
  EXPECT_FALSE(log.Forget("m"));
  EXPECT_TRUE(log.Note("m", "unreadable", 3));
}

TEST(ProblemLogTest, TheOthersAreForgotten) {
  ProblemLog log;
  log.Note("m", "gone", 0);
  log.Note("n", "gone", 0);
  log.ForgetOthers({"m"});
  EXPECT_FALSE(log.Note("m", "gone", 1));
  EXPECT_TRUE(log.Note("n", "gone", 1));
}

}  // namespace
}  // namespace inferd::repository
