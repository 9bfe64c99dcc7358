#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serving/enginehost/plugin_engine.h"
#include "tests/support/recording_execution.h"
#include "tests/support/temp_dir.h"

// The sums of behaviors "sequence" and "dyna_sequence".

namespace inferd {
namespace {

using config::SequenceControlKind;
using inferd::support::Packed;
using inferd::support::RecordingExecution;
using inferd::support::SliceOf;
using inferd::support::ValuesOf;
using tensor::DataType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Row {
  int32_t value = 0;
  bool start = false;
  bool end = false;
  std::string id = "";
  bool ready = true;
};

class FakeSequencesTest : public ::testing::Test {
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

  base::Status Load(const std::string& backend, std::map<std::string, std::string> parameters = {},
                    bool with_id = true) {
    instance_.reset();
    auto config = std::make_shared<config::ModelConfig>();
    config->backend = backend;
    config->max_batch_size = 8;
    config->inputs.push_back({.name = "INPUT", .datatype = DataType::kInt32, .dims = {1}});
    config->outputs.push_back({.name = "OUTPUT", .datatype = DataType::kInt32, .dims = {1}});
    config->parameters = std::move(parameters);
    auto& batching = config->sequence_batching.emplace();
    batching.controls = {{"START", SequenceControlKind::kStart, DataType::kInt32},
                         {"READY", SequenceControlKind::kReady, DataType::kFp32},
                         {"END", SequenceControlKind::kEnd, DataType::kBool}};
    if (with_id) batching.controls.push_back({"CORRID", SequenceControlKind::kCorrid, DataType::kBytes});
    core::LoadSpec spec;
    spec.model_name = "m";
    spec.version = 1;
    spec.model_dir = dir_.path();
    spec.config = std::move(config);
    auto model = engine_->Load(spec);
    if (!model) return model.error();
    model_ = *std::move(model);
    instance_ = *model_->CreateInstance({});
    return {};
  }

  // Returns the results of the rows, one request each.
  std::vector<int32_t> Sums(const std::vector<Row>& rows) {
    RecordingExecution execution(rows.size());
    const auto count = static_cast<int64_t>(rows.size());
    const std::pair<int, DataType> inputs[] = {{0, DataType::kInt32},
                                               {1, DataType::kInt32},
                                               {2, DataType::kFp32},
                                               {3, DataType::kBool},
                                               {4, DataType::kBytes}};
    for (const auto& [index, datatype] : inputs) {
      core::ExecutionInput input;
      input.index = index;
      input.datatype = datatype;
      input.shape = {count, 1};
      for (const Row& row : rows) {
        if (index == 0) input.pieces.push_back(SliceOf<int32_t>({row.value}));
        if (index == 1) input.pieces.push_back(SliceOf<int32_t>({row.start ? 1 : 0}));
        if (index == 2) input.pieces.push_back(SliceOf<float>({row.ready ? 1.0f : 0.0f}));
        if (index == 3) input.pieces.push_back(SliceOf<uint8_t>({static_cast<uint8_t>(row.end)}));
        if (index == 4) input.pieces.push_back(Packed({row.id}));
      }
      execution.inputs.push_back(std::move(input));
    }
    execution.outputs = {0};
    instance_->Execute(execution);
    execution.WaitUntilFinished();
    if (execution.responses(0)[0].whole_batch) return ValuesOf<int32_t>(execution.output(0).data);
    std::vector<int32_t> sums;
    for (size_t i = 0; i < rows.size(); ++i) {
      sums.push_back(ValuesOf<int32_t>(execution.responses(i)[0].outputs[0].data)[0]);
    }
    return sums;
  }

  support::TempDir dir_;
  std::unique_ptr<enginehost::PluginEngine> engine_;
  std::unique_ptr<core::EngineModel> model_;
  std::unique_ptr<core::EngineInstance> instance_;
};

TEST_F(FakeSequencesTest, SequenceAddsUpRowByRow) {
  for (const char* respond : {"all", "each", "reverse"}) {
    ASSERT_TRUE(Load("sequence", {{"respond", respond}}).ok());
    EXPECT_TRUE(model_->signature().sequences);
    EXPECT_THAT(Sums({{.value = 1, .start = true}, {.value = 10, .start = true}}), ElementsAre(1, 10));
    EXPECT_THAT(Sums({{.value = 2}, {.value = 7, .ready = false}}), ElementsAre(3, 0));
    EXPECT_THAT(Sums({{.value = 3, .end = true}, {.value = 20, .end = true}}), ElementsAre(6, 30));
    EXPECT_THAT(Sums({{.value = 5, .start = true}, {.value = 1}}), ElementsAre(5, 31)) << "START begins anew";
  }
}

TEST_F(FakeSequencesTest, DynaSequenceAddsUpById) {
  for (const char* form : {"packed", "elements"}) {
    ASSERT_TRUE(Load("dyna_sequence", {{"bytes_form", form}}).ok());
    EXPECT_THAT(Sums({{.value = 1, .start = true, .id = "7"}, {.value = 10, .start = true, .id = "b"}}),
                ElementsAre(1, 10));
    EXPECT_THAT(Sums({{.value = 20, .end = true, .id = "b"}, {.value = 2, .id = "7"}}), ElementsAre(30, 3));
    EXPECT_THAT(Sums({{.value = 3, .end = true, .id = "7"}}), ElementsAre(13)) << "6, and the number at the end";
    EXPECT_THAT(Sums({{.value = 4, .id = "7"}}), ElementsAre(4)) << "it was forgotten";
  }
}

TEST_F(FakeSequencesTest, DynaSequenceNeedsTheId) {
  EXPECT_TRUE(Load("sequence", {}, false).ok());
  EXPECT_THAT(Load("dyna_sequence", {}, false).ToString(),
              HasSubstr("behavior 'dyna_sequence' needs the control CORRID"));
}

}  // namespace
}  // namespace inferd
