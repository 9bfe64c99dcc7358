#include "protocols/oip_http/codec/infer_request_reader.h"

#include <gtest/gtest.h>

#include <cstring>

namespace inferd::oip_http {
namespace {

using core::InferRequest;
using tensor::DataType;

base::Result<DecodedRequest> Read(std::string_view json, std::string_view binary = "", bool allowed = true) {
  const base::BufferSlice body(base::Buffer::CopyOf(std::string(json) + std::string(binary)));
  return ReadInferRequest(body, json.size(), allowed, "m");
}

std::string Error(std::string_view json, std::string_view binary = "", bool allowed = true) {
  const auto decoded = Read(json, binary, allowed);
  return decoded.has_value() ? "no error" : decoded.error().message();
}

// Returns a request with one input object that has `members`.
std::string WithInput(std::string_view members) { return "{\"inputs\":[{" + std::string(members) + "}]}"; }

template <typename T>
std::vector<T> Values(const core::InferTensor& tensor) {
  std::vector<T> values(tensor.data.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), tensor.data.data(), tensor.data.size());
  return values;
}

TEST(ReadInferRequestTest, ReadsEveryMember) {
  const auto decoded = Read(R"({"id":"42","parameters":{"priority":1,"mine":-5,"text":"a","flag":false,"ratio":0.5},
    "inputs":[{"name":"x","shape":[2,2],"datatype":"INT32","parameters":{"k":1},"data":[[1,2],[3,4]]},
              {"name":"y","shape":[],"datatype":"BOOL","data":[true]}],
    "outputs":[{"name":"o","parameters":{"binary_data":true}},{"name":"p","parameters":{"classification":2}}]})");
  ASSERT_TRUE(decoded.has_value()) << decoded.error().ToString();
  const InferRequest& request = *decoded->request;
  EXPECT_EQ(request.id, "42");
  EXPECT_EQ(request.priority, 1u);
  const core::Parameters left = {{"mine", int64_t{-5}}, {"text", std::string("a")}, {"flag", false}, {"ratio", 0.5}};
  EXPECT_EQ(request.parameters, left);
  ASSERT_EQ(request.inputs.size(), 2u);
  EXPECT_EQ(request.inputs[0].name, "x");
  EXPECT_EQ(request.inputs[0].datatype, DataType::kInt32);
  EXPECT_EQ(request.inputs[0].shape, (tensor::Shape{2, 2}));
  EXPECT_EQ(request.inputs[0].parameters, (core::Parameters{{"k", int64_t{1}}}));
  EXPECT_EQ(Values<int32_t>(request.inputs[0]), (std::vector<int32_t>{1, 2, 3, 4}));
  EXPECT_EQ(request.inputs[1].shape.rank(), 0u);
  ASSERT_EQ(request.outputs.size(), 2u);
  EXPECT_EQ(request.outputs[1].name, "p");
  ASSERT_EQ(decoded->forms.forms.size(), 2u);
  EXPECT_TRUE(decoded->forms.of(0).binary);
  EXPECT_EQ(decoded->forms.of(1).classes, 2u);
}

TEST(ReadInferRequestTest, AnyKeyOrderGivesTheSame) {
  const char* const members[] = {R"("name":"x")", R"("shape":[2])", R"("datatype":"FP32")", R"("data":[1.5,-2])"};
  int order[] = {0, 1, 2, 3};
  do {
    std::string text;
    for (const int i : order) text.append(text.empty() ? "" : ",").append(members[i]);
    const auto decoded = Read(WithInput(text));
    ASSERT_TRUE(decoded.has_value()) << text << ": " << decoded.error().ToString();
    EXPECT_EQ(Values<float>(decoded->request->inputs[0]), (std::vector<float>{1.5f, -2.0f})) << text;
  } while (std::ranges::next_permutation(order).found);
}

TEST(ReadInferRequestTest, Base64MayBeAnnouncedBehindTheData) {
  const auto before = Read(
      WithInput(R"("name":"x","shape":[1],"datatype":"BYTES","parameters":{"content_type":"base64"},"data":["AP8="])"));
  const auto behind = Read(
      WithInput(R"("name":"x","shape":[1],"datatype":"BYTES","data":["AP8="],"parameters":{"content_type":"base64"})"));
  ASSERT_TRUE(before.has_value() && behind.has_value());
  EXPECT_EQ(before->request->inputs[0].data.view(), std::string_view("\2\0\0\0\0\xff", 6));
  EXPECT_EQ(behind->request->inputs[0].data.view(), before->request->inputs[0].data.view());
}

