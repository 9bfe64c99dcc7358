#include "serving/scheduling/requests/request_splitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <thread>

#include "data/tensor/bytes.h"
#include "tests/support/scheduling_fixture.h"

namespace inferd::scheduling {
namespace {

using base::StatusCode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A request with one INT32 input of two columns, whose elements count up, and its parts and responses.
struct Split {
  std::vector<core::InferResponse> answers;
  std::vector<core::QueuedRequest> parts;  // destroyed first: parts without a response then get one

  core::QueuedRequest Whole(int64_t rows) {
    core::QueuedRequest queued;
    queued.request = std::make_unique<core::InferRequest>();
    queued.request->model_name = "m";
    queued.request->id = "id";
    std::vector<int32_t> data(static_cast<size_t>(rows) * 2);
    std::iota(data.begin(), data.end(), 0);
    AddInput(queued, "IN", tensor::DataType::kInt32, {rows, 2},
             std::string(reinterpret_cast<const char*>(data.data()), data.size() * 4));
    queued.layout.outputs = {0};
    queued.layout.rows = rows;
    queued.completion = core::Completion([this](core::InferResponse r) { answers.push_back(std::move(r)); });
    return queued;
  }

  static void AddInput(core::QueuedRequest& queued, const char* name, tensor::DataType type, tensor::Shape shape,
                       const std::string& data) {
    queued.layout.inputs.push_back(static_cast<int>(queued.request->inputs.size()));
    queued.request->inputs.push_back({.name = name,
                                      .datatype = type,
                                      .shape = shape,
                                      .data = base::BufferSlice(base::Buffer::CopyOf(data)),
                                      .parameters = {}});
  }

  void Run(core::QueuedRequest queued, int64_t rows_max) {
    SplitRequest(std::move(queued), rows_max, [this](core::QueuedRequest part) { parts.push_back(std::move(part)); });
  }

