#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "serving/enginehost/plugin_engine.h"
#include "tests/support/recording_execution.h"
#include "tests/support/temp_dir.h"

// Tests this engine's functions for tests of scheduling. serving/enginehost/plugin_engine_test.cc tests it with the
// host.

namespace inferd {
namespace {

using core::ParameterValue;
using inferd::support::Packed;
using inferd::support::RecordingExecution;
using inferd::support::SliceOf;
using inferd::support::TempDir;
using inferd::support::ValuesOf;
using tensor::DataType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class FakeEngineTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = enginehost::PluginEngine::Open(std::filesystem::path(INFERD_ENGINES_DIR) / "fake.so", {});
    ASSERT_TRUE(opened) << opened.error().ToString();
    engine_ = *std::move(opened);
  }

  void TearDown() override {
    instance_.reset();
    model_.reset();
  }

  // Loads a model of one input IN and one output OUT, with any number of columns per row; if ragged, elements only.
  base::Status Load(std::map<std::string, std::string> parameters, DataType datatype = DataType::kInt32,
                    bool ragged = false, bool optional = false) {
    auto config = std::make_shared<config::ModelConfig>();
    config->max_batch_size = ragged ? 0 : 8;
    config->inputs.push_back({.name = "IN", .datatype = datatype, .dims = {-1}, .optional = optional});
    config->outputs.push_back({.name = "OUT", .datatype = datatype, .dims = {-1}});
    config->parameters = std::move(parameters);
    core::LoadSpec spec;
    spec.model_name = "m";
    spec.version = 1;
    spec.model_dir = dir_.path();
    spec.config = std::move(config);
    auto model = engine_->Load(spec);
    if (!model) return model.error();
    model_ = *std::move(model);
    instance_ = *model_->CreateInstance({.name = "m_0_0"});
    return {};
  }

  void Run(RecordingExecution& execution) {
    execution.outputs = {0};
    instance_->Execute(execution);
    execution.WaitUntilFinished();
  }

  // Adds requests of one row with one number each.
  static void AddNumbers(RecordingExecution& execution, const std::vector<int32_t>& numbers) {
    execution.AddInput(0, DataType::kInt32, {static_cast<int64_t>(numbers.size()), 1}, SliceOf<int32_t>({numbers[0]}));
    for (size_t i = 1; i < numbers.size(); ++i) execution.inputs[0].pieces.push_back(SliceOf<int32_t>({numbers[i]}));
  }

  base::Status Answer(const std::vector<int32_t>& numbers) {
    RecordingExecution execution(numbers.size());
    AddNumbers(execution, numbers);
    Run(execution);
    for (size_t i = 1; i < numbers.size(); ++i) {
      EXPECT_EQ(execution.responses(i)[0].status, execution.responses(0)[0].status) << "a batch fails as a whole";
    }
    return execution.responses()[0].status;
  }

  std::vector<std::string> Lines(const std::string& file) const {
    std::ifstream in(dir_.path() / file);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
  }

  TempDir dir_;
  std::unique_ptr<enginehost::PluginEngine> engine_;
  std::unique_ptr<core::EngineModel> model_;
  std::unique_ptr<core::EngineInstance> instance_;
};

TEST_F(FakeEngineTest, AnswersRequestsOneByOneAsWellAsTogether) {
  for (const char* respond : {"all", "each", "reverse"}) {
    for (const char* one_piece : {"false", "true"}) {
      ASSERT_TRUE(Load({{"respond", respond}, {"one_piece", one_piece}}).ok());
      RecordingExecution execution(2);
      execution.rows = {2, 1};
      execution.AddInput(0, DataType::kInt32, {3, 2}, SliceOf<int32_t>({1, 2, 3, 4}));
      execution.inputs[0].pieces.push_back(SliceOf<int32_t>({5, 6}));
      Run(execution);
      if (std::string_view(respond) == "all") {
        EXPECT_TRUE(execution.responses(0)[0].whole_batch);
        EXPECT_THAT(ValuesOf<int32_t>(execution.output(0).data), ElementsAre(1, 2, 3, 4, 5, 6));
        continue;
      }
      EXPECT_FALSE(execution.responses(0)[0].whole_batch);
      EXPECT_EQ(execution.output(0).shape, (tensor::Shape{2, 2}));
      EXPECT_THAT(ValuesOf<int32_t>(execution.output(0).data), ElementsAre(1, 2, 3, 4));
      EXPECT_EQ(execution.responses(1)[0].outputs[0].shape, (tensor::Shape{1, 2}));
      EXPECT_THAT(ValuesOf<int32_t>(execution.responses(1)[0].outputs[0].data), ElementsAre(5, 6));
    }
  }
}