TEST(ReadInferRequestTest, BinaryInputsAreViewsIntoTheBody) {
  const std::string json =
      R"({"inputs":[{"name":"a","shape":[2],"datatype":"INT16","parameters":{"binary_data_size":4}},)"
      R"({"name":"j","shape":[1],"datatype":"UINT8","data":[7]},)"
      R"({"name":"b","shape":[1],"datatype":"INT64","parameters":{"other":true,"binary_data_size":8}}]})";
  const base::BufferSlice body(base::Buffer::CopyOf(json + "ABCD12345678"));
  const auto decoded = ReadInferRequest(body, json.size(), true, "m");
  ASSERT_TRUE(decoded.has_value()) << decoded.error().ToString();
  const auto& inputs = decoded->request->inputs;
  EXPECT_EQ(inputs[0].data.data(), body.data() + json.size());
  EXPECT_EQ(inputs[0].data.size(), 4u);
  EXPECT_EQ(inputs[2].data.data(), body.data() + json.size() + 4);
  EXPECT_EQ(inputs[2].data.view(), "12345678");
  EXPECT_EQ(inputs[2].parameters, (core::Parameters{{"other", true}}));
}

TEST(ReadInferRequestTest, TheDocumentsExampleAsPrintedNamesInputExpectedAndGot) {
  const std::string error = Error(R"({"id":"42","inputs":[
    {"name":"input0","shape":[2,2],"datatype":"UINT32","data":[1,2,3,4]},
    {"name":"input1","shape":[3],"datatype":"BOOL","data":[true]}],"outputs":[{"name":"output0"}]})");
  EXPECT_NE(error.find("input 'input1'"), std::string::npos) << error;
  EXPECT_NE(error.find("expected 3"), std::string::npos) << error;
  EXPECT_NE(error.find("got 1"), std::string::npos) << error;
}

TEST(ReadInferRequestTest, InputErrorsNameTheInput) {
  const std::string_view x = R"("name":"x",)";
  const auto error = [&](std::string_view members) { return Error(WithInput(std::string(x) + std::string(members))); };
  EXPECT_EQ(error(R"("shape":[1],"data":[1])"), "input 'x': expected a member 'datatype', got none");
  EXPECT_EQ(error(R"("datatype":"INT8","data":[1])"), "input 'x': expected a member 'shape', got none");
  EXPECT_EQ(Error(WithInput(R"("shape":[1],"datatype":"INT8","data":[1])")),
            "input #0: expected a member 'name', got none");
  EXPECT_EQ(error(R"("shape":[1],"datatype":"INT8")"),
            "input 'x': Input must set only one of the following fields: 'data', 'binary_data_size' in 'parameters', "
            "'shared_memory_region' in 'parameters'; got none");
  EXPECT_EQ(error(R"("shape":[1],"datatype":"INT8","data":[1],"parameters":{"binary_data_size":1})"),
            "input 'x': Input must set only one of the following fields: 'data', 'binary_data_size' in 'parameters', "
            "'shared_memory_region' in 'parameters'; got both");
  EXPECT_TRUE(error(R"("shape":[1],"datatype":"INT8","data":[1],"parameters":{"shared_memory_region":"r"})")
                  .ends_with("got both"));
  EXPECT_TRUE(error(R"("shape":[1,-1],"datatype":"INT8","data":[1])")
                  .starts_with("input 'x': shape: Unable to parse 'shape': attempt to access JSON "
                               "non-unsigned-integer as unsigned-integer: JSON at byte "));
  for (const char* shape :
       {"[1.0]", "[1e0]", "[\"1\"]", "[18446744073709551616]", "[9223372036854775808]", "[[1]]", "1", "null", "{}"}) {
    const std::string text = error("\"shape\":" + std::string(shape) + ",\"datatype\":\"INT8\",\"data\":[1]");
    EXPECT_TRUE(text.starts_with("input 'x': shape: JSON at byte ")) << shape << ": " << text;
  }
  EXPECT_NE(error(R"("shape":[1],"datatype":"fp32","data":[1])").find("got 'fp32'"), std::string::npos);
  EXPECT_TRUE(error(R"("shape":[1],"datatype":"INT8","data":[1.5])").starts_with("input 'x': data element 0"));
  EXPECT_NE(error(R"("shape":[1],"datatype":"INT8","data":[1],"parameters":{"a":[]})").find("parameter 'a'"),
            std::string::npos);
  EXPECT_EQ(error(R"("shape":[1],"datatype":"INT8","parameters":{"binary_data_size":-1})"),
            "input 'x': parameter 'binary_data_size': expected a number of bytes, got -1");
}

