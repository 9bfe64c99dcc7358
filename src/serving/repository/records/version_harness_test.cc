#include "serving/repository/records/version_harness.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <tuple>

#include "serving/core/held_versions_fixture.h"

namespace inferd::repository {
namespace {

using Phase = VersionHarness::Phase;
using Harness = VersionHarness;

const VersionContent kContent{.shared = {}, .files = {}, .config_json = "a"};
const VersionContent kOther{.shared = {}, .files = {}, .config_json = "b"};
const base::Status kBad = base::InvalidArgument("bad magic");

class VersionHarnessTest : public core::HeldVersionsTest {
 protected:
  static void Begin(Harness& harness, const VersionContent& content = kContent) {
    harness.QueueForRoom();
    EXPECT_TRUE(harness.BeginLoad(content, {.bytes = 100}));
  }
  void Come(Harness& harness) { std::ignore = harness.Serve(loaded_); }
  void Serving(Harness& harness) {
    Begin(harness);
    Come(harness);
  }

  const VersionHarness::Version loaded_ = MakeVersion(1);
};

// Checks every transition from every state: the next phase, or that the transition is refused.
TEST_F(VersionHarnessTest, EveryTransitionIsInTheTable) {
  using Do = std::function<void(Harness&)>;
  const std::map<std::string, Do> kTransitions = {
      {"WaitToReplace", [](Harness& harness) { harness.WaitToReplace(); }},
      {"WaitForDependencies", [](Harness& harness) { harness.WaitForDependencies("waits"); }},
      {"StopWaiting", [](Harness& harness) { harness.StopWaiting(); }},
      {"QueueForRoom", [](Harness& harness) { harness.QueueForRoom(); }},
      {"NoteNoRoom", [](Harness& harness) { harness.NoteNoRoom(); }},
      {"LeaveQueue", [](Harness& harness) { harness.LeaveQueue(); }},
      {"RefuseLoad", [](Harness& harness) { harness.RefuseLoad(kContent, kBad, 1); }},
      {"BeginLoad", [](Harness& harness) { std::ignore = harness.BeginLoad(kContent, {.bytes = 100}); }},
      {"Serve", [this](Harness& harness) { Come(harness); }},
      {"DiscardLoad", [](Harness& harness) { harness.DiscardLoad(); }},
      {"FailLoad", [](Harness& harness) { harness.FailLoad(kBad, 1); }},
      {"EndServing", [](Harness& harness) { std::ignore = harness.EndServing(); }},
      {"LoadGone", [](Harness& harness) { harness.LoadGone(); }},
  };
  struct Row {
    std::string state;
    Do reach;
    std::map<std::string, Phase> allowed;  // by transition; all others are refused
  };
  const std::map<std::string, Phase> kQueued = {{"NoteNoRoom", Phase::kWaitingForRoom},
                                                {"LeaveQueue", Phase::kResting},
                                                {"RefuseLoad", Phase::kResting},
                                                {"BeginLoad", Phase::kLoading}};
  const std::map<std::string, Phase> kLoads = {
      {"Serve", Phase::kResting}, {"DiscardLoad", Phase::kResting}, {"FailLoad", Phase::kResting}};
  const auto with = [](std::map<std::string, Phase> allowed, const std::string& transition, Phase phase) {
    allowed.emplace(transition, phase);
    return allowed;
  };
  // The transitions that a resting version allows, serving or not.
  const std::map<std::string, Phase> kRests = {{"WaitForDependencies", Phase::kWaitingForDependencies},
                                               {"RefuseLoad", Phase::kResting},
                                               {"QueueForRoom", Phase::kWaitingForRoom}};
  const Row kTable[] = {
      {"new", [](Harness&) {}, with(kRests, "WaitToReplace", Phase::kWaitingToReplace)},
      {"waiting to replace", [](Harness& harness) { harness.WaitToReplace(); }, {{"StopWaiting", Phase::kResting}}},
      {"waiting for room", [](Harness& harness) { harness.QueueForRoom(); }, kQueued},
      {"loading", [](Harness& harness) { Begin(harness); }, kLoads},
      {"serving", [this](Harness& harness) { Serving(harness); }, with(kRests, "EndServing", Phase::kResting)},
      {"waiting for dependencies",
       [](Harness& harness) { harness.WaitForDependencies("waits"); },
       {{"StopWaiting", Phase::kResting}}},
      {"serving, waiting for dependencies",
       [this](Harness& harness) {
         Serving(harness);
         harness.WaitForDependencies("waits");
       },
       {{"StopWaiting", Phase::kResting}, {"EndServing", Phase::kWaitingForDependencies}}},
      {"serving, waiting for room",
       [this](Harness& harness) {
         Serving(harness);
         harness.QueueForRoom();
       },
       with(kQueued, "EndServing", Phase::kWaitingForRoom)},
      {"serving, loading",
       [this](Harness& harness) {
         Serving(harness);
         Begin(harness);
       },
       with(kLoads, "EndServing", Phase::kLoading)},
      {"leaving",
       [this](Harness& harness) {
         Serving(harness);
         std::ignore = harness.EndServing();
       },
       with(with(kRests, "WaitToReplace", Phase::kWaitingToReplace), "LoadGone", Phase::kResting)},
      {"leaving, waiting to replace",
       [this](Harness& harness) {
         Serving(harness);
         std::ignore = harness.EndServing();
         harness.WaitToReplace();
       },
       {{"StopWaiting", Phase::kResting}, {"LoadGone", Phase::kWaitingToReplace}}},
      {"leaving, waiting for room",
       [this](Harness& harness) {
         Serving(harness);
         std::ignore = harness.EndServing();
         harness.QueueForRoom();
       },
       with(kQueued, "LoadGone", Phase::kWaitingForRoom)},
      {"leaving, loading",
       [this](Harness& harness) {
         Serving(harness);
         std::ignore = harness.EndServing();
         Begin(harness);
       },
       with(kLoads, "LoadGone", Phase::kLoading)},
      {"failed, and gone",
       [](Harness& harness) {
         Begin(harness);
         harness.FailLoad(kBad, 1);
         harness.LoadGone();
       },
       with(kRests, "WaitToReplace", Phase::kWaitingToReplace)},
  };
  for (const Row& row : kTable) {
    for (const auto& [name, transition] : kTransitions) {
      SCOPED_TRACE(row.state + ", " + name);
      Harness harness;
      row.reach(harness);
      ASSERT_FALSE(harness.TakeRefused().has_value());
      const Phase before = harness.phase();
      const int alive = harness.alive();
      const auto allowed = row.allowed.find(name);
      transition(harness);
      const auto refused = harness.TakeRefused();
      if (allowed != row.allowed.end()) {
        EXPECT_FALSE(refused.has_value());
        EXPECT_EQ(harness.phase(), allowed->second);
      } else {
        EXPECT_EQ(refused, name + " while " + std::string(PhaseName(before)));
        EXPECT_EQ(harness.phase(), before);
        EXPECT_EQ(harness.alive(), alive);
      }
      EXPECT_GE(LeavingLoads(harness), 0);
    }
  }
}

TEST_F(VersionHarnessTest, AVersionComesAndGoes) {
  Harness harness;
  EXPECT_EQ(StateOf(harness), core::ModelState::kUnavailable);
  harness.NoteAsleep();
  EXPECT_EQ(harness.reason(), "not loaded: waits for a request");
  harness.QueueForRoom();
  harness.NoteNoRoom();
  EXPECT_EQ(harness.reason(), "waits for memory that other models hold");
  EXPECT_TRUE(harness.BeginLoad(kContent, {.bytes = 100}));
  EXPECT_EQ(harness.reason(), "");
  EXPECT_EQ(StateOf(harness), core::ModelState::kLoading);
  EXPECT_EQ(harness.alive(), 1);
  EXPECT_EQ(harness.held().bytes, 100);
  EXPECT_EQ(harness.Serve(loaded_), nullptr);
  EXPECT_EQ(StateOf(harness), core::ModelState::kReady);
  EXPECT_TRUE(harness.Serves(kContent));
  EXPECT_FALSE(harness.Serves(kOther));
  EXPECT_EQ(harness.EndServing(), loaded_);
  EXPECT_EQ(StateOf(harness), core::ModelState::kUnloading);
  EXPECT_EQ(LeavingLoads(harness), 1);
  EXPECT_TRUE(harness.LoadGone());
  EXPECT_EQ(StateOf(harness), core::ModelState::kUnavailable);
  EXPECT_EQ(harness.reason(), "unloaded");
  EXPECT_TRUE(harness.Idle());
}

TEST_F(VersionHarnessTest, AReloadReplacesWhatServes) {
  Harness harness;
  Serving(harness);
  Begin(harness, kOther);
  EXPECT_EQ(StateOf(harness), core::ModelState::kReady);
  EXPECT_EQ(harness.alive(), 2);
  EXPECT_EQ(LeavingLoads(harness), 0);
  const auto second = MakeVersion(1);
  EXPECT_EQ(harness.Serve(second), loaded_);
  EXPECT_TRUE(harness.Serves(kOther));
  EXPECT_EQ(LeavingLoads(harness), 1);
  EXPECT_FALSE(harness.LoadGone()) << "another serves";
}

TEST_F(VersionHarnessTest, AFailedReloadLeavesWhatServes) {
  Harness harness;
  Serving(harness);
  Begin(harness, kOther);
  harness.FailLoad(kBad, 7);
  EXPECT_EQ(StateOf(harness), core::ModelState::kReady);
  EXPECT_EQ(harness.reason(), "bad magic");
  EXPECT_TRUE(harness.failure().With(kOther));
  EXPECT_FALSE(harness.failure().With(kContent));
  EXPECT_EQ(harness.failure().code, base::StatusCode::kInvalidArgument);
}

TEST_F(VersionHarnessTest, FailuresOfOneContentAreCounted) {
  constexpr int64_t kSecond = 1'000'000'000;
  Harness harness;
  for (uint32_t times = 1; times <= 3; ++times) {
    Begin(harness);
    harness.FailLoad(kBad, 0);
    harness.LoadGone();
    EXPECT_EQ(harness.failure().times, times);
  }
  EXPECT_EQ(harness.failure().RetryNs(), 4 * kSecond);
  Begin(harness, kOther);
  harness.FailLoad(kBad, 5);
  EXPECT_EQ(harness.failure().times, 1u);
  EXPECT_EQ(harness.failure().RetryNs(), kSecond + 5);
  harness.LoadGone();
  harness.QueueForRoom();
  harness.RefuseLoad(kOther, base::ResourceExhausted("too large"), 9);
  EXPECT_EQ(harness.failure().times, 1u) << "what was not tried did not fail";
  EXPECT_EQ(harness.failure().code, base::StatusCode::kResourceExhausted);
  harness.ForgetFailure();
  EXPECT_FALSE(harness.failure().failed);
}

TEST_F(VersionHarnessTest, WhatDependsOnOthersWaitsOrIsRefused) {
  Harness harness;
  harness.WaitForDependencies("waits for model 'b'");
  EXPECT_EQ(StateOf(harness), core::ModelState::kLoading);
  EXPECT_EQ(harness.reason(), "waits for model 'b'");
  harness.StopWaiting();
  EXPECT_EQ(harness.reason(), "");
  harness.RefuseLoad(kContent, base::Unavailable("depends on model 'b'"), 3);
  EXPECT_EQ(StateOf(harness), core::ModelState::kUnavailable);
  EXPECT_EQ(harness.reason(), "depends on model 'b'");
  EXPECT_TRUE(harness.failure().With(kContent));
  EXPECT_EQ(harness.failure().times, 0u) << "what was not tried did not fail";
  EXPECT_EQ(harness.failure().RetryNs(), 3);
  harness.ForgetFailure(Harness::Cause::kDependency);
  EXPECT_FALSE(harness.failure().failed);
  Begin(harness);
  EXPECT_EQ(harness.reason(), "");
  harness.FailLoad(kBad, 4);
  harness.ForgetFailure(Harness::Cause::kDependency);
  EXPECT_TRUE(harness.failure().failed) << "that is another failure";
}

TEST_F(VersionHarnessTest, OnlyWhatServesEnds) {
  Harness harness;
  harness.SetEnding(true);
  EXPECT_FALSE(harness.ending());
  Serving(harness);
  harness.SetEnding(true);
  EXPECT_TRUE(harness.ending());
  EXPECT_EQ(StateOf(harness), core::ModelState::kReady);
  std::ignore = harness.EndServing();
  EXPECT_FALSE(harness.ending());
}

TEST_F(VersionHarnessTest, TheFirstRefusalIsKeptUntilItIsTaken) {
  Harness harness;
  harness.DiscardLoad();
  harness.LeaveQueue();
  EXPECT_EQ(harness.TakeRefused(), "DiscardLoad while resting");
  EXPECT_FALSE(harness.TakeRefused().has_value());
  EXPECT_EQ(harness.Serve(loaded_), loaded_) << "it is given back";
  EXPECT_EQ(harness.serving(), nullptr);
}

}  // namespace
}  // namespace inferd::repository
