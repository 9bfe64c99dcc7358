// What the members of an execution and its engine see of tensors that are reshaped, ragged or made by the server.
#include "serving/scheduling/batch/batch_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serving/scheduling/batch/batch_fixture.h"

namespace inferd::scheduling {
namespace {

using config::BatchInputKind;
using inferd::support::ValuesOf;
using tensor::DataType;
using tensor::Shape;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

core::ModelSignature WithReshape() {
  core::ModelSignature signature;
  signature.max_batch_size = 8;
  signature.inputs = {{.name = "IN", .datatype = DataType::kInt32, .shape = {-1, 2, -1}, .reshape = Shape{-1, 2, 1}}};
  signature.outputs = {{.name = "OUT", .datatype = DataType::kInt32, .shape = {-1, 1}, .reshape = Shape{}}};
  return signature;
}

// IN, ragged, and what the engine is told of it as inputs 1 and 2; ROW is scattered as IN, SUM is a row each.
core::ModelSignature WithRagged() {
  core::ModelSignature signature;
  signature.max_batch_size = 8;
  signature.inputs = {{.name = "IN", .datatype = DataType::kInt32, .shape = {-1, -1}, .optional = true, .ragged = true},
                      {.name = "PLAIN", .datatype = DataType::kInt32, .shape = {-1, 1}}};
  signature.outputs = {{.name = "ROW", .datatype = DataType::kInt32, .shape = {-1, -1}},
                       {.name = "SUM", .datatype = DataType::kInt32, .shape = {-1, 1}}};
  return signature;
}

class RaggedTest : public ::testing::Test {
 protected:
  RaggedTest() : fixture_(WithRagged()) {
    fixture_.context.plan.generated = {
        {.engine_input = 7, .kind = BatchInputKind::kElementCount, .source = 0},
        {.engine_input = 9, .kind = BatchInputKind::kItemShape, .datatype = DataType::kFp32, .source = 0}};
    fixture_.context.plan.scatter_sources = {0, -1};
  }

  std::unique_ptr<QueueEntry> Request(int64_t rows, const std::vector<int32_t>& values,
                                      std::vector<std::string> outputs = {}) {
    std::vector<core::InferTensor> inputs;
    const auto columns = static_cast<int64_t>(values.size()) / rows;
    inputs.push_back(BatchFixture::Tensor("IN", {rows, columns}, values));
    inputs.push_back(BatchFixture::Tensor("PLAIN", {rows, 1}, std::vector<int32_t>(static_cast<size_t>(rows))));
    return fixture_.Request(std::move(inputs), std::move(outputs));
  }
  static std::vector<core::InferTensor> Outputs(const std::vector<int32_t>& row, const std::vector<int32_t>& sums) {
    std::vector<core::InferTensor> tensors;
    tensors.push_back(BatchFixture::Tensor("", {static_cast<int64_t>(row.size())}, row));
    tensors.push_back(BatchFixture::Tensor("", {static_cast<int64_t>(sums.size()), 1}, sums));
    return tensors;
  }

