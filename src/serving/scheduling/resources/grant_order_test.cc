#include "serving/scheduling/resources/grant_order.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace inferd::scheduling {
namespace {

using Amounts = std::vector<ResourceAmount>;

WaitingClaim Claim(double owner_time, const Amounts& needs) { return {.owner_time = owner_time, .needs = needs}; }

TEST(GrantOrderTest, LeastTimeComesFirst) {
  const Amounts one = {{0, 1}};
  const std::vector<ResourceLevel> levels = {{.free = 1, .limit = 1}};
  std::vector<WaitingClaim> waiting = {Claim(3, one), Claim(1, one), Claim(2, one)};
  EXPECT_EQ(NextGrant(waiting, levels), 1U);
  for (WaitingClaim& claim : waiting) claim.owner_time = 1;
  waiting[2].own_time = -1;
  EXPECT_EQ(NextGrant(waiting, levels), 2U);
  for (WaitingClaim& claim : waiting) claim.own_time = 0;
  waiting[0].ticket = 9;
  waiting[1].ticket = 8;
  waiting[2].ticket = 10;
  EXPECT_EQ(NextGrant(waiting, levels), 1U);
}

TEST(GrantOrderTest, NobodyWaits) { EXPECT_EQ(NextGrant({}, {}), std::nullopt); }

TEST(GrantOrderTest, AllOrNothing) {
  const Amounts both = {{0, 1}, {1, 2}};
  std::vector<ResourceLevel> levels = {{.free = 1, .limit = 1}, {.free = 1, .limit = 2}};
  const std::vector<WaitingClaim> waiting = {Claim(0, both)};
  EXPECT_EQ(NextGrant(waiting, levels), std::nullopt);
  levels[1].free = 2;
  EXPECT_EQ(NextGrant(waiting, levels), 0U);
}

TEST(GrantOrderTest, WhatTheFirstNeedsIsKeptForIt) {
  const Amounts large = {{0, 4}};
  const Amounts small = {{0, 1}};
  const Amounts other = {{1, 1}};
  const std::vector<ResourceLevel> levels = {{.free = 3, .limit = 4}, {.free = 1, .limit = 1}};
  EXPECT_EQ(NextGrant(std::vector{Claim(0, large), Claim(1, small)}, levels), std::nullopt);
  EXPECT_EQ(NextGrant(std::vector{Claim(0, large), Claim(1, small), Claim(2, other)}, levels), 2U);
  EXPECT_EQ(NextGrant(std::vector{Claim(1, large), Claim(0, small)}, levels), 1U);
}

TEST(GrantOrderTest, ComputeThreadsAreNotKeptForWhoeverWaitsForSomethingElse) {
  const Amounts both = {{0, 2}, {1, 1}};
  const Amounts compute = {{0, 1}};
  std::vector<ResourceLevel> levels = {{.free = 2, .limit = 2, .soft = true}, {.free = 0, .limit = 1}};
  EXPECT_EQ(NextGrant(std::vector{Claim(0, both), Claim(1, compute)}, levels), 1U);
  levels[0].free = 1;
  levels[1].free = 1;
  EXPECT_EQ(NextGrant(std::vector{Claim(0, both), Claim(1, compute)}, levels), std::nullopt);
}

TEST(GrantOrderTest, WhoWaitedForTooLongOverdrawsSoftResourcesUpToTwiceTheLimit) {
  const Amounts three = {{0, 3}};
  WaitingClaim claim = Claim(0, three);
  std::vector<ResourceLevel> levels = {{.free = 0, .limit = 4, .soft = true}};
  EXPECT_EQ(NextGrant(std::vector{claim}, levels), std::nullopt);
  claim.overdraws = true;
  EXPECT_EQ(NextGrant(std::vector{claim}, levels), 0U);
  levels[0].free = -2;
  EXPECT_EQ(NextGrant(std::vector{claim}, levels), std::nullopt);
  levels[0] = {.free = 0, .limit = 4, .soft = false};
  EXPECT_EQ(NextGrant(std::vector{claim}, levels), std::nullopt);
}

TEST(GrantOrderTest, BeingAwayEarnsALittle) {
  TurnClock turns;
  turns.Grant(5 * TurnClock::kCreditNs);
  turns.Grant(TurnClock::kCreditNs);
  EXPECT_EQ(turns.Newcomer(), 5 * TurnClock::kCreditNs);
  EXPECT_EQ(turns.Join(0), 4 * TurnClock::kCreditNs);
  EXPECT_EQ(turns.Join(4.5 * TurnClock::kCreditNs), 4.5 * TurnClock::kCreditNs);
}

struct Scene {
  std::vector<Amounts> needs;
  std::vector<WaitingClaim> waiting;
  std::vector<ResourceLevel> levels;
};

Scene RandomScene(std::mt19937& random) {
  const auto below = [&](int n) { return static_cast<int64_t>(random() % static_cast<unsigned>(n)); };
  Scene scene;
  const int64_t resources = 1 + below(4);
  for (int64_t r = 0; r < resources; ++r) {
    const int64_t limit = 1 + below(6);
    scene.levels.push_back(
        {.free = below(static_cast<int>(limit) + 1), .limit = limit, .soft = r == 0 && below(2) > 0});
  }
  const int64_t claims = 1 + below(8);
  for (int64_t i = 0; i < claims; ++i) {
    Amounts& needs = scene.needs.emplace_back();
    for (size_t r = 0; r < scene.levels.size(); ++r) {
      if (below(2) > 0) needs.push_back({r, 1 + below(static_cast<int>(scene.levels[r].limit))});
    }
    if (needs.empty()) needs.push_back({0, 1});
  }
  for (size_t i = 0; i < scene.needs.size(); ++i) {
    scene.waiting.push_back({.owner_time = static_cast<double>(below(4)),
                             .own_time = static_cast<double>(below(3)),
                             .ticket = i,
                             .needs = scene.needs[i],
                             .overdraws = below(4) == 0});
  }
  return scene;
}

bool IsBefore(const WaitingClaim& a, const WaitingClaim& b) {
  if (a.owner_time != b.owner_time) return a.owner_time < b.owner_time;
  return a.own_time != b.own_time ? a.own_time < b.own_time : a.ticket < b.ticket;
}

TEST(GrantOrderTest, PropertiesOfAGrant) {
  std::mt19937 random(20261121);
  int grants = 0;
  for (int round = 0; round < 50'000; ++round) {
    const Scene scene = RandomScene(random);
    const std::optional<size_t> next = NextGrant(scene.waiting, scene.levels);
    const auto first = std::ranges::min_element(scene.waiting, IsBefore);
    const auto has_all = [&](const WaitingClaim& claim) {
      return std::ranges::all_of(claim.needs, [&](const ResourceAmount& need) {
        const ResourceLevel& level = scene.levels[need.resource];
        return level.free + (level.soft && claim.overdraws ? level.limit : 0) >= need.count;
      });
    };
    if (has_all(*first)) {
      ASSERT_EQ(next, static_cast<size_t>(first - scene.waiting.begin())) << "round " << round;
    }
    if (!next.has_value()) continue;
    ++grants;
    const WaitingClaim& chosen = scene.waiting[*next];
    ASSERT_TRUE(has_all(chosen)) << "round " << round;
    // Resources that are not soft are never taken from earlier claims.
    for (const ResourceAmount& need : chosen.needs) {
      if (scene.levels[need.resource].soft) continue;
      int64_t left = scene.levels[need.resource].free - need.count;
      for (const WaitingClaim& other : scene.waiting) {
        if (!IsBefore(other, chosen)) continue;
        for (const ResourceAmount& wish : other.needs) left -= wish.resource == need.resource ? wish.count : 0;
      }
      ASSERT_GE(left, 0) << "round " << round;
    }
  }
  EXPECT_GT(grants, 10'000);
}

// Claims of all sizes that always return, each holding its resources for a random time.
TEST(GrantOrderTest, NobodyStarves) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed);
    Scene scene = RandomScene(random);
    for (ResourceLevel& level : scene.levels) level.free = level.limit;
    struct State {
      bool holds = false;
      int ends_at = 0;
      int waits_since = 0;
    };
    std::vector<State> states(scene.waiting.size());
    for (WaitingClaim& claim : scene.waiting) claim = {.ticket = claim.ticket, .needs = claim.needs};
    for (int now = 1; now <= 2000; ++now) {
      std::vector<WaitingClaim> waiting;
      std::vector<size_t> who;
      for (size_t i = 0; i < states.size(); ++i) {
        if (states[i].holds && states[i].ends_at <= now) {
          states[i].holds = false;
          states[i].waits_since = now;
          for (const ResourceAmount& need : scene.needs[i]) scene.levels[need.resource].free += need.count;
        }
        if (states[i].holds) continue;
        ASSERT_LT(now - states[i].waits_since, 300) << "seed " << seed << ", claim " << i;
        waiting.push_back(scene.waiting[i]);
        who.push_back(i);
      }
      while (const auto next = NextGrant(waiting, scene.levels)) {
        const size_t i = who[*next];
        const int lasts = 1 + static_cast<int>(random() % 9);
        states[i] = {.holds = true, .ends_at = now + lasts};
        scene.waiting[i].owner_time += lasts;
        for (const ResourceAmount& need : scene.needs[i]) scene.levels[need.resource].free -= need.count;
        waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(*next));
        who.erase(who.begin() + static_cast<std::ptrdiff_t>(*next));
      }
    }
  }
}

}  // namespace
}  // namespace inferd::scheduling
