#include "serving/core/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace inferd::core {
namespace {

using tensor::DataType;
using tensor::Shape;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

InferTensor Tensor(std::string name, DataType type, Shape shape, std::string bytes) {
  InferTensor tensor;
  tensor.name = std::move(name);
  tensor.datatype = type;
  tensor.shape = std::move(shape);
  tensor.data = base::BufferSlice(base::Buffer::CopyOf(bytes));
  return tensor;
}

ModelSignature AddSub() {
  ModelSignature signature;
  signature.max_batch_size = 4;
  signature.inputs = {{.name = "INPUT0", .datatype = DataType::kInt32, .shape = {-1, 2}},
                      {.name = "INPUT1", .datatype = DataType::kInt32, .shape = {-1, 2}},
                      {.name = "SCALE", .datatype = DataType::kInt32, .shape = {-1, 1}, .optional = true}};
  signature.outputs = {{.name = "OUTPUT0", .datatype = DataType::kInt32, .shape = {-1, 2}},
                       {.name = "OUTPUT1", .datatype = DataType::kInt32, .shape = {-1, 2}}};
  return signature;
}

ModelSignature Strings() {
  ModelSignature signature;
  signature.inputs = {{.name = "S", .datatype = DataType::kBytes, .shape = {-1}}};
  signature.outputs = {{.name = "OUT", .datatype = DataType::kBytes, .shape = {-1}}};
  return signature;
}

InferRequest Good() {
  InferRequest request;
  request.inputs.push_back(Tensor("INPUT0", DataType::kInt32, {1, 2}, std::string(8, 'a')));
  request.inputs.push_back(Tensor("INPUT1", DataType::kInt32, {1, 2}, std::string(8, 'b')));
  return request;
}

std::string ErrorOf(const InferRequest& request, const ModelSignature& signature = AddSub()) {
  RequestLayout layout;
  const base::Status status = ValidateRequest(request, "simple", signature, &layout);
  EXPECT_EQ(status.code(), base::StatusCode::kInvalidArgument);
  return status.message();
}

std::string Packed(std::initializer_list<std::string_view> elements) {
  std::string bytes;
  for (const std::string_view element : elements) {
    const auto length = static_cast<uint32_t>(element.size());
    bytes.append(reinterpret_cast<const char*>(&length), sizeof(length)).append(element);
  }
  return bytes;
}

TEST(ValidateTest, LaysOutInputsAndAllOutputs) {
  InferRequest request = Good();
  std::swap(request.inputs[0], request.inputs[1]);
  RequestLayout layout;
  ASSERT_TRUE(ValidateRequest(request, "simple", AddSub(), &layout).ok());
  EXPECT_THAT(layout.inputs, ElementsAre(1, 0));
  EXPECT_THAT(layout.outputs, ElementsAre(0, 1));
  EXPECT_EQ(layout.rows, 1);
}

TEST(ValidateTest, KeepsTheOrderOfRequestedOutputs) {
  InferRequest request = Good();
  request.outputs = {{.name = "OUTPUT1", .parameters = {}}, {.name = "OUTPUT0", .parameters = {}}};
  RequestLayout layout;
  ASSERT_TRUE(ValidateRequest(request, "simple", AddSub(), &layout).ok());
  EXPECT_THAT(layout.outputs, ElementsAre(1, 0));
}

TEST(ValidateTest, OptionalOutputsComeWhereTheyAreNamed) {
  ModelSignature signature = AddSub();
  signature.outputs[0].optional = true;
  InferRequest request = Good();
  RequestLayout layout;
  ASSERT_TRUE(ValidateRequest(request, "simple", signature, &layout).ok());
  EXPECT_THAT(layout.outputs, ElementsAre(1));
  request.outputs = {{.name = "OUTPUT0", .parameters = {}}};
  layout = {};
  ASSERT_TRUE(ValidateRequest(request, "simple", signature, &layout).ok());
  EXPECT_THAT(layout.outputs, ElementsAre(0));
  request.outputs.clear();
  signature.outputs[1].optional = true;
  layout = {};
  ASSERT_TRUE(ValidateRequest(request, "simple", signature, &layout).ok());
  EXPECT_THAT(layout.outputs, ElementsAre(0, 1)) << "there would be no answer";
}

TEST(ValidateTest, AnOptionalInputMayCome) {
  InferRequest request = Good();
  request.inputs.push_back(Tensor("SCALE", DataType::kInt32, {1, 1}, "1234"));
  RequestLayout layout;
  EXPECT_TRUE(ValidateRequest(request, "simple", AddSub(), &layout).ok());
}

TEST(ValidateTest, UnknownInput) {
  InferRequest request = Good();
  request.inputs[1].name = "input1";
  EXPECT_EQ(ErrorOf(request),
            "unexpected inference input 'input1' for model 'simple', allowed inputs are: INPUT0, INPUT1, SCALE");
}

TEST(ValidateTest, TheOnlyInputUnderAnyName) {
  ModelSignature signature = Strings();
  InferRequest request;
  request.inputs.push_back(Tensor("predict", DataType::kBytes, {1}, Packed({"a"})));
  EXPECT_THAT(ErrorOf(request, signature), HasSubstr("unexpected inference input 'predict'"));
  signature.any_input_name = true;
  RequestLayout layout;
  EXPECT_TRUE(ValidateRequest(request, "simple", signature, &layout).ok());
  EXPECT_THAT(layout.inputs, ElementsAre(0));
  request.inputs.push_back(Tensor("S", DataType::kBytes, {1}, Packed({"a"})));
  EXPECT_EQ(ErrorOf(request, signature), "input 'S' already exists in request");
  request.inputs[1].name = "other";
  EXPECT_THAT(ErrorOf(request, signature), HasSubstr("unexpected inference input 'other'"));
}

TEST(ValidateTest, DuplicateInput) {
  InferRequest request = Good();
  request.inputs[1].name = "INPUT0";
  EXPECT_EQ(ErrorOf(request), "input 'INPUT0' already exists in request");
}

TEST(ValidateTest, MissingInput) {
  InferRequest request = Good();
  request.inputs.pop_back();
  EXPECT_EQ(ErrorOf(request),
            "expected number of inputs between 2 and 3 but got 1 inputs for model 'simple'. Got input(s) ['INPUT0'], "
            "but missing required "
            "input(s) ['INPUT1']. Please provide all required input(s).");
}

TEST(ValidateTest, WrongDatatype) {
  InferRequest request = Good();
  request.inputs[0].datatype = DataType::kFp32;
  EXPECT_EQ(ErrorOf(request), "inference input 'INPUT0' data-type is 'FP32', but model 'simple' expects 'INT32'");
}

TEST(ValidateTest, WrongShapeNamesExpectedAndGot) {
  InferRequest request = Good();
  request.inputs[0].shape = {2};
  EXPECT_THAT(ErrorOf(request),
              HasSubstr("unexpected shape for input 'INPUT0' for model 'simple'. Expected [-1,2], got [2]. NOTE: "));
}

TEST(ValidateTest, WrongShapesOfModelsWithoutAConfigurationSayNothingOfOne) {
  ModelSignature signature = AddSub();
  signature.accepts_larger_requests = true;  // no max_batch_size in the configuration
  InferRequest request = Good();
  request.inputs[0].shape = {2};
  EXPECT_EQ(ErrorOf(request, signature),
            "unexpected shape for input 'INPUT0' for model 'simple'. Expected [-1,2], got [2].");
}

TEST(ValidateTest, WhereAnyShapeGoesOnlyTheBatchDimensionIsNeeded) {
  ModelSignature signature = AddSub();
  signature.inputs[0].any_shape = true;
  InferRequest request = Good();
  request.inputs[0] = Tensor("INPUT0", DataType::kInt32, {1}, std::string(4, 'a'));
  RequestLayout layout;
  EXPECT_TRUE(ValidateRequest(request, "simple", signature, &layout).ok());
  EXPECT_EQ(layout.rows, 1);
  request.inputs[0].shape = {1, 1, 2};
  EXPECT_THAT(ErrorOf(request, signature), HasSubstr("Expected 8, got 4"));
  request.inputs[0].shape = {};
  EXPECT_THAT(ErrorOf(request, signature), HasSubstr("Expected [-1,2], got []"));
  signature.max_batch_size = 0;
  layout = {};
  EXPECT_TRUE(ValidateRequest(request, "simple", signature, &layout).ok());
  request.inputs[1].shape = {2};
  EXPECT_THAT(ErrorOf(request, signature), HasSubstr("unexpected shape for input 'INPUT1'"));
}

TEST(ValidateTest, AlternativeInputsStandForAllOthers) {
  ModelSignature signature = Strings();
  signature.inputs.push_back({.name = "column",
                              .datatype = DataType::kFp64,
                              .shape = {-1},
                              .optional = true,
                              .any_datatype = true,
                              .alternative = true});
  signature.outputs.push_back(
      {.name = "text", .datatype = DataType::kBytes, .shape = {-1}, .optional = true, .alternative = true});
  InferRequest request;
  EXPECT_THAT(ErrorOf(request, signature), HasSubstr("expected 1 inputs but got 0"));
  request.outputs.push_back({.name = "text"});
  request.inputs.push_back(Tensor("S", DataType::kBytes, {1}, Packed({"a"})));
  EXPECT_THAT(ErrorOf(request, signature), HasSubstr("allowed outputs are: OUT"));
  request.inputs[0].name = "T";
  EXPECT_THAT(ErrorOf(request, signature), ::testing::EndsWith("allowed inputs are: S"));
  request.inputs[0] = Tensor("column", DataType::kInt32, {2}, std::string(8, 'a'));
  RequestLayout layout;
  ASSERT_TRUE(ValidateRequest(request, "simple", signature, &layout).ok());
  EXPECT_THAT(layout.inputs, ElementsAre(1));
  EXPECT_THAT(layout.outputs, ElementsAre(1));
  request.outputs.clear();
  layout = {};
  ASSERT_TRUE(ValidateRequest(request, "simple", signature, &layout).ok());
  EXPECT_THAT(layout.outputs, ElementsAre(0)) << "alternative outputs come where they are named";
  signature.inputs[1].any_datatype = false;
  EXPECT_THAT(ErrorOf(request, signature), HasSubstr("expects 'FP64'"));
}

TEST(ValidateTest, OnlyFrontEndsNameTensorsThatCarryBodies) {
  ModelSignature signature = Strings();
  signature.inputs.push_back({.name = "body",
                              .datatype = DataType::kBytes,
                              .shape = {-1},
                              .optional = true,
                              .alternative = true,
                              .carries_body = true});
  signature.outputs.push_back(signature.inputs.back());
  InferRequest request;
  request.inputs.push_back(Tensor("body", DataType::kBytes, {1}, Packed({"a"})));
  request.outputs.push_back({.name = "body"});
  EXPECT_THAT(ErrorOf(request, signature), ::testing::EndsWith("allowed inputs are: S"));
  request.whole_body = true;
  RequestLayout layout;
  EXPECT_TRUE(ValidateRequest(request, "simple", signature, &layout).ok());
  EXPECT_THAT(layout.outputs, ElementsAre(1));
}

TEST(ValidateTest, NegativeAndOverflowingShapes) {
  InferRequest request = Good();
  request.inputs[0].shape = {-1, 2};
  EXPECT_THAT(ErrorOf(request), HasSubstr("input 'INPUT0': shape [-1,2] has a negative dimension"));
  ModelSignature wide = AddSub();
  wide.max_batch_size = 0;
  wide.inputs[0].shape = {-1, -1};
  request.inputs[0].shape = {int64_t{1} << 40, int64_t{1} << 40};
  EXPECT_THAT(ErrorOf(request, wide), HasSubstr("has more than 2^63 elements"));
  request.inputs[0].shape = {int64_t{1} << 31, int64_t{1} << 31};
  EXPECT_THAT(ErrorOf(request, wide), HasSubstr("has more than 2^63 bytes of"));
  request.inputs[0].shape = {int64_t{1} << 30, int64_t{1} << 30};
  EXPECT_THAT(ErrorOf(request, wide), HasSubstr("input byte size mismatch for input 'INPUT0'"));
}

TEST(ValidateTest, ByteSizeMismatch) {
  InferRequest request = Good();
  request.inputs[0].data = request.inputs[0].data.Sub(0, 7);
  EXPECT_EQ(ErrorOf(request), "input byte size mismatch for input 'INPUT0' for model 'simple'. Expected 8, got 7");
}

TEST(ValidateTest, BatchTooBig) {
  InferRequest request = Good();
  request.inputs[0] = Tensor("INPUT0", DataType::kInt32, {5, 2}, std::string(40, 'a'));
  request.inputs[1] = Tensor("INPUT1", DataType::kInt32, {5, 2}, std::string(40, 'a'));
  EXPECT_EQ(ErrorOf(request), "inference request batch-size must be <= 4 for 'simple', got 5");
  ModelSignature open = AddSub();
  open.accepts_larger_requests = true;
  RequestLayout layout;
  EXPECT_TRUE(ValidateRequest(request, "simple", open, &layout).ok());
  EXPECT_EQ(layout.rows, 5);
}

TEST(ValidateTest, ARequestThatIsSplitMayHaveSoManyParts) {
  ModelSignature splits = AddSub();
  splits.splits_larger_requests = true;
  InferRequest request = Good();
  const auto set_rows = [&](int64_t rows) {
    const std::string data(static_cast<size_t>(rows) * 8, 'a');
    request.inputs[0] = Tensor("INPUT0", DataType::kInt32, {rows, 2}, data);
    request.inputs[1] = Tensor("INPUT1", DataType::kInt32, {rows, 2}, data);
  };
  set_rows(4 * kSplitPartsMax);
  RequestLayout layout;
  EXPECT_TRUE(ValidateRequest(request, "simple", splits, &layout).ok());
  set_rows(4 * kSplitPartsMax + 1);
  EXPECT_EQ(ErrorOf(request, splits), "inference request batch-size must be <= 2048 for 'simple', got 2049");
  splits.accepts_larger_requests = true;
  EXPECT_EQ(ErrorOf(request, splits), "inference request batch-size must be <= 2048 for 'simple', got 2049");
}

TEST(ValidateTest, InputsDisagreeOnTheBatch) {
  InferRequest request = Good();
  request.inputs[1] = Tensor("INPUT1", DataType::kInt32, {2, 2}, std::string(16, 'a'));
  EXPECT_EQ(ErrorOf(request), "input 'INPUT1' batch size does not match other inputs for 'simple': expected 1, got 2");
}

TEST(ValidateTest, WhatMessagesQuoteIsBoundedAndPrintable) {
  InferRequest request = Good();
  request.id = std::string(4096, 'i');
  RequestLayout layout;
  EXPECT_TRUE(ValidateRequest(request, "simple", AddSub(), &layout).ok());
  request.id = std::string(3'000'000, 'i');
  EXPECT_LT(ErrorOf(request).size(), 1000u);
  EXPECT_TRUE(ErrorOf(request).ends_with("the request's id has 3000000 bytes; at most 4096 are allowed"));
  request.id = "a\n";
  request.outputs = {{.name = std::string(3'000'000, 'o'), .parameters = {}}};
  EXPECT_TRUE(ErrorOf(request).starts_with("unexpected inference output 'ooo"));
  EXPECT_LT(ErrorOf(request).size(), 1000u);
}

TEST(ValidateTest, UnknownAndDuplicateOutput) {
  InferRequest request = Good();
  request.outputs = {{.name = "NONE", .parameters = {}}};
  EXPECT_EQ(ErrorOf(request),
            "unexpected inference output 'NONE' for model 'simple', allowed outputs are: OUTPUT0, OUTPUT1");
  request.outputs = {{.name = "OUTPUT0", .parameters = {}}, {.name = "OUTPUT0", .parameters = {}}};
  EXPECT_EQ(ErrorOf(request), "output 'OUTPUT0' already exists in request");
}

TEST(ValidateTest, ErrorsCarryTheRequestId) {
  InferRequest request = Good();
  request.id = "r7";
  request.inputs[1].name = "INPUT0";
  EXPECT_EQ(ErrorOf(request), "[request id: r7] input 'INPUT0' already exists in request");
  request = Good();
  request.id = "r7";
  request.outputs = {{.name = "NONE", .parameters = {}}};
  EXPECT_EQ(ErrorOf(request),
            "unexpected inference output 'NONE' for model 'simple', allowed outputs are: OUTPUT0, OUTPUT1");
  request.outputs = {{.name = "OUTPUT0", .parameters = {}}, {.name = "OUTPUT0", .parameters = {}}};
  EXPECT_EQ(ErrorOf(request), "[request id: r7] output 'OUTPUT0' already exists in request");
}

TEST(ValidateTest, BytesElements) {
  RequestLayout layout;
  InferRequest request;
  request.inputs.push_back(Tensor("S", DataType::kBytes, {2}, Packed({"ab", ""})));
  EXPECT_TRUE(ValidateRequest(request, "text", Strings(), &layout).ok());
  request.inputs[0].shape = {3};
  EXPECT_EQ(ErrorOf(request, Strings()),
            "expected 3 string elements for inference input 'S' for model 'simple', got 2");
  request.inputs[0].shape = {1};
  EXPECT_THAT(ErrorOf(request, Strings()),
              HasSubstr("expected 1 string elements for inference input 'S' for model 'simple', got 2"));
  request.inputs[0] = Tensor("S", DataType::kBytes, {1}, "ab");
  EXPECT_THAT(ErrorOf(request, Strings()),
              HasSubstr("incomplete string length indicator for inference input 'S' for model 'simple': "));
  request.inputs[0] = Tensor("S", DataType::kBytes, {1}, Packed({"abcd"}).substr(0, 6));
  EXPECT_THAT(ErrorOf(request, Strings()), HasSubstr("expected 4 bytes behind its length, got 2"));
}

TEST(ValidateTest, EmptyTensorsAreFine) {
  RequestLayout layout;
  InferRequest request;
  request.inputs.push_back(Tensor("S", DataType::kBytes, {0}, ""));
  EXPECT_TRUE(ValidateRequest(request, "text", Strings(), &layout).ok());
}

}  // namespace
}  // namespace inferd::core
