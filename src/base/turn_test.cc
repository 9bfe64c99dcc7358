#include "base/turn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace inferd::base {
namespace {

TEST(TurnTest, IsItsThreadsForTheScope) {
  EXPECT_EQ(Turn::Current(), nullptr);
  Turn turn;
  {
    Turn::Scope here(turn);
    EXPECT_EQ(Turn::Current(), &turn);
    std::thread([] { EXPECT_EQ(Turn::Current(), nullptr); }).join();
  }
  EXPECT_EQ(Turn::Current(), nullptr);
}

TEST(TurnTest, ThereIsMoreWhileAnyoneKnowsOfMore) {
  Turn turn;
  EXPECT_FALSE(turn.more());
  {
    Turn::More events(&turn, true);
    {
      Turn::More streams(&turn, false);
      EXPECT_TRUE(turn.more());
    }
    EXPECT_TRUE(turn.more());
  }
  Turn::More last(&turn, false);
  EXPECT_FALSE(turn.more());
  Turn::More nobodys(nullptr, true);
}

TEST(TurnTest, AskedToLookAgainItDoesSoOnce) {
  Turn turn;
  EXPECT_FALSE(turn.TakeLookAgain());
  turn.LookAgain();
  turn.LookAgain();
  EXPECT_TRUE(turn.TakeLookAgain());
  EXPECT_FALSE(turn.TakeLookAgain());
}

TEST(TurnTest, TheEndRunsWhatWasAskedForInOrder) {
  Turn turn;
  std::vector<int> ran;
  turn.AtEnd([&] {
    ran.push_back(1);
    turn.AtEnd([&] { ran.push_back(3); });
  });
  turn.AtEnd([&] { ran.push_back(2); });
  EXPECT_TRUE(ran.empty());
  turn.End();
  EXPECT_THAT(ran, ::testing::ElementsAre(1, 2, 3));
  turn.End();
  EXPECT_EQ(ran.size(), 3u);
}

TEST(TurnTest, SomeOfItWaitsForTheNextTurn) {
  Turn turn;
  int ran = 0;
  turn.Begin();
  turn.AtNextEnd([&] { ++ran; });
  turn.End();
  turn.End();
  EXPECT_EQ(ran, 0);
  EXPECT_TRUE(turn.continues());
  turn.Begin();
  EXPECT_FALSE(turn.continues());
  turn.End();
  EXPECT_EQ(ran, 1);
}

}  // namespace
}  // namespace inferd::base
