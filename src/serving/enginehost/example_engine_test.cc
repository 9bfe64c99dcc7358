// The engine of docs/adding-an-engine.md, compiled as C99 from the public header alone.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serving/enginehost/plugin_engine.h"
#include "tests/support/recording_execution.h"

namespace inferd::enginehost {
namespace {

using inferd::support::RecordingExecution;
using inferd::support::SliceOf;
using inferd::support::ValuesOf;
using tensor::DataType;
using ::testing::ElementsAre;

class ExampleEngineTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = PluginEngine::Open(std::filesystem::path(INFERD_EXAMPLE_ENGINES_DIR) / "scale.so", {});
    ASSERT_TRUE(opened) << opened.error().ToString();
    engine_ = *std::move(opened);
  }

  base::Result<std::unique_ptr<core::EngineModel>> Load(const std::string& factor) {
    auto config = std::make_shared<config::ModelConfig>();
    config->parameters["factor"] = factor;
    core::LoadSpec spec;
    spec.config = config;
    return engine_->Load(spec);
  }

  std::unique_ptr<PluginEngine> engine_;
};

TEST_F(ExampleEngineTest, ScalesEveryPieceOfABatch) {
  EXPECT_EQ(engine_->name(), "scale");
  const auto model = Load("2.5");
  ASSERT_TRUE(model) << model.error().ToString();
  EXPECT_THAT((*model)->significant_parameters(), ElementsAre("factor"));
  const auto instance = (*model)->CreateInstance({});
  ASSERT_TRUE(instance);
  RecordingExecution execution(2);
  execution.outputs = {0};
  execution.AddInput(0, DataType::kFp32, {2}, SliceOf<float>({1}));
  execution.inputs[0].pieces.push_back(SliceOf<float>({-4}));
  (*instance)->Execute(execution);
  ASSERT_TRUE(execution.responses(1).at(0).whole_batch);
  EXPECT_THAT(ValuesOf<float>(execution.output(0).data), ElementsAre(2.5F, -10.0F));
}

TEST_F(ExampleEngineTest, ARequestMayBringItsOwnFactor) {
  const auto model = Load("1");
  const auto instance = (*model)->CreateInstance({});
  const std::pair<core::ParameterValue, base::StatusCode> kCases[] = {
      {int64_t{3}, base::StatusCode::kOk}, {3.0, base::StatusCode::kOk}, {true, base::StatusCode::kInvalidArgument}};
  for (const auto& [value, code] : kCases) {
    RecordingExecution execution;
    execution.outputs = {0};
    execution.mutable_request(0).parameters = {{"factor", value}};
    execution.AddInput(0, DataType::kFp32, {1}, SliceOf<float>({2}));
    (*instance)->Execute(execution);
    ASSERT_EQ(execution.responses().at(0).status.code(), code);
    if (code != base::StatusCode::kOk) continue;
    EXPECT_THAT(ValuesOf<float>(execution.output(0).data), ElementsAre(6));
  }
}

TEST_F(ExampleEngineTest, RefusesAFactorThatIsNoNumber) {
  const auto model = Load("much");
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error(), base::InvalidArgument("parameter 'factor' is no number"));
}

}  // namespace
}  // namespace inferd::enginehost
