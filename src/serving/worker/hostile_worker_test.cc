// Tests worker processes that misbehave: on their sockets, in the shared memory, and as processes. In every case, the
// affected request or load fails with a message, the next one finds another process, another model answers meanwhile,
// little memory is used, and no descriptor stays open. The behaviours are in tests/support/hostile_worker.

#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <future>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "serving/worker/worker_fixture.h"
#include "tests/support/allocated_bytes.h"
#include "tests/support/recording_execution.h"

namespace inferd::worker {
namespace {

using inferd::support::RecordingExecution;
using inferd::support::SliceOf;
using tensor::DataType;

constexpr std::chrono::seconds kGuard{30};
constexpr std::chrono::milliseconds kHasty{300};
constexpr size_t kMemoryMax = size_t{64} << 20;
constexpr size_t kBehavioursMin = 30;  // per table

// A server that answers each call, and finishes no load.
class CalledServer final : public core::ServerCalls {
 public:
  class Call final : public core::ModelCall {
   public:
    explicit Call(core::CallAnswer answer) : answer_(std::move(answer)) {}
    void Begin() override { answer_(true, {}); }
    void Cancel() override {}
    void Taken() override {}

   private:
    core::CallAnswer answer_;
  };
  class Metric final : public core::CustomMetric {
   public:
    base::Result<double> Do(Change, double value) override { return value; }
  };

  std::shared_ptr<core::ModelCall> MakeCall(core::CallOrigin, std::unique_ptr<core::InferRequest>, bool,
                                            core::CallAnswer answer) override {
    return std::make_shared<Call>(std::move(answer));
  }
  void ModelReady(std::string, std::string, core::ControlCallback done) override { done(base::OkStatus()); }
  void Load(core::LoadCall call, core::ControlCallback done) override {
    const base::MutexLock lock(mutex_);
    loads_.push_back({std::move(call), std::move(done)});
  }
  void Unload(core::UnloadCall, core::ControlCallback done) override { done(base::OkStatus()); }
  base::Result<std::shared_ptr<core::CustomMetric>> OpenMetric(const core::CustomMetricSpec&) override {
    return std::make_shared<Metric>();
  }

  void FailLoads() {
    std::vector<Begun> failed;
    {
      const base::MutexLock lock(mutex_);
      failed.swap(loads_);
    }
    for (Begun& each : failed) each.done(base::Unavailable("it is not loaded"));
  }

 private:
  struct Begun {
    core::LoadCall call;
    core::ControlCallback done;
  };
  base::Mutex mutex_;
  std::vector<Begun> loads_ GUARDED_BY(mutex_);
};

// A line of the worker's script.
struct Step {
  std::string stage;
  std::string behaviour;

  std::string Line() const { return stage + " " + behaviour + "\n"; }
  // True if the behaviour need not fail the request.
  bool well() const { return behaviour.contains("well_"); }
  // True if the behaviour is noticed only after the request has its answer.
  bool answered() const { return behaviour.contains("answered_"); }
  // True if the behaviour is noticed by a timeout.
  bool silent() const { return behaviour.contains("silent_"); }
};

size_t OpenDescriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<size_t>(std::distance(begin(all), end(all)));
}

class HostileWorkerTest : public WorkerTest {
 protected:
  struct Served {
    std::unique_ptr<core::EngineModel> model;
    std::unique_ptr<core::EngineInstance> instance;
  };

