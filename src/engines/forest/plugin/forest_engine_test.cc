// The engine through the C ABI, as the server uses it. The readers' tests check the results.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "data/tensor/bytes.h"
#include "tests/support/running_model.h"

namespace inferd {
namespace {

using inferd::support::RecordingExecution;
using inferd::support::RunningModel;
using inferd::support::SliceOf;
using inferd::support::ValuesOf;
using tensor::DataType;
using ::testing::HasSubstr;

enginehost::PluginEngine& Engine() {
  static enginehost::PluginEngine& engine =
      support::OpenEngine(std::filesystem::path(INFERD_ENGINES_DIR) / "forest.so");
  return engine;
}

auto Load(const std::string& file, const config::ModelConfig& config = {}) {
  return support::LoadFile(Engine(), std::filesystem::path(INFERD_FOREST_MODELS) / file, config);
}

base::Status LoadError(const std::string& file, const config::ModelConfig& config = {}) {
  const auto loaded = Load(file, config);
  return loaded ? base::OkStatus() : loaded.error();
}

constexpr const char* kBinary = "xgboost_binary_logistic/model.json";

config::ModelConfig WithOutputs(const std::vector<std::string>& names) {
  config::ModelConfig config;
  for (const std::string& name : names) {
    config.outputs.push_back({.name = name, .datatype = DataType::kFp32, .dims = {-1}});
  }
  return config;
}

TEST(ForestEngineTest, TheSignatureIsTheConventions) {
  const RunningModel model(Load("lightgbm_multiclass/model.txt"));
  const core::ModelSignature signature = model.model->signature().Shown();
  ASSERT_EQ(signature.inputs.size(), 1U);
  EXPECT_EQ(signature.inputs[0].name, "input-0");
  EXPECT_EQ(signature.inputs[0].datatype, DataType::kFp32);
  EXPECT_EQ(signature.inputs[0].shape, (tensor::Shape{-1, 6}));
  ASSERT_EQ(signature.outputs.size(), 1U);
  EXPECT_EQ(signature.outputs[0].name, "predict");
  EXPECT_EQ(signature.outputs[0].datatype, DataType::kFp64);
  EXPECT_EQ(signature.outputs[0].shape, (tensor::Shape{-1, 3}));
}

TEST(ForestEngineTest, TheConfigurationChoosesOutputs) {
  config::ModelConfig config = WithOutputs({"margin", "probability"});
  config.parameters["output.probability"] = "predict";
  const RunningModel model(Load(kBinary, config));
  RecordingExecution execution;
  execution.AddInput(0, DataType::kFp32, {3, 6}, SliceOf(std::vector<float>(18, 0.5F)));
  model.Run(&execution);
  ASSERT_TRUE(execution.responses()[0].status.ok()) << execution.responses()[0].status.ToString();
  const auto margins = ValuesOf<float>(execution.output(0).data);
  const auto predictions = ValuesOf<float>(execution.output(1).data);
  ASSERT_EQ(margins.size(), 3U);
  for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(predictions[i], 1 / (1 + std::exp(-margins[i])), 1e-6);
}

TEST(ForestEngineTest, ARequestWithoutRowsHasAnAnswerWithoutRows) {
  const RunningModel model(Load(kBinary));
  RecordingExecution execution;
  execution.AddInput(0, DataType::kFp32, {0, 6}, {});
  model.Run(&execution);
  ASSERT_TRUE(execution.responses()[0].status.ok()) << execution.responses()[0].status.ToString();
  EXPECT_EQ(execution.output(0).shape, (tensor::Shape{0}));
}

template <typename Number>
std::vector<std::byte> PredictionsOf(const RunningModel& model, DataType datatype) {
  RecordingExecution execution;
  execution.AddInput(0, datatype, {2, 6}, SliceOf(std::vector<Number>{0, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1}));
  model.Run(&execution);
  EXPECT_TRUE(execution.responses()[0].status.ok()) << execution.responses()[0].status.ToString();
  return ValuesOf<std::byte>(execution.output(0).data);
}

TEST(ForestEngineTest, XgboostTakesNumbersOfAnyDatatype) {
  const RunningModel model(Load(kBinary));
  const auto expected = PredictionsOf<float>(model, DataType::kFp32);
  EXPECT_EQ(PredictionsOf<double>(model, DataType::kFp64), expected);
  EXPECT_EQ(PredictionsOf<int64_t>(model, DataType::kInt64), expected);
  EXPECT_EQ(PredictionsOf<int32_t>(model, DataType::kInt32), expected);
  EXPECT_EQ(PredictionsOf<int16_t>(model, DataType::kInt16), expected);
  EXPECT_EQ(PredictionsOf<int8_t>(model, DataType::kInt8), expected);
  EXPECT_EQ(PredictionsOf<uint64_t>(model, DataType::kUint64), expected);
  EXPECT_EQ(PredictionsOf<uint32_t>(model, DataType::kUint32), expected);
  EXPECT_EQ(PredictionsOf<uint16_t>(model, DataType::kUint16), expected);
  EXPECT_EQ(PredictionsOf<uint8_t>(model, DataType::kUint8), expected);
  EXPECT_EQ(PredictionsOf<uint8_t>(model, DataType::kBool), expected);
  EXPECT_FALSE(RunningModel(Load("lightgbm_multiclass/model.txt")).model->signature().inputs[0].any_datatype);
}

// A body with a table, which a front-end passes on. Returns the response's body or the error's text.
std::string AnswerTo(const RunningModel& model, const std::string& body, const std::string& protocol = "v1") {
  RecordingExecution execution;
  execution.AddInput(1, DataType::kBytes, {1}, support::Packed({body}));
  execution.mutable_request(0).parameters = {{"kserve_protocol", protocol}};
  execution.outputs.push_back(static_cast<int>(model.model->signature().outputs.size()) - 1);
  model.instance->Execute(execution);
  execution.WaitUntilFinished();
  const RecordingExecution::Response& response = execution.responses()[0];
  return response.status.ok() ? std::string(*tensor::PackedElements(response.outputs.at(0).data.bytes()).begin())
                              : response.status.message();
}

TEST(ForestEngineTest, TablesAreAnsweredLikeRows) {
  const RunningModel model(Load("lightgbm_tweedie/model.txt"));
  const std::string answer = AnswerTo(model, R"({"instances": [[1, 2, 0, 1, 2, 0]]})");
  EXPECT_TRUE(answer.starts_with(R"({"predictions":[)")) << answer;
  EXPECT_EQ(AnswerTo(model, R"({"inputs": [{"Column_1": {"0": 2}, "Column_0": {"0": 1}, "Column_2": {"0": 0},)"
                            R"( "Column_3": {"0": 1}, "Column_4": {"0": 2}, "Column_5": {"0": 0}}]})"),
            answer);
  EXPECT_EQ(AnswerTo(model, R"({"instances": [{"Column_1": 2}]})"),
            AnswerTo(model, R"({"instances": [[null, 2, null, null, null, null]]})"));
  EXPECT_EQ(AnswerTo(model, R"({"inputs": {"Column_1": [2]}})", "tfs"),
            R"({"outputs":)" + AnswerTo(model, R"({"instances": [{"Column_1": 2}]})").substr(15));
  EXPECT_EQ(
      AnswerTo(model, R"({"instances": [{"x": 2}]})"),
      "row 0 names none of the model's features: 'Column_0', 'Column_1', 'Column_2', 'Column_3', 'Column_4', ...");
}

TEST(ForestEngineTest, SeveralOutputsOfATableAreObjects) {
  const RunningModel model(Load("lightgbm_tweedie/model.txt", WithOutputs({"predict", "margin"})));
  EXPECT_TRUE(AnswerTo(model, R"({"instances": [{"Column_1": 2}]})").starts_with(R"({"predictions":[{"predict":)"));
  EXPECT_TRUE(AnswerTo(model, R"({"inputs": {"Column_1": [2]}})", "tfs").starts_with(R"({"outputs":{"predict":[)"));
}

// A batch that exceeds one block, which must not be visible in the results.
TEST(ForestEngineTest, RowsOfALargeBatchAreAnsweredAsEachAlone) {
  constexpr int64_t kRows = 1500;
  config::ModelConfig config = WithOutputs({"margin", "predict", "contributions"});
  config.outputs.push_back({.name = "leaf", .datatype = DataType::kInt32, .dims = {-1}});
  config.inputs.push_back({.name = "x", .datatype = DataType::kFp64, .dims = {-1, 6}});
  const RunningModel model(Load(kBinary, config));
  std::vector<double> rows;
  for (int64_t i = 0; i < kRows * 6; ++i) rows.push_back(static_cast<double>(i * 7919 % 41) / 10 - 2);
  RecordingExecution all;
  all.AddInput(0, DataType::kFp64, {kRows, 6}, SliceOf(rows));
  model.Run(&all);
  ASSERT_TRUE(all.responses()[0].status.ok()) << all.responses()[0].status.ToString();
  for (const int64_t row : {int64_t{0}, int64_t{255}, int64_t{256}, int64_t{700}, kRows - 1}) {
    RecordingExecution lone;
    lone.AddInput(0, DataType::kFp64, {1, 6},
                  SliceOf(std::vector<double>(rows.begin() + row * 6, rows.begin() + row * 6 + 6)));
    model.Run(&lone);
    for (size_t output = 0; output < 4; ++output) {
      const auto expected = ValuesOf<std::byte>(lone.output(output).data);
      const auto every = ValuesOf<std::byte>(all.output(output).data);
      const auto begin = every.begin() + row * static_cast<int64_t>(expected.size());
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), begin)) << "row " << row << " of output " << output;
    }
  }
}

