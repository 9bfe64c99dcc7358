#include "protocols/call/arrived_responses.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <string>
#include <thread>

namespace inferd::call {

namespace {

class NoExecutor final : public base::Executor {
 public:
  void Post(base::Task) override {}
};

ArrivedResponse Named(const std::string& id) {
  ArrivedResponse arrived;
  arrived.response.id = id;
  return arrived;
}

std::string TakeAll(ArrivedResponses& arrived) {
  std::string taken;
  arrived.TakeEach([&](ArrivedResponse&& each) { taken += each.response.id; });
  return taken;
}

TEST(ArrivedResponsesTest, ManyAreOneTask) {
  ArrivedResponses arrived;
  EXPECT_TRUE(arrived.Push(Named("a")));
  EXPECT_FALSE(arrived.Push(Named("b")));
  EXPECT_EQ(TakeAll(arrived), "ab");
  EXPECT_TRUE(arrived.Push(Named("c"))) << "the loop has looked";
  EXPECT_EQ(TakeAll(arrived), "c");
  EXPECT_EQ(TakeAll(arrived), "");
}

TEST(ArrivedResponsesTest, WhatArrivesMeanwhileIsForTheNextTask) {
  ArrivedResponses arrived;
  arrived.Push(Named("a"));
  arrived.Push(Named("b"));
  int posted = 0;
  std::string taken;
  arrived.TakeEach([&](ArrivedResponse&& each) {
    taken += each.response.id;
    posted += arrived.Push(Named("+")) ? 1 : 0;
  });
  EXPECT_EQ(taken, "ab");
  EXPECT_EQ(posted, 1);
  EXPECT_EQ(TakeAll(arrived), "++");
}

TEST(ArrivedResponsesTest, OneThatIsTakenLeavesItsPlace) {
  NoExecutor executor;
  auto flow = std::make_shared<core::ResponseFlow>(core::ResponseFlow::Limits{.responses_held = 1}, executor);
  ArrivedResponses arrived;
  ArrivedResponse first = Named("a");
  first.place = flow->Enter(first.response);
  arrived.Push(std::move(first));
  EXPECT_FALSE(flow->open());
  arrived.TakeEach([](ArrivedResponse&&) {});
  EXPECT_TRUE(flow->open());
}

TEST(ArrivedResponsesTest, OneThatMemoryRunsOutForStopsNoOther) {
  ArrivedResponses arrived;
  for (const char* id : {"a", "b", "c"}) arrived.Push(Named(id));
  std::string taken;
  arrived.TakeEach([&](ArrivedResponse&& each) {
    if (each.response.id == "b") throw std::bad_alloc();
    taken += each.response.id;
  });
  EXPECT_EQ(taken, "ac");
  EXPECT_EQ(TakeAll(arrived), "");
}

// One thread pushes, another takes on demand.
TEST(ArrivedResponsesTest, NoneIsLostBetweenThreads) {
  constexpr int kResponses = 20'000;
  ArrivedResponses arrived;
  std::atomic<int> tasks{0};
  std::thread engine([&] {
    for (int i = 0; i < kResponses; ++i) {
      ArrivedResponse response;
      response.response.retry_after_ms = i;
      if (arrived.Push(std::move(response))) tasks.fetch_add(1);
    }
  });
  int taken = 0;
  bool ordered = true;
  while (taken < kResponses) {
    if (tasks.load() == 0) {
      std::this_thread::yield();
      continue;
    }
    tasks.fetch_sub(1);
    arrived.TakeEach([&](ArrivedResponse&& each) { ordered = ordered && each.response.retry_after_ms == taken++; });
  }
  engine.join();
  EXPECT_TRUE(ordered);
  EXPECT_EQ(taken, kResponses);
}

}  // namespace

}  // namespace inferd::call
