#include "protocols/oip_grpc/codec/infer_response_writer.h"

#include <gtest/gtest.h>

#include <string>

#include "oip/grpc_service.pb.h"

namespace inferd::oip_grpc {
namespace {

using core::InferResponse;
using inference::ModelInferResponse;
using inference::ModelStreamInferResponse;
using tensor::DataType;

std::string Joined(const net::grpc::Message& message) {
  std::string bytes;
  for (const base::BufferSlice& piece : message) bytes += piece.view();
  return bytes;
}

// Parses the message with the generated class. Its own encoding has the same size: ours is never longer than necessary.
template <typename T>
T Parsed(const net::grpc::Message& message) {
  T parsed;
  const std::string bytes = Joined(message);
  EXPECT_TRUE(parsed.ParseFromString(bytes));
  EXPECT_EQ(parsed.ByteSizeLong(), bytes.size());
  return parsed;
}

core::InferTensor Output(std::string name, DataType datatype, tensor::Shape shape, std::string_view data) {
  return {.name = std::move(name),
          .datatype = datatype,
          .shape = std::move(shape),
          .data = base::BufferSlice(base::Buffer::CopyOf(data)),
          .parameters = {}};
}

InferResponse Response() {
  InferResponse response;
  response.model_name = "m";
  response.model_version = "3";
  response.id = "42";
  response.parameters = {{"flag", false}, {"text", std::string()}, {"unsigned", ~uint64_t{0}}};
  response.outputs.push_back(Output("x", DataType::kInt16, {2, 1}, "ABCD"));
  response.outputs.back().parameters = {{"integer", int64_t{-1}}, {"real", 0.25}};
  response.outputs.push_back(Output("none", DataType::kFp32, {0, 300}, ""));
  response.outputs.push_back(Output("y", DataType::kFp32, {}, "1234"));
  return response;
}

void ExpectHead(const ModelInferResponse& message) {
  EXPECT_EQ(message.model_name(), "m");
  EXPECT_EQ(message.model_version(), "3");
  EXPECT_EQ(message.id(), "42");
  ASSERT_EQ(message.parameters().size(), 3u);
  EXPECT_EQ(message.parameters().at("flag").parameter_choice_case(), inference::InferParameter::kBoolParam);
  EXPECT_EQ(message.parameters().at("text").parameter_choice_case(), inference::InferParameter::kStringParam);
  EXPECT_EQ(message.parameters().at("unsigned").uint64_param(), ~uint64_t{0});
  ASSERT_EQ(message.outputs_size(), 3);
  EXPECT_EQ(message.outputs(0).name(), "x");
  EXPECT_EQ(message.outputs(0).datatype(), "INT16");
  EXPECT_EQ(message.outputs(0).shape(0), 2);
  EXPECT_EQ(message.outputs(0).parameters().at("integer").int64_param(), -1);
  EXPECT_EQ(message.outputs(0).parameters().at("real").double_param(), 0.25);
  EXPECT_EQ(message.outputs(1).shape(1), 300);
  EXPECT_EQ(message.outputs(2).shape_size(), 0);
}

TEST(WriteInferResponseTest, TypesThatOnlyTensorflowHasAreRefused) {
  for (const Contents contents : {Contents::kRaw, Contents::kTyped}) {
    InferResponse response = Response();
    response.outputs[1].datatype = DataType::kQuint16;
    const auto written = WriteInferResponse(std::move(response), contents);
    ASSERT_FALSE(written.has_value());
    EXPECT_EQ(written.error().code(), base::StatusCode::kUnimplemented);
    EXPECT_TRUE(written.error().message().starts_with("tensor 'none' has elements of type QUINT16"));
  }
}

TEST(WriteInferResponseTest, RawTensorsArePiecesThemselves) {
  const InferResponse response = Response();
  const auto message = WriteInferResponse(response, Contents::kRaw);
  ASSERT_TRUE(message.has_value());
  const auto parsed = Parsed<ModelInferResponse>(*message);
  ExpectHead(parsed);
  ASSERT_EQ(parsed.raw_output_contents_size(), 3);
  EXPECT_EQ(parsed.raw_output_contents(0), "ABCD");
  EXPECT_EQ(parsed.raw_output_contents(1), "");
  EXPECT_EQ(parsed.raw_output_contents(2), "1234");
  EXPECT_FALSE(parsed.outputs(0).has_contents());
  ASSERT_EQ(message->size(), 4u);  // head, x, tags, y
  EXPECT_EQ((*message)[1].data(), response.outputs[0].data.data());
  EXPECT_EQ((*message)[3].data(), response.outputs[2].data.data());
}

TEST(WriteInferResponseTest, TypedTensorsStandInTheirField) {
  const InferResponse response = Response();
  const auto message = WriteInferResponse(response, Contents::kTyped);
  ASSERT_TRUE(message.has_value());
  const auto parsed = Parsed<ModelInferResponse>(*message);
  ExpectHead(parsed);
  EXPECT_EQ(parsed.raw_output_contents_size(), 0);
  ASSERT_EQ(parsed.outputs(0).contents().int_contents_size(), 2);
  EXPECT_EQ(parsed.outputs(0).contents().int_contents(0), 'A' + 'B' * 256);
  EXPECT_TRUE(parsed.outputs(1).has_contents());
  EXPECT_EQ(parsed.outputs(1).contents().fp32_contents_size(), 0);
  EXPECT_EQ(parsed.outputs(2).contents().fp32_contents_size(), 1);
}

TEST(WriteInferResponseTest, AHalfPrecisionOutputMakesTheResponseRawThroughout) {
  for (const DataType half : {DataType::kFp16, DataType::kBf16}) {
    InferResponse response = Response();
    response.outputs.push_back(Output("h", half, {1}, "hh"));
    const auto message = WriteInferResponse(response, Contents::kTyped);
    ASSERT_TRUE(message.has_value());
    const auto parsed = Parsed<ModelInferResponse>(*message);
    EXPECT_EQ(parsed.raw_output_contents_size(), 4);
    for (const auto& output : parsed.outputs()) EXPECT_FALSE(output.has_contents()) << output.name();
  }
}

TEST(WriteInferResponseTest, TypedTensorsMustFitTheirShape) {
  InferResponse response;
  response.outputs.push_back(Output("x", DataType::kBytes, {1}, std::string_view("\7\0\0\0abc", 7)));
  const auto message = WriteInferResponse(response, Contents::kTyped);
  ASSERT_FALSE(message.has_value());
  EXPECT_EQ(message.error().ToString(),
            "INTERNAL: output 'x': BYTES element 0: expected 7 bytes behind its length, got 3");
}

TEST(WriteInferResponseTest, ManyOutputsAndParametersStandInOrder) {
  InferResponse response;
  for (int i = 0; i < 100; ++i) {
    response.outputs.push_back(Output(std::to_string(i), DataType::kInt64, {1}, "12345678"));
    response.parameters.emplace_back(std::to_string(i), std::string(1000, 'p'));
  }
  for (const Contents contents : {Contents::kRaw, Contents::kTyped}) {
    const auto message = WriteInferResponse(response, contents);
    ASSERT_TRUE(message.has_value());
    const auto parsed = Parsed<ModelInferResponse>(*message);
    ASSERT_EQ(parsed.outputs_size(), 100);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(parsed.outputs(i).name(), std::to_string(i));
    EXPECT_EQ(parsed.parameters_size(), 100);
  }
}

TEST(WriteInferResponseTest, AnEmptyResponseIsAnEmptyMessage) {
  const auto message = WriteInferResponse({}, Contents::kRaw);
  ASSERT_TRUE(message.has_value());
  EXPECT_TRUE(message->empty());
}

TEST(WriteStreamResponseTest, WrapsTheResponse) {
  for (const Contents contents : {Contents::kRaw, Contents::kTyped}) {
    const auto message = WriteStreamResponse(Response(), contents);
    ASSERT_TRUE(message.has_value());
    const auto parsed = Parsed<ModelStreamInferResponse>(*message);
    EXPECT_EQ(parsed.error_message(), "");
    ExpectHead(parsed.infer_response());
    EXPECT_EQ(parsed.infer_response().raw_output_contents_size(), contents == Contents::kRaw ? 3 : 0);
  }
}

TEST(WriteStreamErrorTest, CarriesTheIdAndTheError) {
  const auto with_id = Parsed<ModelStreamInferResponse>(WriteStreamError("42", "no"));
  EXPECT_EQ(with_id.error_message(), "no");
  EXPECT_EQ(with_id.infer_response().id(), "42");
  const auto without_id = Parsed<ModelStreamInferResponse>(WriteStreamError("", "no"));
  EXPECT_EQ(without_id.error_message(), "no");
  EXPECT_FALSE(without_id.has_infer_response());
}

TEST(WriteStreamErrorTest, CarriesParameters) {
  const auto parsed = Parsed<ModelStreamInferResponse>(WriteStreamError("", "no", {{"triton_final_response", false}}));
  EXPECT_EQ(parsed.error_message(), "no");
  const auto& parameters = parsed.infer_response().parameters();
  ASSERT_EQ(parameters.count("triton_final_response"), 1u);
  EXPECT_TRUE(parameters.at("triton_final_response").has_bool_param());
  EXPECT_FALSE(parameters.at("triton_final_response").bool_param());
}

TEST(WriteStreamErrorTest, WhatIsNotUtf8IsReplaced) {
  const auto parsed = Parsed<ModelStreamInferResponse>(WriteStreamError("", "bad \xff\xc3 text \xc3\xa9"));
  EXPECT_EQ(parsed.error_message(), "bad \xEF\xBF\xBD\xEF\xBF\xBD text \xc3\xa9");
}

}  // namespace
}  // namespace inferd::oip_grpc
