#include "base/turn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <latch>
#include <string>
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

TEST(TurnTest, AThreadKeepsItselfFreeOfExecutionsForAWhile) {
  Turn turn;
  Turn::Scope here(turn);
  {
    const NoExecutions free("call");
    ASSERT_NE(Turn::Current(), nullptr);
    EXPECT_FALSE(Turn::Current()->executes());
    EXPECT_EQ(Turn::Current()->name(), "call");
  }
  EXPECT_EQ(Turn::Current(), &turn);
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

// A movable turn whose thread lends it until the clock's time is 100.
class MovableTurnTest : public ::testing::Test, public Turn::Watch, public Turn::Borrower {
 protected:
  void WatchLent() override { ++asked_; }
  void OnMoved() override { moved_ = std::this_thread::get_id(); }

  // Lends the turn, and returns after Release() was called.
  void CallForeignCode() {
    const Turn::Loan loan(Turn::Scope::Current(), 100, *this);
    lent_.count_down();
    release_.wait();
    if (recalls_) {
      const Turn::Recall recall;
      during_recall_ = Turn::Current();
    }
  }
  void Release() { release_.count_down(); }
  // Starts a thread whose turn has two tasks; the first calls foreign code.
  std::thread Start() {
    std::thread thread([this] {
      Turn::Scope here(turn_);
      scope_ = &here;
      turn_.AtEnd([this] {
        CallForeignCode();
        after_ = Turn::Current();
      });
      turn_.AtEnd([this] { behind_ = std::this_thread::get_id(); });
      keeps_ = turn_.End();
    });
    lent_.wait();
    return thread;
  }

  Turn turn_{"t", true, nullptr, nullptr, this};
  std::latch lent_{1};
  std::latch release_{1};
  bool recalls_ = false;
  int asked_ = 0;
  Turn::Scope* scope_ = nullptr;
  std::thread::id moved_;
  std::thread::id behind_;
  Turn* after_ = &turn_;
  Turn* during_recall_ = &turn_;
  bool keeps_ = true;
};

TEST_F(MovableTurnTest, GoesOnOnAnotherThreadBehindTheTaskThatLendsItForTooLong) {
  std::thread first = Start();
  EXPECT_FALSE(scope_->Take(99));
  ASSERT_TRUE(scope_->Take(100));
  EXPECT_FALSE(scope_->Take(100)) << "once";
  {
    Turn::Scope here(turn_);
    scope_->Move();
    EXPECT_TRUE(turn_.End());
    turn_.AtEnd([] {});
    EXPECT_TRUE(turn_.End());
  }
  EXPECT_EQ(moved_, std::this_thread::get_id());
  EXPECT_EQ(behind_, std::this_thread::get_id());
  Release();
  first.join();
  EXPECT_FALSE(keeps_);
  EXPECT_EQ(after_, nullptr);
}

TEST_F(MovableTurnTest, AThreadThatCallsBackFindsThatItHasLostItsTurn) {
  recalls_ = true;
  std::thread first = Start();
  ASSERT_TRUE(scope_->Take(100));
  scope_->Move();
  Release();
  first.join();
  EXPECT_EQ(during_recall_, nullptr);
  EXPECT_EQ(after_, nullptr);
  EXPECT_FALSE(keeps_);
  turn_.End();
  EXPECT_EQ(behind_, std::this_thread::get_id());
}

TEST_F(MovableTurnTest, AThreadThatCallsBackInTimeKeepsItsTurn) {
  recalls_ = true;
  std::thread first = Start();
  const std::thread::id id = first.get_id();
  Release();
  first.join();
  EXPECT_EQ(during_recall_, &turn_);
  EXPECT_EQ(after_, &turn_);
  EXPECT_TRUE(keeps_);
  EXPECT_EQ(behind_, id);
}

TEST_F(MovableTurnTest, ATurnThatWasTakenInVainIsReturned) {
  std::thread first = Start();
  ASSERT_TRUE(scope_->Take(200));
  Release();
  scope_->Return();
  first.join();
  EXPECT_EQ(after_, &turn_);
  EXPECT_TRUE(keeps_);
}

TEST_F(MovableTurnTest, TheWatchIsAskedForOnceUntilItStops) {
  Turn::Scope here(turn_);
  Release();
  turn_.AtEnd([this] {
    EXPECT_TRUE(turn_.is_lendable());
    {
      const Turn::Loan loan(Turn::Scope::Current(), 100, *this);
    }
    {
      const Turn::Loan loan(Turn::Scope::Current(), 100, *this);
    }
    EXPECT_EQ(asked_, 1);
    turn_.StopWatching();
    {
      const Turn::Loan loan(Turn::Scope::Current(), 100, *this);
    }
    EXPECT_EQ(asked_, 2);
  });
  EXPECT_TRUE(turn_.End());
  EXPECT_FALSE(turn_.is_lendable());
}

TEST_F(MovableTurnTest, AStepRunsWithThoseThatItSets) {
  std::string ran;
  struct Steps {
    Turn& turn;
    std::string& ran;
  } steps{turn_, ran};
  Turn::Scope here(turn_);
  turn_.SetStep({.run =
                     [](void* first, void* second) {
                       auto& steps = *static_cast<Steps*>(first);
                       EXPECT_EQ(second, nullptr);
                       EXPECT_FALSE(steps.turn.has_step());
                       EXPECT_TRUE(steps.turn.is_lendable());
                       steps.ran += '1';
                       steps.turn.SetStep(
                           {.run = [](void* of, void*) { static_cast<Steps*>(of)->ran += '2'; }, .first = first});
                     },
                 .first = &steps});
  EXPECT_TRUE(turn_.has_step());
  EXPECT_TRUE(turn_.RunStep());
  EXPECT_EQ(ran, "12");
  EXPECT_FALSE(turn_.has_step());
  EXPECT_FALSE(turn_.is_lendable());
}

}  // namespace
}  // namespace inferd::base
