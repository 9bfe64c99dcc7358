#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <thread>

#include "config/model/model_config_parser.h"
#include "serving/enginehost/plugin_engine.h"
#include "serving/worker/parent/isolating_engine.h"
#include "serving/worker/worker_fixture.h"
#include "tests/support/recording_execution.h"
#include "tests/support/temp_dir.h"

// Tests models of an engine that share a process: inferd { isolation: ENGINE_PROCESS }.

namespace inferd::worker {
namespace {

using inferd::support::RecordingExecution;
using inferd::support::SliceOf;
using inferd::support::ValuesOf;
using tensor::DataType;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kOfEngine[] = "the worker process of engine 'fake'";

class SharedProcessTest : public WorkerTest {
 protected:
  // A loaded model with one instance.
  struct Served {
    std::unique_ptr<core::EngineModel> model;
    std::unique_ptr<core::EngineInstance> instance;
  };

  void TearDown() override { EXPECT_TRUE(Workers().empty()) << "the process goes with its last model"; }

  std::filesystem::path FolderOf(const std::string& name) const { return dir_.path() / name; }
  // BegunFile() exists from the beginning of a load. The load ends when HoldFile() is removed.
  std::filesystem::path BegunFile(const std::string& name) const { return FolderOf(name) / "begun"; }
  std::filesystem::path HoldFile(const std::string& name) const { return dir_.path() / (name + ".hold"); }
  void AwaitBegun(const std::string& name) const {
    while (!std::filesystem::exists(BegunFile(name))) std::this_thread::yield();
  }

  base::Result<Served> Load(const std::string& name, const std::string& more = "",
                            const std::string& isolation = "ENGINE_PROCESS") {
    std::filesystem::create_directory(FolderOf(name));
    const std::string text =
        "backend: \"fake\" input { name: \"IN\" data_type: TYPE_INT32 dims: -1 } "
        "output { name: \"OUT\" data_type: TYPE_INT32 dims: -1 } inferd { isolation: " +
        isolation + " worker { shared_memory_bytes: 1048576 } } " + Parameter("operator.writes", "true") +
        Parameter("record_batches_file", BegunFile(name).string()) +
        Parameter("hold_load_file", HoldFile(name).string()) + more;
    Served served;
    INFERD_ASSIGN_OR_RETURN(served.model, LoadModel(name, text));
    INFERD_ASSIGN_OR_RETURN(served.instance, served.model->CreateInstance({}));
    return served;
  }

  Served MustLoad(const std::string& name, const std::string& more = "") {
    auto served = Load(name, more);
    if (served.has_value()) return *std::move(served);
    ADD_FAILURE() << served.error().ToString();
    return {};
  }

  static base::Status Run(Served& served, int32_t value) {
    RecordingExecution execution;
    execution.AddInput(0, DataType::kInt32, {1}, SliceOf<int32_t>({value}));
    execution.outputs = {0};
    served.instance->Execute(execution);
    execution.WaitUntilFinished();
    const base::Status status = execution.responses().back().status;
    if (status.ok()) {
      EXPECT_THAT(ValuesOf<int32_t>(execution.output(0).data), ElementsAre(value));
    }
    return status;
  }
  // Repeats a request that may be lost with the process.
  static base::Status RunAgain(Served& served, int32_t value) {
    const base::Status status = Run(served, value);
    return status.ok() ? status : Run(served, value);
  }

