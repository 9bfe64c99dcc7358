#include "config/checks/problems_fixture.h"

namespace inferd::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Returns an ensemble of one step that takes `i` and gives `o`, with additional lines.
std::string Ensemble(std::string_view steps, std::string_view more = "") {
  return "name: \"M\" platform: \"ensemble\" input { name: \"i\" data_type: TYPE_FP32 dims: 1 }\n"
         "output { name: \"o\" data_type: TYPE_FP32 dims: 1 }\n" +
         std::string(more) + "ensemble_scheduling {\n" + std::string(steps) + "}\n";
}

std::string Step(std::string_view from, std::string_view to, std::string_view more = "model_name: \"x\"") {
  return "step { " + std::string(more) + " input_map { key: \"a\" value: \"" + std::string(from) +
         "\" } output_map { key: \"b\" value: \"" + std::string(to) + "\" } }\n";
}

void ExpectProblem(const std::string& config, std::string_view text) {
  EXPECT_THAT(ProblemsOf(config), ElementsAre(HasSubstr(std::string(text)))) << config;
}

TEST(CheckEnsembleTest, StepsMayStandInAnyOrder) {
  EXPECT_THAT(ProblemsOf(Ensemble(Step("i", "o"))), IsEmpty());
  EXPECT_THAT(ProblemsOf(Ensemble(Step("t", "o") + Step("i", "t", "model_name: \"y\" model_version: 3"))), IsEmpty());
}

TEST(CheckEnsembleTest, MayHaveAnyNumberOfResponses) {
  EXPECT_THAT(ProblemsOf(Ensemble(Step("i", "o"), "model_transaction_policy { decoupled: true }\n")), IsEmpty());
  EXPECT_THAT(ProblemsOf(Ensemble(Step("i", "o") + "max_inflight_requests: 3\n")), IsEmpty());
}

TEST(CheckEnsembleTest, AStepSaysWhatItIs) {
  ExpectProblem(Ensemble(""), "must specify 'step' for ensemble 'M'");
  ExpectProblem(Ensemble(Step("i", "o", "")), "must specify 'model_name' in step 0 of ensemble 'M'");
  ExpectProblem(Ensemble("step { model_name: \"x\" output_map { key: \"b\" value: \"o\" } }"),
                "must specify 'input_map' in step 0 of ensemble 'M'");
  ExpectProblem(Ensemble("step { model_name: \"x\" input_map { key: \"a\" value: \"i\" } }"),
                "must specify 'output_map' in step 0 of ensemble 'M'");
  ExpectProblem(Ensemble(Step("i", "o", "model_name: \"x\" model_version: -2")), "a version must be 1 or more");
  ExpectProblem(Ensemble(Step("i", "o", "model_name: \"x\" model_namespace: \"n\"")), "models have no namespaces here");
  ExpectProblem(Ensemble(Step("i", "o", "model_name: \"M\"")),
                "circular dependency between ensembles: M -> ... -> M -> M: 'M' calls itself in step 0");
}

TEST(CheckEnsembleTest, TensorsLeadSomewhere) {
  ExpectProblem(Ensemble(Step("i", "o") + Step("i", "o")),
                "ensemble tensor 'o' can appear in an output map only once for ensemble 'M' step 1");
  ExpectProblem(Ensemble(Step("i", "o") + Step("o", "i")), "ensemble tensor 'i' can appear in an output map only once");
  ExpectProblem(Ensemble(Step("i", "o") + Step("i", "t")), "ensemble tensor 't' is unused in ensemble 'M'");
  ExpectProblem(Ensemble(Step("i", "o"), "input { name: \"j\" data_type: TYPE_FP32 dims: 1 }\n"),
                "ensemble input 'j' for ensemble M' is not used");
  ExpectProblem(Ensemble(Step("i", "o"), "output { name: \"p\" data_type: TYPE_FP32 dims: 1 }\n"),
                "ensemble output 'p' for ensemble M' is not used");
  ExpectProblem(Ensemble(Step("i", "o") +
                             "step { model_name: \"y\" input_map { key: \"a\" value: \"nothing\" } "
                             "output_map { key: \"b\" value: \"t\" } }\n" +
                             Step("t", "u") + Step("u", "v"),
                         "output { name: \"v\" data_type: TYPE_FP32 dims: 1 }\n"),
                "output 'v' for ensemble 'M' is not written: at least one of its depending tensors, 'nothing', is not "
                "connected: ensemble tensor 'nothing' is used by step 1 of ensemble 'M', but no step makes it");
  EXPECT_THAT(ProblemsOf(Ensemble(Step("i", "o") + Step("nothing", "t"))),
              UnorderedElementsAre(
                  HasSubstr("ensemble tensor 't' is unused in ensemble 'M'"),
                  HasSubstr("ensemble tensor 'nothing' is unused in ensemble 'M': ensemble tensor 'nothing' is "
                            "used by step 1 of ensemble 'M'")));
  ExpectProblem(Ensemble(Step("i", "o") + Step("v", "w"),
                         "output { name: \"v\" data_type: TYPE_FP32 dims: 1 }\n"
                         "output { name: \"w\" data_type: TYPE_FP32 dims: 1 }\n"),
                "output 'v' for ensemble 'M' is not written: steps take it, and none makes it");
}

