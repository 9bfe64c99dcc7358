#include "net/loop/off_loop.h"

#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <string>

#include "net/fake_exchange.h"

namespace inferd::net {
namespace {

class OffLoopTest : public ::testing::Test {
 protected:
  void Step(bool big) {
    WorkThenGoOn(
        std::make_unique<std::string>("call"), loop_, pool_, big,
        [this](std::string& call) { said_ += call + " works "; },
        [this](std::string& call) { said_ += call + " goes on "; });
  }

  FakeLoop loop_;
  FakePool pool_;
  std::string said_;
};

TEST_F(OffLoopTest, WhatIsSmallRunsBehindTheExecutionsOfTheTurn) {
  base::Turn turn;
  const base::Turn::Scope here(turn);
  turn.AtEnd([this] {
    Step(false);
    said_ += "executed ";
  });
  turn.AtEnd([this] { said_ += "executed "; });
  turn.End();
  EXPECT_EQ(said_, "executed executed call works call goes on ");
  EXPECT_EQ(loop_.RunAll() + pool_.RunAll(), 0u);
}

TEST_F(OffLoopTest, WithoutMemoryAtTheTurnsEndTheCallIsDroppedAsOneWithoutMemory) {
  struct Call {
    ~Call() { dropped_for_want_of_memory = base::DropsForWantOfMemory(); }
    bool& dropped_for_want_of_memory;
  };
  bool dropped = false;
  base::Turn turn;
  const base::Turn::Scope here(turn);
  WorkThenGoOn(
      std::unique_ptr<Call>(new Call{dropped}), loop_, pool_, false, [](Call&) { throw std::bad_alloc(); },
      [](Call&) { FAIL() << "it goes on"; });
  turn.End();
  EXPECT_TRUE(dropped);
}

TEST_F(OffLoopTest, WhatIsSmallRunsAtOnceOnALoopWithoutTurns) {
  Step(false);
  EXPECT_EQ(said_, "call works call goes on ");
  EXPECT_EQ(loop_.RunAll() + pool_.RunAll(), 0u);
}

TEST_F(OffLoopTest, WhatIsSmallIsPostedFromElsewhere) {
  loop_.in_loop = false;
  Step(false);
  EXPECT_EQ(said_, "");
  EXPECT_EQ(pool_.queued(), 0u);
  EXPECT_EQ(loop_.RunAll(), 1u);
  EXPECT_EQ(said_, "call works call goes on ");
}

TEST_F(OffLoopTest, WhatIsBigRunsOnThePoolAndComesBack) {
  Step(true);
  EXPECT_EQ(said_, "");
  EXPECT_EQ(pool_.RunAll(), 1u);
  EXPECT_EQ(said_, "call works ");
  EXPECT_EQ(loop_.RunAll(), 1u);
  EXPECT_EQ(said_, "call works call goes on ");
}

}  // namespace
}  // namespace inferd::net
