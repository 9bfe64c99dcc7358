#include "serving/scheduling/batch/batch_execution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "serving/scheduling/batch/batch_fixture.h"
#include "serving/scheduling/metrics/batching_session_metrics.h"

namespace inferd::scheduling {
namespace {

using base::StatusCode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class BatchExecutionTest : public ::testing::Test {
 protected:
  // Finishes as the engine, and clears as the scheduler.
  BatchExecution::Remains End(BatchExecution& execution) {
    execution.Finish();
    EXPECT_TRUE(execution.Finished());
    BatchExecution::Remains remains;
    execution.Clear(remains);
    return remains;
  }
  static std::vector<core::InferTensor> Out(tensor::Shape shape, const std::vector<int32_t>& values) {
    std::vector<core::InferTensor> tensors;
    tensors.push_back(BatchFixture::Tensor("", std::move(shape), values));
    return tensors;
  }
  core::ModelStatistics Statistics() const { return fixture_.statistics.Read(); }

  BatchFixture fixture_;
};

TEST_F(BatchExecutionTest, ALoneRequestGoesAsItIs) {
  const Running execution{fixture_, fixture_.Request(2, {1, 2, 3, 4})};
  EXPECT_THAT(execution->rows, ElementsAre(2));
  EXPECT_THAT(execution->outputs, ElementsAre(0));
  ASSERT_THAT(execution->inputs, SizeIs(1));
  EXPECT_EQ(execution->inputs[0].shape, (tensor::Shape{2, 2}));
  EXPECT_EQ(execution->inputs[0].pieces[0].data(), execution->request(0).inputs[0].data.data());
  execution->RespondAll({base::OkStatus(), Out({2, 1}, {7, 8})});
  EXPECT_THAT(End(*execution).entries, SizeIs(1));
  EXPECT_TRUE(fixture_.answer(0).status.ok());
  EXPECT_TRUE(fixture_.answer(0).final);
  EXPECT_EQ(fixture_.answer(0).outputs[0].name, "OUT");
  EXPECT_THAT(fixture_.values(0), ElementsAre(7, 8));
}

TEST_F(BatchExecutionTest, ALoneRequestsOwnMemoryIsWrittenByTheEngine) {
  const base::Buffer memory = base::Buffer::Allocate(8);
  auto entry = fixture_.Request(2, {1, 2, 3, 4});
  entry->queued.request->outputs[0].memory = memory;
  const Running execution{fixture_, std::move(entry)};
  EXPECT_EQ(execution->AllocateOutput(0, 8, {}).data(), memory.data());
  EXPECT_EQ(execution->AllocateOutput(0, 4, {}).data(), memory.data());
  EXPECT_NE(execution->AllocateOutput(0, 9, {}).data(), memory.data()) << "it has no room for that";
  EXPECT_NE(execution->AllocateOutput(1, 8, {}).data(), memory.data()) << "another output";
  execution->RespondAll({base::OkStatus(), Out({2, 1}, {7, 8})});
  End(*execution);
}

TEST_F(BatchExecutionTest, MemoryThatIsNotAlignedIsNotForTheEngine) {
  base::Buffer whole = base::Buffer::Allocate(64);
  auto entry = fixture_.Request(2, {1, 2, 3, 4});
  entry->queued.request->outputs[0].memory = base::Buffer::Wrap(whole.data() + 8, 32, [whole] {});
  const Running execution{fixture_, std::move(entry)};
  const base::Buffer memory = execution->AllocateOutput(0, 8, {});
  EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.data()) % base::kBufferAlignment, 0u);
  execution->RespondAll({base::OkStatus(), Out({2, 1}, {7, 8})});
  End(*execution);
}

TEST_F(BatchExecutionTest, OneOfSeveralRequestsDoesNotGetTheBatchsOutputsInItsMemory) {
  const base::Buffer memory = base::Buffer::Allocate(64);
  auto entry = fixture_.Request(1, {1, 2});
  entry->queued.request->outputs[0].memory = memory;
  const Running execution{fixture_, std::move(entry), fixture_.Request(1, {3, 4})};
  EXPECT_NE(execution->AllocateOutput(0, 16, {}).data(), memory.data());
  execution->RespondAll({base::OkStatus(), Out({2, 1}, {7, 8})});
  End(*execution);
}

TEST_F(BatchExecutionTest, SeveralRequestsShareOneCall) {
  const Running execution{fixture_, fixture_.Request(1, {1, 2}), fixture_.Request(2, {3, 4, 5, 6}),
                          fixture_.Request(1, {7, 8})};
  EXPECT_EQ(execution->request_count(), 3u);
  EXPECT_THAT(execution->rows, ElementsAre(1, 2, 1));
  ASSERT_THAT(execution->inputs, SizeIs(1));
  EXPECT_EQ(execution->inputs[0].shape, (tensor::Shape{4, 2}));
  EXPECT_THAT(execution->inputs[0].pieces, SizeIs(3));
  EXPECT_THAT(Gathered(execution->inputs[0]), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));

  std::vector<core::InferTensor> whole = Out({4, 2}, {10, 20, 30, 40, 50, 60, 70, 80});
  const std::byte* memory = whole[0].data.data();
  execution->RespondAll({base::OkStatus(), std::move(whole)});
  EXPECT_THAT(fixture_.values(0), ElementsAre(10, 20));
  EXPECT_THAT(fixture_.values(1), ElementsAre(30, 40, 50, 60));
  EXPECT_THAT(fixture_.values(2), ElementsAre(70, 80));
  EXPECT_EQ(fixture_.answer(1).outputs[0].shape, (tensor::Shape{2, 2}));
  EXPECT_EQ(fixture_.answer(1).id, "1");
  EXPECT_EQ(fixture_.answer(1).outputs[0].data.data(), memory + 8) << "a view, no copy";
  EXPECT_THAT(End(*execution).entries, SizeIs(3));
}

