#include "net/loop/off_loop.h"

#include <gtest/gtest.h>

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

TEST_F(OffLoopTest, WhatIsSmallRunsAtOnceOnTheLoopsThread) {
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
