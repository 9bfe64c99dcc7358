#include "serving/core/request/infer_response.h"

#include <gtest/gtest.h>

namespace inferd::core {
namespace {

TEST(CompletionTest, SendsEachResponseUntilTheFinalOne) {
  int calls = 0;
  Completion completion([&](InferResponse) { ++calls; });
  InferResponse part;
  part.final = false;
  completion.Send(std::move(part));
  EXPECT_TRUE(completion);
  completion.Send({});
  EXPECT_FALSE(completion);
  EXPECT_EQ(calls, 2);
}

TEST(CompletionTest, DroppedUnansweredSaysInternalAndIsCounted) {
  const uint64_t before = DroppedCompletions();
  base::Status status;
  {
    const Completion completion([&](InferResponse response) { status = response.status; });
  }
  EXPECT_EQ(status.code(), base::StatusCode::kInternal);
  EXPECT_EQ(DroppedCompletions(), before + 1);
}

TEST(CompletionTest, MovedFromIsNotAnsweredTwice) {
  int calls = 0;
  {
    Completion first([&](InferResponse) { ++calls; });
    Completion second = std::move(first);
    second.Fail(base::NotFound("x"));
  }
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace inferd::core
