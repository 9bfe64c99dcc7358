#include "serving/scheduling/requests/shape_padding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "data/tensor/bytes.h"
#include "data/tensor/raw.h"
#include "serving/core/validate.h"
#include "serving/scheduling/requests/resized_tensor.h"

namespace inferd::scheduling {
namespace {

using base::StatusCode;
using config::PaddedDimension;
using tensor::DataType;
using tensor::Shape;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A text model: two inputs of the same length, an optional one, one output per token and one per request.
core::ModelSignature Text() {
  core::ModelSignature signature;
  signature.inputs = {{.name = "ids", .datatype = DataType::kInt32, .shape = {-1, -1}},
                      {.name = "mask", .datatype = DataType::kBool, .shape = {-1, -1}},
                      {.name = "words", .datatype = DataType::kBytes, .shape = {-1, -1}, .optional = true}};
  signature.outputs = {{.name = "tokens", .datatype = DataType::kInt32, .shape = {-1, -1}},
                       {.name = "score", .datatype = DataType::kFp32, .shape = {-1, 1}}};
  signature.max_batch_size = 8;
  return signature;
}

std::vector<PaddedDimension> TextRules() {
  return {{.input = "ids", .dim = 0, .buckets = {4, 8}, .value = 9, .outputs = {{.name = "tokens", .dim = 0}}},
          {.input = "mask", .dim = 0, .buckets = {4, 8}, .value = 0, .outputs = {}}};
}

ShapePadding TextPadding() { return ShapePadding::Make(TextRules(), Text()).value(); }

class Sent {
 public:
  explicit Sent(const core::ModelSignature& signature) : signature_(signature) {
    queued.request = std::make_unique<core::InferRequest>();
    queued.request->model_name = "m";
    queued.completion =
        core::Completion([this](core::InferResponse response) { answers.push_back(std::move(response)); });
  }

