#include "serving/worker/parent/channel_caller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <random>
#include <thread>

#include "base/system/child_process.h"
#include "serving/core/request/response_flow.h"
#include "serving/worker/child/hosted_instance.h"
#include "tests/support/recording_execution.h"

namespace inferd::worker {
namespace channel_caller_test {

using inferd::support::Packed;
using inferd::support::RecordingExecution;
using inferd::support::SliceOf;
using inferd::support::ValuesOf;
using tensor::DataType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int64_t kForeverNs = INT64_MAX;
constexpr size_t kAreaBytes = 1 << 16;

class ScriptedInstance final : public core::EngineInstance {
 public:
  explicit ScriptedInstance(std::function<void(core::Execution&)> script) : script_(std::move(script)) {}
  void Execute(core::Execution& execution) override { script_(execution); }

 private:
  const std::function<void(core::Execution&)> script_;
};

// Both ends of a channel, for a model with input 0 INT32 and outputs 0 INT32, 1 BYTES.
class ChannelTest : public ::testing::Test {
 protected:
  ChannelTest() {
    model_->signature.inputs = {{.name = "IN", .datatype = DataType::kInt32, .shape = {-1}}};
    model_->signature.outputs = {{.name = "OUT", .datatype = DataType::kInt32, .shape = {-1}},
                                 {.name = "TEXT", .datatype = DataType::kBytes, .shape = {-1}}};
    model_->inputs = {{.alignment = 64, .one_piece = true}};
  }

  void Connect(int64_t hang_timeout_ns = kForeverNs) {
    caller_ = std::make_unique<ChannelCaller>(memory_, bodies_, life_, model_, hang_timeout_ns);
  }

  void Host(std::function<void(core::Execution&)> script) {
    auto theirs = *ChannelMemory::Open(memory_->descriptor());
    auto view = bodies_ == nullptr ? nullptr : *BodyView::Open(bodies_->descriptor());
    host_ = std::make_unique<HostedInstance>(std::make_unique<ScriptedInstance>(std::move(script)), theirs, 1, view,
                                             "host");
  }

  // Hosts a decoupled model, with memory for as many responses as the ring takes.
  void HostStream(std::function<void(core::Execution&)> script) {
    memory_ = *ChannelMemory::Create(1 << 20);
    model_->signature.decoupled = true;
    Host(std::move(script));
  }

  void Run(RecordingExecution& execution) {
    if (caller_ == nullptr) Connect();
    if (execution.inputs.empty()) execution.AddInput(0, DataType::kInt32, {2}, SliceOf<int32_t>({1, 2}));
    if (execution.outputs.empty()) execution.outputs = {0};
    const base::Status begun = caller_->Begin(execution);
    ASSERT_TRUE(begun.ok()) << begun.ToString();
    ASSERT_TRUE(caller_->Collect(execution, kForeverNs));
    EXPECT_EQ(execution.finished(), 1);
  }

  // Runs a request against a worker that writes `entry`, and `text` at the beginning of its area.
  void RunAgainst(AnswerEntry entry, std::string_view text = "") {
    RecordingExecution execution;
    Connect();
    execution.AddInput(0, DataType::kInt32, {1}, SliceOf<int32_t>({1}));
    execution.outputs = {0};
    ASSERT_TRUE(caller_->Begin(execution).ok());
    std::copy_n(reinterpret_cast<const std::byte*>(text.data()), text.size(), memory_->answer_area().data());
    memory_->header().ring[0] = entry;
    memory_->header().answers.Ring();
    ASSERT_TRUE(caller_->Collect(execution, kForeverNs));
    EXPECT_EQ(kills_, 1);
    EXPECT_EQ(execution.finished(), 1);
    ASSERT_EQ(execution.responses().size(), 1u);
    EXPECT_EQ(execution.responses()[0].status.code(), base::StatusCode::kUnavailable);
    EXPECT_THAT(execution.responses()[0].status.message(), HasSubstr("wrote what cannot be"));
  }

  static std::string Answer(std::vector<PlacedTensor> outputs) {
    MessageWriter writer;
    WriteAnswer({.status = {}, .outputs = std::move(outputs)}, writer);
    return std::string(writer.text());
  }