TEST(ForestEngineTest, SaysWhatAConfigurationHasThatTheModelHasNot) {
  EXPECT_THAT(LoadError(kBinary, WithOutputs({"margin", "score"})).message(),
              HasSubstr("output 'score' is none of predict, margin, leaf and contributions: parameter 'output.score'"));
  config::ModelConfig config = WithOutputs({"score"});
  EXPECT_TRUE(LoadError(kBinary, config).ok()) << "the only output is the prediction";
  config.parameters["output.score"] = "odds";
  EXPECT_THAT(LoadError(kBinary, config).message(), HasSubstr("and says 'odds'"));
  config = {};
  config.inputs.push_back({.name = "x", .datatype = DataType::kInt32, .dims = {-1, 6}});
  EXPECT_THAT(LoadError(kBinary, config).message(), HasSubstr("'x' is FP32 or FP64"));
  EXPECT_THAT(LoadError("lightgbm_linear_leaves/model.txt", WithOutputs({"contributions"})).message(),
              HasSubstr("have no contributions"));
  EXPECT_THAT(LoadError("scikit_learn_random_forest/model.tl", WithOutputs({"contributions"})).message(),
              HasSubstr("model.tl': models of treelite 4.8 have no contributions"));
}

}  // namespace
}  // namespace inferd
