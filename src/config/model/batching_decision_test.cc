#include "config/model/batching_decision.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/model/model_config_completion.h"
#include "config/model/model_config_parser.h"

namespace inferd::config {
namespace {

using tensor::DataType;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TensorInfo Tensor(std::string name, tensor::Shape shape, std::vector<std::string> dimensions) {
  return {.name = std::move(name),
          .datatype = DataType::kFp32,
          .shape = std::move(shape),
          .dimension_names = std::move(dimensions)};
}

BatchingDecision Decide(std::string_view text, const std::vector<TensorInfo>& inputs,
                        const std::vector<TensorInfo>& outputs, CompletionOptions options = {}) {
  const auto resolved = ResolveModel(ParseModelConfig(text, "config.pbtxt").value(), "m", {{"model.onnx"}}, options);
  EXPECT_TRUE(resolved.has_value()) << resolved.error().ToString();
  return DecideBatching(*resolved, inputs, outputs, options);
}

const TensorInfo kX = Tensor("x", {-1, 4}, {"batch", ""});
const TensorInfo kY = Tensor("y", {-1}, {"batch"});

TEST(BatchingDecisionTest, WhatHoldsRowsIsCalledSo) {
  for (const char* name : {"batch", "Batch", "BATCH_SIZE", "batch-size", "batchSize", "batch_dim", "N", "n", "b", "bs",
                           "bsz", "num_batch", "dynamic_batch_size"}) {
    EXPECT_TRUE(IsBatchDimensionName(name)) << name;
  }
  for (const char* name : {"", "_", "height", "H", "rows", "sequence", "batch_x_heads", "batch*heads", "sub_batches_n",
                           "unk__12", "None", "?", "points", "s0", "time", "batch0"}) {
    EXPECT_FALSE(IsBatchDimensionName(name)) << name;
  }
}

TEST(BatchingDecisionTest, ACandidateIsToldByOneNameThatLeadsEverything) {
  const BatchingDecision decision = Decide("", {kX}, {kY});
  EXPECT_FALSE(decision.batches);
  EXPECT_TRUE(decision.needs_probe);
  EXPECT_TRUE(Decide("inferd { queue_policy { max_queue_size: 3 } }", {kX}, {kY}).needs_probe) << "says nothing of it";
}

TEST(BatchingDecisionTest, InputsThatBatchInputFillsHaveNoRows) {
  const std::string fills =
      "batch_input { kind: BATCH_ELEMENT_COUNT target_name: \"count\" data_type: TYPE_INT32 source_input: \"x\" }";
  const TensorInfo count = Tensor("count", {2}, {});
  const BatchingDecision filled = Decide(fills, {kX, count}, {kY});
  EXPECT_TRUE(filled.batches);
  EXPECT_EQ(filled.source, BatchingSource::kConfiguration);
  EXPECT_EQ(filled.reason, "its configuration has batch_input");
  EXPECT_EQ(Decide("dynamic_batching { } " + fills, {kX, count}, {kY}).reason,
            "its configuration has dynamic_batching");
  EXPECT_EQ(Decide("dynamic_batching { }", {kX, count}, {kY}).reason,
            "input 'count' does not begin with a dimension of any size");
  EXPECT_EQ(Decide(fills, {count}, {kY}).reason, "it has no inputs or no outputs") << "no client sends rows";
}

TEST(BatchingDecisionTest, WithoutSuchNamesNothingIsShown) {
  const auto reason = [](const std::vector<TensorInfo>& inputs, const std::vector<TensorInfo>& outputs) {
    const BatchingDecision decision = Decide("", inputs, outputs);
    EXPECT_FALSE(decision.batches);
    EXPECT_FALSE(decision.needs_probe);
    EXPECT_EQ(decision.source, BatchingSource::kModel);
    return decision.reason;
  };
  EXPECT_EQ(
      reason({Tensor("image", {-1, -1, 3}, {})}, {Tensor("image", {-1, -1, 3}, {})}),
      "nothing shows that its rows do not influence each other: the first dimension of input 'image' has no name; "
      "write dynamic_batching { } into m/config.pbtxt if its rows do not influence each other");
  EXPECT_THAT(reason({Tensor("image", {-1, -1, 3}, {"height", "width", ""})}, {kY}),
              HasSubstr("the name of the first dimension of input 'image' is not 'batch'"));
  EXPECT_THAT(reason({kX}, {Tensor("y", {-1}, {"boxes"})}), HasSubstr("first dimension of output 'y' is not 'batch'"));
  EXPECT_THAT(reason({kX}, {Tensor("y", {-1}, {""})}), HasSubstr("the first dimension of output 'y' has no name"));
  EXPECT_THAT(reason({kX, Tensor("z", {-1}, {"N"})}, {kY}),
              HasSubstr("the first dimensions of its tensors have different names"));
  EXPECT_THAT(reason({Tensor("x", {-1, -1}, {"batch", "batch"})}, {kY}),
              HasSubstr("input 'x' has its batch dimension twice"));
  EXPECT_EQ(reason({kX}, {Tensor("y", {}, {})}), "output 'y' does not begin with a dimension of any size");
  EXPECT_EQ(reason({kX, Tensor("z", {1, 4}, {})}, {kY}), "input 'z' does not begin with a dimension of any size");
  EXPECT_EQ(reason({}, {kY}), "it has no inputs or no outputs");
}

TEST(BatchingDecisionTest, TheConfigurationsWordIsTaken) {
  const TensorInfo nameless = Tensor("x", {-1, 4}, {});
  const auto decide = [&](std::string_view text) {
    const BatchingDecision decision = Decide(text, {nameless}, {kY});
    EXPECT_FALSE(decision.needs_probe) << text;
    EXPECT_EQ(decision.source, BatchingSource::kConfiguration) << text;
    return (decision.batches ? "yes: " : "no: ") + decision.reason;
  };
  EXPECT_EQ(decide("max_batch_size: 8"), "yes: its configuration says max_batch_size: 8");
  EXPECT_EQ(decide("max_batch_size: 0"), "no: its configuration says max_batch_size: 0");
  EXPECT_EQ(decide("dynamic_batching { }"), "yes: its configuration has dynamic_batching");
  EXPECT_EQ(decide("inferd { batching: AUTO }"), "yes: its configuration says batching: AUTO");
  EXPECT_EQ(decide("inferd { batching: OFF }"), "no: its configuration says batching: OFF");
  EXPECT_EQ(decide("input { name: \"x\" }"), "no: its configuration lists its tensors and has no max_batch_size");
}

TEST(BatchingDecisionTest, AServerMayTakeTheLeadingDimensionForTheBatchs) {
  CompletionOptions options;
  options.unconfigured_batching = UnconfiguredBatching::kLeadingDimension;
  const TensorInfo nameless = Tensor("x", {-1, 4}, {});
  BatchingDecision decision = Decide("", {nameless}, {kY}, options);
  EXPECT_TRUE(decision.batches);
  EXPECT_FALSE(decision.needs_probe);
  EXPECT_EQ(decision.source, BatchingSource::kServer);
  EXPECT_TRUE(WithProbe(decision, "m", {.independent = true, .found = "nothing"}).warning.empty());
  decision = WithProbe(decision, "m", {.independent = false, .found = "output 'y' of a row changes"});
  EXPECT_TRUE(decision.batches) << "the rule stays";
  EXPECT_THAT(decision.warning, HasSubstr("but output 'y' of a row changes: answers may be wrong"));
  options.default_max_batch_size = 0;
  EXPECT_FALSE(Decide("", {nameless}, {kY}, options).batches);
}

TEST(BatchingDecisionTest, AModelWithSideEffectsIsNotExecutedToSee) {
  CompletionOptions options;
  const BatchingDecision decision = Decide("inferd { side_effect_free: false }", {kX}, {kY});
  EXPECT_FALSE(decision.batches);
  EXPECT_FALSE(decision.needs_probe);
  EXPECT_EQ(decision.source, BatchingSource::kConfiguration);
  options.unconfigured_batching = UnconfiguredBatching::kLeadingDimension;
  EXPECT_TRUE(Decide("", {kX}, {kY}, options).probe_advises);
  EXPECT_FALSE(Decide("inferd { side_effect_free: false }", {kX}, {kY}, options).probe_advises);
}

TEST(BatchingDecisionTest, ExecutionsDecideOfACandidate) {
  const BatchingDecision candidate = Decide("", {kX}, {kY});
  BatchingDecision decision = WithProbe(candidate, "m", {.independent = true, .found = "executions agree"});
  EXPECT_TRUE(decision.batches);
  EXPECT_EQ(decision.source, BatchingSource::kProbe);
  EXPECT_EQ(decision.reason, "executions agree");
  decision = WithProbe(candidate, "m", {.independent = false, .found = "output 'y' of a row changes"});
  EXPECT_FALSE(decision.batches);
  EXPECT_THAT(decision.reason, StartsWith("output 'y' of a row changes; dynamic_batching { } in m/config.pbtxt has"));
}

}  // namespace
}  // namespace inferd::config
