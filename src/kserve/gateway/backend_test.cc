#include "kserve/gateway/backend.h"

#include <gtest/gtest.h>

#include <deque>

#include "base/clock.h"

namespace inferd::gateway {
namespace {

using net::upstream::Address;

// A loop that runs posted tasks when the test says so.
class HandLoop final : public net::Loop {
 public:
  void Post(base::Task task) override { tasks_.push_back(std::move(task)); }
  bool InLoopThread() const override { return true; }
  TimerId RunAfter(std::chrono::milliseconds, base::Task) override { return 0; }
  void CancelTimer(TimerId) override {}
  size_t index() const override { return 0; }

  void RunAll() {
    while (!tasks_.empty()) {
      base::Task task = std::move(tasks_.front());
      tasks_.pop_front();
      task();
    }
  }

 private:
  std::deque<base::Task> tasks_;
};

std::vector<ReplicaPlace> At(std::initializer_list<int> ports) {
  std::vector<ReplicaPlace> addresses;
  for (const int port : ports) addresses.push_back(*Address::Parse("127.0.0.1:" + std::to_string(port)));
  return addresses;
}

class BackendTest : public ::testing::Test {
 protected:
  void Make(BackendOptions options) {
    backend_ = std::make_shared<Backend>("b", options, [this] { ++demanded_; });
  }
  // Adds a waiting request that records its name when it gets a slot.
  std::unique_ptr<Backend::Wait> WaitAs(const std::string& name) {
    auto place = backend_->Acquire(loop_, [this, name](Lease lease) {
      granted_ += name;
      leases_.push_back(std::move(lease));
    });
    EXPECT_TRUE(place.has_value());
    EXPECT_FALSE(place->lease);
    return std::move(place->wait);
  }
  Lease Take() {
    auto place = backend_->Acquire(loop_, nullptr);
    EXPECT_TRUE(place.has_value());
    EXPECT_TRUE(place->lease);
    return std::move(place->lease);
  }

