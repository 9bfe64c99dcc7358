#include "protocols/oip_http/codec/request/request_memo.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace inferd::oip_http {
namespace {

constexpr std::string_view kBinary =
    R"({"id":"7","inputs":[{"name":"x","shape":[1,4],"datatype":"FP32","parameters":{"binary_data_size":16,"k":2}}],)"
    R"("outputs":[{"name":"y","parameters":{"classification":3}}],"parameters":{"binary_data_output":true,"own":"p"}})";

// Returns everything that was read.
std::string Describe(const base::Result<RequestJson>& json) {
  if (!json.has_value()) return json.error().ToString();
  const core::InferRequest& request = *json->request;
  std::string text = "id " + request.id + " priority " + std::to_string(request.priority) + " timeout " +
                     std::to_string(request.timeout_us) + (request.sequence.named() ? " sequence" : "") +
                     (request.sequence.start ? " start" : "") + (request.sequence.end ? " end" : "") +
                     (json->settings.binary_data_output ? " binary" : "");
  const auto add = [&text](const core::Parameters& parameters) {
    for (const auto& [name, value] : parameters) text += " " + name + "#" + std::to_string(value.index());
  };
  add(request.parameters);
  for (const core::InferTensor& input : request.inputs) {
    text += "; " + input.name + input.shape.ToString() + std::to_string(static_cast<int>(input.datatype)) + "=";
    text += input.data.view();
    add(input.parameters);
  }
  for (const core::RequestedOutput& output : request.outputs) {
    text += "; " + output.name;
    add(output.parameters);
  }
  for (const auto& size : json->binary_sizes) text += size.has_value() ? " " + std::to_string(*size) : " -";
  return text;
}

TEST(RequestMemoTest, KeepsWhatComesTwice) {
  RequestMemo memo;
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(Describe(memo.Read(kBinary, 64)), Describe(ReadRequestJson(kBinary, 64)));
    EXPECT_EQ(memo.hits(), i < 2 ? 0u : static_cast<size_t>(i) - 1);
  }
  EXPECT_EQ(Describe(memo.Read(kBinary, 1)), Describe(ReadRequestJson(kBinary, 1))) << "another depth";
}

TEST(RequestMemoTest, WhatIsHandedOutIsTheCallersOwn) {
  RequestMemo memo;
  for (int i = 0; i < 4; ++i) {
    const auto json = memo.Read(kBinary, 64);
    ASSERT_TRUE(json.has_value());
    EXPECT_EQ(json->request->inputs[0].name, "x");
    json->request->inputs[0].name = "changed";
    json->request->inputs[0].shape.Prepend(1);
    json->request->outputs.clear();
  }
  EXPECT_EQ(memo.hits(), 2u);
}

TEST(RequestMemoTest, KeepsNeitherNumbersNorErrorsNorLongTexts) {
  RequestMemo memo;
  const std::string numbers = R"({"inputs":[{"name":"x","shape":[1],"datatype":"FP32","data":[1]}]})";
  const std::string wrong = R"({"inputs":[{"name":"x","shape":[-1],"datatype":"FP32"}]})";
  const std::string padded = std::string(kBinary) + std::string(RequestMemo::kTextMax, ' ');
  for (const std::string& text : {numbers, wrong, padded}) {
    for (int i = 0; i < 4; ++i) EXPECT_EQ(Describe(memo.Read(text, 64)), Describe(ReadRequestJson(text, 64)));
  }
  EXPECT_EQ(memo.hits(), 0u);
}

// Texts that differ little, and are sometimes malformed.
TEST(RequestMemoTest, EachTextReadsAsItDoesByItself) {
  std::mt19937 random(20261127);
  const auto below = [&random](size_t bound) { return static_cast<size_t>(random()) % bound; };
  RequestMemo memo;
  std::string last;
  for (int i = 0; i < 20'000; ++i) {
    std::string text(kBinary);
    for (size_t changes = below(3); changes > 0; --changes) text[below(text.size())] = "09x\"]}"[below(6)];
    if (!last.empty() && below(3) != 0) text = last;
    last = text;
    const size_t depth_max = below(10) == 0 ? 3 : 64;
    ASSERT_EQ(Describe(memo.Read(text, depth_max)), Describe(ReadRequestJson(text, depth_max))) << text;
  }
  EXPECT_GT(memo.hits(), 1000u);
}

}  // namespace
}  // namespace inferd::oip_http