  // Responds like an identity model.
  static core::InferResponse Echo(const core::QueuedRequest& part) {
    core::InferResponse response;
    for (const core::InferTensor& input : part.request->inputs) response.outputs.push_back(input);
    return response;
  }
};

core::InferResponse Failed(base::Status status, int64_t retry_after_ms = 0) {
  core::InferResponse response;
  response.status = std::move(status);
  response.retry_after_ms = retry_after_ms;
  return response;
}

std::vector<int32_t> Ints(const core::InferTensor& tensor) {
  std::vector<int32_t> values(tensor.data.size() / 4);
  if (!values.empty()) std::memcpy(values.data(), tensor.data.data(), tensor.data.size());
  return values;
}

std::string Packed(std::initializer_list<std::string_view> elements) {
  tensor::BytesPacker packer(0);
  for (const std::string_view element : elements) EXPECT_TRUE(packer.Append(element).ok());
  return std::string(base::BufferSlice(packer.Take()).view());
}

TEST(RequestSplitterTest, CutsRowsIntoViews) {
  Split split;
  core::QueuedRequest whole = split.Whole(5);
  const std::byte* data = whole.request->inputs[0].data.data();
  split.Run(std::move(whole), 2);
  ASSERT_EQ(split.parts.size(), 3u);
  EXPECT_EQ(split.parts[0].request->inputs[0].shape, (tensor::Shape{2, 2}));
  EXPECT_EQ(split.parts[2].request->inputs[0].shape, (tensor::Shape{1, 2}));
  EXPECT_EQ(split.parts[2].layout.rows, 1);
  EXPECT_THAT(split.parts[2].layout.inputs, ElementsAre(0));
  EXPECT_THAT(Ints(split.parts[1].request->inputs[0]), ElementsAre(4, 5, 6, 7));
  EXPECT_EQ(split.parts[1].request->inputs[0].data.data(), data + 16);
}

TEST(RequestSplitterTest, CutsBytesBetweenElements) {
  Split split;
  core::QueuedRequest whole = split.Whole(3);
  Split::AddInput(whole, "TEXT", tensor::DataType::kBytes, {3, 2}, Packed({"", "one", "two", "", "", "three"}));
  Split::AddInput(whole, "NONE", tensor::DataType::kBytes, {3, 0}, "");
  split.Run(std::move(whole), 1);
  ASSERT_EQ(split.parts.size(), 3u);
  EXPECT_EQ(split.parts[0].request->inputs[1].data.view(), Packed({"", "one"}));
  EXPECT_EQ(split.parts[1].request->inputs[1].data.view(), Packed({"two", ""}));
  EXPECT_EQ(split.parts[2].request->inputs[1].data.view(), Packed({"", "three"}));
  EXPECT_EQ(split.parts[2].request->inputs[2].shape, (tensor::Shape{1, 0}));
  for (core::QueuedRequest& part : split.parts) part.Answer(Split::Echo(part));
  ASSERT_EQ(split.answers.size(), 1u);
  EXPECT_EQ(split.answers[0].outputs[1].data.view(), Packed({"", "one", "two", "", "", "three"}));
  EXPECT_EQ(split.answers[0].outputs[2].shape, (tensor::Shape{3, 0}));
}

TEST(RequestSplitterTest, PartsInheritWhatTheClientSaid) {
  Split split;
  core::QueuedRequest whole = split.Whole(3);
  whole.request->model_version = "7";
  whole.request->parameters = {{"p", int64_t{1}}};
  whole.request->outputs = {{.name = "OUT", .parameters = {{"classification", int64_t{2}}}}};
  whole.request->inputs[0].parameters = {{"q", true}};
  whole.request->priority = 2;
  whole.request->timeout_us = 30;
  whole.request->received_ns = 40;
  whole.request->deadline_ns = 50;
  whole.request->traceparent = "00-1";
  whole.queued_ns = 60;
  whole.warmup = true;
  split.Run(std::move(whole), 2);
  ASSERT_EQ(split.parts.size(), 2u);
  for (core::QueuedRequest& part : split.parts) {
    const core::InferRequest& request = *part.request;
    EXPECT_EQ(request.model_name, "m");
    EXPECT_EQ(request.model_version, "7");
    EXPECT_EQ(request.id, "id");
    EXPECT_EQ(request.parameters.size(), 1u);
    EXPECT_EQ(request.inputs[0].parameters.size(), 1u);
    EXPECT_EQ(request.outputs[0].parameters.size(), 1u);
    EXPECT_EQ(request.priority, 2u);
    EXPECT_EQ(request.timeout_us, 30u);
    EXPECT_EQ(request.received_ns, 40);
    EXPECT_EQ(request.deadline_ns, 50);
    EXPECT_EQ(request.traceparent, "00-1");
    EXPECT_EQ(part.queued_ns, 60);
    EXPECT_TRUE(part.warmup);
    EXPECT_NE(part.parts, nullptr);
    part.Answer(Split::Echo(part));
  }
}

TEST(RequestSplitterTest, JoinsInRowOrderWhateverTheOrderOfAnswers) {
  Split split;
  split.Run(split.Whole(7), 3);
  ASSERT_EQ(split.parts.size(), 3u);
  for (const size_t part : {2, 0, 1}) {
    EXPECT_THAT(split.answers, IsEmpty());
    core::InferResponse response = Split::Echo(split.parts[part]);
    response.parameters = {{"part", static_cast<int64_t>(part)}};
    if (part > 0) response.parameters.emplace_back("late", static_cast<int64_t>(part));
    split.parts[part].Answer(std::move(response));
  }
  ASSERT_EQ(split.answers.size(), 1u);
  const core::InferResponse& answer = split.answers[0];
  EXPECT_TRUE(answer.status.ok()) << answer.status.ToString();
  EXPECT_TRUE(answer.final);
  EXPECT_EQ(answer.model_name, "m");
  EXPECT_EQ(answer.id, "id");
  EXPECT_EQ(answer.parameters, (core::Parameters{{"part", int64_t{0}}, {"late", int64_t{1}}}))
      << "of one name, the one of the earliest rows";
  ASSERT_EQ(answer.outputs.size(), 1u);
  EXPECT_EQ(answer.outputs[0].name, "IN");
  EXPECT_EQ(answer.outputs[0].datatype, tensor::DataType::kInt32);
  EXPECT_EQ(answer.outputs[0].shape, (tensor::Shape{7, 2}));
  EXPECT_THAT(Ints(answer.outputs[0]), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13));
}

TEST(RequestSplitterTest, TheFirstErrorIsTheAnswerAndCancelsTheRest) {
  Split split;
  split.Run(split.Whole(4), 1);
  split.parts[1].Answer(Split::Echo(split.parts[1]));
  EXPECT_FALSE(split.parts[0].request->cancel->cancelled());
  split.parts[2].Answer(Failed(base::ResourceExhausted("full"), 17));
  ASSERT_EQ(split.answers.size(), 1u);
  EXPECT_EQ(split.answers[0].status, base::ResourceExhausted("full"));
  EXPECT_EQ(split.answers[0].retry_after_ms, 17);
  EXPECT_TRUE(split.parts[0].request->cancel->cancelled());
  split.parts[0].Fail(base::Cancelled("told to stop"));
  split.parts[3].Answer(Split::Echo(split.parts[3]));
  EXPECT_EQ(split.answers.size(), 1u);
}

TEST(RequestSplitterTest, NothingIsHandedOnAfterAnError) {
  Split split;
  int handed_on = 0;
  SplitRequest(split.Whole(10), 1, [&](core::QueuedRequest part) {
    if (++handed_on == 3) part.Fail(base::ResourceExhausted("full"));
    split.parts.push_back(std::move(part));
  });
  EXPECT_EQ(handed_on, 3);
  ASSERT_EQ(split.answers.size(), 1u);
  EXPECT_EQ(split.answers[0].status.code(), StatusCode::kResourceExhausted);
}

TEST(RequestSplitterTest, PartsMayBeAnsweredWhileTheyAreHandedOn) {
  Split split;
  SplitRequest(split.Whole(5), 2, [&](core::QueuedRequest part) { part.Answer(Split::Echo(part)); });
  ASSERT_EQ(split.answers.size(), 1u);
  EXPECT_EQ(Ints(split.answers[0].outputs[0]).size(), 10u);
}

TEST(RequestSplitterTest, PartsFollowTheClientsCancelFlag) {
  Split split;
  core::QueuedRequest whole = split.Whole(2);
  const auto flag = whole.request->cancel = std::make_shared<core::CancelFlag>();
  split.Run(std::move(whole), 1);
  EXPECT_FALSE(split.parts[1].request->cancel->cancelled());
  flag->Cancel();
  EXPECT_TRUE(split.parts[1].request->cancel->cancelled());
}

TEST(RequestSplitterTest, ADroppedPartFailsTheRequest) {
  Split split;
  split.Run(split.Whole(2), 1);
  split.parts[0].Answer(Split::Echo(split.parts[0]));
  split.parts.clear();
  ASSERT_EQ(split.answers.size(), 1u);
  EXPECT_EQ(split.answers[0].status.code(), StatusCode::kInternal);
}

TEST(RequestSplitterTest, ThePlaceAmongTheRequestsInFlightIsHeldUntilTheAnswer) {
  core::InflightLimit limit({.requests = 1});
  core::InflightLimit::Share share;
  Split split;
  core::QueuedRequest whole = split.Whole(2);
  whole.slot = limit.Take(share, 0).value();
  split.Run(std::move(whole), 1);
  split.parts[0].Answer(Split::Echo(split.parts[0]));
  EXPECT_EQ(limit.count(), 1);
  split.parts[1].Answer(Split::Echo(split.parts[1]));
  EXPECT_EQ(limit.count(), 0);
}

TEST(RequestSplitterTest, OutputsWithoutTheRowsOfTheirPartAreAnError) {
  const auto answer_of = [](auto change) {
    Split split;
    split.Run(split.Whole(3), 2);
    split.parts[0].Answer(Split::Echo(split.parts[0]));
    core::InferResponse response = Split::Echo(split.parts[1]);
    change(response);
    split.parts[1].Answer(std::move(response));
    EXPECT_EQ(split.answers.size(), 1u);
    EXPECT_EQ(split.answers[0].status.code(), StatusCode::kInternal);
    return split.answers[0].status.message();
  };
  EXPECT_THAT(answer_of([](core::InferResponse& r) { r.outputs[0].shape = {2, 1}; }),
              HasSubstr("cannot be joined: expected 1 rows of 'IN' in shape [1,2], got [2,1]"));
  EXPECT_THAT(answer_of([](core::InferResponse& r) { r.outputs[0].shape = {}; }), HasSubstr("got []"));
  EXPECT_THAT(answer_of([](core::InferResponse& r) { r.outputs[0].shape = {1, 3}; }), HasSubstr("got [1,3]"));
  EXPECT_THAT(answer_of([](core::InferResponse& r) { r.outputs[0].name = "X"; }), HasSubstr("got 'X' as INT32"));
  EXPECT_THAT(answer_of([](core::InferResponse& r) { r.outputs[0].datatype = tensor::DataType::kFp32; }),
              HasSubstr("got 'IN' as FP32"));
  EXPECT_THAT(answer_of([](core::InferResponse& r) { r.outputs.clear(); }), HasSubstr("expected 1 of them, got 0"));
}

TEST(RequestSplitterTest, AScalarOutputIsAnError) {
  Split split;
  split.Run(split.Whole(2), 1);
  for (core::QueuedRequest& part : split.parts) {
    core::InferResponse response = Split::Echo(part);
    response.outputs[0].shape = {};
    part.Answer(std::move(response));
  }
  ASSERT_EQ(split.answers.size(), 1u);
  EXPECT_EQ(split.answers[0].status.code(), StatusCode::kInternal);
}

TEST(RequestSplitterTest, APartWithSeveralResponsesIsAnError) {
  Split split;
  split.Run(split.Whole(2), 1);
  split.parts[0].Answer(Split::Echo(split.parts[0]));
  core::InferResponse early = Split::Echo(split.parts[1]);
  early.final = false;
  split.parts[1].Answer(std::move(early));
  split.parts[1].Answer(Split::Echo(split.parts[1]));
  ASSERT_EQ(split.answers.size(), 1u);
  EXPECT_EQ(split.answers[0].status.code(), StatusCode::kInternal);
  EXPECT_TRUE(split.answers[0].final);
}

// Counted before the response is sent: once for the request.
TEST(RequestSplitterTest, TheRequestIsCountedOnce) {
  Split split;
  split.Run(split.Whole(3), 1);
  EXPECT_FALSE(split.parts[1].Counts(true));
  EXPECT_FALSE(split.parts[2].Counts(true));
  EXPECT_TRUE(split.parts[0].Counts(true));

  Split failing;
  failing.Run(failing.Whole(3), 1);
  EXPECT_FALSE(failing.parts[0].Counts(true));
  EXPECT_TRUE(failing.parts[2].Counts(false));
  EXPECT_FALSE(failing.parts[1].Counts(false));

  Split warmup;
  core::QueuedRequest whole = warmup.Whole(2);
  whole.warmup = true;
  warmup.Run(std::move(whole), 1);
  EXPECT_FALSE(warmup.parts[0].Counts(true));
  EXPECT_FALSE(warmup.parts[1].Counts(true));
}

// Parts end on many threads at once, in random order and with random results. The request gets one response, the right
// one.
TEST(RequestSplitterTest, PartsArriveOnManyThreads) {
  constexpr int kThreads = 4;
  std::mt19937 random(20261121);
  for (int round = 0; round < 200; ++round) {
    core::InflightLimit limit({.requests = 1});
    core::InflightLimit::Share share;
    const int64_t rows = 2 + static_cast<int64_t>(random() % 40);
    const bool failing = random() % 2 == 0;
    Split split;
    std::atomic<int> answers = 0;
    core::InferResponse answer;
    core::QueuedRequest whole = split.Whole(rows);
    whole.slot = limit.Take(share, 0).value();
    whole.completion = core::Completion([&](core::InferResponse response) {
      if (answers.fetch_add(1) == 0) answer = std::move(response);
    });
    split.Run(std::move(whole), 1 + static_cast<int64_t>(random() % 4));
    std::ranges::shuffle(split.parts, random);
    const size_t fails = random() % split.parts.size();
    std::atomic<int> counted = 0;
    {
      std::vector<std::jthread> threads;
      for (size_t thread = 0; thread < kThreads; ++thread) {
        threads.emplace_back([&, thread] {
          for (size_t part = thread; part < split.parts.size(); part += kThreads) {
            core::QueuedRequest queued = std::move(split.parts[part]);
            const bool ok = !failing || part != fails;
            if (queued.Counts(ok)) ++counted;
            if (ok) {
              queued.Answer(Split::Echo(queued));
            } else {
              queued.Fail(base::Status(StatusCode::kAborted, "as planned"));
            }
          }
        });
      }
    }
    ASSERT_EQ(answers, 1);
    ASSERT_EQ(counted, 1);
    ASSERT_EQ(limit.count(), 0);
    ASSERT_EQ(answer.status.code(), failing ? StatusCode::kAborted : StatusCode::kOk);
    if (failing) continue;
    std::vector<int32_t> expected(static_cast<size_t>(rows) * 2);
    std::iota(expected.begin(), expected.end(), 0);
    ASSERT_EQ(Ints(answer.outputs[0]), expected);
  }
}

TEST(RequestSplitterTest, PartsDoNotWriteToMemoryThatIsForTheWhole) {
  Split split;
  core::QueuedRequest whole = split.Whole(5);
  whole.request->outputs = {{.name = "OUT", .parameters = {}, .memory = base::Buffer::Allocate(40)}};
  split.Run(std::move(whole), 2);
  ASSERT_EQ(split.parts.size(), 3u);
  for (const core::QueuedRequest& part : split.parts) EXPECT_FALSE(part.request->outputs[0].memory);
}

TEST(RequestSplitterTest, OnlyRequestsThatAreTooLargeAndCanBeJoinedAreSplit) {
  base::SystemClock clock;
  SchedulingFixture fixture(clock);
  const auto version_of = [&](auto change) {
    core::ModelSignature signature;
    signature.inputs = {{.name = "INPUT0", .datatype = tensor::DataType::kInt32, .shape = {-1, 2}}};
    signature.outputs = {{.name = "OUTPUT0", .datatype = tensor::DataType::kInt32, .shape = {-1, 2}}};
    signature.max_batch_size = 2;
    signature.splits_larger_requests = true;
    change(signature);
    inferd::support::FakeEngine::Script script;
    script.signature = signature;
    return fixture.MakeVersion(script);
  };
  const auto splits = [&](const auto& version, int64_t rows, int64_t rows_max = 2, uint64_t sequence = 0) {
    core::QueuedRequest queued = fixture.Request(version, nullptr);
    queued.request->sequence.id = sequence;
    queued.layout.rows = rows;
    queued.completion = core::Completion([](core::InferResponse) {});
    const bool result = ToBeSplit(queued, rows_max);
    queued.Fail(base::Cancelled("unused"));
    return result;
  };
  const auto version = version_of([](core::ModelSignature&) {});
  EXPECT_TRUE(splits(version, 3));
  EXPECT_FALSE(splits(version, 2));
  EXPECT_FALSE(splits(version, 3, 0));
  EXPECT_FALSE(splits(version, 3, 2, 7)) << "of a sequence";
  EXPECT_FALSE(splits(version_of([](core::ModelSignature& s) { s.splits_larger_requests = false; }), 3));
  EXPECT_FALSE(splits(version_of([](core::ModelSignature& s) { s.decoupled = true; }), 3));
  EXPECT_FALSE(splits(version_of([](core::ModelSignature& s) { s.outputs[0].shape = {2, 2}; }), 3));
}

}  // namespace
}  // namespace inferd::scheduling