TEST_F(BatchExecutionTest, ABatchIsFilledUpToAnAllowedSize) {
  fixture_.context.allowed_rows = {2, 8};
  const Running execution{fixture_, fixture_.Request(1, {1, 2}), fixture_.Request(2, {3, 4, 5, 6})};
  EXPECT_THAT(execution->rows, ElementsAre(1, 2, 5)) << "one more request, to the engine";
  EXPECT_EQ(execution->inputs[0].shape, (tensor::Shape{8, 2}));
  EXPECT_THAT(Gathered(execution->inputs[0]), ElementsAre(1, 2, 3, 4, 5, 6, 3, 4, 3, 4, 3, 4, 3, 4, 3, 4))
      << "the last request's first row";
  EXPECT_EQ(execution->request(2).id, "1");
  EXPECT_TRUE(execution->IsCancelled(2)) << "no client waits for it";
  EXPECT_TRUE(execution->FillsUp(2));
  EXPECT_FALSE(execution->FillsUp(1));
  EXPECT_FALSE(execution->IsCancelled(1));
  execution->Respond(2, {base::Internal("nobody hears this")});
  execution->RespondAll({base::OkStatus(), Out({8, 1}, {10, 20, 30, 99, 99, 99, 99, 99})});
  EXPECT_THAT(fixture_.values(0), ElementsAre(10));
  EXPECT_THAT(fixture_.values(1), ElementsAre(20, 30));
  EXPECT_EQ(fixture_.answer(1).outputs[0].shape, (tensor::Shape{2, 1}));
  EXPECT_THAT(End(*execution).entries, SizeIs(2));
  EXPECT_EQ(Statistics().inference_count, 3u) << "padding is no inference";
  EXPECT_THAT(fixture_.registry().PrometheusText(),
              HasSubstr("inferd_batch_padding_rows_total{model=\"m\",version=\"1\"} 5\n"));
}

TEST_F(BatchExecutionTest, TensorFlowServingsSeriesCountWhereTheyAreWanted) {
  BatchingSessionMetrics session(fixture_.registry(), "batch_threads");
  fixture_.context.batching_session = &session;
  fixture_.context.allowed_rows = {4};
  const Running execution{fixture_, fixture_.Request(1, {1}), fixture_.Request(2, {3, 4})};
  execution->RespondAll({base::OkStatus(), Out({4, 1}, {1, 2, 3, 4})});
  End(*execution);
  const std::string page = fixture_.registry().PrometheusText();
  EXPECT_THAT(page, HasSubstr("batching_session:input_batch_size_count 2\n"));
  EXPECT_THAT(page, HasSubstr("batching_session:processed_batch_size_sum 4\n"));
  EXPECT_THAT(page, HasSubstr("batching_session:padding_size_sum{execution_batch_size=\"4\"} 1\n"));
}

TEST_F(BatchExecutionTest, ALoneRequestIsFilledUpToo) {
  fixture_.context.allowed_rows = {4};
  const Running execution{fixture_, fixture_.Request(1, {7, 8})};
  EXPECT_THAT(Gathered(execution->inputs[0]), ElementsAre(7, 8, 7, 8, 7, 8, 7, 8));
  execution->RespondAll({base::OkStatus(), Out({4, 1}, {1, 2, 3, 4})});
  EXPECT_THAT(fixture_.values(0), ElementsAre(1));
  End(*execution);
}

TEST_F(BatchExecutionTest, MembersAreAnsweredOneByOneBesidePadding) {
  fixture_.context.allowed_rows = {4};
  const Running execution{fixture_, fixture_.Request(1, {7, 8})};
  execution->Respond(0, {base::OkStatus(), Out({1, 1}, {5})});
  execution->Respond(1, {base::OkStatus(), Out({3, 1}, {5, 5, 5})});
  EXPECT_THAT(fixture_.values(0), ElementsAre(5));
  End(*execution);
}

TEST_F(BatchExecutionTest, ABatchBeyondAllAllowedSizesStaysAsItIs) {
  fixture_.context.allowed_rows = {1, 2};
  const Running execution{fixture_, fixture_.Request(3, {1, 2, 3})};
  EXPECT_THAT(execution->rows, ElementsAre(3));
  execution->RespondAll({base::OkStatus(), Out({3}, {4, 5, 6})});
  EXPECT_THAT(fixture_.values(0), ElementsAre(4, 5, 6));
  End(*execution);
}

TEST_F(BatchExecutionTest, AnEngineThatDropsThePaddingIsWrong) {
  fixture_.context.allowed_rows = {4};
  const Running execution{fixture_, fixture_.Request(1, {7, 8})};
  execution->RespondAll({base::OkStatus(), Out({1, 1}, {5})});
  EXPECT_THAT(fixture_.answer(0).status.message(), HasSubstr("with shape [1,1] for a batch of 4"));
  End(*execution);
}

TEST_F(BatchExecutionTest, AScalarHasTheDimensionsThatWerePromised) {
  const auto shape_of = [this](int64_t max_batch_size, const tensor::Shape& promised, int64_t rows,
                               bool any_shape = false) {
    core::ModelSignature signature = BatchFixture::DefaultSignature();
    signature.max_batch_size = max_batch_size;
    signature.outputs[0].shape = promised;
    signature.outputs[0].any_shape = any_shape;
    BatchFixture fixture(signature);
    const Running execution{fixture, fixture.Request(rows, std::vector<int32_t>(static_cast<size_t>(rows), 1))};
    execution->RespondAll({base::OkStatus(), Out({}, {5})});
    End(*execution);
    return fixture.answer(0).outputs.at(0).shape;
  };
  EXPECT_EQ(shape_of(0, {1}, 1), (tensor::Shape{1}));
  EXPECT_EQ(shape_of(0, {1, -1}, 3), (tensor::Shape{1, 1}));
  EXPECT_EQ(shape_of(0, {2}, 1), tensor::Shape());
  EXPECT_EQ(shape_of(0, {}, 1), tensor::Shape());
  EXPECT_EQ(shape_of(0, {-1}, 1, true), tensor::Shape()) << "a usual shape is no promise";
  EXPECT_EQ(shape_of(64, {-1, 1}, 1), (tensor::Shape{1, 1}));
  EXPECT_EQ(shape_of(64, {-1, 1}, 2), tensor::Shape());
}

// Tests responses that lack some outputs.
class MissingOutputsTest : public BatchExecutionTest {
 protected:
  MissingOutputsTest() : missing_(Signature()) {}
  static core::ModelSignature Signature() {
    core::ModelSignature signature = BatchFixture::DefaultSignature();
    for (core::TensorSpec& output : signature.outputs) output.may_be_missing = true;
    return signature;
  }
  BatchFixture missing_;
};

