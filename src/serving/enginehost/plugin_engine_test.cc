#include "serving/enginehost/plugin_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "serving/enginehost/engine_directory.h"
#include "tests/support/recording_execution.h"

namespace inferd::enginehost {
namespace {

using core::ParameterValue;
using inferd::support::Packed;
using inferd::support::RecordingExecution;
using inferd::support::SliceOf;
using inferd::support::ValuesOf;
using tensor::DataType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::filesystem::path kEngines = INFERD_ENGINES_DIR;

class PluginEngineTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = PluginEngine::Open(kEngines / "fake.so", {});
    ASSERT_TRUE(opened) << opened.error().ToString();
    engine_ = *std::move(opened);
  }

  // Loads a fake model with one input IN and one output OUT of `datatype`, of any length.
  base::Result<std::unique_ptr<core::EngineModel>> Load(std::map<std::string, std::string> parameters,
                                                        DataType datatype = DataType::kInt32) {
    auto config = std::make_shared<config::ModelConfig>();
    config::ModelInput& input = config->inputs.emplace_back();
    input.name = "IN";
    input.datatype = datatype;
    input.dims = {-1};
    config::ModelOutput& output = config->outputs.emplace_back();
    output.name = "OUT";
    output.datatype = datatype;
    output.dims = {-1};
    config->parameters = std::move(parameters);
    core::LoadSpec spec;
    spec.model_name = "m";
    spec.version = 1;
    spec.model_dir = ::testing::TempDir();
    spec.config = config;
    return engine_->Load(spec);
  }

  // Loads a model and runs one execution with `values`.
  void Run(std::map<std::string, std::string> parameters, RecordingExecution* execution,
           std::vector<int32_t> values = {1, 2}) {
    auto model = Load(std::move(parameters));
    ASSERT_TRUE(model) << model.error().ToString();
    const auto size = static_cast<int64_t>(values.size());
    if (execution->inputs.empty()) execution->AddInput(0, DataType::kInt32, {size}, SliceOf(values));
    execution->outputs = {0};
    auto instance = (*model)->CreateInstance({});
    ASSERT_TRUE(instance);
    (*instance)->Execute(*execution);
    execution->WaitUntilFinished();
    EXPECT_EQ(execution->finished(), 1);
  }

  base::Status FailureOf(std::map<std::string, std::string> parameters) {
    RecordingExecution execution;
    Run(std::move(parameters), &execution);
    EXPECT_EQ(execution.responses().size(), 1u);
    EXPECT_TRUE(execution.responses().back().final);
    return execution.responses().back().status;
  }

  std::unique_ptr<PluginEngine> engine_;
};

TEST_F(PluginEngineTest, SaysWhatItIs) {
  EXPECT_EQ(engine_->name(), "fake");
  EXPECT_EQ(engine_->default_model_filename(), "");
}

TEST_F(PluginEngineTest, RefusesWhatIsNoEngine) {
  const auto none = PluginEngine::Open(kEngines / "none.so", {});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code(), base::StatusCode::kFailedPrecondition);
  EXPECT_THAT(none.error().message(), HasSubstr("none.so' cannot be loaded"));
  const auto libc = PluginEngine::Open("libm.so.6", {});
  ASSERT_FALSE(libc);
  EXPECT_THAT(libc.error().message(), HasSubstr("exports no inferd_engine_v1"));
}

TEST_F(PluginEngineTest, SignatureIsTheConfigurations) {
  const auto model = Load({{"alignment", "64"}});
  ASSERT_TRUE(model);
  const core::ModelSignature& signature = (*model)->signature();
  ASSERT_EQ(signature.inputs.size(), 1u);
  EXPECT_EQ(signature.inputs[0].name, "IN");
  EXPECT_EQ(signature.inputs[0].shape, (tensor::Shape{-1}));
  EXPECT_EQ((*model)->input_alignment(0), 64u);
  EXPECT_THAT((*model)->significant_parameters(), ::testing::Contains("hold"));
  EXPECT_FALSE(signature.decoupled);
}

