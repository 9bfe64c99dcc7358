#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include "tests/support/temp_dir.h"
#include "tests/support/torch_engine.h"

namespace inferd::torchscript {
namespace {

using support::Packed;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string LoadError(const std::string& name, const config::ModelConfig& config = {}) {
  const auto loaded = Load(name, config);
  return loaded.has_value() ? "it was loaded" : loaded.error().message();
}

TEST(TorchEngineTest, SaysItsVersion) {
  EXPECT_EQ(Engine().name(), "torch");
  EXPECT_EQ(Engine().default_model_filename(), "model.pt");
  EXPECT_THAT(std::string(Engine().version()), ::testing::StartsWith("2."));
}

TEST(TorchEngineTest, InputsAreReadWhereTheyLie) {
  const Running model("half_plus_two", kRows);
  ASSERT_TRUE(model.model);
  EXPECT_EQ(model.model->compute_threads(), 1);
  const uint64_t copies = Engine().copies().inputs;
  for (const int64_t rows : {3, 1, 3}) {
    RecordingExecution execution;
    std::vector<float> values(rows, 5);
    values[0] = 1;
    execution.AddInput(0, DataType::kFp32, {rows, 1}, SliceOf(values));
    model.Run(&execution);
    ASSERT_TRUE(execution.responses()[0].status.ok()) << execution.responses()[0].status.ToString();
    EXPECT_EQ(execution.output(0).shape, (Shape{rows, 1}));
    EXPECT_EQ(Output(execution)[0], 2.5);
    EXPECT_EQ(Output(execution)[rows - 1], rows == 1 ? 2.5 : 4.5);
  }
  EXPECT_EQ(Engine().copies().inputs, copies);
}

TEST(TorchEngineTest, EveryDatatypeGoesThroughUnchanged) {
  for (const auto& [name, datatype] : support::kNumericTypes) {
    SCOPED_TRACE(name);
    support::ExpectIdentity(Running("identity", Config({{"x", datatype}}, {{"y", datatype}})), datatype);
  }
}

// softmax(relu(x @ first) @ second) with the maker's weights, in double.
TEST(TorchEngineTest, ANetworkComputesWhatItsFormulaSays) {
  const auto ramp = [](int index, double step) {
    return static_cast<double>(static_cast<float>((index % 13 - 6) * step));
  };
  std::vector<float> row(784);
  for (int i = 0; i < 784; ++i) row[i] = static_cast<float>(i % 7) / 7;
  std::vector<double> hidden(16);
  for (int h = 0; h < 16; ++h) {
    for (int i = 0; i < 784; ++i) hidden[h] += row[i] * ramp(i * 16 + h, 0.003);
    hidden[h] = std::max(hidden[h], 0.0);
  }
  std::vector<double> shares(10);
  double sum = 0;
  for (int o = 0; o < 10; ++o) {
    for (int h = 0; h < 16; ++h) shares[o] += hidden[h] * ramp(h * 10 + o, 0.01);
    sum += shares[o] = std::exp(shares[o]);
  }
  for (const char* freeze : {"true", "false"}) {
    const Running model("perceptron", Config({{"x", DataType::kFp32, {-1, 784}}}, {{"y", DataType::kFp32, {-1, 10}}},
                                             {{"FREEZE", freeze}}));
    RecordingExecution execution;
    RunRows(model, {row}, &execution);
    for (int o = 0; o < 10; ++o) EXPECT_NEAR(Output(execution)[o], shares[o] / sum, 1e-4);
  }
}

TEST(TorchEngineTest, TuplesListsAndDictsAreOutputs) {
  const struct {
    const char* model;
    std::vector<Tensor> inputs;
    std::vector<Tensor> outputs;
    bool swapped = false;  // the outputs are the difference and the sum
  } cases[] = {{"pair", {{"a"}, {"b"}}, {{"x"}, {"y"}}},
               {"pair", {{"INPUT__0"}, {"INPUT__1"}}, {{"OUTPUT__1"}, {"OUTPUT__0"}}, true},
               {"listed", {{"first"}, {"second"}}, {{"OUTPUT__0"}, {"OUTPUT__1"}}},
               {"keyed", {{"a"}, {"b"}}, {{"difference"}, {"sum"}}, true},
               {"pair", {{"a"}, {"b"}}, {}},
               {"listed", {{"a"}, {"b"}}, {}},
               {"keyed", {{"a"}, {"b"}}, {}}};
  for (const auto& [name, inputs, outputs, swapped] : cases) {
    SCOPED_TRACE(name);
    const Running model(name, Config(inputs, outputs));
    RecordingExecution execution;
    RunRows(model, {{1, 2}, {3, 5}}, &execution);
    EXPECT_THAT(Output(execution, swapped ? 1 : 0), ElementsAre(4, 7));
    EXPECT_THAT(Output(execution, swapped ? 0 : 1), ElementsAre(-2, -3));
  }
}

TEST(TorchEngineTest, TuplesInsideTuplesAreNumberedOn) {
  for (const config::ModelConfig& config :
       {Config({{"x"}}), Config({{"x"}}, {{"OUTPUT__2"}, {"OUTPUT__0"}, {"OUTPUT__1"}})}) {
    const Running model("nested", config);
    ASSERT_TRUE(model.model);
    ASSERT_EQ(model.model->signature().outputs.size(), 3u);
    RecordingExecution execution;
    RunRows(model, {{1, 2}}, &execution);
    ASSERT_TRUE(execution.responses()[0].status.ok()) << execution.responses()[0].status.ToString();
    for (int i = 0; i < 3; ++i) EXPECT_THAT(Output(execution, i), ElementsAre(1, 2));
  }
  EXPECT_EQ(Running("nested", Config({{"x"}})).model->signature().outputs[2].name, "OUTPUT__2");
  EXPECT_THAT(LoadError("nested", Config({{"x"}}, {{"OUTPUT__3"}})), HasSubstr("'OUTPUT__3' is no part"));
}

TEST(TorchEngineTest, InputsMayBeOneDict) {
  const Running model("takes_dict", Config({{"b"}, {"a"}}, {{"sum"}}));
  RecordingExecution execution;
  RunRows(model, {{1, 2}, {3, 5}}, &execution);
  EXPECT_THAT(Output(execution), ElementsAre(4, 7));
}

TEST(TorchEngineTest, OutputsThatTheConfigurationDoesNotListAreTried) {
  const Running model("keyed", Config({{"a", DataType::kFp32, {-1, 4}}, {"b", DataType::kFp32, {-1, 4}}}));
  ASSERT_TRUE(model.model);
  ASSERT_EQ(model.model->signature().outputs.size(), 2u);
  EXPECT_EQ(model.model->signature().outputs[0].name, "sum");
  EXPECT_EQ(model.model->signature().outputs[0].datatype, DataType::kFp32);
  EXPECT_EQ(model.model->signature().outputs[0].shape, (Shape{-1, 4}));
}

TEST(TorchEngineTest, ATracedModelNeedsNoConfiguration) {
  const Running model("traced");
  ASSERT_TRUE(model.model);
  const auto& signature = model.model->signature();
  ASSERT_EQ(signature.inputs.size(), 2u);
  EXPECT_EQ(signature.inputs[0].name, "x");
  EXPECT_EQ(signature.inputs[0].datatype, DataType::kFp32);
  EXPECT_EQ(signature.inputs[1].datatype, DataType::kFp64);
  EXPECT_EQ(signature.inputs[1].shape, (Shape{-1, -1}));
  ASSERT_EQ(signature.outputs.size(), 2u);
  EXPECT_EQ(signature.outputs[0].name, "OUTPUT__0");
  EXPECT_EQ(signature.outputs[0].datatype, DataType::kFp64);
  EXPECT_EQ(signature.outputs[1].datatype, DataType::kInt64);
  EXPECT_EQ(signature.outputs[1].shape, (Shape{-1}));
  RecordingExecution execution;
  execution.AddInput(0, DataType::kFp32, {2, 2}, SliceOf<float>({1, 2, 3, 4}));
  execution.AddInput(1, DataType::kFp64, {2, 1}, SliceOf<double>({10, 20}));
  model.Run(&execution);
  ASSERT_TRUE(execution.responses()[0].status.ok()) << execution.responses()[0].status.ToString();
  EXPECT_THAT(ValuesOf<double>(execution.output(0).data), ElementsAre(12, 14, 26, 28));
  EXPECT_THAT(ValuesOf<int64_t>(execution.output(1).data), ElementsAre(3, 7));
}

TEST(TorchEngineTest, StringsAreLists) {
  for (const config::ModelConfig& config :
       {Config({}), Config({{"words", DataType::kBytes, {-1, 1}}}, {{"y", DataType::kBytes, {-1, 1}}})}) {
    const Running model("strings", config);
    ASSERT_TRUE(model.model);
    const size_t rank = model.model->signature().inputs[0].shape.rank();
    RecordingExecution execution;
    execution.AddInput(0, DataType::kBytes, rank == 1 ? Shape{3} : Shape{3, 1}, Packed({"ab", "", "\xc3\xa4z"}));
    model.Run(&execution);
    ASSERT_TRUE(execution.responses()[0].status.ok()) << execution.responses()[0].status.ToString();
    EXPECT_EQ(execution.output(0).shape, rank == 1 ? Shape({3}) : Shape({3, 1}));
    EXPECT_EQ(execution.output(0).data.view(), Packed({"AB", "", "\xc3\xa4Z"}).view());
  }
  const Running lengths("lengths");
  RecordingExecution execution;
  execution.AddInput(0, DataType::kBytes, {2}, Packed({"abc", "d"}));
  lengths.Run(&execution);
  EXPECT_THAT(ValuesOf<int64_t>(execution.output(0).data), ElementsAre(3, 1));

  const Running wide("strings", Config({{"words", DataType::kBytes, {-1, -1}}}, {{"y", DataType::kBytes, {-1}}}));
  RecordingExecution rows;
  rows.AddInput(0, DataType::kBytes, {1, 2}, Packed({"a", "b"}));
  EXPECT_THAT(wide.Failure(&rows).message(), HasSubstr("input 'words': the model's method takes a list of strings"));
}

TEST(TorchEngineTest, NumbersAreScalars) {
  const Running model("counted");
  ASSERT_TRUE(model.model);
  EXPECT_EQ(model.model->signature().inputs[0].datatype, DataType::kInt64);
  EXPECT_EQ(model.model->signature().inputs[1].datatype, DataType::kBool);
  RecordingExecution execution;
  execution.AddInput(0, DataType::kInt64, {}, SliceOf<int64_t>({2}));
  execution.AddInput(1, DataType::kBool, {}, SliceOf<uint8_t>({1}));
  model.Run(&execution);
  ASSERT_TRUE(execution.responses()[0].status.ok()) << execution.responses()[0].status.ToString();
  EXPECT_THAT(ValuesOf<int64_t>(execution.output(0).data), ElementsAre(0, 1, 2, 3));
}

TEST(TorchEngineTest, ArgumentsWithDefaultsMayBeLeftOut) {
  config::ModelConfig config = Config({{"x"}, {"factor", DataType::kFp32, {1}}, {"offset"}}, {{"y"}});
  config.inputs[1].optional = config.inputs[2].optional = true;
  const Running all("scaled", config);
  const Running one("scaled", kRows);
  RecordingExecution alone;
  RunRows(one, {{1, 2}}, &alone);
  EXPECT_THAT(Output(alone), ElementsAre(2, 4));
  RecordingExecution without;
  RunRows(all, {{1, 2}}, &without);
  EXPECT_THAT(Output(without), ElementsAre(2, 4));
  RecordingExecution with;
  with.AddInput(1, DataType::kFp32, {1}, SliceOf<float>({3}));
  with.AddInput(2, DataType::kFp32, {1, 2}, SliceOf<float>({10, 20}));
  RunRows(all, {{1, 2}}, &with);
  EXPECT_THAT(Output(with), ElementsAre(13, 26));
}

TEST(TorchEngineTest, RequestsKeepTheirBytesWhereAModelWritesToItsInputs) {
  const Running model("writes", kRows);
  for (int call = 0; call < 3; ++call) {
    RecordingExecution execution;
    RunRows(model, {{1, 2}}, &execution);
    EXPECT_THAT(Output(execution), ElementsAre(4, 6));
    EXPECT_THAT(ValuesOf<float>(execution.inputs[0].pieces[0]), ElementsAre(1, 2));
  }
}

// `last` returns its previous call's input.
TEST(TorchEngineTest, OutputsOutliveTheNextExecution) {
  const std::pair<const char*, std::vector<float>> cases[] = {
      {"half_plus_two", {2, 2.5, 3}}, {"identity", {0, 1, 2}}, {"last", {0, 0, 1}}};
  for (const auto& [name, firsts] : cases) {
    const Running model(name, kRows);
    std::vector<core::InferTensor> kept;
    for (int call = 0; call < 3; ++call) {
      RecordingExecution execution;
      RunRows(model, {{static_cast<float>(call), 2}}, &execution);
      kept.push_back(execution.output(0));
    }
    for (size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(ValuesOf<float>(kept[i].data)[0], firsts[i]) << name;
  }
}

TEST(TorchEngineTest, AModelsStateIsAnInstancesOwn) {
  const Running model("counter", Config({{"x", DataType::kInt64, {1}}}, {{"y", DataType::kInt64, {1}}}));
  ASSERT_TRUE(model.model);
  const auto second = *model.model->CreateInstance({.ordinal = 1});
  const auto count = [](core::EngineInstance& instance) {
    RecordingExecution execution;
    execution.outputs = {0};
    execution.AddInput(0, DataType::kInt64, {1}, SliceOf<int64_t>({0}));
    instance.Execute(execution);
    return ValuesOf<int64_t>(execution.output(0).data)[0];
  };
  EXPECT_EQ(count(*model.instance), 1);
  EXPECT_EQ(count(*model.instance), 2);
  EXPECT_EQ(count(*second), 1);
  EXPECT_EQ(count(*model.instance), 3);
}

TEST(TorchEngineTest, OutputsWhoseShapeDependsOnTheData) {
  const Running nonzero("nonzero", Config({{"x", DataType::kFp32, {-1}}}, {{"y", DataType::kInt64, {-1, 1}}}));
  for (const std::vector<float>& values : {std::vector<float>{0, 2, 0, 3}, {0, 0, 0, 0}, {1, 1, 1, 1}}) {
    RecordingExecution execution;
    execution.AddInput(0, DataType::kFp32, {4}, SliceOf(values));
    nonzero.Run(&execution);
    ASSERT_TRUE(execution.responses()[0].status.ok()) << execution.responses()[0].status.ToString();
    EXPECT_EQ(execution.output(0).shape, (Shape{4 - std::ranges::count(values, 0), 1}));
  }
}

TEST(TorchEngineTest, InstancesComputeBesideEachOther) {
  for (const char* freeze : {"true", "false"}) {
    const Running model("perceptron", Config({{"x", DataType::kFp32, {-1, 784}}}, {{"y", DataType::kFp32, {-1, 10}}},
                                             {{"FREEZE", freeze}}));
    ASSERT_TRUE(model.model);
    support::ExpectInstancesSideBySide(*model.model);
  }
}

TEST(TorchEngineTest, AModelsErrorIsTheRequestsWithItsLastLine) {
  const Running raises("raises", kRows);
  RecordingExecution negative;
  negative.AddInput(0, DataType::kFp32, {1, 1}, SliceOf<float>({-1}));
  const base::Status status = raises.Failure(&negative);
  EXPECT_EQ(status.code(), base::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("the model cannot run on these inputs: "));
  EXPECT_THAT(status.message(), HasSubstr("no number may be below 0"));
  EXPECT_THAT(status.message(), Not(HasSubstr("\n")));
  RecordingExecution positive;
  RunRows(raises, {{1}}, &positive);
  EXPECT_THAT(Output(positive), ElementsAre(2));

  const Running matmul("matmul", Config({{"a"}, {"b"}}, {{"y"}}));
  RecordingExecution wrong;
  wrong.AddInput(0, DataType::kFp32, {1, 2}, SliceOf<float>({1, 2}));
  wrong.AddInput(1, DataType::kFp32, {3, 1}, SliceOf<float>({1, 2, 3}));
  EXPECT_THAT(matmul.Failure(&wrong).message(), HasSubstr("RuntimeError: mat1 and mat2 shapes cannot be multiplied"));

  const Running huge("huge", kRows);
  RecordingExecution execution;
  execution.AddInput(0, DataType::kFp32, {1, 1}, SliceOf<float>({1}));
  EXPECT_EQ(huge.Failure(&execution).code(), base::StatusCode::kResourceExhausted);
}

TEST(TorchEngineTest, AnswersThatDoNotFitTheConfigurationSayHow) {
  const struct {
    const char* model;
    DataType datatype;
    const char* expected;
  } cases[] = {{"nothing", DataType::kFp32, "output 'y__0': is None, not a tensor"},
               {"sparse", DataType::kFp32, "is no dense tensor"},
               {"half_plus_two", DataType::kInt64, "output 'y__0': the model gives elements of type Float"}};
  for (const auto& [name, datatype, expected] : cases) {
    SCOPED_TRACE(name);
    const Running model(name, Config({{"x"}}, {{"y__0", datatype}}));
    RecordingExecution execution;
    execution.AddInput(0, DataType::kFp32, {1, 1}, SliceOf<float>({1}));
    EXPECT_THAT(model.Failure(&execution).message(), HasSubstr(expected));
  }
}

TEST(TorchEngineTest, AnotherMethodIsCalledByItsName) {
  const Running other("two_methods", Config({{"x"}}, {{"y"}}, {{"MODULE_METHOD_NAME", "other"}}));
  RecordingExecution execution;
  RunRows(other, {{1}}, &execution);
  EXPECT_THAT(Output(execution), ElementsAre(3));
  EXPECT_THAT(LoadError("two_methods", Config({{"x"}}, {{"y"}}, {{"MODULE_METHOD_NAME", "none"}})),
              HasSubstr("the module has no method 'none'"));
}

TEST(TorchEngineTest, EveryWayToExecuteGivesTheSame) {
  for (const char* key : {"DISABLE_OPTIMIZED_EXECUTION", "INFERENCE_MODE", "ENABLE_JIT_EXECUTOR",
                          "ENABLE_JIT_PROFILING", "FREEZE", "ENABLE_WEIGHT_SHARING"}) {
    for (const char* value : {"true", "false"}) {
      SCOPED_TRACE(std::string(key) + value);
      const Running model("scaled", Config({{"x"}}, {{"y"}}, {{key, value}}));
      for (int call = 0; call < 4; ++call) {
        RecordingExecution execution;
        RunRows(model, {{1, 2}}, &execution);
        EXPECT_THAT(Output(execution), ElementsAre(2, 4));
      }
    }
  }
}

TEST(TorchEngineTest, SeveralThreadsComputeTheSame) {
  const Running model("matmul", Config({{"a"}, {"b"}}, {{"y"}}, {{"INTRA_OP_THREAD_COUNT", "2"}}));
  ASSERT_TRUE(model.model);
  EXPECT_EQ(model.model->compute_threads(), 2);
  RecordingExecution execution;
  RunRows(model, {{3}, {5}}, &execution);
  EXPECT_THAT(Output(execution), ElementsAre(15));
}

TEST(TorchEngineTest, WhatTheConfigurationHasToSayIsSaid) {
  EXPECT_THAT(LoadError("matmul"), HasSubstr("(a: Tensor, b: Tensor), such as input { name: \"a\""));
  EXPECT_THAT(LoadError("takes_dict"),
              HasSubstr("an input for each key of the mapping, such as input { name: \"KEY\""));
  EXPECT_THAT(LoadError("any"), HasSubstr("argument 'x' of the model's method is of type Any, which cannot be served"));
  EXPECT_THAT(LoadError("matmul", Config({{"a"}}, {{"y"}})), HasSubstr("argument 'b'"));
  EXPECT_THAT(LoadError("any", kRows), HasSubstr("type Any, which cannot be served"));
  EXPECT_THAT(LoadError("strings", Config({{"words"}})), HasSubstr("a list of strings in the model"));
  EXPECT_THAT(LoadError("identity", Config({{"x", DataType::kBytes}})), HasSubstr("of strings in the configuration"));
  EXPECT_THAT(LoadError("matmul", Config({{"a"}, {"b", DataType::kFp32, {7, 7, 7}}})),
              HasSubstr("they were not found by executing the model on zeros: RuntimeError:"));
  EXPECT_THAT(LoadError("identity", Config({{"x", DataType::kFp32, {1 << 20, 1 << 20}}})),
              HasSubstr("too large to try"));
  EXPECT_THAT(LoadError("none"), HasSubstr("does not exist"));
}

TEST(TorchEngineTest, OperatorsOfAModelsOwnAreInLibraries) {
  const std::filesystem::path library = INFERD_TEST_OPERATORS;
  EXPECT_THAT(LoadError("custom", kRows), HasSubstr("test_operators::twice"));
  config::ModelConfig config = kRows;
  config.op_library_filenames = {library};
  EXPECT_THAT(LoadError("custom", config), HasSubstr("--allow-op-library"));
  config.parameters = {{"operator.libraries", library.parent_path()}};
  const Running model("custom", config);
  RecordingExecution execution;
  RunRows(model, {{1, 2}}, &execution);
  EXPECT_THAT(Output(execution), ElementsAre(2, 4));

  const support::TempDir folder;
  folder.Write("no.so", "This is no library.");
  config.op_library_filenames = {folder.path() / "no.so"};
  config.parameters = {{"operator.libraries", folder.path().string()}};
  EXPECT_THAT(LoadError("custom", config), HasSubstr("no.so"));
}

std::string Bytes(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Any content must give an error in one line, or a model.
void TryFile(const support::TempDir& folder, const std::string& bytes, const config::ModelConfig& config) {
  folder.Write("model.pt", bytes);
  const auto loaded = support::LoadFile(Engine(), folder.path() / "model.pt", config);
  if (loaded.has_value()) return;
  EXPECT_EQ(loaded.error().code(), base::StatusCode::kInvalidArgument) << loaded.error().ToString();
  EXPECT_THAT(loaded.error().message(), HasSubstr("model.pt"));
  EXPECT_THAT(loaded.error().message(), Not(HasSubstr("\n")));
}

TEST(TorchEngineTest, FilesThatAreNoModelsAreNamed) {
  const support::TempDir folder;
  for (const char* content : {"", "P", "PK", "This is no model.\n", "\x80\x02\x8a\x0a", "\x80\x02"}) {
    folder.Write("model.pt", content);
    const auto loaded = support::LoadFile(Engine(), folder.path() / "model.pt", kRows);
    ASSERT_FALSE(loaded.has_value());
    EXPECT_EQ(loaded.error().code(), base::StatusCode::kInvalidArgument) << loaded.error().ToString();
  }
  std::filesystem::create_directory(folder.path() / "folder.pt");
  EXPECT_FALSE(support::LoadFile(Engine(), folder.path() / "folder.pt", kRows).has_value());
}

TEST(TorchEngineTest, CutAndChangedFilesAreErrors) {
  const support::TempDir folder;
  const std::pair<const char*, config::ModelConfig> cases[] = {
      {"half_plus_two", kRows}, {"last", kRows}, {"traced", Config({{"x"}, {"y"}}, {{"OUTPUT__0"}})}};
  for (const auto& [name, config] : cases) {
    const std::string whole = Bytes(kModels / name / "model.pt");
    ASSERT_GT(whole.size(), 1000u);
    for (int part = 0; part < 16; ++part) TryFile(folder, whole.substr(0, whole.size() * part / 16), config);
    for (size_t at = 0; at < whole.size(); at += whole.size() / 25) {
      for (const char value : {'\0', '\xff', static_cast<char>(whole[at] ^ 1)}) {
        std::string changed = whole;
        changed[at] = value;
        TryFile(folder, changed, config);
      }
    }
  }
}

}  // namespace
}  // namespace inferd::torchscript
