#include "serving/enginehost/model/loaded_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serving/enginehost/model/abi_values.h"
#include "tests/support/stub_engine.h"

namespace inferd::enginehost {
namespace {

using inferd::support::StubEngine;
using ::testing::HasSubstr;

const int64_t kAny[] = {-1};

inferd_tensor_spec Spec(const char* name, int32_t datatype = INFERD_TYPE_FP32) {
  inferd_tensor_spec spec = {};
  spec.name = {name, std::strlen(name)};
  spec.datatype = datatype;
  spec.shape = kAny;
  spec.rank = 1;
  return spec;
}

// Returns the error for a model whose only input is `spec`.
std::string DefectOf(const inferd_tensor_spec& spec) {
  StubEngine engine;
  engine.Add(spec, &engine.inputs);
  const auto model = engine.Take();
  EXPECT_FALSE(model);
  if (model) return "";
  EXPECT_EQ(engine.unloads, 1);
  EXPECT_EQ(model.error().code(), base::StatusCode::kInternal);
  return model.error().message();
}

TEST(LoadedModelTest, AModelSaysWhetherItIsReady) {
  StubEngine engine;
  engine.Add(Spec("in"), &engine.inputs);
  EXPECT_FALSE((*engine.Take())->checks_readiness());
  engine.signature.checks_readiness = 1;
  const auto without = engine.Take();
  ASSERT_FALSE(without);
  EXPECT_THAT(without.error().message(), HasSubstr("it checks its readiness, and there is no check_ready()"));
  static int32_t code = INFERD_OK;
  static bool says_why = true;
  engine.table.check_ready = [](inferd_model*, inferd_error* error) {
    if (code != INFERD_OK && says_why) error->status = base::Internal("no weights");
    return code;
  };
  const auto model = engine.Take();
  ASSERT_TRUE(model) << model.error().ToString();
  EXPECT_TRUE((*model)->checks_readiness());
  EXPECT_TRUE((*model)->CheckReady().ok());
  code = INFERD_NOT_FOUND;
  EXPECT_EQ((*model)->CheckReady(), base::Unavailable("no weights"));
  says_why = false;
  EXPECT_THAT((*model)->CheckReady().message(), HasSubstr("says that the model is not ready and does not say why"));
  engine.table.check_ready = [](inferd_model*, inferd_error*) -> int32_t { throw std::runtime_error("oh"); };
  EXPECT_THAT((*model)->CheckReady().message(), HasSubstr("threw an exception: oh"));
  engine.table.struct_size = offsetof(inferd_engine, check_ready);
  EXPECT_FALSE(engine.Take()) << "an older engine has none";
}

TEST(LoadedModelTest, KeepsWhatTheEngineSays) {
  StubEngine engine;
  inferd_tensor_spec text = Spec("text", INFERD_TYPE_BYTES);
  text.bytes_form = INFERD_BYTES_ELEMENTS;
  text.alignment = 4096;
  text.one_piece = 1;
  engine.Add(text, &engine.inputs);
  engine.Add(Spec("sum"), &engine.outputs);
  const inferd_text significant = {"mode", 4};
  engine.signature.significant_parameters = &significant;
  engine.signature.significant_parameter_count = 1;
  engine.signature.decoupled = 1;
  {
    const auto model = engine.Take();
    ASSERT_TRUE(model) << model.error().ToString();
    EXPECT_EQ((*model)->signature().inputs[0].name, "text");
    EXPECT_EQ((*model)->signature().FindOutput("sum"), 0);
    EXPECT_TRUE((*model)->signature().decoupled);
    EXPECT_TRUE((*model)->wish(0).elements);
    EXPECT_TRUE((*model)->wish(0).one_piece);
    EXPECT_EQ((*model)->wish(0).alignment, 4096u);
    EXPECT_THAT((*model)->significant_parameters(), ::testing::ElementsAre("mode"));
    EXPECT_EQ((*model)->compute_threads(), 4) << "as many as it was given";
    EXPECT_EQ(engine.unloads, 0);
  }
  EXPECT_EQ(engine.unloads, 1);
}

TEST(LoadedModelTest, EnginesSayHowManyThreadsTheyUse) {
  StubEngine engine;
  engine.signature.compute_threads = 2;
  EXPECT_EQ((*engine.Take())->compute_threads(), 2);
  engine.signature.compute_threads = -1;
  EXPECT_EQ((*engine.Take())->compute_threads(), 0);
  engine.signature.compute_threads = -2;
  EXPECT_THAT(engine.Take().error().message(), HasSubstr("executions that keep -2 threads busy"));
}

TEST(LoadedModelTest, EnginesSayHowManyExecutionsMayBeUnfinished) {
  StubEngine engine;
  EXPECT_EQ((*engine.Take())->unfinished_executions_max(), 1);
  engine.signature.unfinished_executions_max = 8;
  EXPECT_EQ((*engine.Take())->unfinished_executions_max(), 8);
  engine.signature.struct_size = offsetof(inferd_signature, unfinished_executions_max);
  EXPECT_EQ((*engine.Take())->unfinished_executions_max(), 1) << "the engine was built before there was such a field";
  engine.signature.struct_size = sizeof(inferd_signature);
  for (const int impossible : {-1, INFERD_UNFINISHED_EXECUTIONS_MAX + 1}) {
    engine.signature.unfinished_executions_max = impossible;
    EXPECT_THAT(engine.Take().error().message(),
                HasSubstr("instances with " + std::to_string(impossible) + " unfinished executions"));
  }
}

TEST(LoadedModelTest, EnginesBuiltBeforeAFieldWasAddedDoNotHaveIt) {
  StubEngine engine;
  engine.signature.struct_size = offsetof(inferd_signature, compute_threads);
  engine.signature.compute_threads = -2;  // bytes after the engine's own, smaller struct
  const auto model = engine.Take();
  ASSERT_TRUE(model) << model.error().ToString();
  EXPECT_EQ((*model)->compute_threads(), 4);
}

TEST(LoadedModelTest, RefusesImpossibleTensors) {
  EXPECT_THAT(DefectOf(Spec("")), HasSubstr("a tensor has no name"));
  EXPECT_THAT(DefectOf(Spec("x", 0)), HasSubstr("tensor 'x' has the unknown datatype 0"));
  EXPECT_THAT(DefectOf(Spec("x", 99)), HasSubstr("unknown datatype 99"));
  inferd_tensor_spec deep = Spec("x");
  deep.rank = 33;
  EXPECT_THAT(DefectOf(deep), HasSubstr("has 33 dimensions; at most 32"));
  inferd_tensor_spec shapeless = Spec("x");
  shapeless.shape = nullptr;
  EXPECT_THAT(DefectOf(shapeless), HasSubstr("dimensions"));
  inferd_tensor_spec negative = Spec("x");
  const int64_t minus_two[] = {-2};
  negative.shape = minus_two;
  EXPECT_THAT(DefectOf(negative), HasSubstr("a dimension of -2"));
  inferd_tensor_spec odd = Spec("x");
  odd.alignment = 12;
  EXPECT_THAT(DefectOf(odd), HasSubstr("alignment of 12"));
  inferd_tensor_spec wide = Spec("x");
  wide.alignment = 8192;
  EXPECT_THAT(DefectOf(wide), HasSubstr("alignment of 8192"));
}

TEST(LoadedModelTest, RefusesTwoTensorsOfOneName) {
  StubEngine engine;
  engine.Add(Spec("x"), &engine.outputs);
  engine.Add(Spec("x"), &engine.outputs);
  const auto model = engine.Take();
  ASSERT_FALSE(model);
  EXPECT_THAT(model.error().message(),
              HasSubstr("engine 'stub' describes the model wrongly: tensor 'x' is listed twice"));
}

// The stub's other signatures, numbered from 1.
std::vector<inferd_signature> other_signatures;

std::string DefectOfOthers(std::vector<inferd_signature> others) {
  StubEngine engine;
  other_signatures = std::move(others);
  engine.table.other_signature = [](inferd_model*, size_t number) -> const inferd_signature* {
    return number <= other_signatures.size() ? &other_signatures[number - 1] : nullptr;
  };
  const auto taken = LoadedModel::TakeOthers(*engine.Take(), core::LoadSpec(), 4);
  return taken ? "" : taken.error().message();
}

inferd_signature Named(std::string_view name) {
  inferd_signature signature = {};
  signature.struct_size = sizeof(signature);
  signature.name = {name.data(), name.size()};
  signature.method = {"do", 2};
  return signature;
}

TEST(LoadedModelTest, TheModelStaysForAllItsSignatures) {
  StubEngine engine;
  engine.Add(Spec("x"), &engine.inputs);
  other_signatures = {Named("a"), Named("b")};
  other_signatures[1].inputs = engine.inputs.data();
  other_signatures[1].input_count = 1;
  engine.table.other_signature = [](inferd_model*, size_t number) -> const inferd_signature* {
    return number <= other_signatures.size() ? &other_signatures[number - 1] : nullptr;
  };
  auto first = engine.Take();
  auto others = LoadedModel::TakeOthers(*first, core::LoadSpec(), 4);
  ASSERT_TRUE(others) << others.error().ToString();
  ASSERT_EQ(others->size(), 2u);
  EXPECT_EQ((*first)->signature_number(), 0u);
  EXPECT_EQ((*first)->signature().name, "");
  const auto last = others->back();
  EXPECT_EQ(last->signature_number(), 2u);
  EXPECT_EQ(last->signature().name, "b");
  EXPECT_EQ(last->signature().method_name, "do");
  EXPECT_EQ(last->signature().FindInput("x"), 0);
  EXPECT_EQ(last->compute_threads(), 4);
  first->reset();
  others->clear();
  EXPECT_EQ(engine.unloads, 0);
}

TEST(LoadedModelTest, RefusesOtherSignaturesThatCannotBeToldApart) {
  EXPECT_EQ(DefectOfOthers({Named("a"), Named("b")}), "");
  EXPECT_THAT(DefectOfOthers({Named("a"), Named("")}), HasSubstr("a signature has no name"));
  EXPECT_THAT(DefectOfOthers({Named("a"), Named("a")}), HasSubstr("signature 'a' is listed twice"));
  std::vector<std::string> names;
  for (int i = 0; i < 300; ++i) names.push_back(std::to_string(i));
  std::vector<inferd_signature> many;
  for (const std::string& name : names) many.push_back(Named(name));
  EXPECT_THAT(DefectOfOthers(many), HasSubstr("more than 255 other signatures"));
}

TEST(LoadedModelTest, WhatIsOnlyShownMayHaveNoDatatype) {
  StubEngine engine;
  engine.Add(Spec("none", INFERD_TYPE_INVALID), &engine.outputs);
  inferd_signature shown = Named("init");
  shown.outputs = engine.outputs.data();
  shown.output_count = 1;
  EXPECT_THAT(ToSignature(shown).error().message(), HasSubstr("unknown datatype 0"));
  shown.only_shown = 1;
  const auto signature = ToSignature(shown);
  ASSERT_TRUE(signature) << signature.error().ToString();
  EXPECT_TRUE(signature->only_shown);
  EXPECT_EQ(signature->outputs[0].datatype, tensor::DataType::kInvalid);
  shown.struct_size = offsetof(inferd_signature, only_shown);
  EXPECT_FALSE(ToSignature(shown)) << "an engine that was built before";
}

TEST(LoadedModelTest, EnginesBuiltBeforeModelsHadSeveralSignaturesHaveOne) {
  StubEngine engine;
  engine.table.struct_size = offsetof(inferd_engine, other_signature);
  engine.table.other_signature = [](inferd_model*, size_t) -> const inferd_signature* { std::abort(); };
  EXPECT_TRUE(LoadedModel::TakeOthers(*engine.Take(), core::LoadSpec(), 4)->empty());
}

TEST(LoadedModelTest, RefusesNoSignatureAtAll) {
  StubEngine engine;
  engine.answered_signature = nullptr;
  EXPECT_FALSE(engine.Take());
  EXPECT_EQ(engine.unloads, 1);
}

}  // namespace
}  // namespace inferd::enginehost
