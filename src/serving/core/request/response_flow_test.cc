#include "serving/core/request/response_flow.h"

#include <gtest/gtest.h>

#include <optional>

namespace inferd::core {
namespace {

// Keeps posted tasks.
class Posted final : public base::Executor {
 public:
  void Post(base::Task task) override { tasks.push_back(std::move(task)); }
  std::vector<base::Task> tasks;
};

class ResponseFlowTest : public ::testing::Test {
 protected:
  Posted posted_;
  const std::shared_ptr<ResponseFlow> flow_ = std::make_shared<ResponseFlow>(
      ResponseFlow::Limits{.responses_held = 2, .bytes_held = 100, .responses_max = 3, .bytes_max = 1000}, posted_);
};

TEST_F(ResponseFlowTest, IsOpenWhileFewWait) {
  EXPECT_TRUE(flow_->open());
  const ResponseFlow::Place first = flow_->Enter(1);
  EXPECT_TRUE(flow_->open());
  std::optional<ResponseFlow::Place> second = flow_->Enter(1);
  EXPECT_FALSE(flow_->open());
  second.reset();
  EXPECT_TRUE(flow_->open());
}

TEST_F(ResponseFlowTest, BytesCountToo) {
  std::optional<ResponseFlow::Place> large = flow_->Enter(100);
  EXPECT_FALSE(flow_->open());
  large.reset();
  EXPECT_TRUE(flow_->open());
}

TEST_F(ResponseFlowTest, OneResponseOfAnySizeIsNotTooMuch) {
  const ResponseFlow::Place large = flow_->Enter(5000);
  EXPECT_FALSE(flow_->overfull());
  const ResponseFlow::Place another = flow_->Enter(1);
  EXPECT_TRUE(flow_->overfull());
}

TEST_F(ResponseFlowTest, IsOverfullBeyondTheMost) {
  std::vector<ResponseFlow::Place> places;
  for (int i = 0; i < 3; ++i) places.push_back(flow_->Enter(1));
  EXPECT_FALSE(flow_->overfull());
  places.push_back(flow_->Enter(1));
  EXPECT_TRUE(flow_->overfull());
}

TEST_F(ResponseFlowTest, WhatWaitsRunsOnceElsewhere) {
  int runs = 0;
  flow_->WhenOpen([&runs] { ++runs; });
  EXPECT_EQ(runs, 1) << "it is open";
  std::vector<ResponseFlow::Place> places;
  for (int i = 0; i < 3; ++i) places.push_back(flow_->Enter(1));
  flow_->WhenOpen([&runs] { ++runs; });
  flow_->WhenOpen([&runs] { ++runs; });
  places.pop_back();
  EXPECT_TRUE(posted_.tasks.empty()) << "two wait still";
  places.clear();
  EXPECT_EQ(runs, 1) << "not by the thread that made room";
  ASSERT_EQ(posted_.tasks.size(), 2u);
  for (base::Task& task : posted_.tasks) task();
  EXPECT_EQ(runs, 3);
}

TEST_F(ResponseFlowTest, WhatWaitsRunsWhenHalfHasGone) {
  const auto flow = std::make_shared<ResponseFlow>(
      ResponseFlow::Limits{.responses_held = 4, .bytes_held = 100, .responses_max = 5, .bytes_max = 1000}, posted_);
  std::vector<ResponseFlow::Place> places;
  for (const size_t bytes : {60U, 10U, 10U, 10U}) places.push_back(flow->Enter(bytes));
  flow->WhenOpen([] {});
  places.pop_back();
  EXPECT_TRUE(flow->open());
  EXPECT_TRUE(posted_.tasks.empty());
  places.pop_back();
  EXPECT_TRUE(posted_.tasks.empty()) << "more than half of the bytes";
  places.clear();
  EXPECT_EQ(posted_.tasks.size(), 1u);
}

TEST_F(ResponseFlowTest, APlaceMovesAndCountsOnce) {
  ResponseFlow::Place a = flow_->Enter(100);
  ResponseFlow::Place b = std::move(a);
  EXPECT_FALSE(flow_->open());
  b = ResponseFlow::Place();
  EXPECT_TRUE(flow_->open());
}

TEST_F(ResponseFlowTest, OfOthersIsOpenWhileTheseAreToo) {
  const auto inner = std::make_shared<ResponseFlow>(ResponseFlow::Limits{.responses_held = 1}, flow_);
  std::optional<ResponseFlow::Place> waits = inner->Enter(1);
  std::optional<ResponseFlow::Place> first = flow_->Enter(1);
  std::optional<ResponseFlow::Place> second = flow_->Enter(1);
  int runs = 0;
  inner->WhenOpen([&runs] { ++runs; });
  EXPECT_FALSE(inner->open());
  waits.reset();
  EXPECT_FALSE(inner->open());
  EXPECT_TRUE(posted_.tasks.empty());
  second.reset();
  EXPECT_TRUE(inner->open());
  ASSERT_EQ(posted_.tasks.size(), 1);
  posted_.tasks[0]();
  ASSERT_EQ(posted_.tasks.size(), 2);
  posted_.tasks[1]();
  EXPECT_EQ(runs, 1);
}

}  // namespace
}  // namespace inferd::core