// A load call may bring such a configuration. A walk of the graph for each tensor and output would not end.
TEST(CheckEnsembleTest, ManyTensorsThatLeadNowhereAreNamedAtOnce) {
  constexpr int kTensors = 5'000;
  std::string outputs;
  std::string taken;
  std::string unconnected;
  std::string made;
  for (int i = 0; i < kTensors; ++i) {
    const std::string number = std::to_string(i);
    outputs += "output { name: \"o" + number + "\" data_type: TYPE_FP32 dims: 1 }\n";
    unconnected += " input_map { key: \"n" + number + "\" value: \"n" + number + "\" }";
    taken += " input_map { key: \"t" + number + "\" value: \"t\" }";
    made += " output_map { key: \"b" + number + "\" value: \"o" + number + "\" }";
  }
  const std::vector<std::string> problems = ProblemsOf(
      Ensemble(Step("i", "o") + "step { model_name: \"y\"" + unconnected +
                   " output_map { key: \"b\" value: \"t\" } }\nstep { model_name: \"z\"" + taken + made + " }\n",
               outputs));
  ASSERT_EQ(problems.size(), static_cast<size_t>(kTensors));
  EXPECT_THAT(problems.back(), HasSubstr("output 'o0' for ensemble 'M' is not written: at least one of its depending "
                                         "tensors, 'n999', is not connected"));
}

TEST(CheckEnsembleTest, StepsDoNotWaitForEachOther) {
  ExpectProblem(Ensemble(Step("i", "o") +
                         "step { model_name: \"y\" input_map { key: \"a\" value: \"s\" } "
                         "output_map { key: \"b\" value: \"t\" } }\n" +
                         Step("t", "s")),
                "ensemble tensor 't' is unused in ensemble 'M': circular dependency: step 1 of ensemble 'M'");
  ExpectProblem(Ensemble("step { model_name: \"x\" input_map [ { key: \"a\" value: \"i\" }, { key: \"c\" value: "
                         "\"t\" } ] output_map { key: \"b\" value: \"o\" } }\n" +
                         Step("o", "t")),
                "output 'o' for ensemble 'M' is not written: circular dependency: step 0 of ensemble 'M'");
}

// Returns a step like Step(), with inferd { }.
std::string With(std::string_view options, std::string_view from = "i", std::string_view to = "o") {
  return Step(from, to, "model_name: \"x\" inferd { " + std::string(options) + " }");
}

TEST(CheckEnsembleTest, AStepMayHaveConditionsDefaultsAndChoices) {
  EXPECT_THAT(ProblemsOf(Ensemble(With("when { tensor: \"i\" equals: \"1\" } when { parameter: \"p\" present: false } "
                                       "default { output: \"b\" value: \"0\" dims: 1 }"))),
              IsEmpty());
  EXPECT_THAT(
      ProblemsOf(Ensemble(With("default { output: \"b\" tensor: \"i\" } weight: 9 "
                               "choice { model_name: \"y\" weight: 1 } shadow { model_name: \"z\" percent: 5 }"))),
      IsEmpty());
}

TEST(CheckEnsembleTest, AConditionUsesATensor) {
  EXPECT_THAT(ProblemsOf(Ensemble(With("when { tensor: \"j\" present: true }"),
                                  "input { name: \"j\" data_type: TYPE_FP32 dims: 1 }\n")),
              IsEmpty());
}