  // Adds an input of raw bytes of ones, except for BYTES.
  void Add(const char* name, DataType type, const Shape& shape) {
    core::InferTensor tensor{.name = name, .datatype = type, .shape = shape, .data = {}, .parameters = {}};
    const size_t elements = *tensor::ElementCount(shape);
    std::string data;
    for (size_t i = 0; i < elements; ++i) {
      data += type == DataType::kBytes ? std::string("\1\0\0\0x", 5) : std::string(tensor::ElementSize(type), '\1');
    }
    tensor.data = base::BufferSlice(base::Buffer::CopyOf(data));
    queued.request->inputs.push_back(std::move(tensor));
  }
  void Validate() {
    queued.layout = {};
    const base::Status status = core::ValidateRequest(*queued.request, "m", signature_, &queued.layout);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
  // Pads, and checks that the result is still a valid request of the model.
  void Pad(const ShapePadding& padding) {
    Validate();
    padding.Pad(queued);
    Validate();
  }
  const core::InferTensor& input(size_t i) const { return queued.request->inputs[i]; }

  std::vector<core::InferResponse> answers;
  core::QueuedRequest queued;

 private:
  const core::ModelSignature& signature_;
};

template <typename T>
std::vector<T> Values(const core::InferTensor& tensor) {
  std::vector<T> values(tensor.data.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), tensor.data.data(), tensor.data.size());
  return values;
}

core::InferTensor CountingUp(const char* name, const Shape& shape) {
  std::vector<int32_t> values(*tensor::ElementCount(shape));
  std::iota(values.begin(), values.end(), 0);
  const std::string_view bytes(reinterpret_cast<const char*>(values.data()), values.size() * 4);
  return {.name = name,
          .datatype = DataType::kInt32,
          .shape = shape,
          .data = base::BufferSlice(base::Buffer::CopyOf(bytes)),
          .parameters = {}};
}

TEST(ShapePaddingTest, PadsToTheNextBucketAndCutsTheOutputsBack) {
  const core::ModelSignature signature = Text();
  Sent sent(signature);
  sent.Add("mask", DataType::kBool, {2, 3});
  sent.Add("ids", DataType::kInt32, {2, 3});
  sent.Pad(TextPadding());
  EXPECT_EQ(sent.input(0).shape, (Shape{2, 4}));
  EXPECT_THAT(Values<uint8_t>(sent.input(0)), ElementsAre(1, 1, 1, 0, 1, 1, 1, 0));
  EXPECT_EQ(sent.input(1).shape, (Shape{2, 4}));
  EXPECT_EQ(Values<int32_t>(sent.input(1))[3], 9);
  EXPECT_EQ(Values<int32_t>(sent.input(1))[7], 9);

  core::InferResponse response;
  response.outputs = {CountingUp("tokens", {2, 4}), CountingUp("score", {2, 1})};
  const std::byte* score = response.outputs[1].data.data();
  sent.queued.Answer(std::move(response));
  ASSERT_EQ(sent.answers.size(), 1u);
  EXPECT_TRUE(sent.answers[0].status.ok());
  EXPECT_EQ(sent.answers[0].outputs[0].shape, (Shape{2, 3}));
  EXPECT_THAT(Values<int32_t>(sent.answers[0].outputs[0]), ElementsAre(0, 1, 2, 4, 5, 6));
  EXPECT_EQ(sent.answers[0].outputs[1].data.data(), score);
}

TEST(ShapePaddingTest, OneRowIsCutBackAsAView) {
  const core::ModelSignature signature = Text();
  Sent sent(signature);
  sent.Add("ids", DataType::kInt32, {1, 5});
  sent.Add("mask", DataType::kBool, {1, 5});
  sent.Pad(TextPadding());
  EXPECT_EQ(sent.input(0).shape, (Shape{1, 8}));
  core::InferResponse response;
  response.outputs = {CountingUp("tokens", {1, 8})};
  const std::byte* data = response.outputs[0].data.data();
  sent.queued.Answer(std::move(response));
  EXPECT_EQ(sent.answers[0].outputs[0].shape, (Shape{1, 5}));
  EXPECT_EQ(sent.answers[0].outputs[0].data.data(), data);
  EXPECT_EQ(sent.answers[0].outputs[0].data.size(), 20u);
}

TEST(ShapePaddingTest, WhatFitsABucketExactlyIsNotTouched) {
  const core::ModelSignature signature = Text();
  Sent sent(signature);
  sent.Add("ids", DataType::kInt32, {2, 8});
  sent.Add("mask", DataType::kBool, {2, 8});
  const std::byte* data = sent.input(0).data.data();
  sent.Pad(TextPadding());
  EXPECT_EQ(sent.input(0).data.data(), data);
  sent.queued.Answer({});
  EXPECT_EQ(sent.answers.size(), 1u);
}

TEST(ShapePaddingTest, ARequestBeyondTheLargestBucketStaysAsItIs) {
  const core::ModelSignature signature = Text();
  Sent sent(signature);
  sent.Add("ids", DataType::kInt32, {2, 3});
  sent.Add("mask", DataType::kBool, {2, 9});
  sent.Pad(TextPadding());
  EXPECT_EQ(sent.input(0).shape, (Shape{2, 3}));
  EXPECT_EQ(sent.input(1).shape, (Shape{2, 9}));
  core::InferResponse response;
  response.outputs = {CountingUp("tokens", {2, 4})};
  sent.queued.Answer(std::move(response));
  EXPECT_EQ(sent.answers[0].outputs[0].shape, (Shape{2, 4}));
}

TEST(ShapePaddingTest, OutputsOfOtherSizesAreLeftAlone) {
  const core::ModelSignature signature = Text();
  Sent sent(signature);
  sent.Add("ids", DataType::kInt32, {2, 3});
  sent.Add("mask", DataType::kBool, {2, 3});
  sent.Pad(TextPadding());
  core::InferResponse response;
  response.outputs = {CountingUp("tokens", {2, 2}), CountingUp("tokens", {2}), CountingUp("other", {2, 4})};
  sent.queued.Answer(std::move(response));
  EXPECT_EQ(sent.answers[0].outputs[0].shape, (Shape{2, 2}));
  EXPECT_EQ(sent.answers[0].outputs[1].shape, (Shape{2}));
  EXPECT_EQ(sent.answers[0].outputs[2].shape, (Shape{2, 4}));
}

TEST(ShapePaddingTest, AnOptionalInputIsPaddedWhereItIsThere) {
  const core::ModelSignature signature = Text();
  std::vector<PaddedDimension> rules = TextRules();
  rules.push_back({.input = "words", .dim = 0, .buckets = {4}, .value = 0, .outputs = {}});
  const ShapePadding padding = ShapePadding::Make(rules, signature).value();
  for (const bool with_words : {false, true}) {
    Sent sent(signature);
    sent.Add("ids", DataType::kInt32, {1, 3});
    sent.Add("mask", DataType::kBool, {1, 3});
    if (with_words) sent.Add("words", DataType::kBytes, {1, 3});
    sent.Pad(padding);
    EXPECT_EQ(sent.input(0).shape, (Shape{1, 4}));
    if (with_words) {
      EXPECT_EQ(sent.input(2).shape, (Shape{1, 4}));
      EXPECT_EQ(sent.input(2).data.size(), 3u * 5 + 4);
    }
    sent.queued.Answer({});
  }
}

// An image: two dimensions of one input, each with its own rule, without a batch dimension.
TEST(ShapePaddingTest, SeveralDimensionsOfOneInput) {
  core::ModelSignature signature;
  signature.inputs = {{.name = "image", .datatype = DataType::kInt32, .shape = {-1, -1, 1}}};
  signature.outputs = {{.name = "same", .datatype = DataType::kInt32, .shape = {-1, -1, 1}}};
  const ShapePadding padding =
      ShapePadding::Make({{.input = "image", .dim = 0, .buckets = {2}, .value = 5, .outputs = {{"same", 0}}},
                          {.input = "image", .dim = 1, .buckets = {3}, .value = 5, .outputs = {{"same", 1}}}},
                         signature)
          .value();
  Sent sent(signature);
  sent.Add("image", DataType::kInt32, {1, 2, 1});
  const core::InferTensor own = sent.input(0);
  sent.Pad(padding);
  EXPECT_EQ(sent.input(0).shape, (Shape{2, 3, 1}));
  EXPECT_THAT(Values<int32_t>(sent.input(0)), ElementsAre(0x01010101, 0x01010101, 5, 5, 5, 5));
  core::InferResponse response;
  response.outputs = {sent.input(0)};
  response.outputs[0].name = "same";
  sent.queued.Answer(std::move(response));
  EXPECT_EQ(sent.answers[0].outputs[0].shape, own.shape);
  EXPECT_EQ(sent.answers[0].outputs[0].data.view(), own.data.view());
}

TEST(ShapePaddingTest, ErrorsPassThrough) {
  const core::ModelSignature signature = Text();
  Sent sent(signature);
  sent.Add("ids", DataType::kInt32, {1, 3});
  sent.Add("mask", DataType::kBool, {1, 3});
  sent.Pad(TextPadding());
  sent.queued.Fail(base::ResourceExhausted("full"), 11);
  ASSERT_EQ(sent.answers.size(), 1u);
  EXPECT_EQ(sent.answers[0].status, base::ResourceExhausted("full"));
  EXPECT_EQ(sent.answers[0].retry_after_ms, 11);
}

TEST(ShapePaddingTest, AnOutputWithoutItsBytesIsAnError) {
  const core::ModelSignature signature = Text();
  Sent sent(signature);
  sent.Add("ids", DataType::kInt32, {2, 3});
  sent.Add("mask", DataType::kBool, {2, 3});
  sent.Pad(TextPadding());
  core::InferResponse response;
  response.outputs = {CountingUp("tokens", {2, 4})};
  response.outputs[0].data = response.outputs[0].data.Sub(0, 31);
  sent.queued.Answer(std::move(response));
  EXPECT_EQ(sent.answers[0].status.code(), StatusCode::kInternal);
  EXPECT_THAT(sent.answers[0].status.message(), HasSubstr("'tokens' in shape [2,4] with 31 bytes"));
  EXPECT_TRUE(sent.answers[0].outputs.empty());
}

TEST(ShapePaddingTest, ADroppedRequestIsAnswered) {
  const core::ModelSignature signature = Text();
  std::vector<core::InferResponse> answers;
  {
    Sent sent(signature);
    sent.Add("ids", DataType::kInt32, {1, 3});
    sent.Add("mask", DataType::kBool, {1, 3});
    sent.queued.completion = core::Completion([&](core::InferResponse r) { answers.push_back(std::move(r)); });
    sent.Pad(TextPadding());
  }
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].status.code(), StatusCode::kInternal);
}