  void SetUp() override {
    WorkerTest::SetUp();
    std::filesystem::create_symlink(kHostile, Program());
    patient_ = MakeEngine(kGuard);
    hasty_ = MakeEngine(kHasty);
    auto other = Load(*engine_, "other", 30'000);
    ASSERT_TRUE(other.has_value()) << other.error().ToString();
    other_ = *std::move(other);
    before_ = support::AllocatedBytes();
  }

  std::unique_ptr<IsolatingEngine> MakeEngine(std::chrono::milliseconds patience) {
    auto engine = std::make_unique<IsolatingEngine>(*inside_, kLibrary,
                                                    IsolationOptions{.program = Program(), .patience = patience});
    engine->CallWith(&server_);
    return engine;
  }

  std::filesystem::path Program() const { return dir_.path() / "hostile"; }
  void Write(const std::string& script) const { std::ofstream(dir_.path() / "script") << script; }
  // Returns how often a worker has started.
  size_t starts() const { return std::filesystem::file_size(dir_.path() / "starts"); }

  static std::vector<Step> Behaviours() {
    std::vector<Step> steps;
    FILE* const listed = ::popen((kHostile.string() + " --list").c_str(), "r");
    char stage[32];
    char name[128];
    while (std::fscanf(listed, "%31s %127s", stage, name) == 2) steps.push_back({stage, name});
    EXPECT_EQ(::pclose(listed), 0);
    return steps;
  }

  base::Result<Served> Load(core::Engine& engine, const std::string& name, int hang_timeout_ms) {
    Served served;
    const std::string text =
        "backend: \"fake\" input { name: \"IN\" data_type: TYPE_INT32 dims: -1 } "
        "output { name: \"OUT\" data_type: TYPE_INT32 dims: -1 } inferd { isolation: PROCESS worker { "
        "shared_memory_bytes: 1048576 body_memory_bytes: 65536 hang_timeout_ms: " +
        std::to_string(hang_timeout_ms) + " } }";
    INFERD_ASSIGN_OR_RETURN(served.model, LoadModelOf(engine, name, text));
    INFERD_ASSIGN_OR_RETURN(served.instance, served.model->CreateInstance({}));
    return served;
  }

  static base::Status Run(Served& served, std::vector<int> outputs) {
    RecordingExecution execution;
    execution.AddInput(0, DataType::kInt32, {1}, SliceOf<int32_t>({1}));
    execution.outputs = std::move(outputs);
    served.instance->Execute(execution);
    execution.WaitUntilFinished();
    if (execution.responses().size() != 1) return base::Internal("answered more than once, or never");
    return execution.responses()[0].status;
  }
  static base::Status Run(Served& served) { return Run(served, {0, 1}); }

  // Runs `what` on a thread of its own, and checks that another model answers until it has ended.
  void Meanwhile(const std::function<void()>& what) {
    std::future<void> over = std::async(std::launch::async, what);
    const auto until = std::chrono::steady_clock::now() + kGuard;
    do {
      const base::Status answered = Run(other_, {0});
      EXPECT_TRUE(answered.ok()) << "another model did not answer: " << answered.ToString();
      most_ = std::max(most_, support::AllocatedBytes());
      if (std::chrono::steady_clock::now() > until) {
        ADD_FAILURE() << "no end in " << kGuard.count() << " s";
        for (const pid_t worker : Workers("(hostile)")) ::kill(worker, SIGKILL);
      }
    } while (over.wait_for(std::chrono::milliseconds(5)) != std::future_status::ready);
  }

  // Waits until the model answers. On a busy machine, the next process may be too slow, too.
  void ExpectAnswers(Served& served) {
    const auto until = std::chrono::steady_clock::now() + kGuard;
    base::Status status;
    do {
      status = Run(served);
    } while (!status.ok() && std::chrono::steady_clock::now() < until);
    EXPECT_TRUE(status.ok()) << status.ToString();
  }

  void ExpectLittleMemory() {
    EXPECT_LE(most_, before_ + kMemoryMax);
    most_ = 0;
  }

  inline static const std::filesystem::path kHostile = std::filesystem::path(INFERD_PROGRAMS_DIR) / "hostile_worker";
  CalledServer server_;
  std::unique_ptr<IsolatingEngine> patient_;
  std::unique_ptr<IsolatingEngine> hasty_;
  Served other_;
  size_t before_ = 0;
  size_t most_ = 0;
};

TEST_F(HostileWorkerTest, ARequestFailsAndTheNextFindsAnotherProcess) {
  size_t done = 0;
  for (const Step& step : Behaviours()) {
    if (step.stage != "execute") continue;
    SCOPED_TRACE(step.behaviour);
    const size_t descriptors = OpenDescriptors();
    auto loaded = Load(*patient_, "hostile", step.silent() ? 150 : 30'000);
    ASSERT_TRUE(loaded.has_value()) << loaded.error().ToString();
    const size_t started = starts();
    Write(step.Line());
    base::Status status;
    Meanwhile([&] { status = Run(*loaded); });
    if (!step.well() && !step.answered()) {
      EXPECT_EQ(status.code(), base::StatusCode::kUnavailable) << status.ToString();
      EXPECT_FALSE(status.message().empty());
    }
    Meanwhile([&] { ExpectAnswers(*loaded); });
    if (!step.well()) {
      EXPECT_GT(starts(), started) << "the process was not replaced";
    }
    ExpectLittleMemory();
    server_.FailLoads();
    loaded = Served();
    EXPECT_EQ(OpenDescriptors(), descriptors);
    ++done;
  }
  EXPECT_GE(done, kBehavioursMin);
}

TEST_F(HostileWorkerTest, ALoadFailsAndTheNextFindsAnotherProcess) {
  size_t done = 0;
  for (const Step& step : Behaviours()) {
    // A silent first load may just be a large one, so it has no timeout.
    if (step.stage == "execute" || (step.silent() && step.stage != "start")) continue;
    SCOPED_TRACE(step.Line());
    const size_t descriptors = OpenDescriptors();
    Write(step.Line());
    base::Result<Served> loaded;
    Meanwhile([&] { loaded = Load(step.silent() ? *hasty_ : *patient_, "hostile", 30'000); });
    if (!step.well()) {
      ASSERT_FALSE(loaded.has_value());
      EXPECT_FALSE(loaded.error().message().empty());
      loaded = Load(*patient_, "hostile", 30'000);
    }
    ASSERT_TRUE(loaded.has_value()) << loaded.error().ToString();
    EXPECT_TRUE(Run(*loaded).ok());
    ExpectLittleMemory();
    loaded = Served();
    EXPECT_EQ(OpenDescriptors(), descriptors);
    ++done;
  }
  EXPECT_GE(done, kBehavioursMin);
}

// A process that is restarted after the first one was lost. If it does not come up, requests fail with the reason, and
// the process after it answers.
TEST_F(HostileWorkerTest, AProcessThatDoesNotComeUpAgainIsReplaced) {
  for (const Step& step : Behaviours()) {
    const bool drips = step.behaviour == "silent_drips_without_end";
    if (step.stage == "execute" || !(drips || step.behaviour == "silent_never_replies" || step.behaviour == "leaves")) {
      continue;
    }
    SCOPED_TRACE(step.Line());
    auto loaded = Load(*hasty_, "hostile", 30'000);
    // On a busy machine, a process that behaves well may be too slow.
    for (int i = 0; i < 10 && !loaded.has_value(); ++i) loaded = Load(*hasty_, "hostile", 30'000);
    ASSERT_TRUE(loaded.has_value()) << loaded.error().ToString();
    const size_t started = starts();
    Write("execute leaves\n" + step.Line());
    Meanwhile([&] {
      EXPECT_EQ(Run(*loaded).code(), base::StatusCode::kUnavailable);
      ExpectAnswers(*loaded);
    });
    EXPECT_GE(starts(), started + 2);
    ExpectLittleMemory();
  }
}

}  // namespace
}  // namespace inferd::worker