TEST_F(MissingOutputsTest, WhatTheModelLeftOutIsLeftOut) {
  const Running execution{missing_, missing_.Request(1, {1}, {"TEXT", "OUT"}), missing_.Request(1, {2}, {"TEXT"}),
                          missing_.Request(1, {3}, {})};
  for (size_t i = 0; i < 2; ++i) {
    std::vector<core::InferTensor> outputs = Out({1, 1}, {7});
    outputs.emplace_back();
    execution->Respond(i, {.outputs = std::move(outputs)});
  }
  execution->Respond(2, {.outputs = std::vector<core::InferTensor>(2)});
  End(*execution);
  ASSERT_THAT(missing_.answer(0).outputs, SizeIs(1));
  EXPECT_EQ(missing_.answer(0).outputs[0].name, "OUT");
  EXPECT_THAT(missing_.values(0), ElementsAre(7));
  for (const size_t i : {1, 2}) {
    EXPECT_TRUE(missing_.answer(i).status.ok());
    EXPECT_THAT(missing_.answer(i).outputs, IsEmpty());
  }
}

TEST_F(MissingOutputsTest, ItIsLeftOutOfEachShare) {
  const Running execution{missing_, missing_.Request(1, {1}, {}), missing_.Request(2, {2, 3}, {})};
  std::vector<core::InferTensor> wholes = Out({3, 1}, {7, 8, 9});
  wholes.emplace_back();
  execution->RespondAll({.outputs = std::move(wholes)});
  End(*execution);
  ASSERT_THAT(missing_.answer(1).outputs, SizeIs(1));
  EXPECT_THAT(missing_.values(1), ElementsAre(8, 9));
}

TEST_F(BatchExecutionTest, EachGetsWhatItAskedForInItsOrder) {
  const Running execution{fixture_, fixture_.Request(1, {1}, {"TEXT"}), fixture_.Request(1, {2}, {"TEXT", "OUT"}),
                          fixture_.Request(2, {3, 4}, {"OUT"})};
  EXPECT_THAT(execution->outputs, ElementsAre(0, 1)) << "what any of them wants";
  std::vector<core::InferTensor> whole = Out({4, 1}, {1, 2, 3, 4});
  whole.push_back(BatchFixture::Texts("", {"one", "", "three", "four"}));
  execution->RespondAll({base::OkStatus(), std::move(whole)});
  End(*execution);
  ASSERT_THAT(fixture_.answer(0).outputs, SizeIs(1));
  EXPECT_EQ(fixture_.answer(0).outputs[0].data.view(), support::Packed({"one"}).view());
  ASSERT_THAT(fixture_.answer(1).outputs, SizeIs(2));
  EXPECT_EQ(fixture_.answer(1).outputs[0].name, "TEXT");
  EXPECT_EQ(fixture_.answer(1).outputs[0].data.view(), support::Packed({""}).view());
  EXPECT_EQ(fixture_.answer(1).outputs[1].name, "OUT");
  EXPECT_THAT(fixture_.values(2), ElementsAre(3, 4));
}

TEST_F(BatchExecutionTest, OutputsMayComeByName) {
  const Running execution{fixture_, fixture_.Request(1, {1}, {"OUT", "TEXT"}), fixture_.Request(1, {2}, {"OUT"})};
  std::vector<core::InferTensor> whole;
  whole.push_back(BatchFixture::Texts("TEXT", {"one", "two"}));
  whole.push_back(BatchFixture::Tensor("OUT", {2, 1}, {1, 2}));
  execution->RespondAll({base::OkStatus(), std::move(whole)});
  End(*execution);
  EXPECT_THAT(fixture_.values(0), ElementsAre(1));
  EXPECT_THAT(fixture_.values(1), ElementsAre(2));
}

TEST_F(BatchExecutionTest, TheEngineHasNumbersOfItsOwn) {
  fixture_.context.engine_inputs = {5};
  fixture_.context.engine_outputs = {8, 3};
  const Running execution{fixture_, fixture_.Request(1, {1}, {}), fixture_.Request(1, {2}, {})};
  EXPECT_EQ(execution->inputs[0].index, 5);
  EXPECT_THAT(execution->outputs, ElementsAre(3, 8));
  std::vector<core::InferTensor> whole;
  whole.push_back(BatchFixture::Texts("", {"one", "two"}));
  whole.push_back(BatchFixture::Tensor("", {2, 1}, {1, 2}));
  execution->RespondAll({base::OkStatus(), std::move(whole)});
  End(*execution);
  EXPECT_THAT(fixture_.values(1, 0), ElementsAre(2));
  EXPECT_EQ(fixture_.answer(1).outputs[1].name, "TEXT");
}

TEST_F(BatchExecutionTest, RequestsMayBringTheirInputsInAnyOrder) {
  core::ModelSignature signature = BatchFixture::DefaultSignature();
  signature.inputs.push_back(signature.inputs[0]);
  signature.inputs[1].name = "IN2";
  BatchFixture fixture(signature);
  const auto tensors = [](const char* a, int va, const char* b, int vb) {
    return std::vector<core::InferTensor>{BatchFixture::Tensor(a, {1, 1}, {va}), BatchFixture::Tensor(b, {1, 1}, {vb})};
  };
  const Running execution{fixture, fixture.Request(tensors("IN", 1, "IN2", 2), {"OUT"}),
                          fixture.Request(tensors("IN2", 4, "IN", 3), {"OUT"})};
  EXPECT_THAT(Gathered(execution->inputs[0]), ElementsAre(1, 3));
  EXPECT_THAT(Gathered(execution->inputs[1]), ElementsAre(2, 4));
  End(*execution);
}

