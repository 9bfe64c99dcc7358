#include "serving/worker/channel/execution_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "serving/core/request/request_trace.h"
#include "serving/worker/channel/body_memory.h"
#include "tests/support/recording_execution.h"

namespace inferd::worker {
namespace {

using inferd::support::RecordingExecution;
using inferd::support::SliceOf;
using inferd::support::ValuesOf;
using tensor::DataType;
using ::testing::ElementsAre;

constexpr size_t kAreaBytes = 1 << 16;

// A call between a server and a worker that share the same areas.
class ExecutionMessageTest : public ::testing::Test {
 protected:
  base::BufferSlice Body(const std::vector<int32_t>& values, size_t offset = 0) {
    base::Buffer body = bodies_->Allocate(offset + values.size() * sizeof(int32_t), 0);
    std::memcpy(body.data() + offset, values.data(), values.size() * sizeof(int32_t));
    return base::BufferSlice(body).Sub(offset, values.size() * sizeof(int32_t));
  }

  void Pass(const core::Execution& execution) {
    const auto placed = PlaceCall(execution, model_, areas_, writer_);
    ASSERT_TRUE(placed.has_value()) << placed.error().ToString();
    copied_ = placed->offset;
    const base::Status status = ReadCall({reinterpret_cast<const char*>(area_.data()) + placed->offset, placed->bytes},
                                         areas_, got_, requests_);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }

  bool AmongBodies(size_t piece) const {
    const std::byte* data = got_.inputs[0].pieces[piece].data();
    return data >= areas_.bodies.data() && data < areas_.bodies.data() + areas_.bodies.size();
  }

