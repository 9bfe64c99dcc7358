#include "serving/core/request/queue_full.h"

#include <gtest/gtest.h>

namespace inferd::core {
namespace {

TEST(QueueFullTest, IsSaidInTheServersWords) {
  InferResponse full;
  full.status = base::ResourceExhausted("5 wait");
  const QueueFull words{.code = base::StatusCode::kUnavailable, .text = "the queue is full"};
  EXPECT_EQ(FailureOf(full, words), full.status) << "not the queue";
  full.retry_after_ms = 5;
  EXPECT_EQ(FailureOf(full, {}), full.status);
  EXPECT_EQ(FailureOf(full, words), base::Unavailable("the queue is full; 5 wait"));
  EXPECT_EQ(FailureOf(full, {.code = base::StatusCode::kUnavailable}), base::Unavailable("5 wait"));
  full.status = base::DeadlineExceeded("late");
  EXPECT_EQ(FailureOf(full, words), full.status);
  EXPECT_EQ(FailureOf(full, {.timed_out = base::StatusCode::kUnavailable}), base::Unavailable("late"));
}

}  // namespace
}  // namespace inferd::core