TEST_F(FakeEngineTest, AnswersRaggedRowsOneByOne) {
  ASSERT_TRUE(Load({{"respond", "each"}}, DataType::kInt32, true).ok());
  RecordingExecution execution(2);
  execution.AddInput(0, DataType::kInt32, {5}, SliceOf<int32_t>({1, 2}));
  execution.inputs[0].pieces.push_back(SliceOf<int32_t>({3, 4, 5}));
  Run(execution);
  EXPECT_THAT(ValuesOf<int32_t>(execution.responses(1)[0].outputs[0].data), ElementsAre(3, 4, 5));
  EXPECT_EQ(execution.responses(1)[0].outputs[0].shape, (tensor::Shape{3}));
}

TEST_F(FakeEngineTest, AnswersZerosForAnOptionalInputThatIsLeftOut) {
  for (const char* respond : {"all", "each"}) {
    ASSERT_TRUE(Load({{"respond", respond}}, DataType::kInt32, false, true).ok());
    const bool all = std::string_view(respond) == "all";
    RecordingExecution numbers(2);
    numbers.rows = {2, 1};
    Run(numbers);
    EXPECT_EQ(numbers.output(0).shape, (tensor::Shape{all ? 3 : 2, 1}));
    EXPECT_THAT(ValuesOf<int32_t>(numbers.output(0).data), ::testing::Each(0));
    EXPECT_EQ(numbers.responses(1)[0].outputs[0].shape, (tensor::Shape{all ? 3 : 1, 1}));
    ASSERT_TRUE(Load({{"respond", respond}}, DataType::kBytes, false, true).ok());
    RecordingExecution texts(1);
    Run(texts);
    EXPECT_EQ(texts.output(0).data.view(), Packed({""}).view());
  }
  ASSERT_TRUE(Load({}).ok());
  RecordingExecution needed(1);
  Run(needed);
  EXPECT_THAT(needed.responses()[0].status.message(), HasSubstr("repeats an input that was not given"));
}

TEST_F(FakeEngineTest, AnswersTextOneByOneInBothForms) {
  for (const char* form : {"packed", "elements"}) {
    for (const char* one_piece : {"false", "true"}) {
      ASSERT_TRUE(Load({{"respond", "each"}, {"bytes_form", form}, {"one_piece", one_piece}}, DataType::kBytes).ok());
      RecordingExecution execution(2);
      execution.rows = {1, 2};
      execution.AddInput(0, DataType::kBytes, {3, 2}, Packed({"a", ""}));
      execution.inputs[0].pieces.push_back(Packed({"bb", "c", std::string("\0", 1), "dd"}));
      Run(execution);
      EXPECT_EQ(execution.output(0).data.view(), Packed({"a", ""}).view());
      EXPECT_EQ(execution.responses(1)[0].outputs[0].data.view(),
                Packed({"bb", "c", std::string("\0", 1), "dd"}).view());
    }
  }
}

TEST_F(FakeEngineTest, ABatchWithThePoisonFailsAsAWhole) {
  ASSERT_TRUE(Load({{"fail_execute_value", "666"}, {"fail_execute", "poisoned"}}).ok());
  EXPECT_TRUE(Answer({1, 2, 3}).ok());
  EXPECT_EQ(Answer({1, 666, 3}), base::Internal("poisoned"));
  EXPECT_EQ(Answer({666}), base::Internal("poisoned"));
}

TEST_F(FakeEngineTest, PoisonIsFoundInEveryNumericType) {
  const std::pair<DataType, base::BufferSlice> poisoned[] = {
      {DataType::kInt8, SliceOf<int8_t>({1, 66})},     {DataType::kInt16, SliceOf<int16_t>({1, 66})},
      {DataType::kInt64, SliceOf<int64_t>({1, 66})},   {DataType::kUint8, SliceOf<uint8_t>({1, 66})},
      {DataType::kUint16, SliceOf<uint16_t>({1, 66})}, {DataType::kUint32, SliceOf<uint32_t>({1, 66})},
      {DataType::kUint64, SliceOf<uint64_t>({1, 66})}, {DataType::kFp32, SliceOf<float>({1, 66})},
      {DataType::kFp64, SliceOf<double>({1, 66})}};
  for (const auto& [datatype, slice] : poisoned) {
    ASSERT_TRUE(Load({{"fail_execute_value", "66"}}, datatype).ok());
    RecordingExecution execution;
    execution.AddInput(0, datatype, {1, 2}, slice);
    Run(execution);
    EXPECT_EQ(execution.responses()[0].status, base::Internal("failed as the configuration asks"))
        << tensor::DataTypeName(datatype);
  }
}

