#include "serving/worker/parent/roster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serving/worker/parent/supervised_model.h"

namespace inferd::worker {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class RosterTest : public ::testing::Test {
 protected:
  // Roster only compares the pointers.
  static Roster::Model Number(intptr_t number) {
    return {std::shared_ptr<void>(), reinterpret_cast<SupervisedModel*>(number)};
  }

  void SetUp() override {
    for (const Roster::Model& model : {a_, b_}) {
      roster_.Add(model);
      roster_.Loaded(model);
    }
  }

  const Roster::Model a_ = Number(8);
  const Roster::Model b_ = Number(16);
  Roster roster_;
  Roster::Clock::time_point now_ = Roster::Clock::time_point() + hours(1);
};

TEST_F(RosterTest, ANewProcessLoadsAllThatWereLoaded) {
  roster_.Add(Number(24));
  EXPECT_TRUE(roster_.any_coming_or_up());
  roster_.ProcessLost();
  EXPECT_THAT(roster_.ForNewProcess(), ElementsAre(a_, b_));
  EXPECT_TRUE(roster_.any_coming_or_up()) << "one is coming";
  roster_.Remove(Number(24));
  EXPECT_FALSE(roster_.any_coming_or_up());
  EXPECT_TRUE(roster_.any_loaded());
}

TEST_F(RosterTest, WhatFailsIsDueAgainSoon) {
  roster_.ProcessLost();
  roster_.Loaded(a_);
  EXPECT_EQ(roster_.Failed(b_, now_), milliseconds(0));
  EXPECT_THAT(roster_.Due(now_), ElementsAre(b_));
  EXPECT_EQ(roster_.Failed(b_, now_), milliseconds(100));
  EXPECT_THAT(roster_.Due(now_), IsEmpty());
  EXPECT_EQ(roster_.NextDue(), now_ + milliseconds(100));
  EXPECT_THAT(roster_.ForNewProcess(), ElementsAre(b_)) << "the other has come to it already";
  roster_.Loaded(b_);
  EXPECT_THAT(roster_.ForNewProcess(), IsEmpty());
  EXPECT_EQ(roster_.NextDue(), Roster::Clock::time_point::max());
}

TEST_F(RosterTest, WhatEndsAProcessStaysOutOfTheNext) {
  roster_.ProcessLost();
  roster_.Ended(a_, now_);
  EXPECT_THAT(roster_.ForNewProcess(), ElementsAre(b_));
  roster_.Loaded(b_);
  EXPECT_EQ(roster_.NextDue(), now_ + seconds(10));
  now_ += seconds(10);
  EXPECT_THAT(roster_.Due(now_), ElementsAre(a_));
  roster_.Ended(a_, now_);
  roster_.ProcessLost();
  EXPECT_THAT(roster_.ForNewProcess(), ElementsAre(b_));
  roster_.Loaded(b_);
  EXPECT_EQ(roster_.NextDue(), now_ + seconds(20));
  roster_.Loaded(a_);
  roster_.ProcessLost();
  EXPECT_THAT(roster_.ForNewProcess(), ElementsAre(a_, b_)) << "it was up: it is as good as any";
}

TEST_F(RosterTest, AProcessThatManyHaveEndedIsForOneOfThemAtATime) {
  roster_.ProcessLost();
  roster_.Ended(a_, now_);
  roster_.Ended(b_, now_ + seconds(1));
  EXPECT_THAT(roster_.ForNewProcess(), ElementsAre(a_));
  roster_.Ended(a_, now_ + seconds(2));
  EXPECT_THAT(roster_.ForNewProcess(), ElementsAre(b_));
}

TEST_F(RosterTest, ThePauseHasAnEnd) {
  for (int i = 0; i < 100; ++i) roster_.Ended(a_, now_);
  roster_.ProcessLost();
  roster_.Loaded(b_);
  EXPECT_EQ(roster_.NextDue(), now_ + Roster::kOutMost);
}

}  // namespace
}  // namespace inferd::worker
