#include "net/loop_choice.h"

#include <gtest/gtest.h>

#include <vector>

namespace inferd::net {
namespace {

constexpr int64_t kHeldNs = 1000;

using Counts = std::vector<size_t>;

size_t Choose(const Counts& connections, size_t packed, const std::vector<int64_t>& turns_ns = {}) {
  std::vector<LoopLoad> loops;
  for (size_t i = 0; i < connections.size(); ++i) {
    loops.push_back({.connections = connections[i], .turn_ns = turns_ns.empty() ? 0 : turns_ns[i]});
  }
  return ChooseLoop(loops, packed, kHeldNs);
}

TEST(ChooseLoopTest, FillsOneLoopAfterTheOther) {
  EXPECT_EQ(Choose(Counts{0, 0, 0}, 4), 0u);
  EXPECT_EQ(Choose(Counts{3, 0, 0}, 4), 0u);
  EXPECT_EQ(Choose(Counts{4, 0, 0}, 4), 1u);
  EXPECT_EQ(Choose(Counts{4, 4, 1}, 4), 2u);
}

TEST(ChooseLoopTest, RefillsALoopThatLostConnections) { EXPECT_EQ(Choose(Counts{4, 2, 4}, 4), 1u); }

TEST(ChooseLoopTest, SpreadsWhatIsMore) {
  EXPECT_EQ(Choose(Counts{4, 4, 4}, 4), 0u);
  EXPECT_EQ(Choose(Counts{6, 5, 5}, 4), 1u);
}

TEST(ChooseLoopTest, SpreadsAtOnceWhereNothingIsPacked) {
  EXPECT_EQ(Choose(Counts{1, 0}, 1), 1u);
  EXPECT_EQ(Choose(Counts{1, 0}, 0), 1u);
}

TEST(ChooseLoopTest, PassesOverALoopThatIsHeld) {
  EXPECT_EQ(Choose(Counts{0, 0, 0}, 4, {kHeldNs, 0, 0}), 0u) << "not yet";
  EXPECT_EQ(Choose(Counts{0, 0, 0}, 4, {kHeldNs + 1, 0, 0}), 1u);
  EXPECT_EQ(Choose(Counts{4, 7, 6}, 4, {kHeldNs + 1, 0, 0}), 2u);
}

TEST(ChooseLoopTest, WhereAllAreHeldNone) {
  EXPECT_EQ(Choose(Counts{0, 9, 3}, 4, {kHeldNs + 3, kHeldNs + 1, kHeldNs + 2}), 3u);
}

TEST(ChooseLoopTest, HasNoChoiceOfOne) { EXPECT_EQ(Choose(Counts{9}, 4), 0u); }

}  // namespace
}  // namespace inferd::net
