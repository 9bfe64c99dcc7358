#include "enginehost/loaded_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/stub_engine.h"

namespace inferd::enginehost {
namespace {

using inferd::testing::StubEngine;
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

// What is wrong with a model whose one input is `spec`.
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

TEST(LoadedModelTest, EnginesBuiltBeforeAFieldWasAddedDoNotHaveIt) {
  StubEngine engine;
  engine.signature.struct_size = offsetof(inferd_signature, compute_threads);
  engine.signature.compute_threads = -2;  // what lies behind the engine's own struct
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

TEST(LoadedModelTest, RefusesNoSignatureAtAll) {
  StubEngine engine;
  engine.answered_signature = nullptr;
  EXPECT_FALSE(engine.Take());
  EXPECT_EQ(engine.unloads, 1);
}

}  // namespace
}  // namespace inferd::enginehost
