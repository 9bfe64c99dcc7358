#include "serving/core/graph_calls.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "serving/core/model_version.h"

namespace inferd::core {
namespace {

// Holds posted tasks until RunAll().
class HeldExecutor final : public base::Executor {
 public:
  void Post(base::Task task) override { tasks_.push_back(std::move(task)); }
  size_t RunAll() {
    std::vector<base::Task> tasks = std::exchange(tasks_, {});
    for (base::Task& task : tasks) std::exchange(task, nullptr)();
    return tasks.size();
  }

 private:
  std::vector<base::Task> tasks_;
};

class GraphCallsTest : public ::testing::Test {
 protected:
  base::Result<std::shared_ptr<const ModelVersion>> Make(const GraphCall& call) {
    ++made_;
    if (call.fetches[0] == "nowhere") return std::unexpected(base::NotFound("there is no such tensor"));
    ModelVersion::Parts parts;
    parts.id = {.name = "m", .version = 1};
    return ModelVersion::Create(std::move(parts), retire_);
  }

  HeldExecutor retire_;
  int made_ = 0;
  std::unique_ptr<GraphCalls> calls_ =
      std::make_unique<GraphCalls>([this](const GraphCall& call) { return Make(call); });
};

TEST_F(GraphCallsTest, EachIsMadeOnce) {
  const auto first = calls_->Find({.feeds = {"x"}, .fetches = {"y"}, .targets = {}});
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(*calls_->Find({.feeds = {"x"}, .fetches = {"y"}, .targets = {}}), *first);
  EXPECT_NE(*calls_->Find({.feeds = {}, .fetches = {"y"}, .targets = {}}), *first);
  EXPECT_NE(*calls_->Find({.feeds = {"x"}, .fetches = {"y"}, .targets = {"init"}}), *first);
  EXPECT_EQ(made_, 3);
}

TEST_F(GraphCallsTest, WhatCannotBeMadeIsTriedAgain) {
  for (int i = 1; i <= 2; ++i) {
    EXPECT_EQ(calls_->Find({.feeds = {}, .fetches = {"nowhere"}, .targets = {}}).error().code(),
              base::StatusCode::kNotFound);
    EXPECT_EQ(made_, i);
  }
}

TEST_F(GraphCallsTest, TheyAreBounded) {
  for (size_t i = 0; i < GraphCalls::kCallsMax; ++i) {
    ASSERT_TRUE(calls_->Find({.feeds = {}, .fetches = {std::to_string(i)}, .targets = {}}).has_value());
  }
  EXPECT_EQ(calls_->Find({.feeds = {}, .fetches = {"y"}, .targets = {}}).error().code(),
            base::StatusCode::kResourceExhausted);
  EXPECT_TRUE(calls_->Find({.feeds = {}, .fetches = {"0"}, .targets = {}}).has_value()) << "those there are stay";
}

TEST_F(GraphCallsTest, TheyEndWithTheVersion) {
  ModelVersion::Parts parts;
  parts.id = {.name = "m", .version = 1};
  parts.graph_calls = std::move(calls_);
  auto version = ModelVersion::Create(std::move(parts), retire_);
  ASSERT_TRUE(version->graph_calls()->Find({.feeds = {}, .fetches = {"y"}, .targets = {}}).has_value());
  version = nullptr;
  EXPECT_EQ(retire_.RunAll(), 1u) << "the version";
  EXPECT_EQ(retire_.RunAll(), 1u) << "and then its calls";
}

}  // namespace
}  // namespace inferd::core
