#include "serving/worker/parent/isolating_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "config/model/model_config_parser.h"
#include "serving/enginehost/plugin_engine.h"
#include "serving/worker/worker_fixture.h"
#include "tests/support/recording_execution.h"
#include "tests/support/temp_dir.h"

namespace inferd::worker {
namespace {

using inferd::support::Packed;
using inferd::support::RecordingExecution;
using inferd::support::SliceOf;
using inferd::support::ValuesOf;
using tensor::DataType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class IsolatingEngineTest : public WorkerTest {
 protected:
  base::Result<std::unique_ptr<core::EngineModel>> Load(const std::string& more, const std::string& type = "INT32",
                                                        const std::string& worker = "") {
    const std::string text = "backend: \"fake\" input { name: \"IN\" data_type: TYPE_" + type +
                             " dims: -1 } output { name: \"OUT\" data_type: TYPE_" + type +
                             " dims: -1 } inferd { isolation: PROCESS worker { shared_memory_bytes: 1048576 " + worker +
                             " } } " + more;
    return LoadModel("m", text);
  }

  void Start(const std::string& more, const std::string& worker = "") {
    auto model = Load(more, "INT32", worker);
    ASSERT_TRUE(model.has_value()) << model.error().ToString();
    model_ = *std::move(model);
    auto instance = model_->CreateInstance({});
    ASSERT_TRUE(instance.has_value()) << instance.error().ToString();
    instance_ = *std::move(instance);
  }

  void Run(RecordingExecution& execution) {
    execution.AddInput(0, DataType::kInt32, {2}, SliceOf<int32_t>({1, 2}));
    execution.outputs = {0};
    instance_->Execute(execution);
    execution.WaitUntilFinished();
  }

  base::Status Outcome() {
    RecordingExecution execution;
    Run(execution);
    return execution.responses().back().status;
  }

  static void KillWorker() {
    const std::set<pid_t> workers = Workers();
    ASSERT_EQ(workers.size(), 1u);
    kill(*workers.begin(), SIGKILL);
  }

  void TearDown() override {
    instance_.reset();
    model_.reset();
    EXPECT_TRUE(Workers().empty()) << "the process goes with its model";
  }

  std::unique_ptr<core::EngineModel> model_;
  std::unique_ptr<core::EngineInstance> instance_;
};

TEST_F(IsolatingEngineTest, AnswersFromAProcessOfItsOwn) {
  Start(Parameter("output_memory", "engine"));
  EXPECT_EQ(Workers().size(), 1u);
  EXPECT_EQ(model_->signature().inputs[0].name, "IN");
  RecordingExecution execution;
  Run(execution);
  ASSERT_TRUE(execution.responses()[0].status.ok()) << execution.responses()[0].status.ToString();
  EXPECT_THAT(ValuesOf<int32_t>(execution.output(0).data), ElementsAre(1, 2));
}

TEST_F(IsolatingEngineTest, AnInstanceThatIsGoneIsReplacedInTheProcess) {
  const auto threads = [] {
    const auto tasks = std::filesystem::path("/proc") / std::to_string(*Workers().begin()) / "task";
    return std::distance(std::filesystem::directory_iterator(tasks), std::filesystem::directory_iterator());
  };
  Start("");
  const auto with_one = threads();
  for (int i = 0; i < 2; ++i) {
    instance_.reset();
    instance_ = *model_->CreateInstance({});
    EXPECT_EQ(threads(), with_one);
    EXPECT_TRUE(Outcome().ok());
  }
  // The next process gets the last one alone.
  KillWorker();
  while (!Outcome().ok()) std::this_thread::yield();
  EXPECT_EQ(threads(), with_one);
}

TEST_F(IsolatingEngineTest, LeavesOtherModelsInTheServer) {
  auto config = config::ParseModelConfig(
      "backend: \"fake\" input { name: \"IN\" data_type: TYPE_INT32 dims: -1 } "
      "output { name: \"OUT\" data_type: TYPE_INT32 dims: -1 }",
      "config.pbtxt");
  ASSERT_TRUE(config.has_value());
  core::LoadSpec spec;
  spec.config = std::make_shared<const config::ModelConfig>(*std::move(config));
  const auto model = engine_->Load(spec);
  EXPECT_TRUE(model.has_value());
  EXPECT_TRUE(Workers().empty());
}

TEST_F(IsolatingEngineTest, LoadingFailsInTheEnginesOwnWords) {
  const auto model = Load(Parameter("fail_load", "no such thing"));
  ASSERT_FALSE(model.has_value());
  EXPECT_EQ(model.error(), base::Internal("no such thing"));
}

TEST_F(IsolatingEngineTest, AMissingProgramIsNamed) {
  engine_ = std::make_unique<IsolatingEngine>(*inside_, kLibrary, IsolationOptions{.program = "/no/inferd-worker"});
  const auto model = Load("");
  ASSERT_FALSE(model.has_value());
  EXPECT_EQ(model.error().code(), base::StatusCode::kFailedPrecondition);
  EXPECT_THAT(model.error().message(), HasSubstr("/no/inferd-worker"));
}

TEST_F(IsolatingEngineTest, AWorkerThatWritesGarbageIsEnded) {
  const std::filesystem::path program = dir_.path() / "inferd-worker";
  std::ofstream(program) << "#!/bin/sh\nprintf '\\377\\377\\377\\377\\377\\377\\377\\377' >&3\nexec sleep 1000\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  engine_ = std::make_unique<IsolatingEngine>(*inside_, kLibrary, IsolationOptions{.program = program});
  const auto model = Load("");
  ASSERT_FALSE(model.has_value());
  EXPECT_EQ(model.error(), base::Internal("a message of 18446744073709551615 bytes on a worker's socket"));
}

TEST_F(IsolatingEngineTest, AnEndedProcessIsTheFailureOfWhatItHeldAlone) {
  std::ofstream(dir_.path() / "held");
  Start(Parameter("hold_file", (dir_.path() / "held").string()) + Parameter("operator.writes", "true") +
        Parameter("record_batches_file", (dir_.path() / "record").string()));
  RecordingExecution held;
  std::thread running([&] { Run(held); });
  while (!std::filesystem::exists(dir_.path() / "record") || std::filesystem::file_size(dir_.path() / "record") == 0) {
    std::this_thread::yield();
  }
  const std::set<pid_t> before = Workers();
  ASSERT_EQ(before.size(), 1u);
  kill(*before.begin(), SIGKILL);
  running.join();
  EXPECT_EQ(held.responses()[0].status,
            base::Unavailable("the worker process of model 'm/1' was ended by signal 9 (Killed)"));
  std::filesystem::remove(dir_.path() / "held");
  EXPECT_TRUE(Outcome().ok());
  EXPECT_NE(Workers(), before);
}

// A body in shared memory outlives the worker, and the next worker sees it, too.
TEST_F(IsolatingEngineTest, BodiesStayThroughTheEndOfAProcess) {
  std::ofstream(dir_.path() / "held");
  Start(Parameter("hold_file", (dir_.path() / "held").string()) + Parameter("operator.writes", "true") +
        Parameter("record_batches_file", (dir_.path() / "record").string()));
  const std::shared_ptr<core::InputMemory> memory = model_->input_memory();
  ASSERT_NE(memory, nullptr);
  base::Buffer body = memory->Allocate(2 * sizeof(int32_t), 0);
  ASSERT_TRUE(body);
  const int32_t values[] = {5, 6};
  std::memcpy(body.data(), values, sizeof(values));
  const std::byte* const where = body.data();
  const auto run = [&](RecordingExecution& execution) {
    execution.AddInput(0, DataType::kInt32, {2}, base::BufferSlice(body));
    execution.outputs = {0};
    instance_->Execute(execution);
    execution.WaitUntilFinished();
  };
  {
    RecordingExecution held;
    std::thread running([&] { run(held); });
    while (!std::filesystem::exists(dir_.path() / "record") ||
           std::filesystem::file_size(dir_.path() / "record") == 0) {
      std::this_thread::yield();
    }
    KillWorker();
    running.join();
    EXPECT_EQ(held.responses()[0].status.code(), base::StatusCode::kUnavailable);
    std::filesystem::remove(dir_.path() / "held");
  }
  {
    RecordingExecution next;
    run(next);
    ASSERT_TRUE(next.responses()[0].status.ok()) << next.responses()[0].status.ToString();
    EXPECT_THAT(ValuesOf<int32_t>(next.output(0).data), ElementsAre(5, 6));
  }
  EXPECT_NE(memory->Allocate(2 * sizeof(int32_t), 0).data(), where);
  body = {};
  EXPECT_EQ(memory->Allocate(2 * sizeof(int32_t), 0).data(), where);
}

TEST_F(IsolatingEngineTest, ABodyOutlivesItsModel) {
  Start("");
  base::Buffer body = model_->input_memory()->Allocate(1000, 0);
  ASSERT_TRUE(body);
  instance_.reset();
  model_.reset();
  std::memset(body.data(), 1, body.size());
}

// If the process restarts at once, requests wait. If that fails, requests fail until a process runs.
TEST_F(IsolatingEngineTest, AModelIsNotAvailableInAPause) {
  const std::filesystem::path program = dir_.path() / "inferd-worker";
  std::filesystem::create_symlink(kProgram, program);
  engine_ = std::make_unique<IsolatingEngine>(*inside_, kLibrary, IsolationOptions{.program = program});
  Start("");
  const core::Availability available = model_->availability();
  EXPECT_TRUE(available().ok());
  KillWorker();
  EXPECT_TRUE(Outcome().ok() || Outcome().ok()) << "the process was lost under the first one at most";
  EXPECT_TRUE(available().ok()) << "it was started again at once";
  std::filesystem::remove(program);
  KillWorker();
  const auto mentions_program = [&] { return available().message().find(program.string()) != std::string::npos; };
  while (!mentions_program()) std::this_thread::yield();
  EXPECT_EQ(available().code(), base::StatusCode::kUnavailable);
  EXPECT_EQ(available(), Outcome());
  EXPECT_THAT(available().message(), HasSubstr("the worker process of model 'm/1' cannot be started: "));
  std::filesystem::create_symlink(kProgram, program);
  while (!available().ok()) std::this_thread::yield();
  EXPECT_TRUE(Outcome().ok());
}

TEST_F(IsolatingEngineTest, AHangingProcessIsEndedAndReplaced) {
  std::ofstream(dir_.path() / "held");
  Start(Parameter("hold_file", (dir_.path() / "held").string()), "hang_timeout_ms: 300");
  const base::Status status = Outcome();
  EXPECT_EQ(status.code(), base::StatusCode::kUnavailable);
  EXPECT_THAT(status.message(), HasSubstr("no sign of life for 300 ms"));
  std::filesystem::remove(dir_.path() / "held");
  // On a busy machine, the next process may be too slow, too.
  while (!Outcome().ok()) std::this_thread::yield();
}

TEST_F(IsolatingEngineTest, AModelSaysWhetherItIsReady) {
  Start("");
  EXPECT_EQ(model_->readiness_check(), nullptr);
  TearDown();
  const std::filesystem::path file = dir_.path() / "ready";
  Start(Parameter("ready_file", file.string()));
  const core::ReadinessCheck check = model_->readiness_check();
  ASSERT_NE(check, nullptr);
  EXPECT_EQ(check(), base::Unavailable("there is no '" + file.string() + "'"));
  EXPECT_TRUE(Outcome().ok()) << "requests are executed all the same";
  std::ofstream{file};
  EXPECT_TRUE(check().ok());
  std::filesystem::remove(file);
  EXPECT_EQ(check().code(), base::StatusCode::kUnavailable);
}

TEST_F(IsolatingEngineTest, TheNextProcessSaysWhetherItIsReady) {
  const std::filesystem::path file = dir_.path() / "ready";
  std::ofstream{file};
  Start(Parameter("ready_file", file.string()));
  const core::ReadinessCheck check = model_->readiness_check();
  EXPECT_TRUE(check().ok());
  KillWorker();
  EXPECT_TRUE(Outcome().ok() || Outcome().ok()) << "the process was lost under the first one at most";
  EXPECT_TRUE(check().ok());
}

class OverlappingTest : public IsolatingEngineTest {
 protected:
  // An execution with the parameter `hold` lasts until a file of that name exists.
  void StartOverlapping(int unfinished_max, const std::string& worker = "") {
    Start(Parameter("complete_on_thread", "true") +
              Parameter("unfinished_executions_max", std::to_string(unfinished_max)) +
              Parameter("hold_dir", dir_.path().string()) + Parameter("operator.writes", "true") +
              Parameter("record_batches_file", (dir_.path() / "record").string()),
          worker);
  }