TEST_F(BatchExecutionTest, OutputsThatCannotBeSharedAreInternalForAllWhereNoneMayRunAgain) {
  const std::pair<std::vector<core::InferTensor>, const char*> kCases[] = {
      {{}, "the engine returned 0 outputs, expected 1"},
      {Out({3, 1}, {1, 2, 3}), "output 'OUT' with shape [3,1] for a batch of 2"},
      {Out({}, {1}), "with shape [] for a batch of 2"},
      {Out({2, 2}, {1, 2}), "expected 16 bytes"},
      {{BatchFixture::Texts("", {"a", "b"})}, "as BYTES, expected INT32"},
      {{BatchFixture::Tensor("OTHER", {2, 1}, {1, 2})}, "returned no output 'OUT'"},
  };
  for (const auto& [tensors, message] : kCases) {
    BatchFixture fixture;
    const Running execution{fixture, fixture.Request(1, {1}), fixture.Request(1, {2})};
    execution->RespondAll({base::OkStatus(), tensors});
    EXPECT_THAT(End(*execution).retries, IsEmpty());
    for (const size_t i : {0, 1}) {
      EXPECT_EQ(fixture.answer(i).status.code(), StatusCode::kInternal);
      EXPECT_THAT(fixture.answer(i).status.message(), HasSubstr(message));
    }
    EXPECT_EQ(fixture.statistics.failures(core::FailureReason::kBackend), 2u);
    EXPECT_EQ(fixture.statistics.Read().execution_count, 0u);
  }
}

TEST_F(BatchExecutionTest, ParametersOfOneAnswerForAllGoToEach) {
  const core::Parameters parameters = {{"stop", std::string("length")}, {"tokens", int64_t{7}}};
  const Running several{fixture_, fixture_.Request(1, {1}), fixture_.Request(2, {2, 3})};
  several->RespondAll({base::OkStatus(), Out({3, 1}, {1, 2, 3}), parameters});
  End(*several);
  const Running lone{fixture_, fixture_.Request(1, {1})};
  lone->RespondAll({base::OkStatus(), Out({1, 1}, {1}), parameters});
  End(*lone);
  for (const size_t i : {0, 1, 2}) EXPECT_EQ(fixture_.answer(i).parameters, parameters) << i;
}

TEST_F(BatchExecutionTest, ParametersOfOneByOneAnswersGoToTheirRequest) {
  const Running execution{fixture_, fixture_.Request(1, {1}), fixture_.Request(1, {2})};
  execution->Respond(1, {.outputs = Out({1, 1}, {2}), .parameters = {{"p", int64_t{2}}}, .final = false});
  execution->Respond(0, {base::OkStatus(), Out({1, 1}, {1}), {{"p", int64_t{1}}}});
  execution->Respond(1, {.parameters = {{"p", int64_t{3}}}});
  End(*execution);
  EXPECT_EQ(fixture_.answer(0).parameters, (core::Parameters{{"p", int64_t{1}}}));
  ASSERT_THAT(fixture_.answers(1), SizeIs(2));
  EXPECT_EQ(fixture_.answers(1)[0].parameters, (core::Parameters{{"p", int64_t{2}}}));
  EXPECT_TRUE(fixture_.answers(1)[1].status.ok());
  EXPECT_EQ(fixture_.answers(1)[1].parameters, (core::Parameters{{"p", int64_t{3}}}));
}

TEST_F(BatchExecutionTest, AnErrorHasNoParameters) {
  const Running execution{fixture_, fixture_.Request(1, {1}), fixture_.Request(1, {2})};
  execution->Respond(0, {.status = base::Internal("broken"), .parameters = {{"p", true}}});
  execution->Respond(1, {.parameters = {{"p", true}}});  // without its outputs
  End(*execution);
  for (const size_t i : {0, 1}) {
    EXPECT_EQ(fixture_.answer(i).status.code(), StatusCode::kInternal);
    EXPECT_THAT(fixture_.answer(i).parameters, IsEmpty());
  }
}

TEST_F(BatchExecutionTest, MembersMayBeAnsweredOneByOne) {
  const Running execution{fixture_, fixture_.Request(1, {1}), fixture_.Request(1, {2}, {"TEXT"}),
                          fixture_.Request(1, {3})};
  std::vector<core::InferTensor> tensors = Out({1, 1}, {30});
  tensors.push_back(BatchFixture::Texts("", {"x"}));
  execution->Respond(2, {base::OkStatus(), tensors});
  execution->Respond(1, {base::OkStatus(), tensors});
  execution->Respond(1, {base::OkStatus(), tensors});  // again
  execution->Respond(7, {base::OkStatus(), tensors});  // no such request
  End(*execution);
  EXPECT_EQ(fixture_.answer(0).status, base::Internal("the engine finished without an answer"));
  EXPECT_EQ(fixture_.answer(1).outputs.at(0).name, "TEXT");
  EXPECT_THAT(fixture_.values(2), ElementsAre(30));
  EXPECT_EQ(Statistics().execution_count, 1u);
  EXPECT_EQ(Statistics().success.count, 2u);
  EXPECT_EQ(Statistics().fail.count, 1u);
}

TEST_F(BatchExecutionTest, AWholeAnswerAfterOnesOwnIsForTheOthers) {
  const Running execution{fixture_, fixture_.Request(1, {1}), fixture_.Request(1, {2})};
  execution->Respond(0, {base::InvalidArgument("too odd")});
  execution->RespondAll({base::OkStatus(), Out({2, 1}, {1, 2})});
  End(*execution);
  EXPECT_EQ(fixture_.answer(0).status, base::InvalidArgument("too odd"));
  EXPECT_THAT(fixture_.values(1), ElementsAre(2));
}

TEST_F(BatchExecutionTest, AnswersMayComeFromSeveralThreads) {
  constexpr size_t kMembers = 8;
  for (int round = 0; round < 20; ++round) {
    BatchFixture fixture;
    auto execution = std::make_unique<BatchExecution>(fixture.context);
    for (size_t i = 0; i < kMembers; ++i) execution->Add(fixture.Request(1, {static_cast<int>(i)}));
    ASSERT_TRUE(execution->Begin(fixture.clock.NowNs()));
    std::vector<std::thread> threads;
    for (size_t i = 0; i < kMembers; ++i) {
      threads.emplace_back([&, i] {
        execution->MarkInputsReady();
        EXPECT_FALSE(execution->IsCancelled(i));
        execution->MarkInferDone();
        execution->Respond(i, {base::OkStatus(), Out({1, 1}, {static_cast<int>(i) * 10})});
      });
    }
    for (std::thread& thread : threads) thread.join();
    End(*execution);
    for (size_t i = 0; i < kMembers; ++i) EXPECT_THAT(fixture.values(i), ElementsAre(static_cast<int>(i) * 10));
    EXPECT_EQ(fixture.statistics.Read().execution_count, 1u);
  }
}