  ModelDescription model_{.inputs = {{.alignment = 64, .one_piece = false}}};
  std::vector<std::byte> area_ = std::vector<std::byte>(kAreaBytes);
  std::shared_ptr<BodyMemory> bodies_ = *BodyMemory::Create(kAreaBytes);
  InputAreas areas_{.call = area_, .bodies = bodies_->area()};
  MessageWriter writer_;
  RecordingExecution got_;
  std::vector<CalledRequest> requests_;
  size_t copied_ = 0;  // bytes of the call area before the message
};

TEST_F(ExecutionMessageTest, ABatchOfBodiesStaysWhereItIs) {
  RecordingExecution execution(2);
  execution.AddInput(0, DataType::kInt32, {4}, Body({1, 2}));
  execution.inputs[0].pieces.push_back(Body({3, 4}));
  Pass(execution);
  EXPECT_EQ(copied_, 0u);
  ASSERT_EQ(got_.inputs[0].pieces.size(), 2u);
  EXPECT_EQ(got_.inputs[0].pieces[0].data(), execution.inputs[0].pieces[0].data());
  EXPECT_THAT(ValuesOf<int32_t>(got_.inputs[0].pieces[1]), ElementsAre(3, 4));
}

TEST_F(ExecutionMessageTest, RequestsSayHowLongTheyMayWaitAndWhereTheirTraceGoesOn) {
  class Trace final : public core::RequestTrace {
   public:
    void Add(core::TraceActivity /*activity*/, int64_t /*at_ns*/) override {}
    void AddNow(core::TraceActivity /*activity*/) override {}
    void AddCustom(std::string_view /*name*/) override {}
    void AddTensor(core::TraceActivity /*activity*/, const core::InferTensor& /*tensor*/) override {}
    std::shared_ptr<core::RequestTrace> Child(std::string_view /*model*/, std::string_view /*version*/) override {
      return nullptr;
    }
    std::string_view traceparent() const override { return "00-own"; }
  };
  RecordingExecution execution(3);
  execution.mutable_request(0).timeout_us = 70;
  execution.mutable_request(1).traceparent = "00-client";
  execution.mutable_request(2).traceparent = "00-client";
  execution.mutable_request(2).trace = std::make_shared<Trace>();
  Pass(execution);
  ASSERT_EQ(requests_.size(), 3u);
  EXPECT_EQ(requests_[0].request.timeout_us, 70u);
  EXPECT_EQ(requests_[1].request.timeout_us, 0u);
  EXPECT_EQ(requests_[0].request.traceparent, "");
  EXPECT_EQ(requests_[1].request.traceparent, "00-client");
  EXPECT_EQ(requests_[2].request.traceparent, "00-own");
}

TEST_F(ExecutionMessageTest, RequestsAreKnownByIdSequenceAndWhetherTheyFillUp) {
  class FilledUp final : public RecordingExecution {
   public:
    FilledUp() : RecordingExecution(3) {}
    bool FillsUp(size_t i) const override { return i == 1; }
  };
  FilledUp execution;
  execution.mutable_request(0).id = "a";
  execution.mutable_request(0).sequence = {.id = std::string("s"), .start = true, .end = false};
  execution.mutable_request(2).sequence = {.id = uint64_t{7}, .start = false, .end = true};
  Pass(execution);
  ASSERT_EQ(requests_.size(), 3u);
  EXPECT_EQ(requests_[0].request.id, "a");
  const core::Sequence& text = requests_[0].request.sequence;
  EXPECT_EQ(std::get<std::string>(text.id), "s");
  EXPECT_TRUE(text.start && !text.end);
  EXPECT_FALSE(requests_[1].request.sequence.named());
  EXPECT_TRUE(!requests_[0].fills_up && requests_[1].fills_up && !requests_[2].fills_up);
  const core::Sequence& number = requests_[2].request.sequence;
  EXPECT_EQ(std::get<uint64_t>(number.id), 7u);
  EXPECT_TRUE(!number.start && number.end);
}

TEST_F(ExecutionMessageTest, BodiesAndOtherMemoryGoTogether) {
  RecordingExecution execution(2);
  execution.AddInput(0, DataType::kInt32, {4}, SliceOf<int32_t>({1, 2}));
  execution.inputs[0].pieces.push_back(Body({3, 4}));
  Pass(execution);
  EXPECT_FALSE(AmongBodies(0));
  EXPECT_TRUE(AmongBodies(1));
  EXPECT_THAT(ValuesOf<int32_t>(got_.inputs[0].pieces[0]), ElementsAre(1, 2));
  EXPECT_THAT(ValuesOf<int32_t>(got_.inputs[0].pieces[1]), ElementsAre(3, 4));
}

TEST_F(ExecutionMessageTest, OnlyWhatIsMisalignedIsCopied) {
  RecordingExecution execution;
  execution.AddInput(0, DataType::kInt32, {2}, Body({1, 2}, 4));
  Pass(execution);
  EXPECT_FALSE(AmongBodies(0));
  EXPECT_EQ((got_.inputs[0].pieces[0].data() - area_.data()) % 64, 0);
  EXPECT_THAT(ValuesOf<int32_t>(got_.inputs[0].pieces[0]), ElementsAre(1, 2));
  model_.inputs[0].alignment = 4;
  Pass(execution);
  EXPECT_TRUE(AmongBodies(0));
}

TEST_F(ExecutionMessageTest, PiecesAreJoinedWhereOneIsWanted) {
  model_.inputs[0].one_piece = true;
  RecordingExecution execution(2);
  execution.AddInput(0, DataType::kInt32, {4}, Body({1, 2}));
  execution.inputs[0].pieces.push_back(Body({3, 4}));
  Pass(execution);
  ASSERT_EQ(got_.inputs[0].pieces.size(), 1u);
  EXPECT_FALSE(AmongBodies(0));
  EXPECT_THAT(ValuesOf<int32_t>(got_.inputs[0].pieces[0]), ElementsAre(1, 2, 3, 4));
  execution.inputs[0].pieces.pop_back();
  execution.inputs[0].shape = {2};
  Pass(execution);
  EXPECT_TRUE(AmongBodies(0)) << "one piece it is";
}

TEST_F(ExecutionMessageTest, AnotherModelsBodiesAreCopied) {
  const auto others = *BodyMemory::Create(kAreaBytes);
  base::Buffer body = others->Allocate(8, 0);
  std::memset(body.data(), 1, 8);
  RecordingExecution execution;
  execution.AddInput(0, DataType::kInt32, {2}, base::BufferSlice(body));
  Pass(execution);
  EXPECT_FALSE(AmongBodies(0));
  EXPECT_THAT(ValuesOf<int32_t>(got_.inputs[0].pieces[0]), ElementsAre(0x01010101, 0x01010101));
}

TEST_F(ExecutionMessageTest, EmptyInputsLieNowhere) {
  RecordingExecution execution;
  execution.AddInput(0, DataType::kInt32, {0}, {});
  Pass(execution);
  EXPECT_EQ(got_.inputs[0].pieces[0].size(), 0u);
}

// Decodes a successful answer without outputs.
base::Result<PlacedAnswer> Read(const core::Parameters& parameters) {
  MessageWriter writer;
  WriteAnswer({.parameters = parameters}, writer);
  return ReadAnswer(writer.text());
}

TEST(AnswerMessageTest, ParametersArriveAsTheyAre) {
  const core::Parameters parameters = {
      {"b", true}, {"i", int64_t{-1}}, {"u", uint64_t{1} << 63}, {"d", 0.5}, {"t", std::string("x\0y", 3)}};
  const auto answer = Read(parameters);
  ASSERT_TRUE(answer.has_value()) << answer.error().ToString();
  EXPECT_EQ(answer->parameters, parameters);
  EXPECT_EQ(Read({})->parameters, core::Parameters());
}

TEST(AnswerMessageTest, ParametersThatCannotBeAreRefused) {
  core::Parameters many;
  for (int i = 0; i < 65; ++i) many.emplace_back(std::to_string(i), true);
  const core::Parameters kCases[] = {many,
                                     {{"t", std::string(65'536, 'x')}},
                                     {{"", true}},
                                     {{"a", true}, {"a", true}},
                                     {{"t", std::string("\xFF")}},
                                     {{"triton_final_response", true}}};
  for (const core::Parameters& parameters : kCases) {
    const auto answer = Read(parameters);
    ASSERT_FALSE(answer.has_value()) << parameters.size();
    EXPECT_EQ(answer.error().code(), base::StatusCode::kInternal);
  }
}

// A call with one piece at these numbers.
class GarbageTest : public ExecutionMessageTest {
 protected:
  base::Status Read(uint8_t area, uint64_t offset, uint64_t bytes) {
    MessageWriter writer;
    writer.Add(uint64_t{0});  // requests
    writer.Add(uint64_t{0});  // outputs
    writer.Add(uint64_t{1});  // inputs
    writer.Add(int32_t{0});
    writer.Add(static_cast<int32_t>(DataType::kInt32));
    writer.AddShape({1});
    writer.Add(uint64_t{1});  // pieces
    writer.Add(area);
    writer.Add(offset);
    writer.Add(bytes);
    return ReadCall(writer.text(), areas_, got_, requests_);
  }
};

TEST_F(GarbageTest, PlacesBeyondTheirAreaAreRefused) {
  for (const uint8_t area : {0, 1}) {
    SCOPED_TRACE(area);
    EXPECT_TRUE(Read(area, 0, 4).ok());
    EXPECT_TRUE(Read(area, 0, kAreaBytes).ok());
    EXPECT_TRUE(Read(area, kAreaBytes, 0).ok());
    EXPECT_EQ(Read(area, 0, kAreaBytes + 1).code(), base::StatusCode::kInternal);
    EXPECT_EQ(Read(area, kAreaBytes - 3, 4).code(), base::StatusCode::kInternal);
    EXPECT_EQ(Read(area, ~uint64_t{0}, 4).code(), base::StatusCode::kInternal);
    EXPECT_EQ(Read(area, 8, ~uint64_t{0}).code(), base::StatusCode::kInternal);
  }
  EXPECT_EQ(Read(2, 0, 4).code(), base::StatusCode::kInternal);
  areas_.bodies = {};
  EXPECT_EQ(Read(1, 0, 4).code(), base::StatusCode::kInternal) << "the worker sees no bodies";
}

TEST_F(GarbageTest, RandomMessagesStayInsideTheAreas) {
  std::mt19937 random(20261122);  // NOLINT(cert-msc51-cpp)
  RecordingExecution execution(2);
  execution.AddInput(0, DataType::kInt32, {4}, SliceOf<int32_t>({1, 2}));
  execution.inputs[0].pieces.push_back(Body({3, 4}));
  Pass(execution);
  const std::string good(writer_.text());
  for (int round = 0; round < 2000; ++round) {
    std::string text = good.substr(0, random() % 8 == 0 ? random() % good.size() : good.size());
    for (uint32_t i = random() % 4; i > 0 && !text.empty(); --i)
      text[random() % text.size()] = static_cast<char>(random());
    RecordingExecution read;
    if (!ReadCall(text, areas_, read, requests_).ok()) continue;
    for (const core::ExecutionInput& input : read.inputs) {
      for (const base::BufferSlice& piece : input.pieces) {
        const std::byte* end = piece.data() + piece.size();
        EXPECT_TRUE((piece.data() >= area_.data() && end <= area_.data() + area_.size()) ||
                    (piece.data() >= areas_.bodies.data() && end <= areas_.bodies.data() + areas_.bodies.size()));
      }
    }
  }
}

}  // namespace
}  // namespace inferd::worker