  static pid_t Worker() {
    const std::set<pid_t> workers = Workers();
    EXPECT_EQ(workers.size(), 1u);
    return workers.empty() ? 0 : *workers.begin();
  }
  // Returns the number of the process's memories that its server can read.
  static int SharedMemories(pid_t worker) {
    std::ifstream maps("/proc/" + std::to_string(worker) + "/maps");
    int found = 0;
    for (std::string line; std::getline(maps, line);) found += line.find("memfd:inferd") != std::string::npos ? 1 : 0;
    return found;
  }
  static void Kill() {
    const pid_t worker = Worker();
    if (worker <= 0) return;
    kill(worker, SIGKILL);
    while (Workers().contains(worker)) std::this_thread::yield();
  }
};

TEST_F(SharedProcessTest, ModelsAnswerFromOneProcess) {
  Served a = MustLoad("a");
  const pid_t worker = Worker();
  Served b = MustLoad("b");
  EXPECT_EQ(Worker(), worker);
  EXPECT_TRUE(Run(a, 1).ok());
  EXPECT_TRUE(Run(b, 2).ok());
  auto own = Load("own", "", "PROCESS");
  ASSERT_TRUE(own.has_value()) << own.error().ToString();
  EXPECT_EQ(Workers().size(), 2u);
  EXPECT_TRUE(Run(*own, 3).ok());
}

TEST_F(SharedProcessTest, AModelIsUnloadedByItself) {
  Served a = MustLoad("a");
  const pid_t worker = Worker();
  const int mapped = SharedMemories(worker);
  Served b = MustLoad("b");
  EXPECT_GT(SharedMemories(worker), mapped);
  b = {};
  EXPECT_EQ(SharedMemories(worker), mapped);
  EXPECT_EQ(Worker(), worker);
  EXPECT_TRUE(Run(a, 1).ok());
  b = MustLoad("b");
  EXPECT_EQ(Worker(), worker);
  EXPECT_TRUE(Run(b, 2).ok());
  a = {};
  b = {};
  EXPECT_TRUE(Workers().empty());
  a = MustLoad("a");
  EXPECT_NE(Worker(), worker);
  EXPECT_TRUE(Run(a, 1).ok());
}

TEST_F(SharedProcessTest, AllComeBackWithTheirInstances) {
  Served a = MustLoad("a");
  Served b = MustLoad("b");
  auto second = b.model->CreateInstance({.ordinal = 1});
  ASSERT_TRUE(second.has_value());
  const pid_t before = Worker();
  Kill();
  EXPECT_TRUE(RunAgain(a, 1).ok());
  EXPECT_TRUE(RunAgain(b, 2).ok());
  b.instance = *std::move(second);
  EXPECT_TRUE(RunAgain(b, 3).ok());
  EXPECT_NE(Worker(), before);
}

TEST_F(SharedProcessTest, ACrashFailsWhatAllModelsHeld) {
  std::ofstream(dir_.path() / "held");
  const std::string holds = Parameter("hold_file", (dir_.path() / "held").string());
  Served a = MustLoad("a", holds);
  Served b = MustLoad("b", holds);
  base::Status of_a;
  base::Status of_b;
  std::thread running_a([&] { of_a = Run(a, 1); });
  std::thread running_b([&] { of_b = Run(b, 2); });
  for (const std::string name : {"a", "b"}) {
    while (std::filesystem::file_size(BegunFile(name)) == 0) std::this_thread::yield();
  }
  Kill();
  running_a.join();
  running_b.join();
  EXPECT_EQ(of_a, base::Unavailable(std::string(kOfEngine) + " was ended by signal 9 (Killed)"));
  EXPECT_EQ(of_b, of_a);
  std::filesystem::remove(dir_.path() / "held");
  EXPECT_TRUE(Run(a, 1).ok());
  EXPECT_TRUE(Run(b, 2).ok());
}

TEST_F(SharedProcessTest, AFailedLoadLeavesTheOthersAlone) {
  Served a = MustLoad("a");
  const pid_t worker = Worker();
  const auto failed = Load("b", Parameter("fail_load", "no such thing"));
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error(), base::Internal("no such thing"));
  EXPECT_EQ(Worker(), worker);
  EXPECT_TRUE(Run(a, 1).ok());
}

TEST_F(SharedProcessTest, ExecutionsAndUnloadsDoNotWaitForALoad) {
  Served a = MustLoad("a");
  Served other = MustLoad("other");
  std::ofstream(HoldFile("b"));
  base::Result<Served> b;
  std::thread loading([&] { b = Load("b"); });
  AwaitBegun("b");
  EXPECT_TRUE(Run(a, 1).ok());
  other = {};
  std::filesystem::remove(HoldFile("b"));
  loading.join();
  ASSERT_TRUE(b.has_value()) << b.error().ToString();
  EXPECT_TRUE(Run(*b, 2).ok());
}

TEST_F(SharedProcessTest, ALoadThatEndsTheProcessFailsAlone) {
  Served a = MustLoad("a");
  std::ofstream(HoldFile("b"));
  base::Result<Served> b;
  base::Result<Served> c;
  std::thread loading_b([&] { b = Load("b"); });
  AwaitBegun("b");
  std::thread loading_c([&] { c = Load("c"); });
  Kill();
  loading_b.join();
  loading_c.join();
  ASSERT_FALSE(b.has_value());
  EXPECT_EQ(b.error(),
            base::Unavailable(std::string(kOfEngine) + " was ended by signal 9 (Killed) while it loaded the model"));
  ASSERT_TRUE(c.has_value()) << c.error().ToString();
  EXPECT_TRUE(Run(*c, 3).ok());
  EXPECT_TRUE(Run(a, 1).ok());
}

TEST_F(SharedProcessTest, ManyLoadsAtOnceAllSucceed) {
  std::vector<std::thread> threads;
  std::vector<Served> served(6);
  for (size_t i = 0; i < served.size(); ++i) {
    threads.emplace_back([this, i, &served] { served[i] = MustLoad("m" + std::to_string(i)); });
  }
  for (std::thread& thread : threads) thread.join();
  Worker();
  for (size_t i = 0; i < served.size(); ++i) {
    threads[i] = std::thread([i, &served] {
      EXPECT_TRUE(Run(served[i], static_cast<int32_t>(i)).ok());
      served[i] = {};
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(SharedProcessTest, WhatCannotBeRestoredIsMissingAlone) {
  Served b = MustLoad("b");
  Served a = MustLoad("a");
  const core::Availability available = b.model->availability();
  std::filesystem::remove_all(FolderOf("b"));
  Kill();
  while (available().ok()) std::this_thread::yield();
  EXPECT_THAT(available().message(), HasSubstr(std::string(kOfEngine) + " cannot load the model again: "));
  EXPECT_EQ(Run(b, 2), available());
  EXPECT_TRUE(RunAgain(a, 1).ok());
  EXPECT_TRUE(a.model->availability()().ok());
  const pid_t worker = Worker();
  std::filesystem::create_directory(FolderOf("b"));
  while (!available().ok()) std::this_thread::yield();
  EXPECT_TRUE(Run(b, 2).ok());
  EXPECT_EQ(Worker(), worker) << "it was tried again in the running process";
}

TEST_F(SharedProcessTest, WhatEndsAProcessAsItIsRestoredStaysOut) {
  Served b = MustLoad("b");
  Served a = MustLoad("a");
  const core::Availability available = b.model->availability();
  std::filesystem::remove(BegunFile("b"));
  std::ofstream(HoldFile("b"));
  Kill();
  AwaitBegun("b");
  Kill();
  while (!Run(a, 1).ok()) std::this_thread::yield();
  EXPECT_EQ(available(), base::Unavailable(std::string(kOfEngine) +
                                           " was ended by signal 9 (Killed) while it loaded the model b/1"));
  EXPECT_EQ(Run(b, 2), available());
  b = {};
  std::filesystem::remove(HoldFile("b"));
  b = MustLoad("b");
  EXPECT_TRUE(Run(b, 2).ok()) << "loaded anew, it is as any other";
}

TEST_F(SharedProcessTest, AModelIsUnloadedWhileItIsRestored) {
  Served b = MustLoad("b");
  Served a = MustLoad("a");
  std::filesystem::remove(BegunFile("b"));
  std::ofstream(HoldFile("b"));
  Kill();
  AwaitBegun("b");
  b = {};
  EXPECT_TRUE(RunAgain(a, 1).ok()) << "what is behind it does not wait for it any more";
  std::filesystem::remove(HoldFile("b"));
}

}  // namespace
}  // namespace inferd::worker
