#include "serving/scheduling/sequence/control_tensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace inferd::scheduling {
namespace control_tensors_test {

using config::SequenceControlKind;
using tensor::DataType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <typename T>
std::vector<T> ElementsOf(const core::ExecutionInput& input) {
  std::vector<T> elements(input.pieces.at(0).size() / sizeof(T));
  std::memcpy(elements.data(), input.pieces[0].data(), input.pieces[0].size());
  return elements;
}

class ControlTensorsTest : public ::testing::Test {
 protected:
  void AddMember(core::Sequence sequence, int64_t rows = 1) {
    auto& entry = members_.emplace_back(std::make_unique<QueueEntry>());
    entry->queued.request = std::make_unique<core::InferRequest>();
    entry->queued.request->sequence = std::move(sequence);
    entry->queued.layout.rows = rows;
  }

  core::ExecutionInput LayOut(SequenceControlKind kind, DataType datatype, double no = 0, double yes = 1,
                              int64_t padding = 0) {
    core::ExecutionInput input;
    LayOutControl({.engine_input = 3, .kind = kind, .datatype = datatype, .false_value = no, .true_value = yes},
                  members_, padding, input);
    return input;
  }

  std::vector<std::unique_ptr<QueueEntry>> members_;
};

TEST_F(ControlTensorsTest, FlagsAreInTheValuesAndTypesThatAreWritten) {
  AddMember({.id = uint64_t{7}, .start = true});
  AddMember({.id = uint64_t{8}, .end = true});
  AddMember({});
  members_.back()->idle = true;
  const core::ExecutionInput start = LayOut(SequenceControlKind::kStart, DataType::kInt32, -1, 5);
  EXPECT_EQ(start.index, 3);
  EXPECT_EQ(start.datatype, DataType::kInt32);
  EXPECT_EQ(start.shape, (tensor::Shape{3, 1}));
  EXPECT_THAT(ElementsOf<int32_t>(start), ElementsAre(5, -1, -1));
  EXPECT_THAT(ElementsOf<float>(LayOut(SequenceControlKind::kEnd, DataType::kFp32, 0.5, 2)),
              ElementsAre(0.5f, 2.0f, 0.5f));
  EXPECT_THAT(ElementsOf<uint8_t>(LayOut(SequenceControlKind::kReady, DataType::kBool)), ElementsAre(1, 1, 0));
}

TEST_F(ControlTensorsTest, RowsThatFillUpAreNotReady) {
  AddMember({.id = uint64_t{7}, .start = true});
  EXPECT_THAT(ElementsOf<int32_t>(LayOut(SequenceControlKind::kReady, DataType::kInt32, 0, 1, 2)),
              ElementsAre(1, 0, 0));
}

TEST_F(ControlTensorsTest, IdsOfEveryType) {
  AddMember({.id = uint64_t{7}});
  AddMember({.id = std::string("12")});
  AddMember({});
  members_.back()->idle = true;
  EXPECT_THAT(ElementsOf<uint64_t>(LayOut(SequenceControlKind::kCorrid, DataType::kUint64)), ElementsAre(7, 12, 0));
  EXPECT_THAT(ElementsOf<int64_t>(LayOut(SequenceControlKind::kCorrid, DataType::kInt64)), ElementsAre(7, 12, 0));
  EXPECT_THAT(ElementsOf<uint32_t>(LayOut(SequenceControlKind::kCorrid, DataType::kUint32)), ElementsAre(7, 12, 0));
  EXPECT_THAT(ElementsOf<int32_t>(LayOut(SequenceControlKind::kCorrid, DataType::kInt32)), ElementsAre(7, 12, 0));
  const core::ExecutionInput texts = LayOut(SequenceControlKind::kCorrid, DataType::kBytes);
  EXPECT_EQ(texts.pieces[0].view(), std::string_view("\1\0\0\0007\2\0\0\00012\0\0\0\0", 15));
}

TEST_F(ControlTensorsTest, WithoutBatchesThereIsOneElement) {
  AddMember({.id = uint64_t{7}, .start = true}, 0);
  core::ExecutionInput input;
  LayOutControl({.datatype = DataType::kInt32, .by_rows = false, .column = false}, members_, 0, input);
  EXPECT_EQ(input.shape, (tensor::Shape{1}));
  EXPECT_THAT(ElementsOf<int32_t>(input), ElementsAre(1));
}

TEST_F(ControlTensorsTest, AnIdThatTheTypeCannotTellIsRefused) {
  const core::Sequence text{.id = std::string("abc")};
  const core::Sequence large{.id = uint64_t{1} << 31};
  EXPECT_TRUE(CheckCorrid(text, DataType::kBytes).ok());
  EXPECT_TRUE(CheckCorrid(large, DataType::kUint32).ok());
  EXPECT_EQ(CheckCorrid(text, DataType::kUint64),
            base::InvalidArgument("correlation ID 'abc' is not a number for CONTROL_SEQUENCE_CORRID of type UINT64"));
  EXPECT_EQ(CheckCorrid(large, DataType::kInt32),
            base::InvalidArgument("correlation ID 2147483648 is too large for CONTROL_SEQUENCE_CORRID of type INT32"));
  EXPECT_FALSE(CheckCorrid({.id = std::string("18446744073709551616")}, DataType::kUint64).ok());
}

TEST(MakeControlTensorsTest, TheModelSaysWhereAndInWhichShape) {
  config::ModelConfig config;
  core::ModelSignature signature;
  signature.max_batch_size = 4;
  core::ModelSignature engine;
  engine.inputs = {{.name = "INPUT0", .datatype = DataType::kInt32, .shape = {-1, 1}},
                   {.name = "START", .datatype = DataType::kInt32, .shape = {-1}},
                   {.name = "READY", .datatype = DataType::kInt32, .shape = {-1, 1}}};
  EXPECT_TRUE(MakeControlTensors(config, signature, engine)->empty());
  auto& batching = config.sequence_batching.emplace();
  batching.controls = {{"READY", SequenceControlKind::kReady, DataType::kInt32},
                       {"START", SequenceControlKind::kStart, DataType::kInt32}};
  const auto controls = MakeControlTensors(config, signature, engine);
  ASSERT_TRUE(controls.has_value());
  EXPECT_EQ(controls->at(0).engine_input, 2);
  EXPECT_TRUE(controls->at(0).column);
  EXPECT_EQ(controls->at(1).engine_input, 1);
  EXPECT_FALSE(controls->at(1).column);
  EXPECT_TRUE(controls->at(1).by_rows);
  batching.controls[0].name = "ready";
  EXPECT_THAT(MakeControlTensors(config, signature, engine).error().ToString(),
              HasSubstr("the model has no input 'ready', which sequence_batching makes"));
}

}  // namespace control_tensors_test
}  // namespace inferd::scheduling