TEST(ReadInferRequestTest, BinarySizesMustAddUp) {
  const std::string_view json =
      R"({"inputs":[{"name":"x","shape":[4],"datatype":"INT8","parameters":{"binary_data_size":4}}]})";
  EXPECT_EQ(Error(json, "1234"), "no error");
  EXPECT_EQ(Error(json, "123"),
            "unexpected size for input 'x', expecting 1 additional bytes for model 'm': expected 4 bytes, got 3");
  EXPECT_EQ(Error(json, "12345"),
            "unexpected additional input data for model 'm': expected 4 bytes behind the JSON, got 5");
  EXPECT_NE(Error(json, "", false).find("Inference-Header-Content-Length"), std::string::npos);
  EXPECT_NE(Error(R"({"inputs":[{"name":"x","shape":[4],"datatype":"INT8",
    "parameters":{"binary_data_size":9223372036854775807}}]})",
                  "1234")
                .find("expected 9223372036854775807 bytes, got 4"),
            std::string::npos);
}

TEST(ReadInferRequestTest, WhatIsNotUsedIsStillHeldToTheRules) {
  const std::string_view good =
      R"("inputs":[{"name":"x","shape":[1],"datatype":"INT8","data":[1],"extra":[{"a":null}]}])";
  const auto with = [&](std::string_view more) { return Error("{" + std::string(good) + "," + std::string(more)); };
  EXPECT_EQ(with(R"("unknown":{"deep":[1,2,{"x":"y"}]}})"), "no error");
  EXPECT_EQ(with(R"("outputs":[]})"), "no error");
  for (const char* bad :
       {R"("unknown":[1,})", R"("unknown":{"a":1,"a":2}})", R"("id":"a","id":"a"})", R"("id":1})", R"("id":null})",
        R"("u":tru})", R"("u":01})", "\"u\":\"\x01\"}", "\"u\":\"\xff\"}", R"("u":1} x)", R"("u":1}})", R"("u":1)",
        R"("outputs":{}})", R"("outputs":[{}]})", R"("outputs":[{"name":1}]})", R"("parameters":[]})",
        R"("parameters":{"a":null}})", R"("parameters":{"a":{}}})", R"("inputs":[]})"}) {
    EXPECT_NE(with(bad), "no error") << bad;
  }
  EXPECT_EQ(Error("{}"), "expected a member 'inputs', got none");
  EXPECT_NE(Error(""), "no error");
  EXPECT_NE(Error("[]"), "no error");
  EXPECT_NE(Error("{\"inputs\":" + std::string(100, '[') + std::string(100, ']') + "}"), "no error");
  EXPECT_NE(Error("{\"u\":" + std::string(100, '[') + std::string(100, ']') + ",\"inputs\":[]}"), "no error");
}

TEST(ReadInferRequestTest, HugeShapesDoNotAllocate) {
  EXPECT_NE(Error(WithInput(R"("name":"x","shape":[4611686018427387904],"datatype":"FP64","data":[1])")), "no error");
  EXPECT_NE(Error(WithInput(R"("name":"x","shape":[1000000000000],"datatype":"FP64","data":[1])")), "no error");
}

TEST(ReadInferRequestTest, TooManyOfAnything) {
  std::string text = "{\"inputs\":[";
  for (size_t i = 0; i <= v2::kTensorsMax; ++i) {
    if (i > 0) text += ',';
    text += "{\"name\":\"n" + std::to_string(i) + R"(","shape":[0],"datatype":"INT8","data":[]})";
  }
  EXPECT_NE(Error(text + "]}").find("expected at most 4096 inputs"), std::string::npos);
  text = WithInput(R"("name":"x","datatype":"INT8","data":[],"shape":[)" + std::string("0,") + [] {
    std::string dims;
    for (int i = 0; i < 32; ++i) dims += i == 0 ? "0" : ",0";
    return dims;
  }() + "]");
  EXPECT_NE(Error(text).find("expected at most 32 dimensions"), std::string::npos);
}

TEST(ReadInferRequestTest, DataOfAnotherSizeIsRefusedWithTritonsTextAlone) {
  const auto error = [](std::string_view members, bool triton_exact) {
    const std::string json = WithInput(members);
    const base::BufferSlice body(base::Buffer::CopyOf(json));
    const auto decoded = ReadInferRequest(body, json.size(), true, "m", 64, triton_exact);
    return decoded.has_value() ? "no error" : decoded.error().message();
  };
  const std::string_view text = "Unable to parse 'data': Shape does not match true shape of 'data' field";
  for (const char* members : {
           R"("name":"I","datatype":"INT32","shape":[1,1],"data":[5,6])",
           R"("name":"I","data":[5],"datatype":"INT32","shape":[1,2])",
           R"("name":"I","datatype":"BYTES","shape":[1,2],"data":[["a","b","c"]])",
       }) {
    EXPECT_EQ(error(members, true), text);
    EXPECT_TRUE(error(members, false).starts_with("input 'I': " + std::string(text) + ": expected "));
  }
  const char* const other = R"("name":"I","datatype":"INT32","shape":[1,1],"data":["a"])";
  EXPECT_EQ(
      error(other, true),
      "Unable to parse 'data': attempt to access JSON non-signed-integer as signed-integer: " + error(other, false));
}

}  // namespace
}  // namespace inferd::oip_http