// A few bytes must not become gigabytes.
TEST(ShapePaddingTest, ARequestThatWouldGrowTooMuchStaysAsItIs) {
  core::ModelSignature signature;
  signature.inputs = {{.name = "x", .datatype = DataType::kInt32, .shape = {-1, -1}}};
  signature.outputs = {{.name = "y", .datatype = DataType::kInt32, .shape = {-1, -1}}};
  const auto shape_of = [&](int64_t bucket, const Shape& shape) {
    const ShapePadding padding =
        ShapePadding::Make({{.input = "x", .dim = 1, .buckets = {bucket}, .value = 0, .outputs = {}}}, signature)
            .value();
    Sent sent(signature);
    sent.Add("x", DataType::kInt32, shape);
    sent.Pad(padding);
    sent.queued.Answer({});
    return sent.input(0).shape;
  };
  constexpr int64_t kHuge = int64_t{1} << 61;
  EXPECT_EQ(shape_of(8, {kHuge, 0}), (Shape{kHuge, 0}));
  EXPECT_EQ(shape_of(kHuge, {1, 1}), (Shape{1, 1}));
  EXPECT_EQ(shape_of(kHuge, {4, 1}), (Shape{4, 1}));
  const int64_t small = static_cast<int64_t>(kSmallPaddedBytesMax) / 4;
  EXPECT_EQ(shape_of(small, {1, 1}), (Shape{1, small}));
  EXPECT_EQ(shape_of(small + 1, {1, 1}), (Shape{1, 1}));
  EXPECT_EQ(shape_of(small + 1, {1, small / 4 + 1}), (Shape{1, small + 1}));
}

