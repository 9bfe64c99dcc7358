#include "serving/core/model/tensor_reshape.h"

#include <gtest/gtest.h>

namespace inferd::core {
namespace {

using tensor::Shape;

TensorSpec Spec(Shape shape, Shape reshape) {
  return {.name = "T", .datatype = tensor::DataType::kFp32, .shape = std::move(shape), .reshape = std::move(reshape)};
}

TEST(TensorReshapeTest, TheBatchDimensionStays) {
  const TensorSpec spec = Spec({-1, 4}, {2, 2});
  EXPECT_EQ(EngineShape(spec, {3, 4}, true), (Shape{3, 2, 2}));
  EXPECT_EQ(ClientShape(spec, {3, 2, 2}, true).value(), (Shape{3, 4}));
}

TEST(TensorReshapeTest, AnElementMayBecomeAScalar) {
  const TensorSpec spec = Spec({-1, 1}, {});
  EXPECT_EQ(EngineShape(spec, {3, 1}, true), (Shape{3}));
  EXPECT_EQ(ClientShape(spec, {3}, true).value(), (Shape{3, 1}));
}

TEST(TensorReshapeTest, OpenDimensionsAreTheSameOnesInOrder) {
  const TensorSpec spec = Spec({-1, -1, 4, -1}, {1, -1, -1, 2, 2});
  EXPECT_EQ(EngineShape(spec, {2, 5, 4, 6}, true), (Shape{2, 1, 5, 6, 2, 2}));
  EXPECT_EQ(ClientShape(spec, {2, 1, 5, 6, 2, 2}, true).value(), (Shape{2, 5, 4, 6}));
}

TEST(TensorReshapeTest, WithoutABatchDimension) {
  const TensorSpec spec = Spec({1, -1}, {-1});
  EXPECT_EQ(EngineShape(spec, {1, 7}, false), (Shape{7}));
  EXPECT_EQ(ClientShape(spec, {7}, false).value(), (Shape{1, 7}));
}

TEST(TensorReshapeTest, AnEngineMayNotGiveAnything) {
  const TensorSpec spec = Spec({-1, 4}, {2, 2});
  EXPECT_EQ(ClientShape(spec, {3, 4}, true).error(),
            base::Internal("the engine returned output 'T' with shape [3,4], expected [-1,2,2]"));
  EXPECT_FALSE(ClientShape(spec, {3, 2, 3}, true).has_value());
}

TEST(TensorReshapeTest, OpenDimensionsMustPair) {
  EXPECT_TRUE(CheckReshape(Spec({-1, -1}, {-1, 1}), true).ok());
  EXPECT_FALSE(CheckReshape(Spec({-1, -1}, {4}), true).ok());
  EXPECT_FALSE(CheckReshape(Spec({-1, 4}, {-1}), true).ok());
  EXPECT_FALSE(CheckReshape(Spec({-1, -1}, {-1, 1}), false).ok());
}

}  // namespace
}  // namespace inferd::core
