#include "serving/scheduling/batch/batch_io.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/recording_execution.h"

namespace inferd::scheduling {
namespace {

using config::BatchInputKind;
using inferd::support::ValuesOf;
using tensor::DataType;
using tensor::Shape;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Requests of [1,3], [2,2] (two rows) and [1,0].
const std::vector<Shape> kShapes = {{1, 3}, {2, 2}, {1, 0}};

GeneratedTensor Make(BatchInputKind kind, const std::vector<Shape>& shapes = kShapes,
                     DataType datatype = DataType::kInt32) {
  return MakeBatchInput(kind, datatype, shapes).value();
}

TEST(BatchInputTest, ElementCount) {
  const GeneratedTensor tensor = Make(BatchInputKind::kElementCount);
  EXPECT_EQ(tensor.shape, (Shape{3}));
  EXPECT_THAT(ValuesOf<int32_t>(tensor.data), ElementsAre(3, 4, 0)) << "of a request, all its rows together";
}

TEST(BatchInputTest, AccumulatedElementCount) {
  const GeneratedTensor tensor = Make(BatchInputKind::kAccumulatedElementCount);
  EXPECT_EQ(tensor.shape, (Shape{3}));
  EXPECT_THAT(ValuesOf<int32_t>(tensor.data), ElementsAre(3, 7, 7));
}

TEST(BatchInputTest, AccumulatedElementCountWithZero) {
  const GeneratedTensor tensor = Make(BatchInputKind::kAccumulatedElementCountWithZero);
  EXPECT_EQ(tensor.shape, (Shape{4}));
  EXPECT_THAT(ValuesOf<int32_t>(tensor.data), ElementsAre(0, 3, 7, 7));
}

TEST(BatchInputTest, MaxElementCountAsShape) {
  const GeneratedTensor tensor = Make(BatchInputKind::kMaxElementCountAsShape);
  EXPECT_EQ(tensor.shape, (Shape{4}));
  EXPECT_THAT(ValuesOf<int32_t>(tensor.data), ElementsAre(0, 0, 0, 0));
}

// The example in Triton's model_config.proto.
TEST(BatchInputTest, ItemShape) {
  const std::vector<Shape> shapes = {{2, 3, 1}, {1, 2, 2}};
  const GeneratedTensor tensor = Make(BatchInputKind::kItemShape, shapes);
  EXPECT_EQ(tensor.shape, (Shape{3, 2}));
  EXPECT_THAT(ValuesOf<int32_t>(tensor.data), ElementsAre(3, 1, 3, 1, 2, 2));
}

TEST(BatchInputTest, ItemShapeFlatten) {
  const std::vector<Shape> shapes = {{2, 3, 1}, {1, 2, 2}};
  const GeneratedTensor tensor = Make(BatchInputKind::kItemShapeFlatten, shapes);
  EXPECT_EQ(tensor.shape, (Shape{6}));
  EXPECT_THAT(ValuesOf<int32_t>(tensor.data), ElementsAre(3, 1, 3, 1, 2, 2));
}

TEST(BatchInputTest, ComesAsFloatsToo) {
  const GeneratedTensor counts = Make(BatchInputKind::kAccumulatedElementCountWithZero, kShapes, DataType::kFp32);
  EXPECT_THAT(ValuesOf<float>(counts.data), ElementsAre(0, 3, 7, 7));
  const GeneratedTensor items = Make(BatchInputKind::kItemShape, {{1, 5}}, DataType::kFp32);
  EXPECT_THAT(ValuesOf<float>(items.data), ElementsAre(5));
}

TEST(BatchInputTest, NothingIsASizeLikeAnyOther) {
  EXPECT_THAT(ValuesOf<int32_t>(Make(BatchInputKind::kMaxElementCountAsShape, {{1, 0}}).data), IsEmpty());
  EXPECT_EQ(Make(BatchInputKind::kItemShape, {{0, 3}}).shape, (Shape{0, 1}));
  EXPECT_EQ(Make(BatchInputKind::kItemShape, {{2}}).shape, (Shape{2, 0}));
}

TEST(BatchInputTest, WhatDoesNotFitIsRefused) {
  const int64_t huge = int64_t{1} << 40;
  const auto code = [](BatchInputKind kind, std::vector<Shape> shapes, DataType datatype = DataType::kInt32) {
    const auto made = MakeBatchInput(kind, datatype, shapes);
    return made ? base::StatusCode::kOk : made.error().code();
  };
  EXPECT_EQ(code(BatchInputKind::kElementCount, {{1, huge}}), base::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(BatchInputKind::kElementCount, {{1, huge}}, DataType::kFp32), base::StatusCode::kOk);
  const int64_t two_gib = (int64_t{1} << 31) - 1;
  EXPECT_EQ(code(BatchInputKind::kAccumulatedElementCount, {{1, two_gib}}), base::StatusCode::kOk);
  EXPECT_EQ(code(BatchInputKind::kAccumulatedElementCount, {{1, two_gib}, {1, 1}}), base::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(BatchInputKind::kItemShape, {{1, huge, 0}}), base::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(BatchInputKind::kItemShape, {{huge, 0}}), base::StatusCode::kInvalidArgument) << "no such memory";
  EXPECT_EQ(code(BatchInputKind::kItemShapeFlatten, {{INT64_MAX, 0, 1}}), base::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(BatchInputKind::kItemShape, {{INT64_MAX, 0}, {INT64_MAX, 0}}), base::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(BatchInputKind::kMaxElementCountAsShape, {{1, huge}}), base::StatusCode::kInvalidArgument);
}

TEST(ScatteredShapeTest, TakesWhatTheSourceHasWhereTheOutputIsOpen) {
  EXPECT_EQ(ScatteredShape({-1, -1}, {2, 7}), (Shape{2, 7}));
  EXPECT_EQ(ScatteredShape({-1, 4}, {2, 7}), (Shape{2, 4}));
  EXPECT_EQ(ScatteredShape({-1, -1, 3}, {2, 7}), (Shape{2, 7})) << "no place for each";
}

core::TensorSpec Spec(std::string name) {
  return {.name = std::move(name), .datatype = DataType::kInt32, .shape = {-1, -1}};
}

TEST(BatchPlanTest, FindsSourcesAndTargets) {
  config::ModelConfig config;
  config.batch_inputs = {{.kind = BatchInputKind::kElementCount,
                          .target_name = "COUNTS",
                          .datatype = DataType::kFp32,
                          .source_input = "IN"}};
  config.batch_outputs = {{.target_name = "ROW", .source_input = "IN"}};
  core::ModelSignature signature;
  signature.inputs = {Spec("OTHER"), Spec("IN")};
  signature.outputs = {Spec("OUT"), Spec("ROW")};
  core::ModelSignature engine;
  engine.inputs = {Spec("IN"), Spec("OTHER"), Spec("COUNTS")};
  const BatchPlan plan = MakeBatchPlan(config, signature, engine).value();
  ASSERT_EQ(plan.generated.size(), 1u);
  EXPECT_EQ(plan.generated[0].engine_input, 2);
  EXPECT_EQ(plan.generated[0].source, 1);
  EXPECT_EQ(plan.generated[0].datatype, DataType::kFp32);
  EXPECT_EQ(plan.ScatterSource(0), -1);
  EXPECT_EQ(plan.ScatterSource(1), 1);

  const auto message = [&] { return MakeBatchPlan(config, signature, engine).error().message(); };
  config.batch_inputs[0].target_name = "NONE";
  EXPECT_EQ(message(), "the model has no input 'NONE', which batch_input makes");
  config.batch_inputs[0] = {.target_name = "COUNTS", .datatype = DataType::kInt64, .source_input = "IN"};
  EXPECT_EQ(message(), "batch input data type must be TYPE_INT32 or TYPE_FP32");
  config.batch_inputs[0].source_input = "COUNTS";
  EXPECT_EQ(message(), "unknown source input name 'COUNTS'");
  config.batch_inputs.clear();
  config.batch_outputs[0].target_name = "IN";
  EXPECT_EQ(message(), "unknown target output name 'IN'");
}

}  // namespace
}  // namespace inferd::scheduling