  HandLoop loop_;
  std::shared_ptr<Backend> backend_;
  int demanded_ = 0;
  std::string granted_;
  std::vector<Lease> leases_;
};

TEST_F(BackendTest, RequestsGoWhereTheFewestAre) {
  Make({});
  backend_->SetReplicas(At({1, 2, 3}));
  std::vector<Lease> leases;
  for (int i = 0; i < 9; ++i) leases.push_back(Take());
  for (const int port : {1, 2, 3}) EXPECT_EQ(backend_->InFlightOn("127.0.0.1:" + std::to_string(port)), 3u);
  // Two requests of the second replica have ended, so the next two go there.
  int ended = 0;
  for (Lease& lease : leases) {
    if (lease.address().text() == "127.0.0.1:2" && ended++ < 2) lease.Release();
  }
  EXPECT_EQ(Take().address().text(), "127.0.0.1:2");
  EXPECT_EQ(backend_->TakeLoad(0).in_flight, 7u);
}

TEST_F(BackendTest, WithoutAReplicaRequestsWaitInOrder) {
  Make({});
  const auto a = WaitAs("a");
  const auto b = WaitAs("b");
  EXPECT_EQ(demanded_, 2);
  EXPECT_EQ(backend_->TakeLoad(0).waiting, 2u);
  backend_->SetReplicas(At({1}));
  EXPECT_EQ(granted_, "");
  loop_.RunAll();
  EXPECT_EQ(granted_, "ab");
  EXPECT_EQ(backend_->TakeLoad(0).in_flight, 2u);
  leases_.clear();
  EXPECT_EQ(backend_->TakeLoad(0).in_flight, 0u);
}

TEST_F(BackendTest, AReplicaGetsAsManyAsItMay) {
  Make({.replica_concurrency = 2});
  backend_->SetReplicas(At({1, 2}));
  std::vector<Lease> leases;
  for (int i = 0; i < 4; ++i) leases.push_back(Take());
  EXPECT_EQ(backend_->InFlightOn("127.0.0.1:1"), 2u);
  const auto a = WaitAs("a");
  EXPECT_EQ(demanded_, 0);
  leases.pop_back();
  loop_.RunAll();
  EXPECT_EQ(granted_, "a");
  EXPECT_EQ(backend_->InFlightOn("127.0.0.1:1") + backend_->InFlightOn("127.0.0.1:2"), 4u);
}

TEST_F(BackendTest, AReplicaMayHaveALimitOfItsOwn) {
  Make({.replica_concurrency = 2});
  std::vector<ReplicaPlace> places = At({1, 2});
  places[0].requests_max = 1;
  backend_->SetReplicas(places);
  std::vector<Lease> leases;
  for (int i = 0; i < 3; ++i) leases.push_back(Take());
  EXPECT_EQ(backend_->InFlightOn("127.0.0.1:1"), 1U);
  const auto wait = WaitAs("a");
  places[0].requests_max = 2;
  backend_->SetReplicas(places);
  loop_.RunAll();
  EXPECT_EQ(granted_, "a") << "a limit that grows lets one go that waits";
}

TEST_F(BackendTest, WhatIsClosedRefusesThoseThatWaitAndThoseThatCome) {
  Make({.replica_concurrency = 1});
  backend_->SetReplicas(At({1}));
  Lease held = Take();
  auto first = WaitAs("a");
  const auto second = WaitAs("b");
  first.reset();
  backend_->Close();
  loop_.RunAll();
  EXPECT_EQ(granted_, "b");
  ASSERT_EQ(leases_.size(), 1U);
  EXPECT_FALSE(leases_.front());
  EXPECT_EQ(backend_->waiting(), 0U);
  EXPECT_EQ(backend_->TakeLoad(base::SystemClock().NowNs()).in_flight, 1U) << "what a replica has is answered";
  const auto refused = backend_->Acquire(loop_, nullptr);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message(), "'b' is not there any more");
  held.Release();
  EXPECT_EQ(backend_->TakeLoad(base::SystemClock().NowNs()).in_flight, 0U);
}

TEST_F(BackendTest, WhoWaitsIsServedBeforeWhoComesLater) {
  Make({.replica_concurrency = 1});
  backend_->SetReplicas(At({1}));
  Lease first = Take();
  const auto a = WaitAs("a");
  first.Release();  // a has the slot, but has not been notified yet
  const auto b = WaitAs("b");
  loop_.RunAll();
  EXPECT_EQ(granted_, "a");
  leases_.clear();
  loop_.RunAll();
  EXPECT_EQ(granted_, "ab");
}

TEST_F(BackendTest, TooManyAreRefused) {
  Make({.waiting_max = 2});
  const auto a = WaitAs("a");
  const auto b = WaitAs("b");
  const auto place = backend_->Acquire(loop_, nullptr);
  ASSERT_FALSE(place.has_value());
  EXPECT_EQ(place.error().code(), base::StatusCode::kResourceExhausted);
}

TEST_F(BackendTest, AWaitThatIsGivenUpLeavesThePlaceToTheNext) {
  Make({.replica_concurrency = 1});
  auto a = WaitAs("a");
  auto b = WaitAs("b");
  auto c = WaitAs("c");
  b = nullptr;
  EXPECT_EQ(backend_->TakeLoad(0).waiting, 2u);
  backend_->SetReplicas(At({1}));
  a = nullptr;  // it has a slot, but has not been notified yet
  loop_.RunAll();
  EXPECT_EQ(granted_, "c");
  leases_.clear();
  EXPECT_EQ(backend_->TakeLoad(0).in_flight, 0u);
}

TEST_F(BackendTest, AReplicaThatLeavesKeepsItsRequestsAndGetsNoOther) {
  Make({});
  backend_->SetReplicas(At({1}));
  Lease lease = Take();
  backend_->SetReplicas(At({2}));
  EXPECT_EQ(backend_->InFlightOn("127.0.0.1:1"), 1u);
  EXPECT_EQ(Take().address().text(), "127.0.0.1:2");
  lease.Release();
  EXPECT_EQ(backend_->InFlightOn("127.0.0.1:1"), 0u);
}

TEST_F(BackendTest, AFailedReplicaIsAvoidedWhereThereIsAnother) {
  Make({});
  backend_->SetReplicas(At({1, 2}));
  for (int i = 0; i < 4; ++i) {
    const Lease failed = Take();
    const auto place = backend_->Acquire(loop_, nullptr, failed.replica().get());
    EXPECT_NE(place->lease.address().text(), failed.address().text());
  }
  backend_->SetReplicas(At({1}));
  const Lease failed = Take();
  EXPECT_TRUE(backend_->Acquire(loop_, nullptr, failed.replica().get())->lease);
}

TEST_F(BackendTest, LoadIsAveragedOverTime) {
  Make({});
  backend_->SetReplicas(At({1}));
  const base::SystemClock clock;
  backend_->TakeLoad(clock.NowNs());
  const int64_t begin_ns = clock.NowNs();
  {
    const Lease a = Take();
    const Lease b = Take();
    while (clock.NowNs() < begin_ns + 20'000'000) {
    }
  }
  while (clock.NowNs() < begin_ns + 40'000'000) {
  }
  const BackendLoad load = backend_->TakeLoad(clock.NowNs());
  EXPECT_GT(load.concurrency, 0);
  EXPECT_LE(load.concurrency, 2);
  EXPECT_GT(load.rate, 0);
  EXPECT_EQ(load.in_flight, 0u);
}

}  // namespace
}  // namespace inferd::gateway