TEST_F(FakeEngineTest, FailsBatchesOfASize) {
  ASSERT_TRUE(Load({{"fail_execute_requests", "2"}}).ok());
  EXPECT_TRUE(Answer({1}).ok());
  EXPECT_EQ(Answer({1, 2}).code(), base::StatusCode::kInternal);
}

TEST_F(FakeEngineTest, FailsTheNthAndEachNth) {
  ASSERT_TRUE(Load({{"fail_execute_nth", "2"}, {"fail_execute_every", "3"}}).ok());
  std::vector<bool> good;
  for (int i = 1; i <= 6; ++i) good.push_back(Answer({i}).ok());
  EXPECT_THAT(good, ElementsAre(true, false, false, true, true, false));
}

TEST_F(FakeEngineTest, RecordsWhatItExecutes) {
  ASSERT_TRUE(Load({{"operator.writes", "true"}, {"record_batches_file", "record"}, {"fail_execute_nth", "2"}}).ok());
  RecordingExecution batch(2);
  batch.rows = {2, 1};
  batch.mutable_request(0).id = "a\"\n";
  batch.AddInput(0, DataType::kInt32, {3, 1}, SliceOf<int32_t>({1, 2}));
  batch.inputs[0].pieces.push_back(SliceOf<int32_t>({3}));
  Run(batch);
  EXPECT_THAT(Lines("record")[0], StartsWith("{\"begin\":1,\"load\":"));
  EXPECT_THAT(
      Lines("record")[0],
      HasSubstr(",\"instance\":0,\"name\":\"m_0_0\",\"place\":\"CPU\",\"rows\":[2,1],\"ids\":[\"a\\\"\\u000a\",\"\"],"
                "\"inputs\":{\"IN\":{\"shape\":[3,1],\"pieces\":[8,4]}}}"));
  EXPECT_THAT(Lines("record")[1], HasSubstr("\"code\":0,\"cancelled\":[false,false]}"));
  RecordingExecution cancelled;
  cancelled.cancelled = true;
  AddNumbers(cancelled, {1});
  Run(cancelled);
  EXPECT_THAT(Lines("record")[3], HasSubstr("\"code\":13,\"cancelled\":[true]}"));

  ASSERT_TRUE(Load({{"operator.writes", "true"}, {"record_batches_file", "record"}}).ok());
  ASSERT_TRUE(Answer({1}).ok());
  EXPECT_EQ(Lines("record").size(), 6u) << "what was there stays";
}

TEST_F(FakeEngineTest, ARecordThatCannotBeWrittenFailsTheLoad) {
  const base::Status status = Load({{"operator.writes", "true"}, {"record_batches_file", "no/such/folder"}});
  EXPECT_EQ(status.code(), base::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("no/such/folder' cannot be written: No such file"));
}

TEST_F(FakeEngineTest, WritesNothingUnlessTheOperatorLetsIt) {
  const base::Status status = Load({{"record_batches_file", "record"}});
  EXPECT_EQ(status.code(), base::StatusCode::kPermissionDenied);
  EXPECT_THAT(status.message(), HasSubstr("--engine-parameter fake:operator.writes=true"));
  EXPECT_FALSE(std::filesystem::exists(dir_.path() / "record"));
}

TEST_F(FakeEngineTest, DeclaresSignificantParameters) {
  ASSERT_TRUE(Load({{"significant_parameters", "mode,,temperature"}}).ok());
  EXPECT_THAT(model_->significant_parameters(),
              ElementsAre("execute_delay_ms", "fail_code", "hold", "mode", "temperature"));
}

TEST_F(FakeEngineTest, RepeatsParametersInItsResponses) {
  for (const char* respond : {"all", "each"}) {
    ASSERT_TRUE(Load({{"respond", respond}, {"response_parameters", "b,a,none"}}).ok());
    RecordingExecution execution(2);
    execution.mutable_request(0).parameters = {{"a", std::string("x")}, {"b", 0.5}, {"other", true}};
    execution.mutable_request(1).parameters = {{"a", int64_t{7}}};
    AddNumbers(execution, {1, 2});
    Run(execution);
    const core::Parameters first = {{"b", 0.5}, {"a", std::string("x")}};
    const core::Parameters second = {{"a", int64_t{7}}};
    EXPECT_EQ(execution.responses(0)[0].parameters, first);
    EXPECT_EQ(execution.responses(1)[0].parameters, std::string_view(respond) == "all" ? first : second);
  }
}