TEST_F(PluginEngineTest, LoadFailuresCarryTheEnginesReason) {
  const auto failed = Load({{"fail_load", "out of luck"}});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error(), base::Internal("out of luck"));
  const auto wrong = Load({{"behavior", "magic"}});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(
      wrong.error().message(),
      "parameter 'behavior' of engine 'fake': 'magic' is not one of add_sub, dyna_sequence, identity, implicit_state, "
      "iterative_sequence, repeat, "
      "sequence, square");
  EXPECT_TRUE(Load({{"a_word_of_the_users", "x"}}));
}

TEST_F(PluginEngineTest, RunsTheWholeExecution) {
  for (const char* memory : {"host", "engine", "transient"}) {
    for (const char* thread : {"false", "true"}) {
      RecordingExecution execution;
      Run({{"output_memory", memory}, {"complete_on_thread", thread}}, &execution, {7, -7, 0});
      ASSERT_EQ(execution.responses().size(), 1u);
      EXPECT_TRUE(execution.responses()[0].status.ok());
      EXPECT_EQ(execution.output(0).shape, (tensor::Shape{3}));
      EXPECT_THAT(ValuesOf<int32_t>(execution.output(0).data), ElementsAre(7, -7, 0));
    }
  }
}

TEST_F(PluginEngineTest, OutputsOutliveModelAndExecution) {
  core::InferTensor kept;
  {
    RecordingExecution execution;
    Run({{"output_memory", "engine"}}, &execution, {5});
    kept = execution.output(0);
  }
  EXPECT_THAT(ValuesOf<int32_t>(kept.data), ElementsAre(5));
}

TEST_F(PluginEngineTest, CopiesOnlyMisalignedInputs) {
  RecordingExecution aligned;
  Run({{"alignment", "64"}}, &aligned);
  EXPECT_EQ(engine_->copies().inputs, 0u);

  const base::Buffer buffer = base::Buffer::CopyOf(std::string("?\x01\0\0\0\x02\0\0\0", 9));
  RecordingExecution anywhere;
  anywhere.AddInput(0, DataType::kInt32, {2}, {buffer, buffer.data() + 1, 8});
  Run({}, &anywhere);
  EXPECT_EQ(engine_->copies().inputs, 0u);

  RecordingExecution misaligned;
  misaligned.AddInput(0, DataType::kInt32, {2}, {buffer, buffer.data() + 1, 8});
  Run({{"alignment", "256"}}, &misaligned);
  EXPECT_THAT(ValuesOf<int32_t>(misaligned.output(0).data), ElementsAre(1, 2));
  EXPECT_EQ(engine_->copies().inputs, 1u);
  EXPECT_EQ(engine_->copies().input_bytes, 8u);
  EXPECT_EQ(engine_->copies().outputs, 0u);
}

TEST_F(PluginEngineTest, GathersABatchForEnginesThatWantOnePiece) {
  for (const char* one_piece : {"false", "true"}) {
    RecordingExecution execution(2);
    execution.AddInput(0, DataType::kInt32, {2}, SliceOf<int32_t>({3}));
    execution.inputs[0].pieces.push_back(SliceOf<int32_t>({4}));
    Run({{"one_piece", one_piece}}, &execution);
    ASSERT_TRUE(execution.responses(1)[0].whole_batch);
    EXPECT_THAT(ValuesOf<int32_t>(execution.output(0).data), ElementsAre(3, 4));
  }
  EXPECT_EQ(engine_->copies().inputs, 1u);
}

