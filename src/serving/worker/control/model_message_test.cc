#include "serving/worker/control/model_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/model/model_config_parser.h"

namespace inferd::worker {
namespace {

using ::testing::ElementsAre;

ModelDescription Described() {
  ModelDescription description;
  description.signature.inputs = {
      {.name = "a",
       .datatype = tensor::DataType::kFp32,
       .shape = {-1, 3},
       .optional = true,
       .dimension_names = {"batch", ""}},
      {.name = "b", .datatype = tensor::DataType::kBytes, .shape = {}, .any_shape = true, .unknown_rank = true}};
  description.signature.outputs = {
      {.name = "c", .datatype = tensor::DataType::kBool, .shape = {1}, .labels = {"no", ""}}};
  description.signature.outputs[0].may_be_missing = true;
  description.signature.inputs[0].graph_name = "graph/a:0";
  description.signature.inputs[0].any_datatype = true;
  description.signature.outputs[0].alternative = description.signature.outputs[0].carries_body = true;
  description.signature.inputs[0].default_value = std::string("\x08\0", 2);
  description.signature.not_served = "why";
  description.signature.name = "serving_default";
  description.signature.method_name = "predict";
  description.signature.decoupled = true;
  description.signature.sequences = true;
  description.signature.max_batch_size = 4;
  description.inputs = {{.alignment = 64, .one_piece = true}, {.alignment = 1, .one_piece = false}};
  description.significant_parameters = {"p"};
  description.compute_threads = 3;
  description.checks_readiness = true;
  description.unfinished_executions_max = kChannelsMax;
  description.completed = {.max_batch_size = 4, .dynamic_batching = true, .tensors = true, .decoupled = false};
  return description;
}

TEST(ModelMessageTest, ADescriptionArrivesWhole) {
  const auto read = DecodeDescriptions(EncodeDescriptions({Described(), Described()}));
  ASSERT_TRUE(read.has_value()) << read.error().ToString();
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ(EncodeDescriptions({(*read)[1]}), EncodeDescriptions({Described()}));
  const ModelDescription& first = (*read)[0];
  EXPECT_EQ(first.signature.inputs[0].shape, (tensor::Shape{-1, 3}));
  EXPECT_TRUE(first.signature.inputs[0].optional);
  EXPECT_EQ(first.signature.inputs[0].graph_name, "graph/a:0");
  EXPECT_TRUE(first.signature.inputs[0].any_datatype);
  EXPECT_FALSE(first.signature.inputs[0].alternative);
  EXPECT_TRUE(first.signature.outputs[0].alternative);
  EXPECT_TRUE(first.signature.outputs[0].carries_body);
  EXPECT_EQ(first.signature.inputs[0].default_value, std::string("\x08\0", 2));
  EXPECT_EQ(first.signature.not_served, "why");
  EXPECT_THAT(first.signature.outputs[0].labels, ElementsAre("no", ""));
  EXPECT_TRUE(first.signature.outputs[0].may_be_missing);
  EXPECT_FALSE(first.signature.outputs[0].unchecked);
  EXPECT_EQ(first.signature.name, "serving_default");
  EXPECT_EQ(first.signature.method_name, "predict");
  EXPECT_TRUE(first.signature.inputs[1].any_shape);
  EXPECT_FALSE(first.signature.inputs[0].unknown_rank);
  EXPECT_TRUE(first.signature.inputs[1].unknown_rank);
  EXPECT_THAT(first.signature.inputs[0].dimension_names, ElementsAre("batch", ""));
  EXPECT_TRUE(first.signature.inputs[1].dimension_names.empty());
  EXPECT_TRUE(first.signature.decoupled);
  EXPECT_TRUE(first.signature.sequences);
  EXPECT_EQ(first.inputs[0].alignment, 64u);
  EXPECT_THAT(first.significant_parameters, ElementsAre("p"));
  EXPECT_EQ(first.compute_threads, 3);
  EXPECT_TRUE(first.checks_readiness);
  EXPECT_EQ(first.unfinished_executions_max, kChannelsMax);
  EXPECT_EQ(first.completed, (config::CompletedByModel{
                                 .max_batch_size = 4, .dynamic_batching = true, .tensors = true, .decoupled = false}));
}

TEST(ModelMessageTest, AWrongDescriptionIsRefused) {
  const std::string good = EncodeDescriptions({Described()});
  for (size_t size = 0; size < good.size(); ++size) EXPECT_FALSE(DecodeDescriptions(good.substr(0, size)).has_value());
  EXPECT_FALSE(DecodeDescriptions(EncodeDescriptions({})).has_value());
  ModelDescription odd = Described();
  odd.inputs[0].alignment = 3;
  EXPECT_FALSE(DecodeDescriptions(EncodeDescriptions({odd})).has_value());
  odd = Described();
  odd.signature.outputs[0].datatype = static_cast<tensor::DataType>(99);
  EXPECT_FALSE(DecodeDescriptions(EncodeDescriptions({odd})).has_value());
}

TEST(ModelMessageTest, AnOrderSaysHowToStart) {
  StartOrder order;
  order.engine_library = "/x.so";
  order.process_cpu_threads = 5;
  order.log_format = base::LogFormat::kJson;
  order.log_levels = {false, true, false, true};
  order.cores = {0, 2};
  order.pinned_pool_bytes = uint64_t{5} << 30;
  order.core_files = true;
  const auto read = DecodeStartOrder(EncodeStartOrder(order));
  ASSERT_TRUE(read.has_value()) << read.error().ToString();
  EXPECT_EQ(read->engine_library, "/x.so");
  EXPECT_EQ(read->process_cpu_threads, 5);
  EXPECT_EQ(read->log_format, base::LogFormat::kJson);
  EXPECT_EQ(read->log_levels, order.log_levels);
  EXPECT_EQ(read->cores, order.cores);
  EXPECT_EQ(read->pinned_pool_bytes, uint64_t{5} << 30);
  EXPECT_TRUE(read->core_files);
  EXPECT_FALSE(DecodeStartOrder("nonsense").has_value());
}

TEST(ModelMessageTest, AnOrderTakesTheConfigurationAlong) {
  core::LoadSpec load;
  load.model_name = "m";
  load.version = 7;
  load.model_dir = "/m";
  load.cpu_threads = 2;
  load.group_cores = {{0, 1, 3}, {}};
  load.unchecked_outputs = true;
  load.config = std::make_shared<const config::ModelConfig>(*config::ParseModelConfig(
      "backend: \"fake\" parameters { key: \"a\" value { string_value: \"\\303\\244\" } }", ""));
  const std::string good = EncodeLoadOrder(load);
  const auto read = DecodeLoadOrder(good);
  ASSERT_TRUE(read.has_value()) << read.error().ToString();
  EXPECT_EQ(read->model_name, "m");
  EXPECT_EQ(read->version, 7);
  EXPECT_EQ(read->cpu_threads, 2);
  EXPECT_EQ(read->group_cores, load.group_cores);
  EXPECT_TRUE(read->unchecked_outputs);
  EXPECT_EQ(read->config->backend, "fake");
  EXPECT_EQ(read->config->parameters.at("a"), "\xC3\xA4");
  for (size_t size = 0; size < good.size(); ++size) EXPECT_FALSE(DecodeLoadOrder(good.substr(0, size)).has_value());
}

TEST(ModelMessageTest, GroupsArriveWhereTheyAreExecuted) {
  auto config = config::ParseModelConfig("backend: \"fake\" instance_group { kind: KIND_GPU gpus: 1 }", "c");
  ASSERT_TRUE(config.has_value());
  config->instance_groups[0].kind = config::InstanceKind::kCpu;
  core::LoadSpec load;
  load.config = std::make_shared<const config::ModelConfig>(*std::move(config));
  const auto read = DecodeLoadOrder(EncodeLoadOrder(load));
  ASSERT_TRUE(read.has_value()) << read.error().ToString();
  EXPECT_EQ(read->config->instance_groups.at(0).kind, config::InstanceKind::kCpu);
}

TEST(ModelMessageTest, AReplyIsItsContentOrItsStatus) {
  EXPECT_EQ(*DecodeReply(EncodeReply(base::OkStatus(), "content")), "content");
  EXPECT_EQ(DecodeReply(EncodeReply(base::NotFound("no"))).error(), base::NotFound("no"));
  EXPECT_EQ(DecodeReply("nonsense").error().code(), base::StatusCode::kInternal);
}

TEST(ModelMessageTest, WhatIsOnlyShownMayHaveNoDatatype) {
  ModelDescription description;
  description.signature.outputs = {{.name = "none", .shape = {}}};
  EXPECT_FALSE(DecodeDescriptions(EncodeDescriptions({description})).has_value());
  description.signature.only_shown = true;
  const auto decoded = DecodeDescriptions(EncodeDescriptions({description}));
  ASSERT_TRUE(decoded.has_value()) << decoded.error().ToString();
  EXPECT_TRUE((*decoded)[0].signature.only_shown);
}

TEST(ModelMessageTest, AnInstanceArrivesWhole) {
  const InstanceOrder order{
      .signature = 2,
      .spec = {.group = 1, .ordinal = 3, .kind = config::InstanceKind::kGpu, .device = 5, .name = "g_0"},
      .removed = 7};
  const auto read = DecodeInstanceOrder(EncodeInstanceOrder(order));
  ASSERT_TRUE(read.has_value()) << read.error().ToString();
  EXPECT_EQ(read->signature, 2u);
  EXPECT_EQ(read->spec.group, 1);
  EXPECT_EQ(read->spec.ordinal, 3);
  EXPECT_EQ(read->spec.kind, config::InstanceKind::kGpu);
  EXPECT_EQ(read->spec.device, 5);
  EXPECT_EQ(read->spec.name, "g_0");
  EXPECT_EQ(read->removed, 7u);
  InstanceOrder odd = order;
  odd.spec.kind = static_cast<config::InstanceKind>(9);
  EXPECT_FALSE(DecodeInstanceOrder(EncodeInstanceOrder(odd)).has_value());
}

}  // namespace
}  // namespace inferd::worker
