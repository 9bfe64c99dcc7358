// Tests what an engine can do to a batch. plugin_engine_test.cc tests a real library.
#include "serving/enginehost/batch/batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <thread>

#include "serving/core/request/response_flow.h"
#include "serving/enginehost/guard/division_guard.h"
#include "serving/enginehost/plugin_model.h"
#include "tests/support/recording_execution.h"
#include "tests/support/stub_engine.h"
#include "tests/support/temp_dir.h"

namespace inferd::enginehost {
namespace {

using inferd::support::RecordingExecution;
using inferd::support::SliceOf;
using inferd::support::StubEngine;
using inferd::support::ValuesOf;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A model without inputs and with one output OUT, INT32 [-1].
class BatchTest : public ::testing::Test {
 protected:
  explicit BatchTest(int32_t datatype = INFERD_TYPE_INT32, bool decoupled = false) {
    inferd_tensor_spec spec = {};
    spec.name = {"OUT", 3};
    spec.datatype = datatype;
    spec.shape = kAny;
    spec.rank = 1;
    engine_.Add(spec, &engine_.outputs);
    engine_.signature.decoupled = decoupled ? 1 : 0;
  }

  void Execute(core::Execution* execution) {
    execution->outputs = {0};
    auto model = engine_.Take();
    ASSERT_TRUE(model);
    PluginInstance instance(*model, InstanceSeat());
    instance.Execute(*execution);
  }

  // Responds with `count` numbers at `data`.
  void Respond(const inferd_batch& batch, size_t request, const void* data, int64_t count, bool final = true,
               std::function<void(inferd_output*)> change = {}) {
    inferd_output output = {};
    output.struct_size = sizeof(output);
    output.datatype = INFERD_TYPE_INT32;
    output.shape = &count;
    output.rank = 1;
    output.memory = {data, static_cast<size_t>(count) * sizeof(int32_t), INFERD_MEMORY_CPU, 0};
    if (change) change(&output);
    const inferd_output* list[] = {&output};
    inferd_response response = {};
    response.struct_size = sizeof(response);
    response.outputs = list;
    response.output_count = 1;
    response.final = final ? 1 : 0;
    engine_.host.respond(&batch, request, &response);
  }

