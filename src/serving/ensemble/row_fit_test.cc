#include "serving/ensemble/row_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::ensemble {
namespace {

using ::testing::HasSubstr;

// Returns the shape of the tensor after FitRows(), or the error.
std::string Taken(const TensorForm& form, const tensor::Shape& shape) {
  core::InferTensor tensor;
  tensor.shape = shape;
  tensor.data = base::BufferSlice(base::Buffer::CopyOf("bytes"));
  const char* const bytes = tensor.data.view().data();
  const base::Status status = FitRows(form, tensor);
  EXPECT_EQ(tensor.data.view().data(), bytes);
  return status.ok() ? tensor.shape.ToString() : status.message();
}

TEST(RowFitTest, AModelThatBatchesGetsABatchOfOne) {
  const TensorForm form{.rank = 2, .batches = true, .any_shape = false};
  EXPECT_EQ(Taken(form, {4}), "[1,4]");
  EXPECT_EQ(Taken(form, {0}), "[1,0]");
  EXPECT_EQ(Taken(form, {3, 4}), "[3,4]");
  EXPECT_EQ(Taken(form, {}), "[]") << "the model refuses it";
  EXPECT_EQ(Taken({.rank = 1, .batches = true, .any_shape = false}, {}), "[1]");
}

TEST(RowFitTest, AModelThatDoesNotBatchGetsItsOneRow) {
  const TensorForm form{.rank = 1, .batches = false, .any_shape = false};
  EXPECT_EQ(Taken(form, {1, 4}), "[4]");
  EXPECT_EQ(Taken(form, {1, 0}), "[0]");
  EXPECT_EQ(Taken(form, {4}), "[4]");
  EXPECT_EQ(Taken(form, {1}), "[1]");
  EXPECT_EQ(Taken({.rank = 0, .batches = false, .any_shape = false}, {1}), "[]");
  EXPECT_THAT(Taken(form, {3, 4}), HasSubstr("got 3 rows (shape [3,4])"));
  EXPECT_THAT(Taken(form, {0, 4}), HasSubstr("got 0 rows"));
}

TEST(RowFitTest, AModelThatTakesAnyShapeDecidesItself) {
  EXPECT_EQ(Taken({.rank = 1, .batches = false, .any_shape = true}, {3, 4}), "[3,4]");
  EXPECT_FALSE(TensorForm().known());
  for (const tensor::Shape& shape : {tensor::Shape{}, tensor::Shape{1}, tensor::Shape{1, 4}}) {
    EXPECT_EQ(Taken({}, shape), shape.ToString());
  }
}

TEST(RowFitTest, FormsAreTheSignatures) {
  core::ModelSignature model;
  model.max_batch_size = 4;
  model.inputs = {
      {.name = "a", .datatype = tensor::DataType::kFp32, .shape = {-1, 3}},
      {.name = "b", .datatype = tensor::DataType::kFp32, .shape = {}, .any_shape = true, .unknown_rank = true}};
  const TensorForm a = FormOfInput(model, "a");
  EXPECT_TRUE(a.known() && a.batches && !a.any_shape && a.rank == 2);
  EXPECT_FALSE(FormOfInput(model, "b").known());
  EXPECT_FALSE(FormOfInput(model, "nobody").known());
  model.max_batch_size = 0;
  EXPECT_FALSE(FormOfInput(model, "a").batches);
}

}  // namespace
}  // namespace inferd::ensemble
