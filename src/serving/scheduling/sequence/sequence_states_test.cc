#include "serving/scheduling/sequence/sequence_states.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "tests/support/fake_engine.h"
#include "tests/support/temp_dir.h"

namespace inferd::scheduling {
namespace {

using ::testing::HasSubstr;

core::InferTensor Tensor(tensor::Shape shape, std::string_view bytes) {
  return {.name = "STATE_OUT",
          .datatype = tensor::DataType::kInt32,
          .shape = std::move(shape),
          .data = base::BufferSlice(base::Buffer::CopyOf(bytes)),
          .parameters = {}};
}

class SequenceStatesTest : public ::testing::Test {
 protected:
  // Makes one state, INT32 by default, of a model with one client input and output.
  base::Result<SequenceStates> Make(config::SequenceState state, base::ByteBudget* outputs = nullptr,
                                    bool listed = false) {
    support::FakeEngine::Script script;
    for (const char* name : {"STATE_IN", "STATE_OUT"}) {
      auto& specs = name == std::string_view("STATE_IN") ? script.signature.inputs : script.signature.outputs;
      specs.push_back({.name = name, .datatype = state.datatype, .shape = {-1, -1}});
    }
    script.signature.max_batch_size = 4;
    engine_.SetScript("", script);
    config::ModelConfig config;
    config.name = "m";
    config.sequence_batching.emplace().states.push_back(std::move(state));
    version_.config = std::make_shared<const config::ModelConfig>(std::move(config));
    core::ModelSignature signature = script.signature;
    signature.inputs.pop_back();
    if (!listed) signature.outputs.pop_back();
    version_.signature = std::make_shared<const core::ModelSignature>(std::move(signature));
    core::LoadSpec spec;
    spec.model_name = "m";
    version_.model = *engine_.Load(spec);
    version_.model_dir = dir_.path();
    return SequenceStates::Make(version_, outputs);
  }

  static config::SequenceState State(tensor::Shape dims, tensor::Shape initial, std::string file = "") {
    return {.input = "STATE_IN",
            .output = "STATE_OUT",
            .datatype = tensor::DataType::kInt32,
            .dims = std::move(dims),
            .initial_dims = std::move(initial),
            .initial_file = std::move(file)};
  }

  static core::QueuedRequest Request(int64_t rows = 1) {
    core::QueuedRequest queued;
    queued.request = std::make_unique<core::InferRequest>();
    queued.request->inputs.push_back(Tensor({rows, 1}, std::string(static_cast<size_t>(rows) * 4, 'x')));
    queued.layout.inputs = {0};
    queued.layout.outputs = {0};
    queued.layout.rows = rows;
    return queued;
  }

  static core::InferResponse Response(core::InferTensor state) {
    core::InferResponse response;
    response.outputs = {Tensor({1, 1}, "abcd"), std::move(state)};
    return response;
  }

  void Write(const std::string& name, std::string_view bytes) {
    std::filesystem::create_directories(dir_.path() / "initial_state");
    std::ofstream(dir_.path() / "initial_state" / name, std::ios::binary) << bytes;
  }