TEST(ShapePaddingTest, NoRulesDoNothing) {
  EXPECT_TRUE(ShapePadding().empty());
  EXPECT_TRUE(ShapePadding::Make({}, Text())->empty());
  EXPECT_FALSE(TextPadding().empty());
}

TEST(ShapePaddingTest, RulesThatDoNotFitTheModelAreRefusedByField) {
  const auto refused = [](auto change, core::ModelSignature signature = Text()) {
    std::vector<PaddedDimension> rules = TextRules();
    change(rules);
    const auto made = ShapePadding::Make(rules, signature);
    EXPECT_FALSE(made.has_value());
    if (made.has_value()) return std::string();
    EXPECT_EQ(made.error().code(), StatusCode::kInvalidArgument);
    return made.error().message();
  };
  using Rules = std::vector<PaddedDimension>;
  EXPECT_EQ(refused([](Rules& r) { r[1].input = "none"; }), "inferd.padding[1].input: the model has no input 'none'");
  EXPECT_EQ(refused([](Rules& r) { r[0].dim = 1; }),
            "inferd.padding[0].dim: input 'ids' has no dimension 1 (they count from 0, without the batch dimension)");
  EXPECT_THAT(refused([](Rules& r) { r[0].dim = -1; }), HasSubstr("has no dimension -1 "));
  EXPECT_THAT(refused([](Rules& r) { r[1] = r[0]; }),
              HasSubstr("inferd.padding[1].dim: dimension 0 of input 'ids' has a rule already"));
  EXPECT_EQ(refused([](Rules& r) { r[1].buckets.clear(); }),
            "inferd.padding[1].buckets: expected 1 to 256 sizes, got 0");
  EXPECT_THAT(refused([](Rules& r) { r[1].buckets = std::vector<int64_t>(257, 1); }), HasSubstr("got 257"));
  EXPECT_EQ(refused([](Rules& r) { r[1].buckets = {8, 8}; }),
            "inferd.padding[1].buckets: expected ascending sizes above 0, got 8 after 8");
  EXPECT_THAT(refused([](Rules& r) { r[1].buckets = {0}; }), HasSubstr("got 0 after 0"));
  EXPECT_EQ(refused([](Rules& r) { r[0].value = 0.5; }), "inferd.padding[0].value: expected a value of INT32, got 0.5");
  EXPECT_EQ(refused([](Rules& r) { r[0].outputs[0].name = "none"; }),
            "inferd.padding[0].output[0].name: the model has no output 'none'");
  EXPECT_EQ(refused([](Rules& r) { r[0].outputs[0] = {"score", 0}; }),
            "inferd.padding[0].output[0].dim: dimension 0 of output 'score' is always 1: only a variable dimension "
            "(-1) can be "
            "padded");
  EXPECT_EQ(refused([](Rules& r) { r[1].outputs = {{"tokens", 0}}; }),
            "inferd.padding[1].output[0].dim: dimension 0 of output 'tokens' is cut already");
  EXPECT_THAT(refused([](Rules& r) { r[0].outputs.push_back(r[0].outputs[0]); }),
              HasSubstr("inferd.padding[0].output[1].dim"));
  EXPECT_THAT(refused([](Rules& r) { r.resize(257, r[0]); }), HasSubstr("expected at most 256 rules, got 257"));

  core::ModelSignature ragged = Text();
  ragged.inputs[0].ragged = true;
  EXPECT_THAT(refused([](Rules&) {}, ragged), HasSubstr("inferd.padding[0].input: input 'ids' is ragged"));
  core::ModelSignature wide = Text();
  wide.inputs[0].shape = {-1, -1, -1};
  EXPECT_EQ(
      refused([](Rules& r) { r[1] = {.input = "ids", .dim = 1, .buckets = {2}, .value = 1, .outputs = {}}; }, wide),
      "inferd.padding[1].value: input 'ids' has another value in another rule");
}

}  // namespace
}  // namespace inferd::scheduling