TEST_F(BatchExecutionTest, AStreamHasAsManyResponsesAsTheEngineLikes) {
  const Running execution{fixture_, fixture_.Request(1, {1})};
  execution->Respond(0, {.outputs = Out({1, 1}, {1}), .final = false});
  execution->Respond(0, {.outputs = Out({1, 1}, {2}), .final = false});
  execution->Respond(0, {base::OkStatus()});
  execution->Respond(0, {.outputs = Out({1, 1}, {3}), .final = false});
  End(*execution);
  ASSERT_THAT(fixture_.answers(0), SizeIs(3));
  EXPECT_FALSE(fixture_.answers(0)[1].final);
  EXPECT_TRUE(fixture_.answers(0)[2].final);
  EXPECT_THAT(fixture_.answers(0)[2].outputs, IsEmpty());
}

TEST_F(BatchExecutionTest, AStreamMayHaveNoResponse) {
  core::ModelSignature signature = BatchFixture::DefaultSignature();
  signature.decoupled = true;
  BatchFixture fixture(signature);
  const Running execution{fixture, fixture.Request(1, {1})};
  execution->Respond(0, {base::OkStatus()});
  End(*execution);
  ASSERT_THAT(fixture.answers(0), SizeIs(1));
  EXPECT_TRUE(fixture.answers(0)[0].status.ok());
  EXPECT_TRUE(fixture.answers(0)[0].final);
  EXPECT_THAT(fixture.answers(0)[0].outputs, IsEmpty());
}

TEST_F(BatchExecutionTest, ResponsesOfAStreamFollowAFailure) {
  core::ModelSignature signature = BatchFixture::DefaultSignature();
  signature.decoupled = true;
  BatchFixture fixture(signature);
  const Running execution{fixture, fixture.Request(1, {1})};
  execution->Respond(0, {.status = base::Internal("bad"), .final = false});
  execution->Respond(0, {.outputs = Out({1, 1}, {3}), .final = false});
  execution->Respond(0, {base::OkStatus()});
  End(*execution);
  ASSERT_THAT(fixture.answers(0), SizeIs(3));
  EXPECT_EQ(fixture.answers(0)[0].status.message(), "bad");
  EXPECT_FALSE(fixture.answers(0)[0].final);
  EXPECT_TRUE(fixture.answers(0)[1].status.ok());
  EXPECT_TRUE(fixture.answers(0)[2].final);
  // One request, with its final response, and three responses.
  const core::ModelStatistics statistics = fixture.statistics.Read();
  EXPECT_EQ(statistics.success.count, 1u);
  EXPECT_EQ(statistics.fail.count, 0u);
  ASSERT_THAT(statistics.responses, SizeIs(3));
  EXPECT_EQ(statistics.responses[0].fail.count, 1u);
  EXPECT_EQ(statistics.responses[1].success.count, 1u);
}

TEST_F(BatchExecutionTest, AStreamEndsWithAResponseThatCannotBeSent) {
  core::ModelSignature signature = BatchFixture::DefaultSignature();
  signature.decoupled = true;
  BatchFixture fixture(signature);
  const Running execution{fixture, fixture.Request(1, {1})};
  execution->Respond(0, {.outputs = {}, .final = false});
  execution->Respond(0, {.outputs = Out({1, 1}, {3}), .final = true});
  End(*execution);
  EXPECT_EQ(fixture.answer(0).status.code(), base::StatusCode::kInternal);
  EXPECT_TRUE(fixture.answer(0).final);
}

TEST_F(BatchExecutionTest, AStreamThatNobodyWaitsForEndsWithItsFirstFailure) {
  core::ModelSignature signature = BatchFixture::DefaultSignature();
  signature.decoupled = true;
  BatchFixture fixture(signature);
  auto request = fixture.Request(1, {1});
  request->queued.request->cancel = std::make_shared<core::CancelFlag>();
  request->queued.request->cancel->Cancel();
  const Running execution{fixture, std::move(request)};
  execution->Respond(0, {.status = base::Cancelled("given up"), .final = false});
  execution->Respond(0, {.outputs = Out({1, 1}, {3}), .final = false});
  End(*execution);
  EXPECT_EQ(fixture.answer(0).status.code(), base::StatusCode::kCancelled);
  EXPECT_TRUE(fixture.answer(0).final);
}

TEST_F(BatchExecutionTest, CountsTheResponsesOfAStreamByTheirPlace) {
  core::ModelSignature signature = BatchFixture::DefaultSignature();
  signature.decoupled = true;
  BatchFixture fixture(signature);
  const Running execution{fixture, fixture.Request(1, {1})};
  for (const int64_t ms : {2, 3}) {
    fixture.clock.AdvanceMs(ms);
    execution->Respond(0, {.outputs = Out({1, 1}, {1}), .final = false});
  }
  fixture.clock.AdvanceMs(4);
  execution->Respond(0, {base::OkStatus()});
  End(*execution);
  const auto responses = fixture.statistics.Read().responses;
  ASSERT_THAT(responses, SizeIs(3));
  EXPECT_EQ(responses[0].success.ns, 2'000'000u);
  EXPECT_EQ(responses[1].success.ns, 3'000'000u);
  EXPECT_EQ(responses[1].success.count, 1u);
  EXPECT_EQ(responses[2].success.count, 0u);
  EXPECT_EQ(responses[2].empty.ns, 4'000'000u);
  EXPECT_THAT(Statistics().responses, IsEmpty());
}

TEST_F(BatchExecutionTest, CountsRequestsByOneAndExecutionsByAll) {
  auto first = fixture_.Request(1, {1});
  fixture_.clock.AdvanceMs(1);
  auto second = fixture_.Request(3, {2, 3, 4});
  fixture_.clock.AdvanceMs(1);
  const Running execution{fixture_, std::move(first), std::move(second)};
  EXPECT_EQ(execution->row_count(), 4);
  fixture_.clock.AdvanceMs(2);
  execution->MarkInputsReady();
  fixture_.clock.AdvanceMs(4);
  execution->MarkInferDone();
  fixture_.clock.AdvanceMs(8);
  execution->RespondAll({base::OkStatus(), Out({4, 1}, {1, 2, 3, 4})});
  End(*execution);
  const core::ModelStatistics statistics = Statistics();
  EXPECT_EQ(statistics.execution_count, 1u);
  EXPECT_EQ(statistics.inference_count, 4u);
  EXPECT_EQ(statistics.success.count, 2u);
  EXPECT_EQ(statistics.success.ns, 31'000'000u);
  EXPECT_EQ(statistics.queue.ns, 3'000'000u);
  EXPECT_EQ(statistics.compute_input.ns, 4'000'000u);
  EXPECT_EQ(statistics.compute_infer.ns, 8'000'000u);
  EXPECT_EQ(statistics.compute_output.ns, 16'000'000u);
  EXPECT_THAT(fixture_.registry().PrometheusText(),
              HasSubstr("inferd_inference_batch_size_sum{model=\"m\",version=\"1\"} 4\n"));
}