// Inputs IN, DELAY and WAIT, as Triton's repeat backend has them.
class RepeatTest : public FakeEngineTest {
 protected:
  void LoadRepeat(bool decoupled) {
    auto config = std::make_shared<config::ModelConfig>();
    config->backend = "repeat";
    config->decoupled = decoupled;
    config->inputs = {{.name = "IN", .datatype = DataType::kInt32, .dims = {-1}},
                      {.name = "DELAY", .datatype = DataType::kUint32, .dims = {-1}},
                      {.name = "WAIT", .datatype = DataType::kUint32, .dims = {1}}};
    config->outputs = {{.name = "OUT", .datatype = DataType::kInt32, .dims = {1}}};
    core::LoadSpec spec;
    spec.model_name = "m";
    spec.version = 1;
    spec.model_dir = dir_.path();
    spec.config = std::move(config);
    model_ = engine_->Load(spec).value();
    instance_ = *model_->CreateInstance({.name = "m_0_0"});
  }

  static void Fill(RecordingExecution& execution, const std::vector<int32_t>& numbers, std::vector<int32_t> delays) {
    execution.AddInput(0, DataType::kInt32, {static_cast<int64_t>(numbers.size())}, SliceOf<int32_t>(numbers));
    execution.AddInput(1, DataType::kUint32, {static_cast<int64_t>(delays.size())}, SliceOf<int32_t>(delays));
    execution.AddInput(2, DataType::kUint32, {1}, SliceOf<int32_t>({0}));
    execution.outputs = {0};
  }
};

TEST_F(RepeatTest, ExecutionsThatWaitOverlap) {
  LoadRepeat(true);
  RecordingExecution slow;
  RecordingExecution quick;
  Fill(slow, {1, 2}, {0, 60'000});
  Fill(quick, {3}, {0});
  instance_->Execute(slow);
  instance_->Execute(quick);
  quick.WaitUntilFinished();
  EXPECT_EQ(quick.responses().size(), 2U);
  slow.cancelled = true;
  slow.WaitUntilFinished();
  EXPECT_EQ(slow.responses().back().status.code(), base::StatusCode::kCancelled);
}

TEST_F(RepeatTest, DelaysMustFitTheNumbers) {
  LoadRepeat(true);
  RecordingExecution execution;
  Fill(execution, {1}, {0, 0});
  Run(execution);
  EXPECT_EQ(execution.responses()[0].status.message(), "expected IN and DELAY shape to match, got [1] and [2]");
}

TEST_F(RepeatTest, AModelThatIsNotDecoupledSendsItsFirstResponse) {
  LoadRepeat(false);
  RecordingExecution execution;
  Fill(execution, {5, 6}, {0, 0});
  Run(execution);
  ASSERT_EQ(execution.responses().size(), 1U);
  EXPECT_TRUE(execution.responses()[0].final);
  EXPECT_THAT(ValuesOf<int32_t>(execution.output(0).data), ElementsAre(5));
}

TEST_F(FakeEngineTest, SquareFailsAndLeavesOutItsLastResponses) {
  ASSERT_TRUE(Load({{"behavior", "square"}, {"CUSTOM_FAIL_COUNT", "2"}, {"CUSTOM_EMPTY_COUNT", "1"}}).ok());
  for (const int32_t number : {0, 1, 2, 5}) {
    RecordingExecution execution;
    AddNumbers(execution, {number});
    Run(execution);
    std::vector<base::StatusCode> codes;
    for (const auto& response : execution.responses()) codes.push_back(response.status.code());
    ASSERT_EQ(codes.size(), static_cast<size_t>(std::max(number - 1, 0)) + 1);
    EXPECT_TRUE(execution.responses().back().final && execution.responses().back().status.ok());
    codes.pop_back();
    for (size_t i = 0; i < codes.size(); ++i) {
      EXPECT_EQ(codes[i], i + 2 < codes.size() ? base::StatusCode::kOk : base::StatusCode::kUnknown) << number;
    }
  }
}

TEST_F(FakeEngineTest, SquareEndsEarlyForWhoHasGone) {
  ASSERT_TRUE(
      Load({{"behavior", "square"}, {"CUSTOM_INFER_DELAY_NS", "1000"}, {"CUSTOM_CANCEL_DELAY_NS", "1000"}}).ok());
  RecordingExecution execution;
  execution.cancelled = true;
  AddNumbers(execution, {1'000'000'000});
  Run(execution);
  ASSERT_EQ(execution.responses().size(), 1u);
  EXPECT_EQ(execution.responses()[0].status.code(), base::StatusCode::kCancelled);
}

}  // namespace
}  // namespace inferd