TEST_F(PluginEngineTest, BytesInBothForms) {
  for (const char* form : {"packed", "elements"}) {
    for (const char* one_piece : {"false", "true"}) {
      const auto model = Load({{"bytes_form", form}, {"one_piece", one_piece}}, DataType::kBytes);
      ASSERT_TRUE(model);
      RecordingExecution execution(2);
      execution.outputs = {0};
      const std::string with_nul("a\0b", 3);
      execution.AddInput(0, DataType::kBytes, {3}, Packed({with_nul, ""}));
      execution.inputs[0].pieces.push_back(Packed({"c"}));
      execution.rows = {2, 1};
      const auto instance = (*model)->CreateInstance({});
      (*instance)->Execute(execution);
      ASSERT_TRUE(execution.responses()[0].status.ok()) << execution.responses()[0].status.ToString();
      EXPECT_EQ(execution.output(0).data.view(), Packed({with_nul, "", "c"}).view());
    }
  }
}

TEST_F(PluginEngineTest, RefusesInputsThatDoNotFitTheirShape) {
  RecordingExecution execution;
  execution.AddInput(0, DataType::kInt32, {3}, SliceOf<int32_t>({1, 2}));
  Run({}, &execution);
  const base::Status& status = execution.responses()[0].status;
  EXPECT_EQ(status.code(), base::StatusCode::kInvalidArgument);
  EXPECT_EQ(status.message(), "input 'IN' has 8 bytes, but 12 are expected for shape [3] of INT32");
}

TEST_F(PluginEngineTest, AnswersForAnEngineThatMisbehaves) {
  const std::map<std::string, std::string> expected = {
      {"no_response", "engine 'fake' finished without answering"},
      {"missing_output", "engine 'fake' answered without output 'OUT'"},
      {"wrong_size", "engine 'fake' answered output 'OUT': expected 8 bytes for INT32 of shape [2], got 4"},
      {"wrong_shape", "engine 'fake' answered output 'OUT' with shape [], which is not [-1]"},
      {"throw", "engine 'fake' threw an exception: as its configuration asks"},
  };
  for (const auto& [misbehavior, message] : expected) {
    for (const char* memory : {"host", "engine", "transient"}) {
      const base::Status status = FailureOf({{"misbehavior", misbehavior}, {"output_memory", memory}});
      EXPECT_EQ(status, base::Internal(message)) << misbehavior << " " << memory;
    }
  }
}

TEST_F(PluginEngineTest, IgnoresASecondAnswer) {
  RecordingExecution execution;
  Run({{"misbehavior", "double_response"}}, &execution);
  ASSERT_EQ(execution.responses().size(), 1u);
  EXPECT_TRUE(execution.responses()[0].status.ok());
}

TEST_F(PluginEngineTest, FailuresReachEveryRequest) {
  RecordingExecution execution(3);
  execution.AddInput(0, DataType::kInt32, {0}, {});
  Run({{"fail_execute", "no more"}}, &execution);
  for (size_t i = 0; i < 3; ++i) {
    ASSERT_EQ(execution.responses(i).size(), 1u);
    EXPECT_EQ(execution.responses(i)[0].status, base::Internal("no more"));
  }
}

TEST_F(PluginEngineTest, RequestParametersReachTheEngine) {
  RecordingExecution execution;
  execution.mutable_request(0).parameters = {{"fail_code", ParameterValue(int64_t{8})},
                                             {"fail_message", ParameterValue(std::string("busy"))}};
  Run({}, &execution);
  EXPECT_EQ(execution.responses()[0].status, base::ResourceExhausted("busy"));
}

TEST_F(PluginEngineTest, HoldsUntilReleasedOrCancelled) {
  const auto hold_file = std::filesystem::path(::testing::TempDir()) / "plugin_engine_test_hold";
  std::ofstream(hold_file).put('x');
  const auto model = Load({{"hold_file", hold_file.filename()}, {"complete_on_thread", "true"}});
  ASSERT_TRUE(model);
  const auto instance = (*model)->CreateInstance({});
  RecordingExecution cancelled;
  cancelled.cancelled = true;
  RecordingExecution released;
  for (RecordingExecution* execution : {&cancelled, &released}) {
    execution->AddInput(0, DataType::kInt32, {1}, SliceOf<int32_t>({9}));
    execution->outputs = {0};
    (*instance)->Execute(*execution);
  }
  cancelled.WaitUntilFinished();
  EXPECT_EQ(cancelled.responses()[0].status.code(), base::StatusCode::kCancelled);
  std::filesystem::remove(hold_file);
  released.WaitUntilFinished();
  EXPECT_THAT(ValuesOf<int32_t>(released.output(0).data), ElementsAre(9));
}