  void Begin(RecordingExecution& execution, const std::string& hold = "") {
    execution.AddInput(0, DataType::kInt32, {2}, SliceOf<int32_t>({1, 2}));
    execution.outputs = {0};
    if (!hold.empty()) execution.mutable_request(0).parameters = {{"hold", hold}};
    instance_->Execute(execution);
  }

  // Returns the requests' ids, in the order in which their executions began. Each execution has one request.
  std::vector<std::string> BegunIds() const {
    constexpr std::string_view kBefore = "\"ids\":[\"";
    std::vector<std::string> ids;
    std::ifstream record(dir_.path() / "record");
    for (std::string line; std::getline(record, line);) {
      const size_t before = line.find(kBefore);
      if (before == std::string::npos) continue;
      const size_t begin = before + kBefore.size();
      ids.push_back(line.substr(begin, line.find('"', begin) - begin));
    }
    return ids;
  }

  void Release(const std::string& hold) { std::ofstream(dir_.path() / hold); }
};

TEST_F(OverlappingTest, OthersBeginBeforeTheFirstIsFinished) {
  StartOverlapping(3);
  EXPECT_EQ(model_->unfinished_executions_max(), 3);
  for (const std::string hold : {"one", "two"}) {
    RecordingExecution first;
    RecordingExecution second;
    RecordingExecution third;
    Begin(first, hold);
    Begin(second, hold);
    Begin(third);
    for (const RecordingExecution* each : {&first, &second, &third}) EXPECT_EQ(each->finished(), 0);
    Release(hold);
    for (RecordingExecution* each : {&first, &second, &third}) {
      each->WaitUntilFinished();
      ASSERT_TRUE(each->responses()[0].status.ok()) << each->responses()[0].status.ToString();
      EXPECT_THAT(ValuesOf<int32_t>(each->output(0).data), ElementsAre(1, 2));
    }
  }
}

// Each channel has its own thread in the process. These threads must not overtake one another.
TEST_F(OverlappingTest, TheEngineSeesThemInTheOrderInWhichTheyBegan) {
  constexpr int kRounds = 40;
  StartOverlapping(kChannelsMax);
  std::vector<std::string> begun;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::unique_ptr<RecordingExecution>> executions;
    for (int i = 0; i < kChannelsMax; ++i) {
      begun.push_back(std::to_string(begun.size()));
      executions.push_back(std::make_unique<RecordingExecution>());
      executions.back()->mutable_request(0).id = begun.back();
      Begin(*executions.back());
    }
    for (const auto& each : executions) each->WaitUntilFinished();
  }
  EXPECT_EQ(BegunIds(), begun);
}

TEST_F(OverlappingTest, ATryLeavesASlowOneToOtherThreads) {
  StartOverlapping(2);
  RecordingExecution slow;
  slow.AddInput(0, DataType::kInt32, {2}, SliceOf<int32_t>({1, 2}));
  slow.outputs = {0};
  slow.mutable_request(0).parameters = {{"hold", std::string("slow")}};
  EXPECT_TRUE(instance_->TryExecute(slow)) << "it goes on elsewhere";
  RecordingExecution next;
  Begin(next);
  EXPECT_EQ(slow.finished(), 0);
  Release("slow");
  for (RecordingExecution* each : {&slow, &next}) {
    each->WaitUntilFinished();
    EXPECT_TRUE(each->responses()[0].status.ok());
  }
}

TEST_F(OverlappingTest, ThereAreNoMoreThanAProcessTakes) {
  StartOverlapping(1000);
  ASSERT_EQ(model_->unfinished_executions_max(), kChannelsMax);
  std::vector<std::unique_ptr<RecordingExecution>> executions;
  for (int i = 0; i < kChannelsMax; ++i) {
    Begin(*executions.emplace_back(std::make_unique<RecordingExecution>()), "go");
  }
  for (const auto& each : executions) EXPECT_EQ(each->finished(), 0);
  RecordingExecution more;
  Begin(more, "go");
  EXPECT_EQ(more.responses()[0].status, base::Internal("more executions of an instance than its worker process takes"));
  Release("go");
  for (const auto& each : executions) {
    each->WaitUntilFinished();
    EXPECT_TRUE(each->responses()[0].status.ok());
  }
}

TEST_F(OverlappingTest, AnEndedProcessIsTheFailureOfAllThatItHeld) {
  StartOverlapping(3);
  RecordingExecution first;
  RecordingExecution second;
  Begin(first, "never");
  Begin(second, "never");
  KillWorker();
  for (RecordingExecution* each : {&first, &second}) {
    each->WaitUntilFinished();
    EXPECT_EQ(each->responses()[0].status,
              base::Unavailable("the worker process of model 'm/1' was ended by signal 9 (Killed)"));
  }
  RecordingExecution next;
  Begin(next);
  next.WaitUntilFinished();
  EXPECT_TRUE(next.responses()[0].status.ok()) << next.responses()[0].status.ToString();
}

TEST_F(IsolatingEngineTest, ATryReturnsBeforeASlowModelHasAnswered) {
  std::ofstream(dir_.path() / "held");
  Start(Parameter("hold_file", (dir_.path() / "held").string()));
  for (const bool slow : {true, false}) {
    RecordingExecution execution;
    execution.AddInput(0, DataType::kInt32, {1}, SliceOf<int32_t>({1}));
    execution.outputs = {0};
    // On a busy machine, a quick execution may also take longer than a try.
    const bool over = instance_->TryExecute(execution);
    if (slow) {
      EXPECT_FALSE(over);
      EXPECT_EQ(execution.responses().size(), 0u);
    }
    EXPECT_EQ(execution.finished(), over ? 1 : 0);
    std::filesystem::remove(dir_.path() / "held");
    if (!over) instance_->Resume(execution);
    execution.WaitUntilFinished();
    EXPECT_TRUE(execution.responses()[0].status.ok());
  }
}

// Nothing has begun then; a thread that may block runs the execution.
TEST_F(IsolatingEngineTest, ATryWaitsForNoProcess) {
  const std::filesystem::path program = dir_.path() / "inferd-worker";
  std::filesystem::create_symlink(kProgram, program);
  engine_ = std::make_unique<IsolatingEngine>(*inside_, kLibrary, IsolationOptions{.program = program});
  Start("");
  std::filesystem::remove(program);
  KillWorker();
  while (model_->availability()().ok()) std::this_thread::yield();
  RecordingExecution execution;
  execution.AddInput(0, DataType::kInt32, {1}, SliceOf<int32_t>({1}));
  execution.outputs = {0};
  ASSERT_FALSE(instance_->TryExecute(execution));
  instance_->Resume(execution);
  EXPECT_EQ(execution.responses()[0].status, model_->availability()());
}

TEST_F(IsolatingEngineTest, TextsComeBackWhole) {
  auto model = Load("", "STRING");
  ASSERT_TRUE(model.has_value()) << model.error().ToString();
  model_ = *std::move(model);
  instance_ = *model_->CreateInstance({});
  RecordingExecution execution;
  execution.AddInput(0, DataType::kBytes, {2}, Packed({"one", std::string("t\0o", 3)}));
  execution.outputs = {0};
  instance_->Execute(execution);
  ASSERT_TRUE(execution.responses()[0].status.ok()) << execution.responses()[0].status.ToString();
  EXPECT_EQ(execution.output(0).data.view(), Packed({"one", std::string("t\0o", 3)}).view());
}

}  // namespace
}  // namespace inferd::worker
