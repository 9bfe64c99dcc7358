#include "serving/scheduling/batch/largest_shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serving/scheduling/batch/batch_fixture.h"
#include "serving/scheduling/requests/resized_tensor.h"

namespace inferd::scheduling {
namespace {

using tensor::Shape;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

core::ModelSignature Padded() {
  core::ModelSignature signature = BatchFixture::DefaultSignature();
  signature.inputs[0].shape = {-1, -1, -1};
  signature.inputs[0].padded = true;
  signature.outputs.pop_back();
  return signature;
}

class LargestShapeTest : public ::testing::Test {
 protected:
  LargestShapeTest() : fixture_(Padded()) {}

  std::unique_ptr<QueueEntry> Request(Shape shape, const std::vector<int32_t>& values) {
    std::vector<core::InferTensor> inputs;
    inputs.push_back(BatchFixture::Tensor("IN", std::move(shape), values));
    return fixture_.Request(std::move(inputs));
  }
  std::unique_ptr<QueueEntry> Zeros(Shape shape) {
    return Request(shape, std::vector<int32_t>(static_cast<size_t>(*shape.ElementCount())));
  }
  static BatchExecution::Remains End(BatchExecution& execution) {
    EXPECT_TRUE(execution.Finished());
    BatchExecution::Remains remains;
    execution.Clear(remains);
    return remains;
  }

  BatchFixture fixture_;
};

TEST_F(LargestShapeTest, EachIsFilledUpWithItsFirstElementInEveryDimension) {
  const Running execution{fixture_, Request({1, 1, 3}, {1, 2, 3}), Request({2, 2, 1}, {4, 5, 6, 7})};
  EXPECT_EQ(execution->inputs[0].shape, (Shape{3, 2, 3}));
  EXPECT_THAT(Gathered(execution->inputs[0]), ElementsAre(1, 2, 3, 1, 1, 1,  //
                                                          4, 4, 4, 5, 4, 4, 6, 4, 4, 7, 4, 4));
  std::vector<core::InferTensor> outputs;
  outputs.push_back(BatchFixture::Tensor("", {3, 2}, {1, 2, 3, 4, 5, 6}));
  execution->RespondAll({base::OkStatus(), std::move(outputs)});
  EXPECT_EQ(fixture_.answer(0).outputs[0].shape, (Shape{1, 2})) << "as the model gave it";
  EXPECT_THAT(fixture_.values(1), ElementsAre(3, 4, 5, 6));
  execution->Finish();
  End(*execution);
}

TEST_F(LargestShapeTest, RowsThatFillTheBatchUpAreFilledUpToo) {
  fixture_.context.allowed_rows = {4};
  const Running execution{fixture_, Request({1, 1, 2}, {1, 2}), Request({1, 1, 1}, {7})};
  EXPECT_EQ(execution->inputs[0].shape, (Shape{4, 1, 2}));
  EXPECT_THAT(Gathered(execution->inputs[0]), ElementsAre(1, 2, 7, 7, 7, 7, 7, 7));
  execution->RespondAll({base::Internal("over")});
  execution->Finish();
  End(*execution);
}

TEST_F(LargestShapeTest, WhatHasOneShapeGoesAsItIs) {
  const Running execution{fixture_, Request({1, 1, 2}, {1, 2}), Request({1, 1, 2}, {3, 4})};
  EXPECT_EQ(execution->inputs[0].pieces[1].data(), execution->request(1).inputs[0].data.data()) << "no copy";
  execution->RespondAll({base::Internal("over")});
  execution->Finish();
  End(*execution);
}

TEST_F(LargestShapeTest, NothingIsFilledUpOutOfProportion) {
  const auto side = static_cast<int64_t>(kSmallPaddedBytesMax / 16);
  {
    BatchExecution execution(fixture_.context);
    execution.Add(Zeros({1, 1, side}));
    execution.Add(Zeros({1, 1, 1}));
    EXPECT_TRUE(execution.Begin(0)) << "twice the size";
    execution.RespondAll({base::Internal("over")});
    execution.Finish();
    End(execution);
  }
  BatchExecution execution(fixture_.context);
  execution.Add(Zeros({1, 1, side}));
  execution.Add(Zeros({1, side, 1}));
  ASSERT_FALSE(execution.Begin(0));
  const BatchExecution::Remains remains = End(execution);
  ASSERT_THAT(remains.retries, SizeIs(2)) << "each is to be run by itself";
  EXPECT_TRUE(remains.retries[0]->alone);
  EXPECT_THAT(remains.entries, IsEmpty());
  EXPECT_THAT(fixture_.answers(2), IsEmpty());
}

}  // namespace
}  // namespace inferd::scheduling