TEST_F(PluginEngineTest, StreamsEndWithOrWithoutResponses) {
  for (const std::vector<int32_t>& values : {std::vector<int32_t>{4, 5}, std::vector<int32_t>{}}) {
    RecordingExecution execution;
    Run({{"behavior", "repeat"}}, &execution, values);
    ASSERT_EQ(execution.responses().size(), values.size() + 1);
    for (size_t i = 0; i < values.size(); ++i) {
      EXPECT_FALSE(execution.responses()[i].final);
      EXPECT_THAT(ValuesOf<int32_t>(execution.responses()[i].outputs[0].data), ElementsAre(values[i]));
    }
    EXPECT_TRUE(execution.responses().back().final);
    EXPECT_TRUE(execution.responses().back().status.ok());
  }
}

TEST_F(PluginEngineTest, SquareAnswersANumberThatManyTimes) {
  RecordingExecution execution;
  Run({{"behavior", "square"}}, &execution, {3});
  ASSERT_EQ(execution.responses().size(), 4u);
  EXPECT_THAT(ValuesOf<int32_t>(execution.responses()[2].outputs[0].data), ElementsAre(3));
  EXPECT_TRUE(execution.responses()[3].outputs.empty());
}

TEST(EngineDirectoryTest, LibrariesThatAreNearlyEnginesAreRefusedWithTheReason) {
  const auto found = OpenEngines(INFERD_BROKEN_ENGINES_DIR, {});
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->engines.empty());
  const char* const kReasons[] = {"is built for version 2 of the engine ABI; this server has version 1",
                                  "returned a table that is too short",
                                  "has no proper name",
                                  "does not state its version",
                                  "lacks one of its functions",
                                  "does not start: its library is too old",
                                  "refuses to start"};
  ASSERT_EQ(found->problems.size(), std::size(kReasons));
  for (size_t i = 0; i < std::size(kReasons); ++i) {
    EXPECT_EQ(found->problems[i].code(), base::StatusCode::kFailedPrecondition);
    EXPECT_THAT(found->problems[i].message(), HasSubstr("broken_" + std::to_string(i + 1) + ".so"));
    EXPECT_THAT(found->problems[i].message(), HasSubstr(kReasons[i]));
  }
}

TEST(EngineDirectoryTest, OpensWhatItCanAndReportsTheRest) {
  const auto directory = std::filesystem::path(::testing::TempDir()) / "engine_directory_test";
  std::filesystem::remove_all(directory);
  std::filesystem::create_directories(directory);
  std::filesystem::copy_file(kEngines / "fake.so", directory / "a.so");
  std::filesystem::copy_file(kEngines / "fake.so", directory / "b.so");
  std::ofstream(directory / "c.so") << "no library";
  std::ofstream(directory / "readme.txt") << "ignored";
  const auto found = OpenEngines(directory, {});
  ASSERT_TRUE(found);
  ASSERT_EQ(found->engines.size(), 1u);
  EXPECT_EQ(found->engines[0]->name(), "fake");
  ASSERT_EQ(found->problems.size(), 2u);
  EXPECT_EQ(found->problems[0].code(), base::StatusCode::kAlreadyExists);
  EXPECT_THAT(found->problems[1].message(), HasSubstr("c.so' cannot be loaded"));
}

TEST(EngineDirectoryTest, AMissingFolderIsAnError) {
  const auto found = OpenEngines("/nowhere/at/all", {});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code(), base::StatusCode::kNotFound);
}

}  // namespace
}  // namespace inferd::enginehost