TEST(CheckEnsembleTest, OptionsOfAStepMakeSense) {
  const auto expect = [](std::string_view options, std::string_view text) {
    ExpectProblem(Ensemble(With(options)), std::string(text) + " in step 0 of ensemble 'M'");
  };
  expect("when { equals: \"1\" }",
         "ensemble_scheduling.step[0].inferd.when[0]: must specify 'tensor' or 'parameter' in a condition");
  expect("when { tensor: \"i\" }",
         "must specify one of 'equals', 'not_equals', 'less', 'greater' and 'present' in a condition");
  expect("when { tensor: \"i\" less: nan }", "nothing is less than NaN");
  expect("when { tensor: \"nothing\" present: true }",
         "inferd.when[0].tensor: no step makes ensemble tensor 'nothing', and it is no input,");
  expect("default { output: \"c\" value: \"1\" }", "inferd.default[0].output: 'c' is no output in the output_map");
  expect("default { output: \"b\" }", "must specify 'tensor' or 'value' in a default");
  expect("default { output: \"b\" value: \"1\" } default { output: \"b\" value: \"2\" }",
         "output 'b' has a default already");
  expect("default { output: \"b\" value: \"1\" dims: -1 }", "a dimension of a default must be 1 or more");
  expect("default { output: \"b\" tensor: \"i\" dims: 1 }", "a default that is another tensor has that one's dims");
  expect("weight: 3", "'weight' needs a 'choice' beside it");
  expect("weight: 0 choice { model_name: \"y\" }", "at least one weight must be 1 or more");
  expect("choice { weight: 1 }", "must specify 'model_name'");
  expect("shadow { model_name: \"y\" percent: 101 }", "'percent' must be from 1 to 100, got 101");
  ExpectProblem(Ensemble(With("choice { model_name: \"M\" weight: 1 }")), "'M' calls itself in step 0");
  ExpectProblem(Ensemble(With("when { tensor: \"o\" present: true }")), "circular dependency: step 0");
}

TEST(CheckEnsembleTest, OneTensorOfSeveralStepsOfWhichOneIsTaken) {
  const std::string de = With("when { parameter: \"lang\" equals: \"de\" }");
  EXPECT_THAT(ProblemsOf(Ensemble(de + With("when { parameter: \"lang\" not_equals: \"de\" }"))), IsEmpty());
  EXPECT_THAT(ProblemsOf(Ensemble(de + With("when { parameter: \"lang\" equals: \"en\" }"))), IsEmpty());
  ExpectProblem(
      Ensemble(de + With("when { parameter: \"other\" equals: \"en\" }")),
      "can appear in an output map only once for ensemble 'M' step 1, but where the steps have conditions that "
      "exclude each other");
  ExpectProblem(
      Ensemble(de + With("when { parameter: \"lang\" equals: \"en\" } default { output: \"b\" value: \"0\" }")),
      "ensemble tensor 'o' comes of several steps, of which none has a default, in step 1 of ensemble 'M'");
}

TEST(CheckEnsembleTest, WhatAnEnsembleHasNoUseFor) {
  ExpectProblem(Ensemble(Step("i", "o"), "instance_group { count: 2 }\n"),
                "instance group should not be specified for ensemble 'M'");
  ExpectProblem(Ensemble(Step("i", "o"), "optimization { }\n"),
                "optimization should not be specified for ensemble 'M'");
  ExpectProblem(Ensemble(Step("i", "o"), "model_warmup { name: \"w\" }\n"),
                "model_warmup can not be specified for ensemble 'M'");
  ExpectProblem(Ensemble(Step("i", "o"), "backend: \"fake\"\n"),
                "must have platform type 'ensemble' and empty backend");
  std::string many;
  for (int i = 0; i < 300; ++i) many += Step("i", "o");
  ExpectProblem(Ensemble(many), "at most 256 steps are allowed");
}

TEST(CheckEnsembleTest, PlatformAndSchedulingGoTogether) {
  EXPECT_THAT(ProblemsOf("name: \"M\" platform: \"ensemble\""),
              ElementsAre(HasSubstr("ensemble scheduling must be set for ensemble M whose platform is ensemble")));
  EXPECT_THAT(ProblemsOf("name: \"M\" backend: \"fake\" ensemble_scheduling { " + Step("i", "o") + "}"),
              ElementsAre(HasSubstr("ensemble scheduling cannot be set for model 'M' whose platform is not ensemble")));
}

}  // namespace
}  // namespace inferd::config