// A split request counts once; its executions and rows count as they are.
TEST_F(BatchExecutionTest, PartsOfARequestAreCountedAsOne) {
  for (const bool ok : {true, false}) {
    BatchFixture fixture;
    const auto tally = std::make_shared<core::PartTally>(2);
    for (int part = 0; part < 2; ++part) {
      auto request = fixture.Request(2, {1, 2});
      request->queued.parts = tally;
      const Running execution{fixture, std::move(request)};
      execution->RespondAll({ok ? base::OkStatus() : base::Internal("broken"), ok ? Out({2, 1}, {1, 2}) : Out({}, {})});
      End(*execution);
    }
    const core::ModelStatistics statistics = fixture.statistics.Read();
    EXPECT_EQ(statistics.success.count, ok ? 1u : 0u);
    EXPECT_EQ(statistics.fail.count, ok ? 0u : 1u);
    EXPECT_EQ(statistics.execution_count, ok ? 2u : 0u);
    EXPECT_EQ(statistics.inference_count, ok ? 4u : 0u);
  }
}

TEST_F(BatchExecutionTest, WarmUpsAreNotCounted) {
  auto request = fixture_.Request(1, {1});
  request->queued.warmup = true;
  const Running execution{fixture_, std::move(request)};
  execution->RespondAll({base::OkStatus(), Out({1, 1}, {1})});
  End(*execution);
  EXPECT_EQ(Statistics().success.count, 0u);
  EXPECT_EQ(Statistics().execution_count, 0u);
}

TEST_F(BatchExecutionTest, CancelAndDeadlineAreEachMembersOwn) {
  auto cancelled = fixture_.Request(1, {1});
  cancelled->queued.request->cancel = std::make_shared<core::CancelFlag>();
  const auto flag = cancelled->queued.request->cancel;
  auto late = fixture_.Request(1, {2});
  late->queued.request->deadline_ns = fixture_.clock.NowNs() + 1'000'000;
  const Running execution{fixture_, std::move(cancelled), std::move(late), fixture_.Request(1, {3})};
  EXPECT_FALSE(execution->IsCancelled(0));
  EXPECT_FALSE(execution->IsCancelled(1));
  flag->Cancel();
  fixture_.clock.AdvanceMs(1);
  EXPECT_TRUE(execution->IsCancelled(0));
  EXPECT_TRUE(execution->IsCancelled(1));
  EXPECT_FALSE(execution->IsCancelled(2));
  execution->RespondAll({base::Cancelled("told to stop")});
  End(*execution);
  EXPECT_EQ(fixture_.answer(0).status.code(), StatusCode::kCancelled);
  EXPECT_EQ(fixture_.answer(1).status.code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(fixture_.answer(2).status.code(), StatusCode::kCancelled);
  EXPECT_EQ(fixture_.statistics.failures(core::FailureReason::kCanceled), 3u);
}

TEST_F(BatchExecutionTest, OnlyWhatIsMisalignedIsCopied) {
  fixture_.context.input_alignments = {64};
  auto odd = fixture_.Request(1, {1});
  odd->queued.request->inputs[0].data = support::SliceOf<int32_t>({0, 2}).Sub(4, 4);
  const Running execution{fixture_, fixture_.Request(1, {1}), std::move(odd)};
  EXPECT_THAT(Gathered(execution->inputs[0]), ElementsAre(1, 2));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(execution->inputs[0].pieces[1].data()) % 64, 0u);
  EXPECT_EQ(fixture_.statistics.input_copies(), 1u);
  End(*execution);
}

TEST_F(BatchExecutionTest, WhatIsGatheredLaterIsNotCopiedBefore) {
  fixture_.context.input_alignments = {64};
  fixture_.context.one_piece_inputs = {true};
  auto odd = fixture_.Request(1, {1});
  const base::BufferSlice data = support::SliceOf<int32_t>({0, 2}).Sub(4, 4);
  odd->queued.request->inputs[0].data = data;
  const Running execution{fixture_, fixture_.Request(1, {1}), std::move(odd)};
  EXPECT_EQ(execution->inputs[0].pieces[1].data(), data.data());
  EXPECT_EQ(fixture_.statistics.input_copies(), 1u) << "the gathered one";
  End(*execution);
}

