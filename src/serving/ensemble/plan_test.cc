#include "serving/ensemble/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serving/ensemble/plan_check.h"

namespace inferd::ensemble {
namespace {

using tensor::DataType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// in -> [first] -> between -> [second] -> out; the second step also takes `in`.
config::ModelConfig Config() {
  config::ModelConfig config;
  config.name = "e";
  config.max_batch_size = 4;
  config.inputs.push_back({.name = "in", .datatype = DataType::kFp32, .dims = {3}});
  config.outputs.push_back({.name = "out", .datatype = DataType::kInt64, .dims = {-1}});
  auto ensemble = std::make_shared<config::Ensemble>();
  ensemble->steps.push_back({.model = "second",
                             .version = std::nullopt,
                             .inputs = {{"a", "between"}, {"b", "in"}},
                             .outputs = {{"y", "out"}}});
  ensemble->steps.push_back({.model = "first", .version = 7, .inputs = {{"x", "in"}}, .outputs = {{"z", "between"}}});
  config.ensemble = ensemble;
  return config;
}

core::ModelSignature First() {
  core::ModelSignature signature;
  signature.inputs = {{.name = "x", .datatype = DataType::kFp32, .shape = {-1, 3}},
                      {.name = "o", .datatype = DataType::kFp32, .shape = {-1, 3}, .optional = true}};
  signature.outputs = {{.name = "z", .datatype = DataType::kFp32, .shape = {-1, 5}}};
  return signature;
}

core::ModelSignature Second() {
  core::ModelSignature signature;
  signature.inputs = {{.name = "a", .datatype = DataType::kFp32, .shape = {-1, -1}},
                      {.name = "b", .datatype = DataType::kFp32, .shape = {-1, 3}}};
  signature.outputs = {{.name = "y", .datatype = DataType::kInt64, .shape = {-1, 2}}};
  return signature;
}

std::string Text(const base::Status& status) { return status.ok() ? "" : status.message(); }

TEST(PlanTest, TensorsHaveNumbersAndTheStepsThatTakeThem) {
  const Plan plan = MakePlan(Config());
  ASSERT_THAT(plan.steps, ::testing::SizeIs(2));
  EXPECT_EQ(plan.steps[0].calls[0].version, "");
  EXPECT_EQ(plan.steps[1].calls[0].version, "7");
  EXPECT_THAT(plan.inputs, ElementsAre(plan.FindTensor("in")));
  EXPECT_THAT(plan.outputs, ElementsAre(plan.FindTensor("out")));
  EXPECT_THAT(plan.tensors[plan.FindTensor("in")].consumers, ElementsAre(0, 1));
  EXPECT_THAT(plan.tensors[plan.FindTensor("between")].consumers, ElementsAre(0));
  EXPECT_THAT(plan.tensors[plan.FindTensor("out")].consumers, IsEmpty());
  EXPECT_EQ(plan.FindTensor("nobody"), plan.tensors.size());
}

TEST(PlanTest, AStepTakesAndGivesWhatItsModelHas) {
  const Plan plan = MakePlan(Config());
  EXPECT_EQ(Text(CheckStep(plan, 0, "second", Second())), "");
  EXPECT_EQ(Text(CheckStep(plan, 1, "first", First())), "");
  EXPECT_THAT(Text(CheckStep(plan, 1, "first", Second())),
              HasSubstr("is mapping to non-existing input x in model first (step 1)"));
  core::ModelSignature without = First();
  without.outputs.clear();
  EXPECT_THAT(Text(CheckStep(plan, 1, "first", without)),
              HasSubstr("is mapped from non-existing output z in model first (step 1)"));
  core::ModelSignature more = First();
  more.inputs[1].optional = false;
  EXPECT_THAT(Text(CheckStep(plan, 1, "first", more)),
              HasSubstr("input o in model first is not mapped to any ensemble tensors"));
}

TEST(PlanTest, AModelTakesAsManyRowsAsTheEnsemble) {
  const Plan plan = MakePlan(Config());
  core::ModelSignature first = First();
  first.max_batch_size = 4;
  EXPECT_EQ(Text(CheckStep(plan, 1, "first", first)), "");
  first.max_batch_size = 2;
  EXPECT_EQ(Text(CheckStep(plan, 1, "first", first)),
            "ensemble e allows maximum batch size 4, but it contains model first which only allows maximum batch size "
            "to be 2");
  first.splits_larger_requests = true;
  EXPECT_EQ(Text(CheckStep(plan, 1, "first", first)), "");
  first.splits_larger_requests = false;
  first.accepts_larger_requests = true;
  EXPECT_EQ(Text(CheckStep(plan, 1, "first", first)), "");
  EXPECT_EQ(Text(CheckStep(plan, 1, "first", First())), "") << "it does not batch";
}

TEST(PlanTest, WhatComesOfOneOfManyResponsesIsDeeper) {
  Plan plan = MakePlan(Config());
  const core::ModelSignature second = Second();
  core::ModelSignature first = First();
  Deepen(plan, {{&second}, {&first}});
  EXPECT_FALSE(plan.decoupled());
  first.decoupled = true;
  Deepen(plan, {{&second}, {&first}});
  EXPECT_TRUE(plan.decoupled());
  EXPECT_EQ(plan.steps[1].depth, 0);
  EXPECT_EQ(plan.steps[0].depth, 1);
  EXPECT_EQ(plan.tensors[plan.FindTensor("in")].depth, 0);
  EXPECT_EQ(plan.tensors[plan.FindTensor("between")].depth, 1);
  EXPECT_EQ(plan.tensors[plan.FindTensor("out")].depth, 1);
  EXPECT_TRUE(plan.ComesOf(0, 1));
  EXPECT_FALSE(plan.ComesOf(1, 0));
}

TEST(PlanTest, NoModelWaitsForItself) {
  Plan plan = MakePlan(Config());
  const core::ModelSignature second = Second();
  core::ModelSignature first = First();
  first.decoupled = true;
  Deepen(plan, {{&second}, {&first}});
  EXPECT_EQ(Text(CheckHolding(plan, {{"model 'second'"}, {"model 'first'"}})), "");
  EXPECT_TRUE(plan.steps[1].may_hold);
  const StepNeeds needs = {{"model 'second'", "resource 'r'"}, {"model 'first'", "resource 'r'"}};
  EXPECT_EQ(Text(CheckHolding(plan, needs)), "");
  EXPECT_FALSE(plan.steps[1].may_hold);
  plan.inflight_max = 1;
  EXPECT_THAT(Text(CheckHolding(plan, needs)), HasSubstr("'max_inflight_requests' would have model 'first' wait for "
                                                         "itself: step 0 needs resource 'r', too"));
}

TEST(PlanTest, InTritonTensorsOfDifferentDecoupledModelsDoNotMeet) {
  const std::string first_and_none =
      "in ensemble e, step of model 'second' receives inputs originated from different decoupled models";
  Plan plan = MakePlan(Config());
  core::ModelSignature second = Second();
  core::ModelSignature first = First();
  EXPECT_EQ(Text(CheckStreams(plan)), "");
  first.decoupled = true;
  Deepen(plan, {{&second}, {&first}});
  EXPECT_EQ(Text(CheckStreams(plan)), first_and_none) << "step 0 takes `in` too";

  config::ModelConfig chain = Config();
  auto ensemble = std::make_shared<config::Ensemble>(*chain.ensemble);
  ensemble->steps[0].inputs = {{"a", "between"}};
  chain.ensemble = ensemble;
  plan = MakePlan(chain);
  second.decoupled = true;
  Deepen(plan, {{&second}, {&first}});
  EXPECT_EQ(Text(CheckStreams(plan)), "") << "one after the other";

  chain.outputs.push_back({.name = "between", .datatype = DataType::kFp32, .dims = {5}});
  plan = MakePlan(chain);
  Deepen(plan, {{&second}, {&first}});
  EXPECT_EQ(Text(CheckStreams(plan)),
            "in ensemble e, step of model 'e' receives inputs originated from different decoupled models");
  second.decoupled = false;
  Deepen(plan, {{&second}, {&first}});
  EXPECT_EQ(Text(CheckStreams(plan)), "") << "both come of the first model's responses";
}

TEST(PlanTest, ShapesAgreeWithTheBatchDimensionOrWithoutIt) {
  // Checks whether the ensemble's input "in" (dims [3]) agrees with a model's input "x" of that shape.
  const auto agree = [](bool ensemble_batches, const tensor::Shape& shape, bool model_batches) {
    config::ModelConfig config = Config();
    config.max_batch_size = ensemble_batches ? 4 : 0;
    const Plan plan = MakePlan(config);
    core::ModelSignature model = First();
    model.max_batch_size = model_batches ? 4 : 0;
    model.inputs[0].shape = shape;
    return Text(TensorTypes(plan, config).Add(1, "first", model));
  };
  EXPECT_EQ(agree(false, {-1, 3}, true), "");
  EXPECT_EQ(agree(false, {-1, -1}, true), "");
  EXPECT_EQ(agree(true, {3}, false), "");
  EXPECT_EQ(agree(true, {-1, 3}, false), "") << "both have the whole shape";
  EXPECT_EQ(agree(false, {3}, false), "");
  EXPECT_THAT(
      agree(false, {-1, 4}, true),
      HasSubstr("[3] is inferred from model e while [-1,4] is inferred from model first (input 'x' of step 1)"));
  EXPECT_THAT(agree(true, {4}, false), HasSubstr("inconsistent shape"));
  EXPECT_THAT(agree(false, {-1, 3}, false), HasSubstr("inconsistent shape")) << "neither batches";
  EXPECT_THAT(agree(true, {-1, 3, 3}, true), HasSubstr("inconsistent shape")) << "both batch";
}

TEST(PlanTest, StepsSeeTheEnsemblesTensorsReshaped) {
  config::ModelConfig config = Config();
  config.inputs[0].dims = {1, 3};
  config.inputs[0].reshape = tensor::Shape{3};
  config.outputs[0].dims = {2, 1};
  config.outputs[0].reshape = tensor::Shape{2};
  const Plan plan = MakePlan(config);
  core::ModelSignature second = Second();
  core::ModelSignature first = First();
  second.max_batch_size = first.max_batch_size = 4;
  TensorTypes types(plan, config);
  EXPECT_EQ(Text(types.Add(0, "second", second)), "");
  EXPECT_EQ(Text(types.Add(1, "first", first)), "");
  ASSERT_THAT(plan.reshapes, ::testing::SizeIs(1));
  EXPECT_EQ(plan.reshapes[0].tensor, plan.FindTensor("in"));
  EXPECT_EQ(plan.reshapes[0].spec.shape, (tensor::Shape{-1, 1, 3}));
  EXPECT_EQ(plan.tensors[plan.FindTensor("out")].as_output.rank, 2);
}

TEST(PlanTest, FormsAreNotedWhereSomeModelsBatchAndOthersDoNot) {
  Plan plan = MakePlan(Config());
  core::ModelSignature second = Second();
  core::ModelSignature first = First();
  second.max_batch_size = first.max_batch_size = 4;
  Deepen(plan, {{&second}, {&first}});
  EXPECT_FALSE(plan.mixes_batching);
  EXPECT_THAT(plan.steps[1].calls[0].takes, IsEmpty());
  first.max_batch_size = 0;
  first.inputs[0].shape = {3};
  Deepen(plan, {{&second}, {&first}});
  EXPECT_TRUE(plan.mixes_batching);
  ASSERT_THAT(plan.steps[1].calls[0].takes, ::testing::SizeIs(1));
  EXPECT_EQ(plan.steps[1].calls[0].takes[0].rank, 1);
  EXPECT_FALSE(plan.steps[1].calls[0].takes[0].batches);
  EXPECT_EQ(plan.tensors[plan.FindTensor("out")].as_output.rank, 2);
  EXPECT_TRUE(plan.tensors[plan.FindTensor("out")].as_output.batches);
}

TEST(PlanTest, TensorsAreWhatBothEndsSay) {
  const Plan plan = MakePlan(Config());
  TensorTypes types(plan, Config());
  EXPECT_EQ(Text(types.Add(0, "second", Second())), "");
  EXPECT_EQ(Text(types.Add(1, "first", First())), "");
  core::ModelSignature other = First();
  other.outputs[0].datatype = DataType::kFp16;
  EXPECT_THAT(Text(types.Add(1, "first", other)),
              HasSubstr("ensemble tensor between: inconsistent data type: TYPE_FP32 is inferred from model second "
                        "while TYPE_FP16 is inferred from model first (input 'a' of step 0, output 'z' of step 1)"));
  core::ModelSignature wide = First();
  wide.inputs[0].shape = {-1, 4};
  EXPECT_THAT(Text(types.Add(1, "first", wide)),
              HasSubstr("ensemble tensor in: inconsistent shape: [-1,3] is inferred from model e while [-1,4]"));
  wide.inputs[0].any_shape = true;
  EXPECT_EQ(Text(types.Add(1, "first", wide)), "");
}

}  // namespace
}  // namespace inferd::ensemble
