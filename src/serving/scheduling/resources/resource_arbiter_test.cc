#include "serving/scheduling/resources/resource_arbiter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <thread>

namespace inferd::scheduling {
namespace resource_arbiter_test {

using Claim = ResourceArbiter::Claim;
using Need = ResourceArbiter::Need;

constexpr int64_t kForeverNs = int64_t{3600} * 1'000'000'000;
constexpr int64_t kMs = 1'000'000;

std::unique_ptr<Claim> Register(ResourceArbiter& arbiter, ResourceArbiter::ClaimSpec spec) {
  auto claim = arbiter.Register(std::move(spec));
  EXPECT_TRUE(claim.has_value()) << claim.error().ToString();
  return *std::move(claim);
}

std::string RegisterError(ResourceArbiter& arbiter, std::vector<Need> needs) {
  auto claim = arbiter.Register({.owner = "m", .needs = std::move(needs)});
  return claim.has_value() ? "" : claim.error().ToString();
}

void AwaitWaiting(const ResourceArbiter& arbiter, int count) {
  while (arbiter.waiting() != count) std::this_thread::yield();
}

TEST(ResourceArbiterTest, WhoNeedsNothingNeverWaits) {
  ResourceArbiter arbiter;
  const auto claim = Register(arbiter, {.owner = "m", .cpu_threads = 4});
  EXPECT_TRUE(claim->free());
  EXPECT_TRUE(claim->Acquire());
  EXPECT_TRUE(claim->Renew(1));
  claim->Release(1);
}

TEST(ResourceArbiterTest, NotGivenIsTheMostThatAnyNeeds) {
  ResourceArbiter arbiter;
  const auto three = Register(arbiter, {.owner = "a", .needs = {{"R1", 0, 3}}});
  const auto one = Register(arbiter, {.owner = "b", .needs = {{"R1", 0, 1}}});
  EXPECT_TRUE(three->TryAcquire());
  EXPECT_FALSE(one->TryAcquire());
  auto four = Register(arbiter, {.owner = "c", .needs = {{"R1", 0, 4}}});
  EXPECT_TRUE(one->TryAcquire());
  one->Release(1);
  four.reset();
  EXPECT_FALSE(one->TryAcquire());
  three->Release(1);
}

TEST(ResourceArbiterTest, DevicesHaveTheirOwnAndShareWhatIsGlobal) {
  ResourceArbiter arbiter({.limits = {{"R1", 1, 2}, {"R1", -1, 1}}});
  const auto on_0 = Register(arbiter, {.owner = "a", .needs = {{"R1", 0, 1}}});
  const auto also_on_0 = Register(arbiter, {.owner = "a", .needs = {{"R1", 0, 1}}});
  const auto on_1 = Register(arbiter, {.owner = "a", .needs = {{"R1", 1, 2}}});
  EXPECT_TRUE(on_0->TryAcquire());
  EXPECT_TRUE(on_1->TryAcquire());
  EXPECT_FALSE(also_on_0->TryAcquire());
  on_0->Release(1);
  on_1->Release(1);
}

TEST(ResourceArbiterTest, WhatIsGivenForOtherDevicesIsNotThere) {
  ResourceArbiter arbiter({.limits = {{"R1", 10, 10}, {"R2", 0, 2}, {"R2", 1, 3}}});
  EXPECT_THAT(RegisterError(arbiter, {{"R1", 0, 4}}),
              ::testing::HasSubstr("Resource count for \"R1\" is limited to 0"));
  EXPECT_EQ(RegisterError(arbiter, {{"R1", 10, 4}}), "");
  EXPECT_THAT(RegisterError(arbiter, {{"R2", 0, 3}}), ::testing::HasSubstr("is limited to 2"));
  EXPECT_EQ(RegisterError(arbiter, {{"R2", -1, 3}}), "") << "global: the most of any device";
  EXPECT_EQ(RegisterError(arbiter, {{"R3", 0, 9}}), "") << "nothing is said of it";
}

TEST(ResourceArbiterTest, RefusesWhatCanNeverBe) {
  ResourceArbiter arbiter({.limits = {{"R1", -1, 2}}});
  EXPECT_THAT(RegisterError(arbiter, {{"R1", 0, 3}}),
              ::testing::HasSubstr("INVALID_ARGUMENT: Resource count for \"R1\" is limited to 2 which will prevent "
                                   "scheduling of one or more model instances, the minimum required count is 3"));
  EXPECT_THAT(RegisterError(arbiter, {{"R1", 0, 1}, {"R1", 0, 2}}), ::testing::HasSubstr("required count is 3"));
  EXPECT_THAT(RegisterError(arbiter, {{"R2", 0, 1}, {"R2", -1, 1}}), ::testing::HasSubstr("both global and device"));
  const auto claim = Register(arbiter, {.owner = "m", .needs = {{"R2", -1, 1}}});
  EXPECT_THAT(RegisterError(arbiter, {{"R2", 0, 1}}), ::testing::HasSubstr("both global and device"));
}

TEST(ResourceArbiterTest, ResourcesAreWithoutEffectWhereTheOptionsSaySo) {
  ResourceArbiter arbiter({.rate_limit = false, .limits = {{"R1", -1, 1}}});
  EXPECT_TRUE(Register(arbiter, {.owner = "m", .needs = {{"R1", 0, 3}}})->free());
}

TEST(ResourceArbiterTest, WaitsUntilAllIsFree) {
  ResourceArbiter arbiter({.limits = {{"R1", -1, 1}, {"R2", -1, 1}}});
  const auto r1 = Register(arbiter, {.owner = "a", .needs = {{"R1", 0, 1}}});
  const auto r2 = Register(arbiter, {.owner = "b", .needs = {{"R2", 0, 1}}});
  const auto both = Register(arbiter, {.owner = "c", .needs = {{"R1", 0, 1}, {"R2", 0, 1}}});
  ASSERT_TRUE(r1->TryAcquire());
  ASSERT_TRUE(r2->TryAcquire());
  std::atomic<bool> held{false};
  std::thread waiter([&] {
    held = both->Acquire();
    if (held) both->Release(1);
  });
  AwaitWaiting(arbiter, 1);
  r1->Release(1);
  EXPECT_FALSE(r1->TryAcquire()) << "it is kept for the one that waits";
  EXPECT_FALSE(held);
  r2->Release(1);
  waiter.join();
  EXPECT_TRUE(held);
  EXPECT_TRUE(r1->TryAcquire());
  r1->Release(1);
}

TEST(ResourceArbiterTest, CancelEndsAWait) {
  ResourceArbiter arbiter({.limits = {{"R", -1, 2}}});
  const auto holder = Register(arbiter, {.owner = "a", .needs = {{"R", 0, 1}}});
  const auto both = Register(arbiter, {.owner = "b", .needs = {{"R", 0, 2}}});
  const auto behind = Register(arbiter, {.owner = "c", .needs = {{"R", 0, 1}}});
  ASSERT_TRUE(holder->Acquire());
  std::thread first([&] { EXPECT_FALSE(both->Acquire()); });
  AwaitWaiting(arbiter, 1);
  std::thread second([&] {
    EXPECT_TRUE(behind->Acquire());
    behind->Release(1);
  });
  AwaitWaiting(arbiter, 2);
  both->Cancel();
  first.join();
  second.join();
  EXPECT_FALSE(both->Acquire());
  EXPECT_FALSE(both->TryAcquire());
  holder->Cancel();
  EXPECT_FALSE(holder->Renew(1)) << "and it is given back";
  EXPECT_TRUE(behind->Acquire());
  behind->Release(1);
}

TEST(ResourceArbiterTest, RenewHoldsOnWhileNobodyWaits) {
  ResourceArbiter arbiter({}, 1, kForeverNs);
  const auto a = Register(arbiter, {.owner = "a", .cpu_threads = 8});
  const auto b = Register(arbiter, {.owner = "b", .cpu_threads = 1});
  ASSERT_TRUE(a->Acquire());
  EXPECT_TRUE(a->Renew(kMs));
  EXPECT_TRUE(a->TryRenew(kMs));
  std::thread waiter([&] {
    EXPECT_TRUE(b->Acquire());
    b->Release(1);
  });
  AwaitWaiting(arbiter, 1);
  EXPECT_FALSE(a->TryRenew(kMs));
  waiter.join();
  EXPECT_TRUE(a->TryAcquire());
  a->Release(1);
}

TEST(ResourceArbiterTest, WhoIsStuckWithComputeThreadsHoldsUpNobodyElse) {
  ResourceArbiter arbiter({}, 2, 0);
  const auto stuck = Register(arbiter, {.owner = "stuck", .cpu_threads = 2});
  const auto same = Register(arbiter, {.owner = "stuck", .cpu_threads = 1});
  const auto other = Register(arbiter, {.owner = "other", .cpu_threads = 2});
  const auto third = Register(arbiter, {.owner = "third", .cpu_threads = 1});
  ASSERT_TRUE(stuck->Acquire());
  EXPECT_FALSE(other->TryAcquire());
  EXPECT_TRUE(other->Acquire()) << "though none is free";
  std::thread same_owner([&] { EXPECT_FALSE(same->Acquire()); });
  std::thread over_twice([&] { EXPECT_FALSE(third->Acquire()); });
  AwaitWaiting(arbiter, 2);
  same->Cancel();
  third->Cancel();
  same_owner.join();
  over_twice.join();
  other->Release(1);
  stuck->Release(1);
}

// A claim that always wants more, and the time of each of its executions.
struct Contender {
  ResourceArbiter::ClaimSpec spec;
  int64_t service_ns = kMs;
};

// Returns how often each was served, of about `grants` in total.
std::vector<int> Contend(ResourceArbiter& arbiter, const std::vector<Contender>& contenders, int grants) {
  const auto gate = Register(arbiter, {.owner = "gate", .needs = {{"R", 0, 1}}, .cpu_threads = 1'000});
  EXPECT_TRUE(gate->Acquire());
  std::vector<std::unique_ptr<Claim>> claims;
  std::vector<std::thread> threads;
  std::vector<int> served(contenders.size());
  std::atomic<int> left{grants};
  for (const Contender& contender : contenders) claims.push_back(Register(arbiter, contender.spec));
  for (size_t i = 0; i < contenders.size(); ++i) {
    threads.emplace_back([&, i] {
      bool held = claims[i]->Acquire();
      while (held) {
        if (left.fetch_sub(1) == 1) {
          for (const auto& claim : claims) claim->Cancel();
        }
        if (left.load() >= 0) ++served[i];
        held = claims[i]->Renew(contenders[i].service_ns);
      }
    });
  }
  AwaitWaiting(arbiter, static_cast<int>(contenders.size()));
  gate->Release(1);
  for (std::thread& thread : threads) thread.join();
  return served;
}

TEST(ResourceArbiterTest, OwnersGetEqualTime) {
  ResourceArbiter arbiter({}, 1, kForeverNs);
  const std::vector<int> served = Contend(
      arbiter, {{{.owner = "slow", .cpu_threads = 1}, 10 * kMs}, {{.owner = "fast", .cpu_threads = 1}, kMs}}, 1100);
  EXPECT_NEAR(served[0], 100, 5);
  EXPECT_NEAR(served[1], 1000, 5);
}

TEST(ResourceArbiterTest, PriorityNGetsTheNthPart) {
  ResourceArbiter arbiter({.limits = {{"R", -1, 1}}});
  const auto spec = [](std::string owner, uint32_t priority) {
    return ResourceArbiter::ClaimSpec{.owner = std::move(owner), .needs = {{"R", 0, 1}}, .priority = priority};
  };
  const std::vector<int> served = Contend(arbiter, {{spec("a", 1)}, {spec("b", 2)}, {spec("c", 3)}}, 1100);
  EXPECT_NEAR(served[0], 600, 6);
  EXPECT_NEAR(served[1], 300, 6);
  EXPECT_NEAR(served[2], 200, 6);
}

TEST(ResourceArbiterTest, ManyInstancesCountAsOneOwner) {
  ResourceArbiter arbiter({}, 1, kForeverNs);
  std::vector<Contender> contenders(4, {{.owner = "many", .cpu_threads = 1}});
  contenders.push_back({{.owner = "one", .cpu_threads = 1}});
  const std::vector<int> served = Contend(arbiter, contenders, 800);
  EXPECT_NEAR(served[4], 400, 5);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(served[static_cast<size_t>(i)], 100, 5);
}

// Two claims for one thread each must not always leave the third, which needs two, waiting.
TEST(ResourceArbiterTest, LargeClaimsGetTheirShareBesideSmallOnes) {
  ResourceArbiter arbiter({}, 2, kForeverNs);
  const std::vector<int> served = Contend(
      arbiter,
      {{{.owner = "a", .cpu_threads = 1}}, {{.owner = "b", .cpu_threads = 1}}, {{.owner = "large", .cpu_threads = 2}}},
      1000);
  EXPECT_NEAR(served[0], 400, 10);
  EXPECT_NEAR(served[1], 400, 10);
  EXPECT_NEAR(served[2], 200, 10);
}

// For the thread sanitizer: limits hold, and every thread finishes, whatever the threads do.
TEST(ResourceArbiterTest, ManyThreads) {
  constexpr int kThreads = 8;
  constexpr int kCpus = 3;
  const std::array<int64_t, 2> limits = {2, 4};
  ResourceArbiter arbiter({.limits = {{"R0", -1, 2}, {"R1", -1, 4}}}, kCpus, 20'000);
  std::array<std::atomic<int64_t>, 2> held = {};
  std::atomic<int> cpus_held{0};
  std::atomic<int> runs{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(static_cast<unsigned>(t));
      const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<unsigned>(n)); };
      const auto execute = [&](const std::array<int64_t, 2>& needs, int cpus) {
        for (size_t r = 0; r < 2; ++r) EXPECT_LE(held[r] += needs[r], limits[r]);
        EXPECT_LE(cpus_held += cpus, 2 * kCpus);
        ++runs;
        for (size_t r = 0; r < 2; ++r) held[r] -= needs[r];
        cpus_held -= cpus;
      };
      for (int lives = 0; lives < 20; ++lives) {
        const std::array<int64_t, 2> needs = {below(3), below(5)};
        const int cpus = static_cast<int>(below(kCpus + 1));
        const auto claim = Register(
            arbiter, {.owner = std::to_string(below(3)),
                      .needs = {{"R0", 0, static_cast<uint32_t>(needs[0])}, {"R1", 0, static_cast<uint32_t>(needs[1])}},
                      .cpu_threads = cpus,
                      .priority = static_cast<uint32_t>(below(4))});
        for (int i = 0; i < 50; ++i) {
          if (!(below(2) == 0 ? claim->TryAcquire() : claim->Acquire())) continue;
          do {
            execute(needs, cpus);
          } while (below(2) == 0 && (below(2) == 0 ? claim->TryRenew(below(kMs)) : claim->Renew(below(kMs))) &&
                   (execute(needs, cpus), true));
          // TryRenew() has either released it, or still holds it.
          if (claim->held()) claim->Release(below(kMs));
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(runs.load(), 1000);
  EXPECT_EQ(arbiter.waiting(), 0);
}

}  // namespace resource_arbiter_test
}  // namespace inferd::scheduling
