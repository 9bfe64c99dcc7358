#include "protocols/oip_grpc/codec/infer_request_reader.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "oip/grpc_service.pb.h"
#include "protocols/v2/parameters.h"

// Requests are built with the generated classes, or by hand if those cannot write what the wire allows.

namespace inferd::oip_grpc {
namespace {

using core::InferRequest;
using inference::ModelInferRequest;
using tensor::DataType;

base::BufferSlice SliceOf(std::string_view bytes) { return base::BufferSlice(base::Buffer::CopyOf(bytes)); }

std::string Error(std::string_view message) {
  const auto decoded = ReadInferRequest(SliceOf(message));
  if (decoded.has_value()) return "no error";
  EXPECT_EQ(decoded.error().code(), base::StatusCode::kInvalidArgument);
  return decoded.error().message();
}
std::string Error(const ModelInferRequest& request) { return Error(request.SerializeAsString()); }

ModelInferRequest::InferInputTensor* AddInput(ModelInferRequest& request, const char* name, const char* datatype,
                                              std::initializer_list<int64_t> shape) {
  auto* input = request.add_inputs();
  input->set_name(name);
  input->set_datatype(datatype);
  for (const int64_t dim : shape) input->add_shape(dim);
  return input;
}

TEST(ReadInferRequestTest, ReadsEveryField) {
  ModelInferRequest message;
  message.set_model_name("m");
  message.set_model_version("3");
  message.set_id("42");
  (*message.mutable_parameters())["flag"].set_bool_param(true);
  (*message.mutable_parameters())["integer"].set_int64_param(-5);
  (*message.mutable_parameters())["text"].set_string_param("a");
  (*message.mutable_parameters())["real"].set_double_param(0.5);
  (*message.mutable_parameters())["unsigned"].set_uint64_param(~uint64_t{0});
  (*AddInput(message, "x", "INT32", {2, 2})->mutable_parameters())["k"].set_int64_param(1);
  AddInput(message, "y", "BOOL", {});
  message.add_outputs()->set_name("o");
  auto* p = message.add_outputs();
  p->set_name("p");
  (*p->mutable_parameters())["classification"].set_int64_param(2);
  message.add_raw_input_contents("0123456789abcdef");
  message.add_raw_input_contents("\1");

  const auto decoded = ReadInferRequest(SliceOf(message.SerializeAsString()));
  ASSERT_TRUE(decoded.has_value()) << decoded.error().ToString();
  EXPECT_FALSE(decoded->typed_contents);
  const InferRequest& request = *decoded->request;
  EXPECT_EQ(request.model_name, "m");
  EXPECT_EQ(request.model_version, "3");
  EXPECT_EQ(request.id, "42");
  ASSERT_EQ(request.parameters.size(), 5u);
  EXPECT_EQ(*core::FindParameter(request.parameters, "flag"), core::ParameterValue(true));
  EXPECT_EQ(*core::FindParameter(request.parameters, "integer"), core::ParameterValue(int64_t{-5}));
  EXPECT_EQ(*core::FindParameter(request.parameters, "text"), core::ParameterValue(std::string("a")));
  EXPECT_EQ(*core::FindParameter(request.parameters, "real"), core::ParameterValue(0.5));
  EXPECT_EQ(*core::FindParameter(request.parameters, "unsigned"), core::ParameterValue(~uint64_t{0}));
  ASSERT_EQ(request.inputs.size(), 2u);
  EXPECT_EQ(request.inputs[0].name, "x");
  EXPECT_EQ(request.inputs[0].datatype, DataType::kInt32);
  EXPECT_EQ(request.inputs[0].shape, (tensor::Shape{2, 2}));
  EXPECT_EQ(request.inputs[0].parameters, (core::Parameters{{"k", int64_t{1}}}));
  EXPECT_EQ(request.inputs[0].data.view(), "0123456789abcdef");
  EXPECT_EQ(request.inputs[1].shape.rank(), 0u);
  EXPECT_EQ(request.inputs[1].data.view(), "\1");
  ASSERT_EQ(request.outputs.size(), 2u);
  EXPECT_EQ(request.outputs[0].name, "o");
  EXPECT_EQ(request.outputs[1].name, "p");
  EXPECT_EQ(request.outputs[1].parameters, (core::Parameters{{"classification", int64_t{2}}}));
}

TEST(ReadInferRequestTest, RawTensorsAreViewsIntoTheMessage) {
  ModelInferRequest message;
  AddInput(message, "a", "INT16", {2});
  AddInput(message, "b", "UINT8", {0});
  AddInput(message, "c", "INT64", {1});
  for (const char* raw : {"ABCD", "", "12345678"}) message.add_raw_input_contents(raw);
  const base::BufferSlice slice = SliceOf(message.SerializeAsString());
  const auto decoded = ReadInferRequest(slice);
  ASSERT_TRUE(decoded.has_value()) << decoded.error().ToString();
  for (const core::InferTensor& input : decoded->request->inputs) {
    EXPECT_GE(input.data.data(), slice.data());
    EXPECT_LE(input.data.data() + input.data.size(), slice.data() + slice.size());
    EXPECT_EQ(input.data.owner().data(), slice.owner().data());
  }
  EXPECT_EQ(decoded->request->inputs[0].data.view(), "ABCD");
  EXPECT_EQ(decoded->request->inputs[1].data.size(), 0u);
  EXPECT_EQ(decoded->request->inputs[2].data.view(), "12345678");
}

TEST(ReadInferRequestTest, FieldsMayComeInAnyOrder) {
  ModelInferRequest raw;
  raw.add_raw_input_contents("AB");
  ModelInferRequest input;
  AddInput(input, "x", "UINT8", {2});
  const std::string message = raw.SerializeAsString() + input.SerializeAsString();
  const auto decoded = ReadInferRequest(SliceOf(message));
  ASSERT_TRUE(decoded.has_value()) << decoded.error().ToString();
  EXPECT_EQ(decoded->request->inputs.at(0).data.view(), "AB");
}

TEST(ReadInferRequestTest, ContentsMayComeInPartsAndBeforeTheDatatype) {
  ModelInferRequest::InferInputTensor part;
  part.mutable_contents()->add_fp32_contents(1.5f);
  std::string input = part.SerializeAsString();
  input += input;
  part.Clear();
  part.set_name("x");
  part.set_datatype("FP32");
  part.add_shape(2);
  input += part.SerializeAsString();
  const std::string message = std::string("\x2a") + static_cast<char>(input.size()) + input;
  const auto decoded = ReadInferRequest(SliceOf(message));
  ASSERT_TRUE(decoded.has_value()) << decoded.error().ToString();
  EXPECT_TRUE(decoded->typed_contents);
  float values[2];
  ASSERT_EQ(decoded->request->inputs.at(0).data.size(), sizeof values);
  std::memcpy(values, decoded->request->inputs[0].data.data(), sizeof values);
  EXPECT_EQ(values[0], 1.5f);
  EXPECT_EQ(values[1], 1.5f);
}

TEST(ReadInferRequestTest, TheLastOfASingleFieldCounts) {
  ModelInferRequest first;
  first.set_model_name("first");
  first.set_id("1");
  ModelInferRequest second;
  second.set_model_name("second");
  const auto decoded = ReadInferRequest(SliceOf(first.SerializeAsString() + second.SerializeAsString()));
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->request->model_name, "second");
  EXPECT_EQ(decoded->request->id, "1");
}

TEST(ReadInferRequestTest, UnknownFieldsAndGroupsAreSkipped) {
  // Field 100: a varint, 8 bytes, text, a group with a varint in it, 4 bytes. Field 1 as a varint.
  const std::string unknown(
      "\xa0\x06\x05\xa1\x06"
      "12345678\xa2\x06\x03"
      "abc\xa3\x06\x08\x01\xa4\x06\xa5\x06"
      "1234\x08\x07");
  ModelInferRequest message;
  message.set_id("7");
  const auto decoded = ReadInferRequest(SliceOf(unknown + message.SerializeAsString()));
  ASSERT_TRUE(decoded.has_value()) << decoded.error().ToString();
  EXPECT_EQ(decoded->request->id, "7");
  EXPECT_EQ(decoded->request->model_name, "");
}

TEST(ReadInferRequestTest, TypedContentsIsSaidOnlyIfEveryInputHasThem) {
  ModelInferRequest message;
  EXPECT_FALSE(ReadInferRequest(SliceOf(message.SerializeAsString()))->typed_contents);
  AddInput(message, "x", "INT8", {1})->mutable_contents()->add_int_contents(-1);
  EXPECT_TRUE(ReadInferRequest(SliceOf(message.SerializeAsString()))->typed_contents);
  AddInput(message, "y", "INT8", {0});
  const auto decoded = ReadInferRequest(SliceOf(message.SerializeAsString()));
  ASSERT_TRUE(decoded.has_value());
  EXPECT_FALSE(decoded->typed_contents);
  EXPECT_EQ(decoded->request->inputs[1].data.size(), 0u);
}

TEST(ReadInferRequestTest, SharedMemoryInputsHaveNoRawTensor) {
  ModelInferRequest message;
  (*AddInput(message, "s", "INT8", {1})->mutable_parameters())["shared_memory_region"].set_string_param("r");
  AddInput(message, "x", "INT8", {1});
  message.add_raw_input_contents("A");
  const auto decoded = ReadInferRequest(SliceOf(message.SerializeAsString()));
  ASSERT_TRUE(decoded.has_value()) << decoded.error().ToString();
  EXPECT_EQ(decoded->request->inputs[0].data.size(), 0u);
  EXPECT_EQ(decoded->request->inputs[1].data.view(), "A");
}

TEST(ReadInferRequestTest, RawAndTypedTogetherAreRefused) {
  ModelInferRequest message;
  AddInput(message, "x", "INT8", {1});
  AddInput(message, "y", "INT8", {1})->mutable_contents()->add_int_contents(1);
  message.add_raw_input_contents("A");
  message.add_raw_input_contents("B");
  EXPECT_EQ(Error(message), "contents field must not be specified when using raw_input_contents for 'y' for model ''");
}

TEST(ReadInferRequestTest, TheNumberOfRawTensorsMustFit) {
  ModelInferRequest message;
  AddInput(message, "x", "INT8", {1});
  AddInput(message, "y", "INT8", {1});
  message.add_raw_input_contents("A");
  EXPECT_EQ(Error(message), "expected 2 raw_input_contents, one for each input that is not in shared memory, got 1");
}

TEST(ReadInferRequestTest, ShapesAreChecked) {
  const auto error = [](const char* datatype, std::initializer_list<int64_t> shape) {
    ModelInferRequest message;
    AddInput(message, "x", datatype, shape);
    return Error(message);
  };
  constexpr int64_t kHuge = int64_t{1} << 62;
  EXPECT_EQ(error("FP32", {2, -1}), "input 'x': shape [2,-1] has a negative dimension");
  EXPECT_EQ(error("UINT8", {kHuge, 3}), "input 'x': shape [4611686018427387904,3] has more than 2^63 elements");
  EXPECT_EQ(error("BYTES", {kHuge, 3}), "input 'x': shape [4611686018427387904,3] has more than 2^63 elements");
  EXPECT_EQ(error("FP32", {kHuge}), "input 'x': shape [4611686018427387904] has more than 2^63 bytes of FP32");
  EXPECT_EQ(error("BYTES", {kHuge}), "no error");
  ModelInferRequest message;
  auto* input = AddInput(message, "x", "FP32", {});
  for (int i = 0; i < 33; ++i) input->add_shape(1);
  EXPECT_EQ(Error(message), "input 'x': shape: expected at most 32 dimensions, got more");
}

TEST(ReadInferRequestTest, DatatypesAreThoseOfTheDocuments) {
  ModelInferRequest message;
  AddInput(message, "", "fp32", {1});
  EXPECT_EQ(Error(message),
            "input #0: datatype: expected BOOL, UINT8 to UINT64, INT8 to INT64, FP16, BF16, FP32, FP64 or BYTES, got "
            "'fp32'");
}

TEST(ReadInferRequestTest, CountsAreLimited) {
  ModelInferRequest inputs;
  for (size_t i = 0; i <= v2::kTensorsMax; ++i) AddInput(inputs, "x", "INT8", {});
  EXPECT_EQ(Error(inputs), "expected at most 4096 inputs, got more");
  ModelInferRequest outputs;
  for (size_t i = 0; i <= v2::kTensorsMax; ++i) outputs.add_outputs();
  EXPECT_EQ(Error(outputs), "expected at most 4096 outputs, got more");
  ModelInferRequest raw;
  for (size_t i = 0; i <= v2::kTensorsMax; ++i) raw.add_raw_input_contents("");
  EXPECT_EQ(Error(raw), "expected at most 4096 raw_input_contents, got more");
}

TEST(ReadInferRequestTest, MalformedMessagesSayWhere) {
  const std::string start = "the message is not valid protobuf: at byte ";
  EXPECT_EQ(Error("\x0a\x05m"), start + "2: a field is longer than its message");
  EXPECT_EQ(Error("\x0a\x02m\xff"), start + "2: a string is not UTF-8");
  EXPECT_EQ(Error("\x80"), start + "1: it ends inside a number");
  EXPECT_EQ(Error(std::string_view("\0", 1)), start + "1: a field has the number 0");
  EXPECT_EQ(Error("\x0f"), start + "1: a field has an unknown type");
  EXPECT_EQ(Error("\x0c"), start + "1: a group ends that did not begin");
  EXPECT_EQ(Error("\x2a\x03\x0a\x01\xff"), "input #0: " + start + "4: a string is not UTF-8");
}

TEST(TensorBytesAtTest, FindsTheFirstRawTensorInTheBeginning) {
  ModelInferRequest message;
  message.set_model_name("simple");
  AddInput(message, "x", "INT8", {300});
  message.add_raw_input_contents(std::string(300, 'A'));
  const base::BufferSlice slice = SliceOf(message.SerializeAsString());
  const size_t at = slice.view().find("AAA");
  for (size_t size = 0; size <= slice.size(); ++size) {
    EXPECT_EQ(TensorBytesAt(slice.bytes().first(size)), size < at ? 0 : at) << size;
  }
  EXPECT_EQ(TensorBytesAt({}), 0u);
}

}  // namespace
}  // namespace inferd::oip_grpc