  static constexpr int64_t kAny[] = {-1};
  static constexpr int32_t kNumbers[] = {1, 2, 3};
  StubEngine engine_;
};

class DecoupledBatchTest : public BatchTest {
 protected:
  DecoupledBatchTest() : BatchTest(INFERD_TYPE_INT32, true) {}
};

TEST_F(BatchTest, RequestsAreAnsweredEachInItsOwnTime) {
  engine_.execute = [&](const inferd_batch& batch, inferd_error*) {
    EXPECT_EQ(batch.request_count, 2u);
    EXPECT_EQ(batch.rows[1], 1);
    Respond(batch, 1, kNumbers, 2);
    Respond(batch, 0, kNumbers, 1);
    return INFERD_FINISHED;
  };
  RecordingExecution execution(2);
  Execute(&execution);
  EXPECT_EQ(execution.finished(), 1);
  EXPECT_THAT(ValuesOf<int32_t>(execution.responses(0).at(0).outputs[0].data), ElementsAre(1));
  EXPECT_THAT(ValuesOf<int32_t>(execution.responses(1).at(0).outputs[0].data), ElementsAre(1, 2));
  EXPECT_EQ(engine_.opened.copies.outputs, 2u);
}

TEST_F(BatchTest, RequestsWithoutAnswerGetOne) {
  engine_.execute = [&](const inferd_batch& batch, inferd_error*) {
    Respond(batch, 1, kNumbers, 1);
    Respond(batch, 7, kNumbers, 1);  // there is no such request
    return INFERD_FINISHED;
  };
  RecordingExecution execution(2);
  Execute(&execution);
  EXPECT_EQ(execution.responses(0).at(0).status, base::Internal("engine 'stub' finished without answering"));
  EXPECT_TRUE(execution.responses(1).at(0).status.ok());
}

TEST_F(BatchTest, EveryReleaseRunsOnceWhateverBecomesOfTheResponse) {
  int released = 0;
  const auto own = [&released](inferd_output* output) {
    output->release = [](void* count) { ++*static_cast<int*>(count); };
    output->release_arg = &released;
  };
  engine_.execute = [&](const inferd_batch& batch, inferd_error*) {
    Respond(batch, 0, kNumbers, 1, true, own);  // taken
    Respond(batch, 0, kNumbers, 1, true, own);  // a second answer
    Respond(batch, 9, kNumbers, 1, true, own);  // no such request
    Respond(batch, 1, kNumbers, 1, true, [&](inferd_output* output) {
      own(output);
      output->index = 5;  // no such output
    });
    return INFERD_FINISHED;
  };
  {
    RecordingExecution execution(2);
    Execute(&execution);
    EXPECT_EQ(released, 3);
    EXPECT_EQ(engine_.unloads, 0);  // the first answer's memory is still in use
    EXPECT_THAT(execution.responses(1).at(0).status.message(), HasSubstr("an output 5, which it does not have"));
  }
  EXPECT_EQ(released, 4);
  EXPECT_EQ(engine_.unloads, 1);
}

TEST_F(BatchTest, WhatGoesNowhereIsNotCopied) {
  engine_.execute = [&](const inferd_batch& batch, inferd_error*) {
    Respond(batch, 0, kNumbers, 1);
    Respond(batch, 0, kNumbers, 1);  // a second answer
    Respond(batch, 9, kNumbers, 1);  // no such request
    return INFERD_FINISHED;
  };
  RecordingExecution execution(1);
  Execute(&execution);
  EXPECT_EQ(engine_.opened.copies.outputs, 1u);
}

TEST_F(BatchTest, ADivisionBesideATakenResponseIsNoneOfIts) {
  inferd_tensor_spec unwanted = *engine_.outputs[0];
  unwanted.name = {"ELSE", 4};
  engine_.Add(unwanted, &engine_.outputs);
  engine_.execute = [&](const inferd_batch& batch, inferd_error*) {
    const DivisionScope shares_threads(DivisionScope::Threads::kPool);
    const int64_t count = 1;
    inferd_output outputs[2] = {};
    for (inferd_output& output : outputs) {
      output.struct_size = sizeof(output);
      output.datatype = INFERD_TYPE_INT32;
      output.shape = &count;
      output.rank = 1;
      output.memory = {kNumbers, sizeof(int32_t), INFERD_MEMORY_CPU, 0};
    }
    // Releases run while the response is taken. Another execution makes a refused division at that time.
    outputs[1].index = 1;
    outputs[1].release = [](void*) { std::thread([] { EXPECT_TRUE(DivisionScope::Tell()); }).join(); };
    const inferd_output* list[] = {&outputs[0], &outputs[1]};
    inferd_response response = {};
    response.struct_size = sizeof(response);
    response.outputs = list;
    response.output_count = 2;
    response.final = 1;
    engine_.host.respond(&batch, 0, &response);
    return INFERD_FINISHED;
  };
  RecordingExecution execution(1);
  Execute(&execution);
  EXPECT_EQ(execution.responses(0).at(0).status, base::OkStatus());
}

TEST_F(BatchTest, RefusesOutputsThatCannotBe) {
  const std::pair<std::function<void(inferd_output*)>, const char*> kCases[] = {
      {[](inferd_output* o) { o->datatype = INFERD_TYPE_FP32; }, "with datatype FP32 (float32), not INT32"},
      {[](inferd_output* o) { o->datatype = INFERD_TYPE_BF16; }, "with datatype BF16 (bfloat16), not INT32"},
      {[](inferd_output* o) { o->datatype = 99; }, "with datatype that is none (99), not INT32"},
      {[](inferd_output* o) { o->rank = 20'000; }, "with 20000 dimensions; at most 32 can be answered"},
      {[](inferd_output* o) { o->shape = nullptr; }, "without a usable shape"},
      {[](inferd_output* o) { o->memory.kind = INFERD_MEMORY_GPU; }, "memory that the server cannot read"},
      {[](inferd_output* o) { o->memory.data = nullptr; }, "memory that the server cannot read"},
      {[](inferd_output* o) { o->memory.size = 3; }, "expected 12 bytes"},
  };
  for (const auto& [change, message] : kCases) {
    engine_.execute = [&](const inferd_batch& batch, inferd_error*) {
      Respond(batch, 0, kNumbers, 3, true, change);
      return INFERD_FINISHED;
    };
    RecordingExecution execution;
    Execute(&execution);
    EXPECT_EQ(execution.responses().at(0).status.code(), base::StatusCode::kInternal);
    EXPECT_THAT(execution.responses().at(0).status.message(), HasSubstr(message));
  }
}

TEST_F(BatchTest, AnotherShapeThanAHintIsAnsweredWithOneWarning) {
  const support::TempDir dir;
  const auto logger = base::Logger::Create({.file = dir.path() / "log"}).value();
  engine_.opened.logger = logger.get();
  static constexpr int64_t kDeclared[] = {8};
  engine_.specs[0]->shape = kDeclared;
  engine_.execute = [&](const inferd_batch& batch, inferd_error*) {
    Respond(batch, 0, kNumbers, 3);
    return INFERD_FINISHED;
  };
  RecordingExecution strict;
  Execute(&strict);
  EXPECT_THAT(strict.responses().at(0).status.message(), HasSubstr("with shape [3], which is not [8]"));

  engine_.specs[0]->shape_is_hint = 1;
  auto model = engine_.Take().value();
  PluginInstance instance(model, InstanceSeat());
  for (int i = 0; i < 3; ++i) {
    RecordingExecution execution;
    execution.outputs = {0};
    instance.Execute(execution);
    ASSERT_TRUE(execution.responses().at(0).status.ok()) << execution.responses()[0].status.ToString();
    EXPECT_EQ(execution.output(0).shape, (tensor::Shape{3}));
  }
  std::ifstream file(dir.path() / "log");
  const std::string log(std::istreambuf_iterator<char>(file), {});
  EXPECT_EQ(std::ranges::count(log, '\n'), 1) << log;
  EXPECT_THAT(log, AllOf(HasSubstr("another shape"), HasSubstr("OUT"), HasSubstr("[8]"), HasSubstr("[3]")));
}

// OUT may be missing, or differ from its spec.
class FreeOutputTest : public BatchTest {
 protected:
  explicit FreeOutputTest(int32_t may_be_missing = 1, int32_t unchecked = 1) {
    inferd_tensor_spec spec = {};
    spec.name = {"FREE", 4};
    spec.datatype = INFERD_TYPE_INT32;
    spec.shape = kAny;
    spec.rank = 1;
    spec.may_be_missing = may_be_missing;
    spec.unchecked = unchecked;
    engine_.Add(spec, &engine_.outputs);
  }

  RecordingExecution::Response Answer(std::function<void(inferd_output*)> change) {
    engine_.execute = [&](const inferd_batch& batch, inferd_error*) {
      Respond(batch, 0, kNumbers, 2, true, change);
      return INFERD_FINISHED;
    };
    RecordingExecution execution;
    execution.outputs = {0, 1};
    auto model = engine_.Take();
    PluginInstance(*model, InstanceSeat()).Execute(execution);
    return execution.responses().at(0);
  }
};

TEST_F(FreeOutputTest, AnOutputMayBeMissingIfItsSpecSaysSo) {
  const RecordingExecution::Response answer = Answer({});
  EXPECT_EQ(answer.status, base::OkStatus());
  ASSERT_EQ(answer.outputs.size(), 2u);
  EXPECT_EQ(answer.outputs[0].datatype, tensor::DataType::kInt32);
  EXPECT_EQ(answer.outputs[1].datatype, tensor::DataType::kInvalid) << "left out";
  EXPECT_THAT(Answer([](inferd_output* o) { o->index = 1; }).status.message(),
              HasSubstr("answered without output 'OUT'"));
}

TEST_F(FreeOutputTest, AnUncheckedOutputMayBeOfAnyDatatypeAndShape) {
  static constexpr int64_t kOne[] = {1, 1, 1};
  const RecordingExecution::Response answer = Answer([](inferd_output* o) {
    o->index = 1;
    o->datatype = INFERD_TYPE_INT64;
    o->shape = kOne;
    o->rank = 3;
  });
  EXPECT_THAT(answer.status.message(), HasSubstr("without output 'OUT'")) << "nothing is wrong with FREE";
  EXPECT_THAT(Answer([](inferd_output* o) { o->index = 1, o->datatype = INFERD_TYPE_FP16; }).status.message(),
              HasSubstr("expected 4 bytes"));
  EXPECT_THAT(Answer([](inferd_output* o) { o->index = 1, o->datatype = 99; }).status.message(),
              HasSubstr("with datatype that is none (99)"));
}

TEST_F(BatchTest, WhatIsForAllGoesToAll) {
  engine_.execute = [&](const inferd_batch& batch, inferd_error*) {
    Respond(batch, INFERD_ALL_REQUESTS, kNumbers, 3);
    return INFERD_FINISHED;
  };
  RecordingExecution execution(3);
  Execute(&execution);
  EXPECT_TRUE(execution.responses(0).at(0).whole_batch);
  EXPECT_TRUE(execution.responses(2).at(0).whole_batch);
}

// The scheduler splits a failed batch, so it must see that the batch failed as a whole.
TEST_F(BatchTest, AFailureOfTheBatchIsOneForAllThatWait) {
  engine_.execute = [&](const inferd_batch& batch, inferd_error* error) {
    Respond(batch, 1, kNumbers, 1);
    engine_.host.set_error(error, INFERD_INVALID_ARGUMENT, {"odd", 3});
    return INFERD_FAILED;
  };
  RecordingExecution execution(3);
  Execute(&execution);
  EXPECT_EQ(execution.responses(0).at(0).status, base::InvalidArgument("odd"));
  EXPECT_TRUE(execution.responses(0).at(0).whole_batch);
  ASSERT_EQ(execution.responses(1).size(), 1u);
  EXPECT_TRUE(execution.responses(1)[0].status.ok());
  EXPECT_TRUE(execution.responses(2).at(0).whole_batch);
}

TEST_F(BatchTest, OneResponseOnlyUnlessDecoupled) {
  engine_.execute = [&](const inferd_batch& batch, inferd_error*) {
    Respond(batch, 0, kNumbers, 1, false);
    return INFERD_FINISHED;
  };
  RecordingExecution execution;
  Execute(&execution);
  ASSERT_EQ(execution.responses().size(), 1u);
  EXPECT_TRUE(execution.responses()[0].final);
  EXPECT_THAT(execution.responses()[0].status.message(), HasSubstr("the model is not decoupled"));
}

TEST_F(DecoupledBatchTest, AnErrorInAStreamNeedNotEndIt) {
  engine_.execute = [&](const inferd_batch& batch, inferd_error*) {
    Respond(batch, 0, kNumbers, 1, false);
    const inferd_response failure = {
        sizeof(failure), INFERD_UNAVAILABLE, {"not now", 7}, nullptr, 0, 0, nullptr, nullptr, 0, 0};
    engine_.host.respond(&batch, 0, &failure);
    Respond(batch, 0, kNumbers, 1, true);
    return INFERD_FINISHED;
  };
  RecordingExecution execution;
  Execute(&execution);
  ASSERT_EQ(execution.responses().size(), 3u);
  EXPECT_EQ(execution.responses()[1].status, base::Unavailable("not now"));
  EXPECT_FALSE(execution.responses()[1].final);
  EXPECT_TRUE(execution.responses()[2].final);
}

TEST_F(DecoupledBatchTest, AResponseThatCannotBeSentEndsTheStream) {
  engine_.execute = [&](const inferd_batch& batch, inferd_error*) {
    Respond(batch, 0, kNumbers, 1, false);
    Respond(batch, 0, nullptr, 1, false);
    Respond(batch, 0, kNumbers, 1, true);
    return INFERD_FINISHED;
  };
  RecordingExecution execution;
  Execute(&execution);
  ASSERT_EQ(execution.responses().size(), 2u);
  EXPECT_EQ(execution.responses()[1].status.code(), base::StatusCode::kInternal);
  EXPECT_TRUE(execution.responses()[1].final);
}

TEST_F(BatchTest, PiecesOfARaggedInputEachHaveTheirOwnNumberOfElements) {
  inferd_tensor_spec spec = {};
  spec.name = {"IN", 2};
  spec.datatype = INFERD_TYPE_BYTES;
  spec.shape = kAny;
  spec.rank = 1;
  spec.bytes_form = INFERD_BYTES_ELEMENTS;
  engine_.Add(spec, &engine_.inputs);
  std::vector<size_t> counts;
  engine_.execute = [&](const inferd_batch& batch, inferd_error*) {
    const inferd_input& input = *batch.inputs[0];
    for (size_t i = 0; i < input.piece_count; ++i) counts.push_back(input.pieces[i].size / sizeof(inferd_text));
    Respond(batch, INFERD_ALL_REQUESTS, kNumbers, 2);
    return INFERD_FINISHED;
  };
  RecordingExecution execution(2);
  execution.AddInput(0, tensor::DataType::kBytes, {4}, support::Packed({"a"}));
  execution.inputs[0].pieces.push_back(support::Packed({"b", "c", "d"}));
  Execute(&execution);
  EXPECT_THAT(counts, ElementsAre(1, 3));
  EXPECT_TRUE(execution.responses(1).at(0).status.ok());

  RecordingExecution wrong(2);
  wrong.AddInput(0, tensor::DataType::kBytes, {4}, support::Packed({"a"}));
  wrong.inputs[0].pieces.push_back(support::Packed({"b"}));
  Execute(&wrong);
  EXPECT_THAT(wrong.responses(1).at(0).status.message(), HasSubstr("input 'IN': expected 4 BYTES elements, got 2"));
}

TEST_F(BatchTest, UnknownCodesReadAsInternal) {
  engine_.execute = [&](const inferd_batch&, inferd_error* error) {
    engine_.host.set_error(error, 4711, {"odd", 3});
    return INFERD_FAILED;
  };
  RecordingExecution execution;
  Execute(&execution);
  EXPECT_EQ(execution.responses().at(0).status, base::Internal("odd"));
}

TEST_F(BatchTest, FailingWithoutAReasonIsNamed) {
  engine_.execute = [](const inferd_batch&, inferd_error*) { return INFERD_FAILED; };
  RecordingExecution execution;
  Execute(&execution);
  EXPECT_EQ(execution.responses().at(0).status, base::Internal("engine 'stub' failed and does not say why"));
}

TEST_F(BatchTest, MemoryThatNoResponseTakesIsFreed) {
  engine_.execute = [&](const inferd_batch& batch, inferd_error*) {
    EXPECT_NE(engine_.host.allocate_output(&batch, 0, 1000), nullptr);
    EXPECT_EQ(engine_.host.allocate_output(&batch, 1, 4), nullptr);  // there is no output 1
    void* used = engine_.host.allocate_output(&batch, 0, 8);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(used) % 64, 0u);
    std::memcpy(used, kNumbers, 4);
    Respond(batch, 0, used, 1);
    return INFERD_FINISHED;
  };
  RecordingExecution execution;
  Execute(&execution);
  EXPECT_THAT(ValuesOf<int32_t>(execution.output(0).data), ElementsAre(1));
  EXPECT_EQ(engine_.opened.copies.outputs, 0u);
}

TEST_F(BatchTest, ParametersComeAsTheyAre) {
  RecordingExecution execution;
  execution.mutable_request(0).id = "7";
  execution.mutable_request(0).parameters = {
      {"b", true}, {"i", int64_t{-1}}, {"u", uint64_t{1} << 63}, {"d", 0.5}, {"t", std::string("x\0y", 3)}};
  engine_.execute = [&](const inferd_batch& batch, inferd_error*) {
    const auto find = [&](const char* name) {
      inferd_parameter parameter = {};
      parameter.struct_size = sizeof(parameter);
      EXPECT_EQ(engine_.host.find_parameter(&batch, 0, {name, 1}, &parameter), 1) << name;
      return parameter;
    };
    EXPECT_EQ(find("b").bool_value, 1);
    EXPECT_EQ(find("i").int64_value, -1);
    EXPECT_EQ(find("u").uint64_value, uint64_t{1} << 63);
    EXPECT_EQ(find("d").double_value, 0.5);
    EXPECT_EQ(find("t").text_value.size, 3u);
    inferd_parameter none = {};
    none.struct_size = sizeof(none);
    EXPECT_EQ(engine_.host.find_parameter(&batch, 0, {"z", 1}, &none), 0);
    std::string names;
    inferd_text name = {};
    for (size_t i = 0; engine_.host.parameter_at(&batch, 0, i, &name, &none) == 1; ++i) {
      names += std::string(name.data, name.size) + std::to_string(none.kind);
    }
    EXPECT_EQ(names, "b0i1u2d3t4");
    EXPECT_EQ(none.text_value.size, 3u);
    EXPECT_EQ(engine_.host.request_id(&batch, 0).size, 1u);
    EXPECT_EQ(engine_.host.is_cancelled(&batch, 0), 0);
    Respond(batch, 0, kNumbers, 1);
    return INFERD_FINISHED;
  };
  Execute(&execution);
}

TEST_F(DecoupledBatchTest, MayRespondAsLongAsItsClientTakesTheResponses) {
  struct : base::Executor {
    void Post(base::Task task) override { tasks.push_back(std::move(task)); }
    std::vector<base::Task> tasks;
  } executor;
  const auto flow = std::make_shared<core::ResponseFlow>(core::ResponseFlow::Limits{.responses_held = 1}, executor);
  RecordingExecution execution(2);
  execution.mutable_request(0).flow = flow;
  engine_.execute = [&](const inferd_batch& batch, inferd_error*) {
    int resumed = 0;
    const auto resume = [](void* count) { ++*static_cast<int*>(count); };
    EXPECT_EQ(engine_.host.may_respond(&batch, 0), 1);
    engine_.host.when_may_respond(&batch, 0, resume, &resumed);
    EXPECT_EQ(resumed, 1);
    {
      const core::ResponseFlow::Place waits = flow->Enter(4);
      EXPECT_EQ(engine_.host.may_respond(&batch, 0), 0);
      EXPECT_EQ(engine_.host.may_respond(&batch, 1), 1) << "its responses are not held up";
      engine_.host.when_may_respond(&batch, 1, resume, &resumed);
      EXPECT_EQ(resumed, 2);
      engine_.host.when_may_respond(&batch, 0, resume, &resumed);
      EXPECT_EQ(resumed, 2);
    }
    for (base::Task& task : executor.tasks) task();
    EXPECT_EQ(resumed, 3);
    const core::ResponseFlow::Place waits = flow->Enter(4);
    execution.cancelled = true;
    EXPECT_EQ(engine_.host.may_respond(&batch, 0), 1) << "nobody waits for it";
    Respond(batch, 0, kNumbers, 1);
    Respond(batch, 1, kNumbers, 1);
    return INFERD_FINISHED;
  };
  Execute(&execution);
}

}  // namespace
}  // namespace inferd::enginehost
