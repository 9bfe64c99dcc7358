#include "kserve/kubernetes/coordination/leader_election.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace inferd::kubernetes {
namespace {

using manifest::Value;
using testing::ElementsAre;

// A lease on a server, with versions and with the errors that a test sets.
class FakeLease final : public LeaseStore {
 public:
  ApiResult<Value> Get() override {
    if (down) return std::unexpected(ErrorWithoutAnswer(base::Unavailable("down")));
    if (!there) return std::unexpected(ErrorOfAnswer(404, "", ""));
    if (on_get) on_get();
    return lease;
  }
  ApiResult<Value> Create(const Value& made) override { return Write(made, !there, "AlreadyExists"); }
  ApiResult<Value> Update(const Value& made) override {
    return Write(made, there && ResourceVersionOf(made) == ResourceVersionOf(lease), "Conflict");
  }
  const ObjectName& name() const override { return name_; }

  std::string At(std::string_view field) const { return TextAt(lease, {"spec", field}); }

  Value lease;
  bool there = false;
  bool down = false;
  bool loses_answers = false;
  std::function<void()> on_get;

 private:
  ApiResult<Value> Write(const Value& made, bool fits, const std::string& reason) {
    if (down) return std::unexpected(ErrorWithoutAnswer(base::Unavailable("down")));
    if (!fits) {
      ApiError error = ErrorOfAnswer(409, "", "");
      error.reason = reason;
      return std::unexpected(error);
    }
    there = true;
    lease = made;
    lease.MapAt("metadata").Set("resourceVersion", Value::String(std::to_string(++version_)));
    if (loses_answers) return std::unexpected(ErrorWithoutAnswer(base::Unavailable("cut")));
    return lease;
  }

  const ObjectName name_ = {"ns", "inferd"};
  int version_ = 0;
};

// A steady clock whose wall time jumps.
class JumpingClock final : public base::Clock {
 public:
  int64_t NowNs() const override { return monotonic_.NowNs(); }
  int64_t WallNs() const override { return 1'800'000'000'000'000'000 + monotonic_.NowNs() + jumped_ns_; }
  void AdvanceS(int64_t seconds) { monotonic_.AdvanceMs(seconds * 1000); }
  void JumpS(int64_t seconds) { jumped_ns_ += seconds * 1'000'000'000; }

 private:
  base::FakeClock monotonic_;
  int64_t jumped_ns_ = 0;
};

struct Candidate {
  Candidate(LeaseStore& store, const std::string& name) : election(store, {.identity = name}, clock) {}

  bool Try() { return election.Try().value_or(false); }

  JumpingClock clock;
  LeaderElection election;
};

struct TwoCandidates {
  void AdvanceS(int64_t seconds) {
    a.clock.AdvanceS(seconds);
    b.clock.AdvanceS(seconds);
  }

