#include "serving/repository/load/version_signature.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"

namespace inferd::repository {
namespace {

using tensor::DataType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

core::ModelSignature Engine() {
  core::ModelSignature engine;
  engine.inputs = {{.name = "a", .datatype = DataType::kFp32, .shape = {-1, 3}},
                   {.name = "b", .datatype = DataType::kFp32, .shape = {-1, 3}, .optional = true}};
  engine.outputs = {{.name = "x", .datatype = DataType::kFp32, .shape = {-1, 3}},
                    {.name = "y", .datatype = DataType::kFp32, .shape = {-1, 3}}};
  return engine;
}

config::ModelConfig Config() {
  config::ModelConfig config;
  config.max_batch_size = 8;
  config.inputs = {{.name = "b", .datatype = DataType::kFp32, .dims = {3}},
                   {.name = "a", .datatype = DataType::kFp32, .dims = {3}}};
  config.outputs = {{.name = "y", .datatype = DataType::kFp32, .dims = {3}, .label_filename = "labels.txt"}};
  return config;
}

TEST(VersionSignatureTest, FollowsTheConfigurationAndKnowsTheEnginesNumbers) {
  inferd::support::TempDir dir;
  dir.Write("labels.txt", "zero\r\none\ntwo words\n\n");
  const VersionSignature made = MakeVersionSignature(Config(), Engine(), dir.path()).value();
  EXPECT_THAT(made.engine_inputs, ElementsAre(1, 0));
  EXPECT_THAT(made.engine_outputs, ElementsAre(1));
  EXPECT_EQ(made.signature->inputs[0].shape, (tensor::Shape{-1, 3}));
  EXPECT_TRUE(made.signature->inputs[0].optional);
  EXPECT_FALSE(made.signature->inputs[1].optional);
  EXPECT_THAT(made.signature->outputs[0].labels, ElementsAre("zero", "one", "two words"));
  EXPECT_EQ(made.signature->max_batch_size, 8);
}

TEST(VersionSignatureTest, LabelsOfTheModelCountWhereTheConfigurationNamesNone) {
  const support::TempDir dir;
  dir.Write("labels.txt", "zero\n");
  core::ModelSignature engine = Engine();
  for (core::TensorSpec& output : engine.outputs) output.labels = {"from", "the", "model"};
  config::ModelConfig config = Config();
  EXPECT_THAT(MakeVersionSignature(config, engine, dir.path())->signature->outputs[0].labels, ElementsAre("zero"));
  config.outputs[0].label_filename.clear();
  EXPECT_THAT(MakeVersionSignature(config, engine, dir.path())->signature->outputs[0].labels,
              ElementsAre("from", "the", "model"));
}

TEST(VersionSignatureTest, OtherSignaturesAreAsTheEngineHasThem) {
  config::ModelConfig config = Config();
  config.padding.emplace_back().input = "b";
  config.batch_inputs.emplace_back().target_name = "c";
  config.dynamic_batching.emplace();
  core::ModelSignature other;
  other.name = "other";
  other.method_name = "a/method";
  other.inputs = {{.name = "text", .datatype = DataType::kBytes, .shape = {-1}, .optional = true, .any_shape = true}};
  other.outputs = {{.name = "x", .datatype = DataType::kInt8, .shape = {-1, 4}, .graph_name = "op:0"}};
  const config::ModelConfig derived = OtherSignatureConfig(config, other);
  EXPECT_TRUE(derived.dynamic_batching.has_value());
  VersionSignature made = MakeVersionSignature(derived, other, "").value();
  EXPECT_EQ(made.signature->name, "other");
  EXPECT_EQ(made.signature->method_name, "a/method");
  EXPECT_EQ(made.signature->max_batch_size, 8);
  ASSERT_EQ(made.signature->inputs.size(), 1u);
  EXPECT_EQ(made.signature->inputs[0].shape, (tensor::Shape{-1}));
  EXPECT_TRUE(made.signature->inputs[0].optional);
  EXPECT_TRUE(made.signature->inputs[0].any_shape);
  ASSERT_EQ(made.signature->outputs.size(), 1u);
  EXPECT_EQ(made.signature->outputs[0].shape, (tensor::Shape{-1, 4}));
  EXPECT_TRUE(made.signature->outputs[0].labels.empty());
  EXPECT_EQ(made.signature->outputs[0].graph_name, "op:0");

  config::ModelConfig proven = config;
  proven.batching_decision.source = config::BatchingSource::kProbe;
  EXPECT_EQ(OtherSignatureConfig(proven, other).max_batch_size, 0)
      << "what the first has shown is not shown of this one";

  other.outputs[0].shape = {4};
  made = MakeVersionSignature(OtherSignatureConfig(config, other), other, "").value();
  EXPECT_EQ(made.signature->max_batch_size, 0) << "its outputs have no rows";
  EXPECT_EQ(made.signature->inputs[0].shape, (tensor::Shape{-1}));
  EXPECT_EQ(made.signature->outputs[0].shape, (tensor::Shape{4}));
}

TEST(VersionSignatureTest, AlternativeTensorsNeedNoConfiguration) {
  core::ModelSignature engine;
  engine.inputs = {
      {.name = "x", .datatype = DataType::kFp32, .shape = {-1, 4}, .any_datatype = true},
      {.name = "body", .datatype = DataType::kBytes, .shape = {-1}, .optional = true, .alternative = true}};
  engine.outputs = {
      {.name = "y", .datatype = DataType::kFp32, .shape = {-1}},
      {.name = "answer", .datatype = DataType::kBytes, .shape = {-1}, .optional = true, .alternative = true}};
  const config::ModelConfig config = OtherSignatureConfig(Config(), engine.Shown());
  const VersionSignature made = MakeVersionSignature(config, engine, "").value();
  ASSERT_EQ(made.signature->inputs.size(), 2u);
  EXPECT_TRUE(made.signature->inputs[0].any_datatype);
  EXPECT_TRUE(made.signature->inputs[1].alternative);
  EXPECT_EQ(made.signature->inputs[1].shape, (tensor::Shape{-1}));
  EXPECT_THAT(made.engine_inputs, ElementsAre(0, 1));
  EXPECT_THAT(made.engine_outputs, ElementsAre(0, 1));
}

TEST(VersionSignatureTest, ARankIsUnknownWhereTheConfigurationDoesNotSayIt) {
  core::ModelSignature engine;
  engine.inputs = {{.name = "a", .datatype = DataType::kFp32, .shape = {}, .any_shape = true, .unknown_rank = true},
                   {.name = "b", .datatype = DataType::kFp32, .shape = {}, .any_shape = true}};
  engine.outputs = {{.name = "y", .datatype = DataType::kFp32, .shape = {}, .any_shape = true, .unknown_rank = true}};
  config::ModelConfig config = OtherSignatureConfig(Config(), engine);
  EXPECT_EQ(config.max_batch_size, 0) << "a tensor that need not have rows";
  const auto made = [&] { return MakeVersionSignature(config, engine, "").value().signature; };
  EXPECT_TRUE(made()->inputs[0].unknown_rank);
  EXPECT_EQ(made()->inputs[0].shape, tensor::Shape());
  EXPECT_FALSE(made()->inputs[1].unknown_rank);
  EXPECT_TRUE(made()->outputs[0].unknown_rank);
  EXPECT_TRUE(made()->inputs[0].any_shape);
  config.inputs[0].dims = {4};
  EXPECT_FALSE(made()->inputs[0].unknown_rank);
  EXPECT_FALSE(made()->inputs[0].any_shape) << "the configuration says which";
  EXPECT_TRUE(made()->inputs[1].any_shape);
  config.max_batch_size = 8;
  EXPECT_FALSE(made()->outputs[0].unknown_rank) << "rows, and no more";
}

TEST(VersionSignatureTest, LargeRequestsAreSplitWhereTheirOutputsCanBeJoined) {
  inferd::support::TempDir dir;
  config::ModelConfig config = Config();
  config.outputs[0].label_filename.clear();
  const auto splits = [&] {
    return MakeVersionSignature(config, Engine(), dir.path()).value().signature->splits_larger_requests;
  };
  EXPECT_FALSE(splits());
  config.split_large_requests = true;
  EXPECT_TRUE(splits());
  config.batch_outputs = {{.target_name = "y", .source_input = "a"}};
  EXPECT_FALSE(splits());
  config.batch_outputs.clear();
  config.max_batch_size = 0;
  EXPECT_FALSE(splits());
}

TEST(VersionSignatureTest, WithoutBatchingTheShapesAreAsConfigured) {
  inferd::support::TempDir dir;
  config::ModelConfig config = Config();
  config.max_batch_size = 0;
  config.outputs[0].label_filename.clear();
  EXPECT_EQ(MakeVersionSignature(config, Engine(), dir.path()).value().signature->inputs[0].shape, (tensor::Shape{3}));
}

TEST(VersionSignatureTest, SaysWhatTheEngineSeesInPlaceOfTheShape) {
  inferd::support::TempDir dir;
  config::ModelConfig config = Config();
  config.inputs[0].allow_ragged_batch = true;
  config.inputs[1].dims = {1, 3};
  config.inputs[1].reshape = tensor::Shape{3};
  config.outputs[0] = {.name = "y", .datatype = DataType::kFp32, .dims = {3, 1}, .reshape = tensor::Shape{3}};
  const VersionSignature made = MakeVersionSignature(config, Engine(), dir.path()).value();
  EXPECT_TRUE(made.signature->inputs[0].ragged);
  EXPECT_EQ(made.signature->inputs[0].reshape, std::nullopt);
  EXPECT_FALSE(made.signature->inputs[1].ragged);
  EXPECT_EQ(made.signature->inputs[1].shape, (tensor::Shape{-1, 1, 3}));
  EXPECT_EQ(made.signature->inputs[1].reshape, (tensor::Shape{3}));
  EXPECT_EQ(made.signature->outputs[0].shape, (tensor::Shape{-1, 3, 1}));
  EXPECT_EQ(made.signature->outputs[0].reshape, (tensor::Shape{3}));
}

TEST(VersionSignatureTest, AScalarHasTheDimensionsOfTheConfiguration) {
  core::ModelSignature engine;
  engine.inputs = {{.name = "a", .datatype = DataType::kFp32, .shape = {}}};
  engine.outputs = {{.name = "y", .datatype = DataType::kFp32, .shape = {}}};
  config::ModelConfig config = OtherSignatureConfig(Config(), engine);
  const auto input = [&] { return MakeVersionSignature(config, engine, "").value().signature->inputs[0]; };
  EXPECT_EQ(input().reshape, std::nullopt);
  config.inputs[0].dims = {1, 1};
  EXPECT_EQ(input().shape, (tensor::Shape{1, 1}));
  EXPECT_EQ(input().reshape, tensor::Shape());
  config.inputs[0].dims = {2};
  EXPECT_EQ(input().reshape, std::nullopt) << "no scalar: the model says so";
  config.inputs[0].dims = {1};
  engine.inputs[0].any_shape = engine.inputs[0].unknown_rank = true;
  EXPECT_EQ(input().reshape, std::nullopt);
}

TEST(VersionSignatureTest, WhatTheServerMakesIsNoClientsInput) {
  inferd::support::TempDir dir;
  config::ModelConfig config = Config();
  config.outputs[0].label_filename.clear();
  config.batch_inputs = {{.target_name = "b", .datatype = DataType::kFp32, .source_input = "a"}};
  config.inputs.erase(config.inputs.begin());
  const VersionSignature made = MakeVersionSignature(config, Engine(), dir.path()).value();
  ASSERT_EQ(made.signature->inputs.size(), 1u);
  EXPECT_THAT(made.engine_inputs, ElementsAre(0));
  config.batch_inputs[0].target_name = "z";
  EXPECT_EQ(MakeVersionSignature(config, Engine(), dir.path()).error().message(), "the model has no input 'z'");
}

TEST(VersionSignatureTest, ControlsOfSequencesAreNoClientsInputs) {
  inferd::support::TempDir dir;
  config::ModelConfig config = Config();
  config.outputs[0].label_filename.clear();
  config.inputs.erase(config.inputs.begin());
  EXPECT_FALSE(MakeVersionSignature(config, Engine(), dir.path())->signature->sequences);
  config.sequence_batching.emplace().controls = {{.name = "b", .datatype = DataType::kFp32}};
  const VersionSignature made = MakeVersionSignature(config, Engine(), dir.path()).value();
  EXPECT_TRUE(made.signature->sequences);
  EXPECT_EQ(made.signature->inputs.size(), 1u);
  config.sequence_batching->controls[0].name = "z";
  EXPECT_EQ(MakeVersionSignature(config, Engine(), dir.path()).error().message(), "the model has no input 'z'");
}

TEST(VersionSignatureTest, ErrorsNameTheTensorOrTheFile) {
  inferd::support::TempDir dir;
  EXPECT_THAT(MakeVersionSignature(Config(), Engine(), dir.path()).error().message(), HasSubstr("labels.txt"));
  config::ModelConfig config = Config();
  config.outputs[0].label_filename = "../../etc/passwd";
  EXPECT_THAT(MakeVersionSignature(config, Engine(), dir.path()).error().message(), HasSubstr("label_filename"));
  config.outputs[0].name = "z";
  EXPECT_EQ(MakeVersionSignature(config, Engine(), dir.path()).error().message(), "the model has no output 'z'");
}

}  // namespace
}  // namespace inferd::repository
