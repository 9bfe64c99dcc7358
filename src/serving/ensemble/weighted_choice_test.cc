#include "serving/ensemble/weighted_choice.h"

#include <gtest/gtest.h>

#include <array>

namespace inferd::ensemble {
namespace {

TEST(WeightedChoiceTest, IsAsOftenAsTheWeightsSay) {
  const WeightedChoice choice({90, 0, 9, 1});
  std::array<int, 4> taken{};
  for (int i = 0; i < 10'000; ++i) ++taken[choice.Of({})];
  EXPECT_NEAR(taken[0], 9000, 10);
  EXPECT_EQ(taken[1], 0);
  EXPECT_NEAR(taken[2], 900, 10);
  EXPECT_NEAR(taken[3], 100, 10);
}

TEST(WeightedChoiceTest, FewRequestsAreSpread) {
  const WeightedChoice choice({1, 1});
  std::array<int, 2> taken{};
  for (int i = 0; i < 10; ++i) ++taken[choice.Of({})];
  EXPECT_NEAR(taken[0], 5, 1);
}

TEST(WeightedChoiceTest, ASequenceStays) {
  const WeightedChoice choice({1, 1});
  std::array<int, 2> taken{};
  for (uint64_t id = 1; id <= 1000; ++id) {
    const size_t first = choice.Of({.id = id});
    EXPECT_EQ(choice.Of({.id = id}), first);
    EXPECT_EQ(choice.Of({.id = std::to_string(id)}), choice.Of({.id = std::to_string(id)}));
    ++taken[first];
  }
  EXPECT_NEAR(taken[0], 500, 100);
}

}  // namespace
}  // namespace inferd::ensemble