  FakeLease lease;
  Candidate a{lease, "a"};
  Candidate b{lease, "b"};
};

TEST(LeaderElectionTest, TheFirstTakesTheLeaseAndTheOtherDoesNot) {
  TwoCandidates two;
  EXPECT_TRUE(two.a.Try());
  EXPECT_FALSE(two.b.Try());
  EXPECT_TRUE(two.a.election.leads());
  EXPECT_EQ(two.b.election.leader(), "a");
  EXPECT_EQ(two.lease.At("leaseDurationSeconds"), "15");
  EXPECT_EQ(two.lease.At("leaseTransitions"), "0");
  EXPECT_EQ(two.lease.At("renewTime"), two.lease.At("acquireTime"));
  two.AdvanceS(2);
  EXPECT_TRUE(two.a.Try());
  EXPECT_NE(two.lease.At("renewTime"), two.lease.At("acquireTime"));
}

TEST(LeaderElectionTest, ALeaseThatIsNotRenewedIsTakenAfterItsTimeAndNotBefore) {
  TwoCandidates two;
  two.a.Try();
  two.b.Try();
  for (int second = 0; second < 14; ++second) {
    two.AdvanceS(1);
    EXPECT_FALSE(two.b.Try()) << second;
    EXPECT_EQ(two.a.election.leads(), second < 9) << second;
  }
  two.AdvanceS(1);
  EXPECT_TRUE(two.b.Try());
  EXPECT_EQ(two.lease.At("leaseTransitions"), "1");
  EXPECT_FALSE(two.a.Try());
  EXPECT_EQ(two.a.election.leader(), "b");
}

TEST(LeaderElectionTest, WallClocksThatJumpOrDifferChangeNothing) {
  for (const int64_t jump_s : {-1'000'000, -20, 20, 1'000'000}) {
    TwoCandidates two;
    two.b.clock.JumpS(jump_s);
    two.a.Try();
    for (int i = 0; i < 20; ++i) {
      two.AdvanceS(2);
      two.a.clock.JumpS(i % 2 == 0 ? jump_s : -jump_s);
      EXPECT_TRUE(two.a.Try());
      EXPECT_FALSE(two.b.Try());
    }
  }
}

TEST(LeaderElectionTest, OneThatComesLateCountsFromWhatItSees) {
  TwoCandidates two;
  two.a.Try();
  two.AdvanceS(1000);
  EXPECT_FALSE(two.b.Try()) << "the holder may have renewed it just now";
  two.AdvanceS(15);
  EXPECT_TRUE(two.b.Try());
}

TEST(LeaderElectionTest, AServerThatIsAwayEndsTheLeadInTimeAndGivesItBack) {
  TwoCandidates two;
  two.a.Try();
  two.lease.down = true;
  two.AdvanceS(9);
  EXPECT_FALSE(two.a.election.Try().has_value());
  EXPECT_TRUE(two.a.election.leads());
  two.AdvanceS(1);
  EXPECT_FALSE(two.a.election.leads());
  two.lease.down = false;
  EXPECT_TRUE(two.a.Try());
}

TEST(LeaderElectionTest, ARequestThatHangsCountsFromItsBeginning) {
  TwoCandidates two;
  two.a.Try();
  two.lease.on_get = [&] { two.AdvanceS(12); };
  EXPECT_TRUE(two.a.election.Try().has_value());
  EXPECT_FALSE(two.a.election.leads());
}

TEST(LeaderElectionTest, ARenewalWhoseAnswerIsLostIsMadeUpFor) {
  TwoCandidates two;
  two.lease.loses_answers = true;
  EXPECT_FALSE(two.a.election.Try().has_value());
  EXPECT_FALSE(two.a.election.leads());
  two.lease.loses_answers = false;
  EXPECT_TRUE(two.a.Try());
}

TEST(LeaderElectionTest, OfTwoThatTakeItAtOnceOneHasIt) {
  TwoCandidates two;
  two.a.Try();
  two.b.Try();
  two.AdvanceS(15);
  two.lease.on_get = [&] {
    two.lease.on_get = nullptr;
    EXPECT_TRUE(two.a.Try());
  };
  EXPECT_FALSE(two.b.Try());
  EXPECT_TRUE(two.a.election.leads());
}

TEST(LeaderElectionTest, OneThatReleasesItIsFollowedAtOnce) {
  TwoCandidates two;
  two.a.Try();
  EXPECT_TRUE(two.a.election.Release().has_value());
  EXPECT_FALSE(two.a.election.leads());
  EXPECT_TRUE(two.b.Try());
  // There is nothing to release; the other process's lease must not be touched.
  EXPECT_TRUE(two.a.election.Release().has_value());
  EXPECT_EQ(two.lease.At("holderIdentity"), "b");
}

TEST(LeaderElectionTest, ADeadlineBehindTheLeasesEndIsBroughtForward) {
  FakeLease lease;
  base::FakeClock clock;
  LeaderElection election(
      lease, {.identity = "a", .lease_time = std::chrono::seconds(3), .renew_deadline = std::chrono::seconds(60)},
      clock);
  EXPECT_TRUE(election.Try().value_or(false));
  clock.AdvanceMs(2000);
  EXPECT_FALSE(election.leads());
}

TEST(LeaderElectionTest, WhatOthersWroteIntoTheLeaseStays) {
  TwoCandidates two;
  two.a.Try();
  two.lease.lease.MapAt("metadata").MapAt("labels").Set("x", Value::String("y"));
  two.lease.lease.MapAt("spec").Set("strategy", Value::String("z"));
  two.a.Try();
  EXPECT_EQ(TextAt(two.lease.lease, {"metadata", "labels", "x"}), "y");
  EXPECT_EQ(two.lease.At("strategy"), "z");
}

TEST(LeaderElectionTest, ALeaseWithWrongTypesIsHeldForASecondAtLeast) {
  TwoCandidates two;
  two.lease.there = true;
  two.lease.lease = MakeObject(LeaseResource(), {"ns", "inferd"});
  two.lease.lease.MapAt("metadata").Set("resourceVersion", Value::String("1"));
  two.lease.lease.Set("spec", Value::Map({{"holderIdentity", Value::String("x")},
                                          {"leaseDurationSeconds", Value::String("long")},
                                          {"leaseTransitions", Value::Int(INT64_MAX)}}));
  EXPECT_FALSE(two.a.Try());
  two.AdvanceS(1);
  EXPECT_TRUE(two.a.Try());
  EXPECT_EQ(two.lease.At("leaseTransitions"), "0");
}

TEST(LeaderElectionTest, ALeaseThatWasDeletedIsMadeAgain) {
  TwoCandidates two;
  two.a.Try();
  two.lease.there = false;
  EXPECT_TRUE(two.a.Try());
}

TEST(LeaderElectionTest, RunTellsOfItsBeginningAndItsEnd) {
  FakeLease lease;
  base::FakeClock clock;
  std::stop_source stop;
  std::vector<std::string> told;
  int waits = 0;
  LeaderElection election(lease,
                          {.identity = "a",
                           .wait =
                               [&](std::chrono::milliseconds pause, const std::stop_token&) {
                                 clock.AdvanceMs(pause.count());
                                 lease.down = ++waits >= 3 && waits < 12;
                                 return waits < 20;
                               }},
                          clock);
  election.Run(stop.get_token(), [&](bool leads) { told.push_back(leads ? "leads" : "ends"); });
  EXPECT_THAT(told, ElementsAre("leads", "ends", "leads", "ends"));
  EXPECT_EQ(lease.At("holderIdentity"), "");
}

}  // namespace
}  // namespace inferd::kubernetes