  int kills_ = 0;
  std::shared_ptr<ChannelMemory> memory_ = *ChannelMemory::Create(kAreaBytes);
  std::shared_ptr<BodyMemory> bodies_;
  std::shared_ptr<WorkerLife> life_ = std::make_shared<WorkerLife>([this] { ++kills_; });
  std::shared_ptr<ModelDescription> model_ = std::make_shared<ModelDescription>();
  std::unique_ptr<ChannelCaller> caller_;
  std::unique_ptr<HostedInstance> host_;
};

core::InferTensor Tensor(DataType datatype, tensor::Shape shape, base::BufferSlice data) {
  core::InferTensor made;
  made.datatype = datatype;
  made.shape = std::move(shape);
  made.data = std::move(data);
  return made;
}

void Echo(core::Execution& execution) {
  const core::ExecutionInput& input = execution.inputs[0];
  core::InferTensor output;
  output.datatype = input.datatype;
  output.shape = input.shape;
  base::Buffer buffer = execution.AllocateOutput(0, input.pieces[0].size());
  std::memcpy(buffer.data(), input.pieces[0].data(), input.pieces[0].size());
  output.data = base::BufferSlice(std::move(buffer));
  execution.RespondAll({base::OkStatus(), {output}});
  execution.Finish();
}

TEST_F(ChannelTest, InputsGoThereInOnePieceAndOutputsComeBackUncopied) {
  Host([](core::Execution& execution) {
    ASSERT_EQ(execution.inputs[0].pieces.size(), 1u);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(execution.inputs[0].pieces[0].data()) % 64, 0u);
    EXPECT_THAT(execution.rows, ElementsAre(2, 1));
    EXPECT_EQ(execution.request(1).id, "second");
    EXPECT_EQ(std::get<int64_t>(*core::FindParameter(execution.request(0).parameters, "p")), 5);
    Echo(execution);
  });
  RecordingExecution execution(2);
  execution.rows = {2, 1};
  execution.mutable_request(1).id = "second";
  execution.mutable_request(0).parameters = {{"p", int64_t{5}}};
  execution.AddInput(0, DataType::kInt32, {3}, SliceOf<int32_t>({1, 2}));
  execution.inputs[0].pieces.push_back(SliceOf<int32_t>({3}));
  Run(execution);
  EXPECT_TRUE(execution.responses(1)[0].whole_batch);
  EXPECT_THAT(ValuesOf<int32_t>(execution.output(0).data), ElementsAre(1, 2, 3));
  const std::byte* data = execution.output(0).data.data();
  EXPECT_TRUE(data >= memory_->answer_area().data() && data < memory_->answer_area().data() + kAreaBytes);
}

TEST_F(ChannelTest, AnswersOutliveTheNextExecutionsAndTheirRoomIsUsedAgain) {
  Host(Echo);
  std::vector<std::unique_ptr<RecordingExecution>> kept;
  for (int32_t i = 0; i < 2000; ++i) {
    auto execution = std::make_unique<RecordingExecution>();
    execution->AddInput(0, DataType::kInt32, {1000}, SliceOf(std::vector<int32_t>(1000, i)));
    Run(*execution);
    ASSERT_TRUE(execution->responses()[0].status.ok()) << execution->responses()[0].status.ToString();
    if (i < 5) kept.push_back(std::move(execution));
  }
  for (int32_t i = 0; i < 5; ++i) {
    EXPECT_EQ(ValuesOf<int32_t>(kept[i]->output(0).data), std::vector<int32_t>(1000, i));
  }
}

TEST_F(ChannelTest, OutputsFromElsewhereAndTextsAreCopied) {
  Host([](core::Execution& execution) {
    const core::InferTensor number = Tensor(DataType::kInt32, {1}, SliceOf<int32_t>({9}));
    const core::InferTensor text = Tensor(DataType::kBytes, {2}, Packed({"a", ""}));
    execution.RespondAll({base::OkStatus(), {number, text}});
    execution.Finish();
  });
  RecordingExecution execution;
  execution.outputs = {0, 1};
  Run(execution);
  EXPECT_THAT(ValuesOf<int32_t>(execution.output(0).data), ElementsAre(9));
  EXPECT_EQ(execution.output(1).data.view(), Packed({"a", ""}).view());
}

TEST_F(ChannelTest, AStreamOfAnyLengthArrivesInOrder) {
  model_->signature.decoupled = true;
  Host([](core::Execution& execution) {
    for (int32_t i = 0; i < 1000; ++i) {
      const core::InferTensor number = Tensor(DataType::kInt32, {1}, SliceOf<int32_t>({i}));
      execution.Respond(0, {.outputs = {number}, .final = false});
    }
    execution.Respond(0, {base::OkStatus()});
    execution.Finish();
  });
  RecordingExecution execution;
  Run(execution);
  ASSERT_EQ(execution.responses().size(), 1001u);
  size_t received = 0;
  for (size_t i = 0; i < 1000; ++i) {
    if (!execution.responses()[i].status.ok()) continue;  // the test holds all answers, so the area is full
    ++received;
    EXPECT_THAT(ValuesOf<int32_t>(execution.responses()[i].outputs[0].data), ElementsAre(static_cast<int32_t>(i)));
  }
  EXPECT_GT(received, 100u);
}

// Sends `count` responses without waiting for room.
std::function<void(core::Execution&)> Flood(int32_t count) {
  return [count](core::Execution& execution) {
    for (int32_t i = 0; i < count; ++i) {
      const core::InferTensor number = Tensor(DataType::kInt32, {1}, SliceOf<int32_t>({i}));
      execution.Respond(0, {.outputs = {number}, .final = false});
    }
    execution.Respond(0, {base::OkStatus()});
    execution.Finish();
  };
}

// An execution whose client takes responses only when the test says so.
class SlowlyTakenExecution final : public RecordingExecution {
 public:
  SlowlyTakenExecution() { mutable_request(0).flow = flow_; }

