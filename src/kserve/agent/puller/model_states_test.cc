#include "kserve/agent/puller/model_states.h"

#include <gtest/gtest.h>

namespace inferd::agent {
namespace {

using Time = ModelStates::Time;

const PulledModel kOne{.storage_uri = "s3://b/1", .framework = "", .memory = ""};
const PulledModel kTwo{.storage_uri = "s3://b/2", .framework = "", .memory = ""};

Time At(int ms) { return Time() + std::chrono::hours(1) + std::chrono::milliseconds(ms); }

TEST(ModelStatesTest, WhatIsWantedIsBroughtAndLoaded) {
  ModelStates states({});
  states.Want({{"a", kOne}, {"b", kTwo}});
  EXPECT_EQ(states.wanted(), 2u);
  EXPECT_EQ(states.untried(), 2u);
  const auto a = states.Begin(At(0));
  const auto b = states.Begin(At(0));
  ASSERT_TRUE(a.has_value() && b.has_value());
  EXPECT_EQ(a->name, "a");
  EXPECT_EQ(b->wanted, kTwo);
  EXPECT_FALSE(a->here);
  EXPECT_FALSE(states.Begin(At(0)).has_value());
  EXPECT_FALSE(states.NextDue().has_value());
  states.Done(*a, kOne, true, At(1));
  EXPECT_EQ(states.ready(), 1u);
  EXPECT_EQ(states.untried(), 1u);
  EXPECT_FALSE(states.Begin(At(1)).has_value());
}

TEST(ModelStatesTest, WhatIsHereIsOnlyLoadedAndWhatIsNotWantedGoes) {
  ModelStates states({{"a", kOne}, {"b", kOne}});
  states.Want({{"a", kOne}});
  EXPECT_EQ(states.untried(), 0u);
  const auto a = states.Begin(At(0));
  EXPECT_TRUE(a->here);
  const auto b = states.Begin(At(0));
  EXPECT_EQ(b->name, "b");
  EXPECT_FALSE(b->wanted.has_value());
  states.Done(*b, std::nullopt, false, At(0));
  EXPECT_EQ(states.wanted(), 1u);
  EXPECT_FALSE(states.Begin(At(100'000)).has_value());
}

TEST(ModelStatesTest, WhatFailsIsTriedAgainLaterAndLater) {
  ModelStates states({});
  states.Want({{"a", kOne}});
  int at = 0;
  for (const int pause : {500, 1'000, 2'000}) {
    const auto step = states.Begin(At(at));
    ASSERT_TRUE(step.has_value());
    states.Done(*step, std::nullopt, false, At(at));
    EXPECT_EQ(states.untried(), 0u);
    EXPECT_FALSE(states.Begin(At(at + pause - 1)).has_value());
    EXPECT_EQ(states.NextDue(), At(at + pause));
    at += pause;
  }
  // Only loading remains to be done.
  const auto step = states.Begin(At(at));
  states.Done(*step, kOne, false, At(at));
  at += 4'000;
  EXPECT_TRUE(states.Begin(At(at))->here);
}

TEST(ModelStatesTest, WhatChangesMeanwhileIsDoneBehindIt) {
  ModelStates states({});
  states.Want({{"a", kOne}});
  const auto first = states.Begin(At(0));
  states.Want({{"a", kTwo}});
  EXPECT_FALSE(states.Begin(At(0)).has_value());
  states.Done(*first, kOne, true, At(0));
  const auto second = states.Begin(At(0));
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->wanted, kTwo);
  states.Want({});
  states.Done(*second, std::nullopt, false, At(0));
  EXPECT_EQ(states.wanted(), 0u);
  EXPECT_FALSE(states.NextDue().has_value());
}

// Loads the model at `At(ms)`.
void Load(ModelStates& states, int ms) {
  const auto step = states.Begin(At(ms));
  ASSERT_TRUE(step.has_value());
  states.Done(*step, step->wanted, true, At(ms));
}

TEST(ModelStatesTest, WhatTheServerHasNotAnyMoreIsLoadedAgain) {
  ModelStates states({});
  states.Want({{"a", kOne}, {"b", kTwo}});
  EXPECT_FALSE(states.LoadedBefore(At(1)).has_value());
  Load(states, 0);
  Load(states, 0);
  EXPECT_EQ(states.LoadedBefore(At(1)), "a");
  // The server was asked before it had the models.
  EXPECT_EQ(states.Compare([](const std::string&) { return false; }, At(0), At(1)), 0u);
  EXPECT_EQ(states.Compare([](const std::string& name) { return name == "a"; }, At(1), At(2)), 1u);
  EXPECT_EQ(states.ready(), 1u);
  const auto again = states.Begin(At(2));
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->name, "b");
  EXPECT_TRUE(again->here);
}

TEST(ModelStatesTest, WhatIsLostAgainAndAgainWaits) {
  ModelStates states({});
  states.Want({{"a", kOne}});
  const auto none = [](const std::string&) { return false; };
  Load(states, 0);
  EXPECT_EQ(states.Compare(none, At(1), At(1)), 1u);
  Load(states, 2);
  EXPECT_EQ(states.Compare(none, At(3), At(3)), 1u);
  EXPECT_FALSE(states.Begin(At(4)).has_value());
  EXPECT_EQ(states.NextDue(), At(503));
  Load(states, 503);
  EXPECT_EQ(states.Compare([](const std::string&) { return true; }, At(504), At(504)), 0u);
  EXPECT_EQ(states.Compare(none, At(505), At(505)), 1u);
  Load(states, 505);
}

}  // namespace
}  // namespace inferd::agent
