#include "serving/repository/demand/demand_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <string>

namespace inferd::repository {
namespace {

core::LoadDemand DemandFor(const std::string& model, std::function<void(core::LoadOutcome&&)> done = {}) {
  return {.model = model, .version = "", .deadline_ns = 0, .cancel = nullptr, .done = std::move(done)};
}

TEST(DemandQueueTest, HandsOverWhatComesOnAThreadOfItsOwn) {
  std::promise<std::string> model;
  std::promise<std::thread::id> thread;
  DemandQueue queue([&](std::vector<core::LoadDemand> demands) {
    thread.set_value(std::this_thread::get_id());
    model.set_value(demands.at(0).model);
    return false;
  });
  queue.Start();
  queue.Push(DemandFor("m"));
  EXPECT_EQ(model.get_future().get(), "m");
  EXPECT_NE(thread.get_future().get(), std::this_thread::get_id());
  queue.Close();
}

TEST(DemandQueueTest, AsksAgainWhileSomeWait) {
  std::atomic<int> calls{0};
  std::promise<void> third;
  DemandQueue queue([&](const std::vector<core::LoadDemand>& demands) {
    const int call = ++calls;
    EXPECT_EQ(demands.size(), call == 1 ? 1u : 0u);
    if (call == 3) third.set_value();
    return call < 3;
  });
  queue.Start();
  queue.Push(DemandFor("m"));
  third.get_future().wait();
  queue.Close();
  EXPECT_EQ(calls, 3) << "none waits any more";
}

TEST(DemandQueueTest, WhatComesLateIsAnsweredAtOnce) {
  DemandQueue queue([](const std::vector<core::LoadDemand>&) { return false; });
  queue.Close();
  base::Status status;
  queue.Push(DemandFor("m", [&status](core::LoadOutcome&& outcome) { status = outcome.status; }));
  EXPECT_EQ(status, base::Unavailable("the server is shutting down"));
}

}  // namespace
}  // namespace inferd::repository
