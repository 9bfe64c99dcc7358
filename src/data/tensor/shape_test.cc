#include "data/tensor/shape.h"

#include <gtest/gtest.h>

#include <limits>

namespace inferd::tensor {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST(ShapeTest, CountsElements) {
  EXPECT_EQ(Shape().ElementCount(), 1);
  EXPECT_EQ(Shape({0}).ElementCount(), 0);
  EXPECT_EQ(Shape({2, 3, 4}).ElementCount(), 24);
  EXPECT_EQ(Shape({kMax}).ElementCount(), kMax);
  EXPECT_EQ(Shape({int64_t{1} << 31, int64_t{1} << 31}).ElementCount(), int64_t{1} << 62);
}

TEST(ShapeTest, SeesOverflowAndNegativeDimensions) {
  EXPECT_EQ(Shape({int64_t{1} << 32, int64_t{1} << 31}).ElementCount(), std::nullopt);
  EXPECT_EQ(Shape({kMax, kMax}).ElementCount(), std::nullopt);
  EXPECT_EQ(Shape({2, -1}).ElementCount(), std::nullopt);
  EXPECT_EQ(Shape({kMax, kMax, 0}).ElementCount(), 0);
  EXPECT_EQ(Shape({0, -1}).ElementCount(), std::nullopt);
}

TEST(ShapeTest, BeginsWithADimensionOfAnySize) {
  EXPECT_TRUE(BeginsWithAnySize({-1}));
  EXPECT_TRUE(BeginsWithAnySize({-1, 3}));
  EXPECT_FALSE(BeginsWithAnySize({}));
  EXPECT_FALSE(BeginsWithAnySize({1, -1}));
}

TEST(ShapeTest, Prints) {
  EXPECT_EQ(Shape().ToString(), "[]");
  EXPECT_EQ(Shape({-1, 3}).ToString(), "[-1,3]");
}

TEST(ShapeTest, MatchesAnySizeWhereMinusOneStands) {
  EXPECT_TRUE(Matches({-1, 3}, {7, 3}));
  EXPECT_TRUE(Matches({}, {}));
  EXPECT_FALSE(Matches({-1, 3}, {7, 4}));
  EXPECT_FALSE(Matches({-1}, {7, 3}));
}

TEST(ShapeTest, Edits) {
  Shape shape{3};
  shape.Prepend(2);
  shape.Append(4);
  EXPECT_EQ(shape, Shape({2, 3, 4}));
  shape[0] = 5;
  EXPECT_EQ(shape.ToString(), "[5,3,4]");
  shape.clear();
  EXPECT_EQ(shape.rank(), 0u);
}

}  // namespace
}  // namespace inferd::tensor
