#include "protocols/oip_grpc/codec/model_messages.h"

#include <gtest/gtest.h>

namespace inferd::oip_grpc {
namespace {

TEST(ModelMetadataMessageTest, TensorsVersionsAndTheConfigurationsParameters) {
  core::ModelMetadata metadata;
  metadata.name = "m";
  metadata.versions = {"1", "3"};
  metadata.platform = "onnx_onnxv1";
  core::TensorSpec& input = metadata.inputs.emplace_back();
  input.name = "x";
  input.datatype = tensor::DataType::kFp32;
  input.shape = {-1, 16};
  core::TensorSpec& output = metadata.outputs.emplace_back();
  output.name = "y";
  output.datatype = tensor::DataType::kBytes;
  output.shape = {-1};
  metadata.parameters = {{"alignment", "64"}};
  metadata.outputs.push_back(
      {.name = "z", .datatype = tensor::DataType::kInt8, .shape = {}, .any_shape = true, .unknown_rank = true});
  const auto message = ModelMetadataMessage(metadata);
  EXPECT_EQ(
      message.ShortDebugString(),
      R"(name: "m" versions: "1" versions: "3" platform: "onnx_onnxv1" )"
      R"(inputs { name: "x" datatype: "FP32" shape: -1 shape: 16 } outputs { name: "y" datatype: "BYTES" shape: -1 } )"
      R"(outputs { name: "z" datatype: "INT8" shape: -1 } )"
      R"(parameters { key: "alignment" value { string_param: "64" } })");
}

TEST(ModelConfigMessageTest, ReadsTheCatalogsJson) {
  const auto message = ModelConfigMessage(
      R"({"name":"m","platform":"onnx_onnxv1","max_batch_size":8,"input":[{"name":"x","data_type":"TYPE_FP32",)"
      R"("dims":[16]}],"parameters":{"a":{"string_value":"b"}}})");
  ASSERT_TRUE(message.has_value()) << message.error().ToString();
  EXPECT_EQ(message->config().name(), "m");
  EXPECT_EQ(message->config().max_batch_size(), 8);
  EXPECT_EQ(message->config().input(0).data_type(), inference::TYPE_FP32);
  EXPECT_EQ(message->config().parameters().at("a").string_value(), "b");
  EXPECT_EQ(ModelConfigMessage("{").error().code(), base::StatusCode::kInternal);
  EXPECT_EQ(ModelConfigMessage(R"({"no_field":1})").error().code(), base::StatusCode::kInternal);
}

TEST(StatisticsMessageTest, EveryCountAndDuration) {
  const core::ModelStatistics statistics{
      .name = "m",
      .version = "2",
      .last_inference_ms = 1,
      .inference_count = 2,
      .execution_count = 3,
      .success = {4, 5},
      .fail = {6, 7},
      .queue = {8, 9},
      .compute_input = {10, 11},
      .compute_infer = {12, 13},
      .compute_output = {14, 15},
      .cache_hit = {16, 17},
      .cache_miss = {18, 19},
      .batches = {
          {.batch_size = 20, .compute_input = {21, 22}, .compute_infer = {23, 24}, .compute_output = {25, 26}}}};
  EXPECT_EQ(StatisticsMessage(std::span(&statistics, 1)).ShortDebugString(),
            R"(model_stats { name: "m" version: "2" last_inference: 1 inference_count: 2 execution_count: 3 )"
            "inference_stats { success { count: 4 ns: 5 } fail { count: 6 ns: 7 } queue { count: 8 ns: 9 } "
            "compute_input { count: 10 ns: 11 } compute_infer { count: 12 ns: 13 } compute_output { count: 14 ns: 15 } "
            "cache_hit { count: 16 ns: 17 } cache_miss { count: 18 ns: 19 } } "
            "batch_stats { batch_size: 20 compute_input { count: 21 ns: 22 } compute_infer { count: 23 ns: 24 } "
            "compute_output { count: 25 ns: 26 } } }");
}

TEST(IndexMessageTest, StateAndReasonWhereThereIsOne) {
  const core::IndexEntry entries[] = {
      {.name = "a", .version = "1", .state = core::ModelState::kReady, .reason = "", .repository = "r"},
      {.name = "b", .version = "", .state = core::ModelState::kUnavailable, .reason = "bad file", .repository = "r"},
      {.name = "c", .version = "", .state = core::ModelState::kUnknown, .reason = "", .repository = "r"}};
  EXPECT_EQ(IndexMessage(entries).ShortDebugString(),
            R"(models { name: "a" version: "1" state: "READY" } )"
            R"(models { name: "b" state: "UNAVAILABLE" reason: "bad file" } models { name: "c" })");
}

}  // namespace
}  // namespace inferd::oip_grpc
