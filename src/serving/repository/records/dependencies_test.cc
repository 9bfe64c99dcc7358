#include "serving/repository/records/dependencies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::repository {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(DependenciesTest, AreKnownByBothEnds) {
  Dependencies dependencies;
  dependencies.Set("e", {"a", "b"});
  dependencies.Set("f", {"b"});
  EXPECT_THAT(dependencies.NeededBy("e"), ElementsAre("a", "b"));
  EXPECT_THAT(dependencies.DependentsOf("b"), ElementsAre("e", "f"));
  dependencies.Set("e", {"a"});
  EXPECT_THAT(dependencies.DependentsOf("b"), ElementsAre("f"));
  dependencies.Set("f", {});
  EXPECT_THAT(dependencies.DependentsOf("b"), IsEmpty());
  EXPECT_THAT(dependencies.NeededBy("f"), IsEmpty());
}

TEST(DependenciesTest, ReachWhatIsNeededByWhatIsNeeded) {
  Dependencies dependencies;
  dependencies.Set("s", {"e", "c"});
  dependencies.Set("e", {"a", "b"});
  dependencies.Set("b", {"a"});
  EXPECT_THAT(dependencies.AllNeededBy({"s"}), ElementsAre("a", "b", "c", "e"));
  EXPECT_THAT(dependencies.AllNeededBy({"b", "c"}), ElementsAre("a"));
  EXPECT_THAT(dependencies.AllNeededBy({"a"}), IsEmpty());
}

TEST(DependenciesTest, CirclesAreFoundFromEachOfTheirModels) {
  Dependencies dependencies;
  dependencies.Set("a", {"b"});
  dependencies.Set("b", {"c", "x"});
  dependencies.Set("outside", {"a"});
  EXPECT_EQ(dependencies.CircleOf("a"), "");
  dependencies.Set("c", {"a"});
  EXPECT_EQ(dependencies.CircleOf("a"), "a -> b -> c -> a");
  EXPECT_EQ(dependencies.CircleOf("c"), "c -> a -> b -> c");
  EXPECT_EQ(dependencies.CircleOf("outside"), "");
  EXPECT_EQ(dependencies.CircleOf("x"), "");
  dependencies.Set("x", {"x"});
  EXPECT_EQ(dependencies.CircleOf("x"), "x -> x");
  dependencies.Set("c", {});
  EXPECT_EQ(dependencies.CircleOf("b"), "");
}

TEST(DependenciesTest, WhatNeedsAModelIsPlannedAgainWhenItLooksDifferent) {
  Dependencies dependencies;
  dependencies.Set("e", {"a"});
  dependencies.NoteLook("a", "loading");
  EXPECT_THAT(dependencies.TakeAffected(), ElementsAre("e"));
  dependencies.NoteLook("a", "loading");
  EXPECT_FALSE(dependencies.AnyAffected());
  dependencies.NoteLook("a", "ready");
  dependencies.PlanLater("f");
  EXPECT_THAT(dependencies.TakeAffected(), ElementsAre("e", "f"));
  dependencies.NoteLook("e", "ready");
  EXPECT_FALSE(dependencies.AnyAffected()) << "nothing needs it";
}

TEST(DependenciesTest, WhatNeedsAModelIsPlannedAgainWhenThatNeedsOthers) {
  Dependencies dependencies;
  dependencies.Set("e", {"a"});
  dependencies.Set("a", {"b"});
  EXPECT_THAT(dependencies.TakeAffected(), ElementsAre("e"));
  dependencies.Set("a", {"b"});
  EXPECT_FALSE(dependencies.AnyAffected());
}

}  // namespace
}  // namespace inferd::repository