// An engine that doubles IN row by row and writes it as text, for batches of all kinds of members, one after another in
// one execution object.
TEST_F(BatchExecutionTest, AnswersAreNeverMixed) {
  const auto seed = static_cast<unsigned>(std::random_device{}());
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const std::vector<std::vector<std::string>> kWishes = {{"OUT"}, {"TEXT"}, {"OUT", "TEXT"}, {"TEXT", "OUT"}};
  BatchExecution execution(fixture_.context);
  size_t request = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<std::vector<int32_t>> asked(1 + random() % 9);
    std::vector<size_t> wishes;
    for (std::vector<int32_t>& rows : asked) {
      for (size_t n = 1 + random() % 4; n > 0; --n) rows.push_back(static_cast<int32_t>(random() % 100'000));
      wishes.push_back(random() % kWishes.size());
      execution.Add(fixture_.Request(static_cast<int64_t>(rows.size()), rows, kWishes[wishes.back()]));
    }
    ASSERT_TRUE(execution.Begin(fixture_.clock.NowNs()));
    std::vector<int32_t> doubled = Gathered(execution.inputs[0]);
    std::vector<std::string> texts;
    for (int32_t& number : doubled) texts.push_back(std::to_string(number *= 2));
    std::vector<core::InferTensor> whole;
    for (const int output : execution.outputs) {
      whole.push_back(output == 0 ? BatchFixture::Tensor("", {execution.row_count(), 1}, doubled)
                                  : BatchFixture::Texts("", texts));
    }
    execution.RespondAll({base::OkStatus(), std::move(whole)});
    End(execution);
    for (size_t i = 0; i < asked.size(); ++i, ++request) {
      std::vector<std::string> expected;
      for (int32_t& number : asked[i]) expected.push_back(std::to_string(number *= 2));
      for (const core::InferTensor& output : fixture_.answer(request).outputs) {
        EXPECT_EQ(output.data.view(),
                  output.name == "OUT" ? support::SliceOf(asked[i]).view() : support::Packed(expected).view());
        EXPECT_EQ(output.shape[0], static_cast<int64_t>(asked[i].size()));
      }
      EXPECT_THAT(fixture_.answer(request).outputs, SizeIs(kWishes[wishes[i]].size()));
    }
  }
}

TEST_F(BatchExecutionTest, IsUsedAgain) {
  const auto execution = std::make_unique<BatchExecution>(fixture_.context);
  for (int members = 3; members > 0; --members) {
    BatchFixture fixture;
    for (int i = 0; i < members; ++i) execution->Add(fixture.Request(1, {i}));
    ASSERT_TRUE(execution->Begin(fixture_.clock.NowNs()));
    std::vector<int32_t> all(static_cast<size_t>(members), members);
    execution->RespondAll({base::OkStatus(), Out({members, 1}, all)});
    BatchExecution::Remains remains = End(*execution);
    ASSERT_THAT(remains.entries, SizeIs(members));
    EXPECT_EQ(remains.entries[0]->queued.request, nullptr);
    EXPECT_THAT(fixture.values(0), ElementsAre(members));
    EXPECT_EQ(execution->member_count(), 0u);
  }
}

TEST_F(BatchExecutionTest, MembersThatCannotBeLaidOutTogetherRunApart) {
  core::ModelSignature signature = BatchFixture::DefaultSignature();
  signature.inputs.push_back(signature.inputs[0]);
  signature.inputs[1].name = "IN2";
  signature.inputs[1].optional = true;
  BatchFixture fixture(signature);
  BatchExecution execution(fixture.context);
  execution.Add(fixture.Request(1, {1}));
  execution.Add(fixture.Request({BatchFixture::Tensor("IN2", {1, 1}, {1}), BatchFixture::Tensor("IN", {1, 1}, {1})}));
  EXPECT_FALSE(execution.Begin(fixture.clock.NowNs()));
  EXPECT_TRUE(execution.Finished());
  BatchExecution::Remains remains;
  execution.Clear(remains);
  ASSERT_THAT(remains.retries, SizeIs(2));
  EXPECT_TRUE(remains.retries[0]->alone);
  for (auto& entry : remains.retries) entry->queued.Fail(base::OkStatus());
}

// The engine's own thread finishes it after Execute() has returned.
TEST_F(BatchExecutionTest, OneThatWasLeftIsGivenToItsCallbackWhenTheEngineHasFinished) {
  BatchExecution* execution = Running{fixture_, fixture_.Request(1, {1})}.release();
  EXPECT_FALSE(execution->Finished());
  std::unique_ptr<BatchExecution> finished;
  EXPECT_TRUE(execution->Leave([&](std::unique_ptr<BatchExecution> it) { finished = std::move(it); }));
  execution->RespondAll({base::OkStatus(), Out({1, 1}, {1})});
  EXPECT_EQ(finished, nullptr);
  std::thread([execution] { execution->Finish(); }).join();
  ASSERT_EQ(finished.get(), execution);
  EXPECT_TRUE(finished->Finished());
  EXPECT_TRUE(fixture_.answer(0).status.ok());
}

TEST_F(BatchExecutionTest, AFinishedOneCannotBeLeft) {
  const Running execution{fixture_, fixture_.Request(1, {1})};
  execution->Finish();
  EXPECT_FALSE(execution->Leave([](std::unique_ptr<BatchExecution>) { FAIL(); }));
  BatchExecution::Remains remains;
  execution->Clear(remains);
  EXPECT_THAT(remains.entries, SizeIs(1));
}

class BatchRetryTest : public BatchExecutionTest {
 protected:
  BatchRetryTest() {
    fixture_.context.retries_members = true;
    fixture_.context.sharing = &sharing_;
  }

  std::unique_ptr<base::Logger> logger_ = base::Logger::Silent();
  SharingLimit sharing_{{"m", 1}, *logger_};
};

TEST_F(BatchRetryTest, AFailedBatchsMembersAreLeftToBeRunAlone) {
  const Running execution{fixture_, fixture_.Request(1, {1}), fixture_.Request(1, {2})};
  execution->RespondAll({base::InvalidArgument("index out of range")});
  execution->Respond(0, {base::OkStatus(), Out({1, 1}, {1})});  // too late
  BatchExecution::Remains remains = End(*execution);
  ASSERT_THAT(remains.retries, SizeIs(2));
  EXPECT_THAT(remains.entries, IsEmpty());
  EXPECT_THAT(fixture_.answers(0), IsEmpty());
  EXPECT_EQ(Statistics().fail.count, 0u);

  EXPECT_TRUE(remains.retries[0]->alone);
  const Running good{fixture_, std::move(remains.retries[0])};
  good->RespondAll({base::OkStatus(), Out({1, 1}, {1})});
  EXPECT_THAT(End(*good).entries, SizeIs(1));
  const Running bad{fixture_, std::move(remains.retries[1])};
  bad->RespondAll({base::InvalidArgument("index out of range")});
  EXPECT_THAT(End(*bad).retries, IsEmpty());
  EXPECT_TRUE(fixture_.answer(0).status.ok());
  EXPECT_EQ(fixture_.answer(1).status, base::InvalidArgument("index out of range"));
}

TEST_F(BatchRetryTest, NotWithoutTheModelsWord) {
  fixture_.context.retries_members = false;
  const Running execution{fixture_, fixture_.Request(1, {1}), fixture_.Request(1, {2})};
  execution->RespondAll({base::InvalidArgument("index out of range")});
  EXPECT_THAT(End(*execution).retries, IsEmpty());
  EXPECT_EQ(fixture_.answer(1).status.code(), StatusCode::kInvalidArgument);
}

TEST_F(BatchRetryTest, NeverAfterTheEngineWasLost) {
  const Running execution{fixture_, fixture_.Request(1, {1}), fixture_.Request(1, {2})};
  execution->RespondAll({base::Unavailable("the worker has crashed")});
  EXPECT_THAT(End(*execution).retries, IsEmpty());
  EXPECT_EQ(fixture_.answer(0).status.code(), StatusCode::kUnavailable);
}

TEST_F(BatchRetryTest, OutputsWithoutTheBatchsRowsStopItsSharing) {
  const Running execution{fixture_, fixture_.Request(1, {1}), fixture_.Request(1, {2})};
  execution->RespondAll({base::OkStatus(), Out({1, 1}, {2})});
  BatchExecution::Remains remains = End(*execution);
  ASSERT_THAT(remains.retries, SizeIs(2));
  EXPECT_EQ(sharing_.Report().stopped, "the engine returned output 'OUT' with shape [1,1] for a batch of 2");
  const Running none{fixture_, std::move(remains.retries[0])};
  none->RespondAll({base::OkStatus(), Out({0, 1}, {})});
  End(*none);
  const Running one{fixture_, std::move(remains.retries[1])};
  one->RespondAll({base::OkStatus(), Out({1, 1}, {2})});
  End(*one);
  EXPECT_EQ(fixture_.answer(0).outputs[0].shape, (tensor::Shape{0, 1})) << "what the model says of that request alone";
  EXPECT_THAT(fixture_.values(1), ElementsAre(2));
}

TEST_F(BatchRetryTest, WhatIsMissingOrOfAnotherTypeIsNoQuestionOfRows) {
  const Running execution{fixture_, fixture_.Request(1, {1}), fixture_.Request(1, {2})};
  execution->RespondAll({base::OkStatus(), {BatchFixture::Texts("", {"a", "b"})}});
  BatchExecution::Remains remains = End(*execution);
  EXPECT_THAT(remains.retries, SizeIs(2));
  EXPECT_FALSE(sharing_.stopped());
  for (auto& entry : remains.retries) entry->queued.Fail(base::OkStatus());
}

TEST_F(BatchRetryTest, WhereRowsThatFillItUpSpoilALoneRequestItRunsWithoutThem) {
  fixture_.context.allowed_rows = {4};
  const Running execution{fixture_, fixture_.Request(2, {1, 2})};
  execution->RespondAll({base::OkStatus(), Out({3, 1}, {1, 2, 1})});
  BatchExecution::Remains remains = End(*execution);
  ASSERT_THAT(remains.retries, SizeIs(1));
  const Running again{fixture_, std::move(remains.retries[0])};
  EXPECT_THAT(again->rows, ElementsAre(2));
  again->RespondAll({base::OkStatus(), Out({1, 1}, {1})});
  EXPECT_THAT(End(*again).retries, IsEmpty());
  EXPECT_THAT(fixture_.values(0), ElementsAre(1));
}

TEST_F(BatchRetryTest, TellsWhoIsToBlame) {
  const Running execution{fixture_, fixture_.Request(1, {1}), fixture_.Request(1, {2})};
  execution->RespondAll({base::InvalidArgument("index out of range")});
  BatchExecution::Remains remains = End(*execution);
  ASSERT_THAT(remains.retries, SizeIs(2));
  EXPECT_EQ(sharing_.Report().failed, 1u);
  EXPECT_EQ(sharing_.Report().repeated, 2u);
  EXPECT_NE(remains.retries[0]->repeated, nullptr);
  EXPECT_EQ(remains.retries[0]->repeated, remains.retries[1]->repeated);
  const auto batch = remains.retries[0]->repeated;
  const Running bad{fixture_, std::move(remains.retries[0])};
  bad->RespondAll({base::InvalidArgument("index out of range")});
  End(*bad);
  EXPECT_FALSE(batch->RecordFailure()) << "it was told already";
  remains.retries[1]->queued.Fail(base::OkStatus());
}

TEST_F(BatchRetryTest, NeverAfterAnAnswerAndNeverForNobody) {
  auto cancelled = fixture_.Request(1, {2});
  cancelled->queued.request->cancel = std::make_shared<core::CancelFlag>();
  cancelled->queued.request->cancel->Cancel();
  const Running execution{fixture_, std::move(cancelled), fixture_.Request(1, {3}), fixture_.Request(1, {4}),
                          fixture_.Request(1, {5})};
  execution->Respond(1, {base::OkStatus(), Out({1, 1}, {3})});
  execution->Respond(2, {.outputs = Out({1, 1}, {4}), .final = false});
  execution->RespondAll({base::Internal("broken")});
  BatchExecution::Remains remains = End(*execution);
  ASSERT_THAT(remains.retries, SizeIs(1));
  EXPECT_EQ(fixture_.answer(0).status.code(), StatusCode::kCancelled) << "it has failed for its own reason";
  EXPECT_TRUE(fixture_.answer(1).status.ok());
  EXPECT_THAT(fixture_.answers(2), SizeIs(2)) << "a part of its answer is gone already";
  EXPECT_THAT(fixture_.answers(3), IsEmpty());
  remains.retries[0]->queued.Fail(base::OkStatus());
}

TEST_F(BatchRetryTest, NotIfEachFailedByItself) {
  const Running execution{fixture_, fixture_.Request(1, {1}), fixture_.Request(1, {2})};
  execution->Respond(0, {base::InvalidArgument("no")});
  execution->Respond(1, {base::InvalidArgument("no")});
  EXPECT_THAT(End(*execution).retries, IsEmpty());
}

TEST_F(BatchRetryTest, AreLeftOfAnExecutionThatFinishesLater) {
  BatchExecution* execution = Running{fixture_, fixture_.Request(1, {1}), fixture_.Request(1, {2})}.release();
  BatchExecution::Remains remains;
  EXPECT_TRUE(execution->Leave([&](std::unique_ptr<BatchExecution> it) { it->Clear(remains); }));
  execution->Respond(0, {base::OkStatus(), Out({1, 1}, {1})});
  execution->RespondAll({base::Internal("broken")});
  execution->Finish();
  ASSERT_THAT(remains.retries, SizeIs(1));
  EXPECT_TRUE(remains.retries[0]->alone);
  remains.retries[0]->queued.Fail(base::OkStatus());
}

}  // namespace
}  // namespace inferd::scheduling