  BatchFixture fixture_;
};

TEST(ReshapeTest, TheEngineSeesOneShapeAndClientsAnother) {
  BatchFixture fixture(WithReshape());
  const auto request = [&](int64_t rows) {
    std::vector<core::InferTensor> inputs;
    inputs.push_back(BatchFixture::Tensor("IN", {rows, 2, 3}, std::vector<int32_t>(static_cast<size_t>(rows) * 6)));
    return fixture.Request(std::move(inputs));
  };
  {
    const Running lone{fixture, request(2)};
    EXPECT_EQ(lone->inputs[0].shape, (Shape{2, 3, 2, 1}));
    lone->RespondAll({base::OkStatus(), {BatchFixture::Tensor("", {2}, {1, 2})}});
    lone->Finish();
  }
  EXPECT_EQ(fixture.answer(0).outputs[0].shape, (Shape{2, 1}));
  {
    const Running batch{fixture, request(1), request(2)};
    EXPECT_EQ(batch->inputs[0].shape, (Shape{3, 3, 2, 1}));
    batch->RespondAll({base::OkStatus(), {BatchFixture::Tensor("", {3}, {1, 2, 3})}});
    batch->Finish();
  }
  EXPECT_EQ(fixture.answer(1).outputs[0].shape, (Shape{1, 1}));
  EXPECT_EQ(fixture.answer(2).outputs[0].shape, (Shape{2, 1}));
  EXPECT_THAT(fixture.values(2), ElementsAre(2, 3));
  {
    const Running wrong{fixture, request(1)};
    wrong->RespondAll({base::OkStatus(), {BatchFixture::Tensor("", {1, 1}, {1})}});
    wrong->Finish();
  }
  EXPECT_EQ(fixture.answer(3).status.code(), base::StatusCode::kInternal) << "the client's shape is not the engine's";
}

TEST_F(RaggedTest, RequestsOfDifferentShapesAreOneRow) {
  const Running execution{fixture_, Request(1, {1, 2, 3}), Request(2, {4, 5, 6, 7}), Request(1, {})};
  ASSERT_THAT(execution->inputs, SizeIs(4));
  EXPECT_EQ(execution->inputs[0].shape, (Shape{7}));
  EXPECT_THAT(Gathered(execution->inputs[0]), ElementsAre(1, 2, 3, 4, 5, 6, 7));
  EXPECT_EQ(execution->inputs[1].shape, (Shape{4, 1}));
  EXPECT_EQ(execution->inputs[2].index, 7);
  EXPECT_EQ(execution->inputs[2].datatype, DataType::kInt32);
  EXPECT_THAT(Gathered(execution->inputs[2]), ElementsAre(3, 4, 0));
  EXPECT_EQ(execution->inputs[3].index, 9);
  EXPECT_EQ(execution->inputs[3].shape, (Shape{4, 1}));
  EXPECT_THAT(ValuesOf<float>(execution->inputs[3].pieces[0]), ElementsAre(3, 2, 2, 0));

  execution->RespondAll({base::OkStatus(), Outputs({10, 20, 30, 40, 50, 60, 70}, {6, 9, 13, 0})});
  execution->Finish();
  EXPECT_EQ(fixture_.answer(0).outputs[0].shape, (Shape{1, 3}));
  EXPECT_THAT(fixture_.values(0), ElementsAre(10, 20, 30));
  EXPECT_EQ(fixture_.answer(1).outputs[0].shape, (Shape{2, 2}));
  EXPECT_THAT(fixture_.values(1), ElementsAre(40, 50, 60, 70));
  EXPECT_THAT(fixture_.values(1, 1), ElementsAre(9, 13));
  EXPECT_EQ(fixture_.answer(2).outputs[0].shape, (Shape{1, 0}));
  EXPECT_THAT(fixture_.values(2), IsEmpty());
}

TEST_F(RaggedTest, ALoneRequestIsARowToo) {
  const Running execution{fixture_, Request(2, {1, 2, 3, 4}, {"ROW"})};
  EXPECT_EQ(execution->inputs[0].shape, (Shape{4}));
  EXPECT_THAT(Gathered(execution->inputs[2]), ElementsAre(4));
  std::vector<core::InferTensor> row = Outputs({1, 2, 3, 4}, {});
  row.pop_back();
  execution->RespondAll({base::OkStatus(), std::move(row)});
  execution->Finish();
  EXPECT_EQ(fixture_.answer(0).outputs[0].shape, (Shape{2, 2}));
}

TEST_F(RaggedTest, AnInputThatIsLeftOutHasNoElements) {
  const Running execution{fixture_, fixture_.Request({BatchFixture::Tensor("PLAIN", {2, 1}, {1, 2})}, {"SUM"})};
  ASSERT_THAT(execution->inputs, SizeIs(3));
  EXPECT_THAT(Gathered(execution->inputs[1]), ElementsAre(0));
  EXPECT_THAT(ValuesOf<float>(execution->inputs[2].pieces[0]), ElementsAre(0, 0));
  execution->RespondAll({base::OkStatus(), {BatchFixture::Tensor("", {2, 1}, {1, 2})}});
  execution->Finish();
}

TEST_F(RaggedTest, ARowThatDoesNotScatterIsInternal) {
  {
    const Running batch{fixture_, Request(1, {1, 2, 3}), Request(1, {4})};
    batch->RespondAll({base::OkStatus(), Outputs({1, 2, 3}, {1, 2})});
    batch->Finish();
    const Running lone{fixture_, Request(1, {1, 2, 3})};
    lone->RespondAll({base::OkStatus(), Outputs({1, 2}, {1})});
    lone->Finish();
  }
  EXPECT_THAT(fixture_.answer(1).status.message(), HasSubstr("'ROW' wrongly: shape [3] does not have the 4 elements"));
  EXPECT_THAT(fixture_.answer(2).status.message(), HasSubstr("not as many elements as [1,3]"));
}

TEST_F(RaggedTest, WhatDoesNotFitInABatchInputIsTheRequestsFault) {
  fixture_.context.plan.generated[0] = {.engine_input = 7, .kind = BatchInputKind::kItemShape, .source = 0};
  auto request = Request(1, {});
  request->queued.request->inputs[0].shape = {int64_t{1} << 40, 0};
  BatchExecution execution(fixture_.context);
  execution.Add(std::move(request));
  EXPECT_FALSE(execution.Begin(fixture_.clock.NowNs()));
  EXPECT_TRUE(execution.Finished());
  EXPECT_EQ(fixture_.answer(0).status.code(), base::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace inferd::scheduling