  support::TempDir dir_;
  support::FakeEngine engine_;
  core::SchedulerParts version_;
};

TEST_F(SequenceStatesTest, ARequestGetsTheStateBehindItsOwnTensors) {
  const auto states = Make(State({2}, {2}));
  ASSERT_TRUE(states.has_value()) << states.error().message();
  EXPECT_EQ(version_.signature->inputs.at(1).name, "STATE_IN");
  EXPECT_EQ(version_.signature->outputs.at(1).name, "STATE_OUT");
  EXPECT_EQ(version_.engine_inputs, (std::vector<int>{0, 1}));
  EXPECT_EQ(version_.engine_outputs, (std::vector<int>{0, 1}));
  core::QueuedRequest queued = Request();
  const SequenceStates::Places places = states->Give(queued, {});
  ASSERT_EQ(queued.request->inputs.size(), 2u);
  EXPECT_EQ(queued.request->inputs[1].shape, (tensor::Shape{1, 2}));
  EXPECT_EQ(queued.request->inputs[1].data.view(), std::string(8, '\0'));
  EXPECT_EQ(queued.layout.outputs.size(), 2u);
  KeptState kept;
  core::InferResponse response = Response(Tensor({1, 2}, "12345678"));
  ASSERT_TRUE(states->Take(response, places, kept).ok());
  EXPECT_EQ(response.outputs.size(), 1u);
  core::QueuedRequest next = Request();
  states->Give(next, kept);
  EXPECT_EQ(next.request->inputs[1].name, "STATE_IN");
  EXPECT_EQ(next.request->inputs[1].data.view(), "12345678");
}

TEST_F(SequenceStatesTest, AnOutputThatClientsMayHaveIsTheirsToo) {
  const auto states = Make(State({1}, {1}), nullptr, true);
  ASSERT_TRUE(states.has_value());
  EXPECT_EQ(version_.signature->outputs.size(), 2u);
  core::QueuedRequest queued = Request();
  queued.layout.outputs = {1, 0};
  const SequenceStates::Places places = states->Give(queued, {});
  EXPECT_EQ(queued.layout.outputs.size(), 2u);
  core::InferResponse response;
  response.outputs = {Tensor({1, 1}, "1234"), Tensor({1, 1}, "abcd")};
  KeptState kept;
  ASSERT_TRUE(states->Take(response, places, kept).ok());
  EXPECT_EQ(response.outputs.size(), 2u);
  EXPECT_EQ(kept.at(0).data.view(), "1234");
}

TEST_F(SequenceStatesTest, TheModelMayLeaveOutWhatIsTheClients) {
  const auto states = Make(State({1}, {1}));
  ASSERT_TRUE(states.has_value());
  core::QueuedRequest queued = Request();
  const SequenceStates::Places places = states->Give(queued, {});
  core::InferResponse response;
  response.outputs = {Tensor({1, 1}, "1234")};
  KeptState kept;
  ASSERT_TRUE(states->Take(response, places, kept).ok());
  EXPECT_TRUE(response.outputs.empty());
  EXPECT_EQ(kept.at(0).data.view(), "1234");
  response.outputs = {Tensor({1, 1}, "abcd")};
  response.outputs[0].name = "OUT";
  EXPECT_EQ(states->Take(response, places, kept).message(), "a response without the model's states");
}

TEST_F(SequenceStatesTest, AStateOfAnotherShapeFails) {
  const auto states = Make(State({2, -1}, {2, 1}));
  ASSERT_TRUE(states.has_value());
  core::QueuedRequest queued = Request();
  const SequenceStates::Places places = states->Give(queued, {});
  KeptState kept;
  for (const tensor::Shape& shape : {tensor::Shape{1, 2}, tensor::Shape{1, 1, 2}, tensor::Shape{2, 2, 1}}) {
    core::InferResponse response = Response(Tensor(shape, "12345678"));
    const base::Status status = states->Take(response, places, kept);
    EXPECT_EQ(status.code(), base::StatusCode::kInternal) << shape.ToString();
    EXPECT_THAT(status.message(), HasSubstr("model 'm' gave the state 'STATE_OUT' with shape " + shape.ToString()));
  }
  core::InferResponse grown = Response(Tensor({1, 2, 3}, std::string(24, 'x')));
  EXPECT_TRUE(states->Take(grown, places, kept).ok());
  EXPECT_EQ(kept.at(0).shape, (tensor::Shape{1, 2, 3}));
}

TEST_F(SequenceStatesTest, WhatWouldHoldMuchMoreMemoryIsCopiedAndCharged) {
  base::ByteBudget budget(10'000);
  const auto states = Make(State({-1}, {1}), &budget);
  ASSERT_TRUE(states.has_value());
  core::QueuedRequest queued = Request();
  const SequenceStates::Places places = states->Give(queued, {});
  const auto take = [&](size_t whole, size_t bytes, KeptState& kept) {
    core::InferTensor state = Tensor({1, static_cast<int64_t>(bytes / 4)}, "");
    const base::BufferSlice all(base::Buffer::CopyOf(std::string(whole, 'x')));
    state.data = all.Sub(0, bytes);
    core::InferResponse response = Response(std::move(state));
    const base::Status status = states->Take(response, places, kept);
    return std::pair(status, all.data());
  };
  KeptState kept;
  auto [status, data] = take(8192, 8192, kept);
  EXPECT_EQ(kept.at(0).data.data(), data) << "as it is";
  EXPECT_EQ(budget.used(), 0u);
  std::tie(status, data) = take(4 * 8192, 8192, kept);
  EXPECT_NE(kept.at(0).data.data(), data);
  EXPECT_EQ(budget.used(), 8192u);
  KeptState other;
  EXPECT_EQ(take(4 * 8192, 8192, other).first.code(), base::StatusCode::kResourceExhausted);
  kept.clear();
  EXPECT_EQ(budget.used(), 0u);
}

TEST_F(SequenceStatesTest, WarmUpsHaveManyRows) {
  Write("first", "abcdefgh");
  const auto states = Make(State({2}, {2}, "first"));
  ASSERT_TRUE(states.has_value()) << states.error().message();
  core::QueuedRequest queued = Request(3);
  states->Give(queued, {});
  EXPECT_EQ(queued.request->inputs[1].shape, (tensor::Shape{3, 2}));
  EXPECT_EQ(queued.request->inputs[1].data.view(), "abcdefghabcdefghabcdefgh");
}

TEST_F(SequenceStatesTest, FilesOfInitialStatesHaveTheStatesSize) {
  EXPECT_EQ(Make(State({1}, {1}, "absent")).error().code(), base::StatusCode::kNotFound);
  Write("short", "abc");
  EXPECT_THAT(Make(State({1}, {1}, "short")).error().message(),
              HasSubstr("initial_state setting expects 4 bytes, but the data provided from short only has 3 bytes"));
  Write("long", "abcde");
  EXPECT_THAT(Make(State({1}, {1}, "long")).error().message(), HasSubstr("from long has 5 bytes"));
  config::SequenceState texts = State({2}, {2}, "texts");
  texts.datatype = tensor::DataType::kBytes;
  Write("texts", std::string("\1\0\0\0a", 5));
  EXPECT_EQ(Make(texts).error().code(), base::StatusCode::kInvalidArgument);
  Write("texts", std::string("\1\0\0\0a\0\0\0\0", 9));
  EXPECT_TRUE(Make(texts).has_value());
}

}  // namespace
}  // namespace inferd::scheduling