  void Respond(size_t /*i*/, core::EngineResponse given) override {
    if (!given.outputs.empty()) values_.push_back(ValuesOf<int32_t>(given.outputs[0].data).at(0));
    most_waiting_ = std::max(most_waiting_, places_.size() + 1);
    places_.push_back(flow_->Enter(1));
  }

  void TakeAll() { places_.clear(); }
  bool waits() const { return !places_.empty(); }
  size_t most_waiting() const { return most_waiting_; }
  const std::vector<int32_t>& values() const { return values_; }

 private:
  // Runs tasks that wait for room inside TakeAll().
  class Here final : public base::Executor {
   public:
    void Post(base::Task task) override { task(); }
  };

  Here here_;
  const std::shared_ptr<core::ResponseFlow> flow_ =
      std::make_shared<core::ResponseFlow>(core::ResponseFlow::Limits{.responses_held = 3}, here_);
  std::vector<core::ResponseFlow::Place> places_;
  std::vector<int32_t> values_;
  size_t most_waiting_ = 0;
};

TEST_F(ChannelTest, ResponsesThatTheClientDoesNotTakeStayInTheRing) {
  constexpr int32_t kCount = 600;  // more than the ring has entries
  HostStream(Flood(kCount));
  Connect();
  SlowlyTakenExecution execution;
  execution.AddInput(0, DataType::kInt32, {1}, SliceOf<int32_t>({1}));
  execution.outputs = {0};
  ASSERT_TRUE(caller_->Begin(execution).ok());
  while (!caller_->Collect(execution, 100'000)) execution.TakeAll();
  EXPECT_EQ(execution.most_waiting(), 3u);
  ASSERT_EQ(execution.values().size(), static_cast<size_t>(kCount));
  for (int32_t i = 0; i < kCount; ++i) EXPECT_EQ(execution.values()[static_cast<size_t>(i)], i);
}

TEST_F(ChannelTest, ACancelledRequestsResponsesDoNotStayInTheRing) {
  HostStream(Flood(600));
  SlowlyTakenExecution execution;
  execution.cancelled = true;
  Run(execution);
  EXPECT_EQ(execution.values().size(), 600u);
}

TEST_F(ChannelTest, AWorkerThatIsLostWhileItsResponsesAreHeldIsTold) {
  HostStream(Flood(200));  // the ring has room for all
  Connect();
  SlowlyTakenExecution execution;
  execution.AddInput(0, DataType::kInt32, {1}, SliceOf<int32_t>({1}));
  execution.outputs = {0};
  ASSERT_TRUE(caller_->Begin(execution).ok());
  while (execution.most_waiting() < 3) ASSERT_FALSE(caller_->Collect(execution, 100'000));
  life_->Kill(base::Unavailable("lost"));
  EXPECT_TRUE(caller_->Collect(execution, kForeverNs));
  EXPECT_EQ(execution.finished(), 1);
}

TEST_F(ChannelTest, WhatLiesAmongTheBodiesIsNotCopied) {
  bodies_ = *BodyMemory::Create(kAreaBytes);
  base::Buffer body = bodies_->Allocate(3 * sizeof(int32_t), sizeof(int32_t));
  ASSERT_TRUE(body);
  const int32_t values[] = {7, 8, 9};
  std::memcpy(body.data(), values, sizeof(values));
  // Atomic for race checkers: the two sides meet only in memory that each maps for itself, and a checker sees no order
  // there.
  std::atomic<const std::byte*> seen = nullptr;
  Host([&seen](core::Execution& execution) {
    seen = execution.inputs[0].pieces[0].data();
    Echo(execution);
  });
  RecordingExecution execution;
  execution.AddInput(0, DataType::kInt32, {2}, base::BufferSlice(body).Sub(sizeof(int32_t), 2 * sizeof(int32_t)));
  Run(execution);
  EXPECT_THAT(ValuesOf<int32_t>(execution.output(0).data), ElementsAre(8, 9));
  EXPECT_TRUE(seen < memory_->call_area().data() || seen >= memory_->call_area().data() + kAreaBytes);
  EXPECT_EQ(memory_->header().call_offset, 0u) << "the call area has the message alone";
}

TEST_F(ChannelTest, ParametersComeBack) {
  std::atomic<bool> whole = true;
  // Each side has its own parameters, as in two processes: only the channel orders the two threads.
  const auto parameters = [] { return core::Parameters{{"stop", std::string("length")}, {"tokens", int64_t{7}}}; };
  Host([&](core::Execution& execution) {
    core::EngineResponse response{.outputs = {Tensor(DataType::kInt32, {1}, SliceOf<int32_t>({1}))},
                                  .parameters = parameters()};
    if (whole) {
      execution.RespondAll(std::move(response));
    } else {
      execution.Respond(0, std::move(response));
    }
    execution.Finish();
  });
  for (const bool all : {true, false}) {
    whole = all;
    RecordingExecution execution;
    Run(execution);
    EXPECT_TRUE(execution.responses()[0].status.ok()) << execution.responses()[0].status.ToString();
    EXPECT_EQ(execution.responses()[0].whole_batch, all);
    EXPECT_EQ(execution.responses()[0].parameters, parameters());
  }
}

TEST_F(ChannelTest, ParametersOfAnAnswerThatDoesNotFitGoWithIt) {
  Host([](core::Execution& execution) {
    const core::InferTensor large = Tensor(DataType::kInt32, {1 << 15}, SliceOf(std::vector<int32_t>(1 << 15)));
    execution.RespondAll({.outputs = {large}, .parameters = {{"p", true}}});
    execution.Finish();
  });
  RecordingExecution execution;
  Run(execution);
  EXPECT_EQ(execution.responses()[0].status.code(), base::StatusCode::kResourceExhausted);
  EXPECT_TRUE(execution.responses()[0].parameters.empty());
  EXPECT_EQ(kills_, 0);
}

// The answer area has no room for the parameters. The outputs' blocks must be freed.
TEST_F(ChannelTest, AnAnswerThatCannotBeToldKeepsNoRoom) {
  std::atomic<bool> long_text = true;
  Host([&long_text](core::Execution& execution) {
    const core::InferTensor number = Tensor(DataType::kInt32, {4096}, SliceOf(std::vector<int32_t>(4096)));
    core::EngineResponse response{.outputs = {number}};
    if (long_text) response.parameters = {{"t", std::string(60'000, 'x')}};
    execution.RespondAll(std::move(response));
    execution.Finish();
  });
  for (int i = 0; i < 8; ++i) {
    RecordingExecution execution;
    Run(execution);
    EXPECT_EQ(execution.responses()[0].status.code(), base::StatusCode::kResourceExhausted);
  }
  long_text = false;
  RecordingExecution execution;
  Run(execution);
  EXPECT_TRUE(execution.responses()[0].status.ok()) << execution.responses()[0].status.ToString();
}

TEST_F(ChannelTest, GarbageParametersAreTheEndOfTheProcess) {
  const PlacedTensor good{.datatype = DataType::kInt32, .shape = {1}, .offset = 0, .bytes = 4, .block = 0};
  MessageWriter twice;
  WriteAnswer({.outputs = {good}, .parameters = {{"a", true}, {"a", true}}}, twice);
  MessageWriter failed;
  WriteAnswer({.status = base::NotFound("x"), .parameters = {{"a", true}}}, failed);
  for (const MessageWriter* writer : {&twice, &failed}) {
    kills_ = 0;
    memory_ = *ChannelMemory::Create(kAreaBytes);
    life_ = std::make_shared<WorkerLife>([this] { ++kills_; });
    RunAgainst({.kind = 2, .block = 1, .offset = 0, .bytes = writer->text().size()}, writer->text());
  }
}

TEST_F(ChannelTest, AFailureKeepsItsCode) {
  Host([](core::Execution& execution) {
    execution.RespondAll({base::NotFound("nothing")});
    execution.Finish();
  });
  RecordingExecution execution;
  Run(execution);
  EXPECT_EQ(execution.responses()[0].status, base::NotFound("nothing"));
}

TEST_F(ChannelTest, WhatDoesNotFitIsRefusedByName) {
  Host([](core::Execution& execution) {
    base::Status status;
    try {
      execution.AllocateOutput(0, 2 * kAreaBytes);
    } catch (const std::bad_alloc&) {
      status = base::ResourceExhausted("no memory");
    }
    execution.RespondAll({status});
    execution.Finish();
  });
  RecordingExecution large;
  large.AddInput(0, DataType::kInt32, {1 << 14}, SliceOf(std::vector<int32_t>(1 << 14)));
  Connect();
  const base::Status refused = caller_->Begin(large);
  EXPECT_EQ(refused.code(), base::StatusCode::kInvalidArgument);
  EXPECT_THAT(refused.message(), HasSubstr("have 65536 bytes; the model's worker process shares 65536"));
  RecordingExecution execution;
  Run(execution);
  EXPECT_EQ(execution.responses()[0].status.code(), base::StatusCode::kResourceExhausted);
  EXPECT_THAT(execution.responses()[0].status.message(), HasSubstr("an output of 131072 bytes does not fit"));
}

TEST_F(ChannelTest, ACancellationReachesTheEngine) {
  Host([](core::Execution& execution) {
    while (!execution.IsCancelled(0)) std::this_thread::yield();
    execution.RespondAll({base::Cancelled("as asked")});
    execution.Finish();
  });
  RecordingExecution execution;
  execution.cancelled = true;
  Run(execution);
  EXPECT_EQ(execution.responses()[0].status.code(), base::StatusCode::kCancelled);
  EXPECT_EQ(memory_->header().cancelled[0].load(), 0);
}

TEST_F(ChannelTest, WhoHasNoPatienceComesAgain) {
  Connect();
  RecordingExecution execution;
  execution.AddInput(0, DataType::kInt32, {1}, SliceOf<int32_t>({1}));
  execution.outputs = {0};
  ASSERT_TRUE(caller_->Begin(execution).ok());
  EXPECT_FALSE(caller_->Collect(execution, 1));
  EXPECT_EQ(execution.finished(), 0);
  Host(Echo);
  EXPECT_TRUE(caller_->Collect(execution, kForeverNs));
  EXPECT_THAT(ValuesOf<int32_t>(execution.output(0).data), ElementsAre(1));
}

TEST_F(ChannelTest, ALostProcessWakesWhoWaits) {
  Connect();
  RecordingExecution execution;
  std::thread end([this] { life_->End(base::Unavailable("it is gone")); });
  Run(execution);
  end.join();
  EXPECT_EQ(execution.responses()[0].status, base::Unavailable("it is gone"));
  EXPECT_EQ(kills_, 0);
}

TEST_F(ChannelTest, AHangIsTheEndOfTheProcess) {
  Connect(2'000'000);
  RecordingExecution execution;
  Run(execution);
  EXPECT_EQ(kills_, 1);
  EXPECT_EQ(execution.responses()[0].status.code(), base::StatusCode::kUnavailable);
  EXPECT_THAT(execution.responses()[0].status.message(), HasSubstr("no sign of life for 2 ms"));
}

// Only the worker's answers count as signs of life; executions that begin do not.
TEST_F(ChannelTest, AnAnswerToAnotherExecutionOfTheInstanceIsASignOfLife) {
  const auto instance = std::make_shared<InstanceCalls>();
  instance->last_sign_ns = INT64_MAX;
  caller_ = std::make_unique<ChannelCaller>(memory_, bodies_, life_, model_, 1, instance);
  RecordingExecution execution;
  execution.AddInput(0, DataType::kInt32, {1}, SliceOf<int32_t>({1}));
  execution.outputs = {0};
  ASSERT_TRUE(caller_->Begin(execution).ok());
  EXPECT_FALSE(caller_->idle());
  EXPECT_FALSE(caller_->Collect(execution, 10'000'000));
  EXPECT_EQ(kills_, 0);
  instance->last_sign_ns = 0;
  EXPECT_TRUE(caller_->Collect(execution, kForeverNs));
  EXPECT_EQ(kills_, 1);
  EXPECT_TRUE(caller_->idle());
}

TEST_F(ChannelTest, GarbageLengthsAreTheEndOfTheProcess) {
  const uint64_t bytes = memory_->answer_area().size();
  for (const AnswerEntry entry :
       {AnswerEntry{.kind = 77, .block = kNoBlock}, AnswerEntry{.kind = 1, .request = 5, .block = kNoBlock},
        AnswerEntry{.kind = 2, .block = 0, .offset = bytes, .bytes = 1},
        AnswerEntry{.kind = 2, .block = 0, .offset = ~uint64_t{0}, .bytes = 2},
        AnswerEntry{.kind = 2, .block = 0, .offset = 8, .bytes = ~uint64_t{0}},
        AnswerEntry{.kind = 2, .block = ~1U, .offset = 0, .bytes = 100}}) {
    SCOPED_TRACE(entry.kind);
    kills_ = 0;
    memory_ = *ChannelMemory::Create(kAreaBytes);
    life_ = std::make_shared<WorkerLife>([this] { ++kills_; });
    RunAgainst(entry);
  }
}

TEST_F(ChannelTest, GarbageTensorsAreTheEndOfTheProcess) {
  const PlacedTensor good{.datatype = DataType::kInt32, .shape = {1}, .offset = 0, .bytes = 4, .block = 0};
  std::vector<PlacedTensor> bad(9, good);
  bad[0].datatype = DataType::kInt64;
  bad[1].shape = {2};
  bad[2].shape = {INT64_MAX, INT64_MAX};
  bad[3].offset = kAreaBytes - 2;
  bad[4].bytes = ~uint64_t{0};
  bad[5].block = kBlocksMax;
  bad[6].block = kNoBlock;
  bad[7].bytes = 0;
  bad[8].offset = ~uint64_t{0};
  std::vector<std::string> texts = {Answer({}), Answer({good, good})};
  for (const PlacedTensor& placed : bad) texts.push_back(Answer({placed}));
  for (size_t i = 0; i < texts.size(); ++i) {
    SCOPED_TRACE(i);
    kills_ = 0;
    memory_ = *ChannelMemory::Create(kAreaBytes);
    life_ = std::make_shared<WorkerLife>([this] { ++kills_; });
    RunAgainst({.kind = 2, .block = 1, .offset = 0, .bytes = texts[i].size()}, texts[i]);
  }
}

TEST_F(ChannelTest, MoreAnswersThanTheRingHasAreTheEndOfTheProcess) {
  Connect();
  RecordingExecution execution;
  execution.AddInput(0, DataType::kInt32, {1}, SliceOf<int32_t>({1}));
  execution.outputs = {0};
  ASSERT_TRUE(caller_->Begin(execution).ok());
  memory_->header().answers.rung.store(kRingEntries + 1);
  ASSERT_TRUE(caller_->Collect(execution, kForeverNs));
  EXPECT_EQ(kills_, 1);
  EXPECT_EQ(execution.responses()[0].status.code(), base::StatusCode::kUnavailable);
}

// Posts an entry in the ring.
void Post(ChannelMemory& memory, const AnswerEntry& entry) {
  ChannelHeader& header = memory.header();
  header.ring[header.answers.rung.load() % kRingEntries] = entry;
  header.answers.Ring();
}

TEST_F(ChannelTest, AnEndWithoutAnAnswerIsTheEndOfTheProcess) { RunAgainst({.kind = 3, .block = kNoBlock}); }

TEST_F(ChannelTest, AnswersWithoutEndAreTheEndOfTheProcess) {
  Connect();
  RecordingExecution execution;
  execution.AddInput(0, DataType::kInt32, {1}, SliceOf<int32_t>({1}));
  execution.outputs = {0};
  ASSERT_TRUE(caller_->Begin(execution).ok());
  MessageWriter failure;
  WriteAnswer({.status = base::NotFound("x")}, failure);
  std::memcpy(memory_->answer_area().data(), failure.text().data(), failure.text().size());
  for (int i = 0; i < 100; ++i) Post(*memory_, {.kind = 2, .block = 1, .offset = 0, .bytes = failure.text().size()});
  ASSERT_TRUE(caller_->Collect(execution, kForeverNs));
  EXPECT_EQ(kills_, 1);
  EXPECT_EQ(execution.finished(), 1);
  EXPECT_EQ(execution.responses()[0].status, base::NotFound("x"));
}

TEST_F(ChannelTest, AnAnswerToNoExecutionIsTheEndOfTheProcess) {
  Connect();
  Post(*memory_, {.kind = 3, .block = kNoBlock});
  RecordingExecution execution;
  execution.AddInput(0, DataType::kInt32, {1}, SliceOf<int32_t>({1}));
  execution.outputs = {0};
  const base::Status begun = caller_->Begin(execution);
  EXPECT_EQ(begun.code(), base::StatusCode::kUnavailable);
  EXPECT_THAT(begun.message(), HasSubstr("an answer to no execution"));
  EXPECT_EQ(kills_, 1);
}

// A worker may name a thread of any process, which must not be moved to another core.
TEST_F(ChannelTest, AThreadOfAnotherProcessIsNotMoved) {
  const auto start = [] {
    auto child = base::ChildProcess::Start({.program = "sleep", .arguments = {"sleep", "60"}});
    EXPECT_TRUE(child.has_value());
    return *std::move(child);
  };
  const base::ChildProcess worker = start();
  const base::ChildProcess other = start();
  const auto cores_of = [](pid_t thread) {
    cpu_set_t cores;
    EXPECT_EQ(::sched_getaffinity(thread, sizeof cores, &cores), 0);
    return CPU_COUNT(&cores);
  };
  const int all = cores_of(0);
  for (const pid_t named : {other.pid(), ::getpid(), worker.pid()}) {
    memory_ = *ChannelMemory::Create(kAreaBytes);
    life_ = std::make_shared<WorkerLife>([] {}, worker.pid());
    Connect();
    memory_->header().thread.store(named);
    caller_->ShareCore();
    EXPECT_EQ(cores_of(named), named == worker.pid() ? 1 : all);
    caller_->LeaveCore();
  }
}

TEST_F(ChannelTest, RandomAnswersDoNoHarm) {
  std::mt19937 random(20261121);  // NOLINT(cert-msc51-cpp)
  for (int round = 0; round < 300; ++round) {
    memory_ = *ChannelMemory::Create(kAreaBytes);
    life_ = std::make_shared<WorkerLife>([] {});
    Connect();
    RecordingExecution execution;
    execution.AddInput(0, DataType::kInt32, {1}, SliceOf<int32_t>({1}));
    execution.outputs = {0, 1};
    ASSERT_TRUE(caller_->Begin(execution).ok());
    std::string text = Answer({{.datatype = DataType::kInt32, .shape = {1}, .offset = 0, .bytes = 4, .block = 0},
                               {.datatype = DataType::kBytes, .shape = {1}, .offset = 256, .bytes = 4, .block = 1}});
    for (uint32_t i = random() % 4; i > 0; --i) text[random() % text.size()] = static_cast<char>(random());
    std::memcpy(memory_->answer_area().data() + 1024, text.data(), text.size());
    for (uint32_t i = random() % 5; i > 0; --i) memory_->answer_area()[256 + i] = static_cast<std::byte>(random());
    memory_->header().ring[0] = {.kind = 2, .block = 2, .offset = 1024, .bytes = text.size()};
    memory_->header().ring[1] = {.kind = 3, .block = kNoBlock};
    memory_->header().answers.Ring();
    memory_->header().answers.Ring();
    ASSERT_TRUE(caller_->Collect(execution, kForeverNs)) << "round " << round;
    EXPECT_EQ(execution.finished(), 1);
  }
}

}  // namespace channel_caller_test
}  // namespace inferd::worker
