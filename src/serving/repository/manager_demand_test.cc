#include <gmock/gmock.h>

#include <thread>

#include "serving/core/model_version.h"
#include "serving/repository/manager_fixture.h"

namespace inferd::repository {
namespace {

using base::StatusCode;
using ::testing::AllOf;
using ::testing::HasSubstr;

using Answer = std::future<core::LoadOutcome>;

// A manager with lazy loading, whose clock the test moves.
class LazyManagerTest : public ManagerTest {
 protected:
  LazyManagerTest() {
    manager_clock_ = &now_;
    options_.lazy.enabled = true;
  }

  Answer Demand(const std::string& model, const std::string& version = "", int64_t deadline_ns = 0) {
    auto promise = std::make_shared<std::promise<core::LoadOutcome>>();
    Answer answer = promise->get_future();
    manager_->Demand({.model = model,
                      .version = version,
                      .deadline_ns = deadline_ns,
                      .cancel = cancel_,
                      .done = [promise](core::LoadOutcome&& outcome) { promise->set_value(std::move(outcome)); }});
    return answer;
  }
  // Returns the version that would answer a request. An instance's thread releases its request a moment after the
  // response. Until then the version counts as busy, and busy versions are evicted last. Serve() waits for that moment.
  base::Result<std::string> Serve(const std::string& model, const std::string& version = "") {
    const core::LoadOutcome outcome = Demand(model, version).get();
    if (!outcome.status.ok()) return std::unexpected(outcome.status);
    base::Result<std::string> answer = Infer(model, version);
    constexpr int64_t kHeldByManagerAndHere = 2;
    while (outcome.model.use_count() > kHeldByManagerAndHere) std::this_thread::yield();
    return answer;
  }
  base::Status FailureOf(const std::string& model, const std::string& version = "") {
    return Demand(model, version).get().status;
  }
  // Blocks loads of the model until the promise is kept.
  std::promise<void> HoldLoadsOf(const std::string& model) {
    std::promise<void> release;
    auto released = release.get_future().share();
    engine_.SetScript(model,
                      {.signature = FakeEngine::DefaultSignature(),
                       .on_load = [released](const core::LoadSpec&) { return released.wait(), base::OkStatus(); },
                       .on_execute = {}});
    return release;
  }
  // Waits until all earlier demands are taken in.
  void TakeIn() { EXPECT_EQ(FailureOf("nobody").code(), StatusCode::kNotFound); }
  std::string Metric(const std::string& name) {
    const std::string text = registry_.PrometheusText();
    const size_t at = text.find("\n" + name + " ");
    return at == std::string::npos ? "none"
                                   : text.substr(at + 2 + name.size(), text.find('\n', at + 1) - at - 2 - name.size());
  }

  std::shared_ptr<core::CancelFlag> cancel_;  // of the demands
};

TEST_F(LazyManagerTest, ModelsAreLoadedWhenTheyAreNeeded) {
  AddVersion("m", 1);
  Start();
  EXPECT_TRUE(manager_->ServerReady());
  EXPECT_TRUE(manager_->StartupTried());
  EXPECT_EQ(engine_.loads(), 0);
  EXPECT_EQ(IndexText(), "m:1:UNAVAILABLE:not loaded: waits for a request|");
  EXPECT_TRUE(manager_->Versions("m")->at(0).on_demand);
  EXPECT_THAT(manager_->ModelReady("m", "").message(), HasSubstr("not loaded: waits for a request"));
  EXPECT_EQ(engine_.loads(), 0) << "to ask about it is no need";
  EXPECT_EQ(Serve("m").value(), "1");
  EXPECT_EQ(Serve("m").value(), "1");
  EXPECT_EQ(engine_.loads(), 1);
  EXPECT_EQ(IndexText(), "m:1:READY:|");
  EXPECT_EQ(Metric("inferd_demand_loads_total"), "1");
  EXPECT_EQ(FailureOf("n").code(), StatusCode::kNotFound);
  EXPECT_EQ(FailureOf("m", "2").code(), StatusCode::kNotFound);
}

TEST_F(LazyManagerTest, ConcurrentFirstRequestsAreOneLoad) {
  AddVersion("m", 1);
  std::promise<void> release = HoldLoadsOf("m");
  Start();
  std::vector<Answer> answers;
  for (int i = 0; i < 4; ++i) answers.push_back(Demand("m", i % 2 == 0 ? "" : "1"));
  TakeIn();
  EXPECT_EQ(Metric("inferd_load_waiting_requests"), "4");
  EXPECT_EQ(IndexText(), "m:1:LOADING:|");
  release.set_value();
  for (Answer& answer : answers) EXPECT_EQ(answer.get().model->version(), "1");
  manager_->WaitIdle();
  EXPECT_EQ(engine_.loads(), 1);
  EXPECT_EQ(Metric("inferd_load_waiting_requests"), "0");
}

TEST_F(LazyManagerTest, AFailedLoadAnswersAllAndIsNotTriedAgainAtOnce) {
  AddVersion("m", 1);
  std::promise<void> release;
  auto released = release.get_future().share();
  const auto fail = [released](const core::LoadSpec&) {
    return released.wait(), base::InvalidArgument("no such operator");
  };
  engine_.SetScript("m", {.signature = FakeEngine::DefaultSignature(), .on_load = fail, .on_execute = {}});
  Start();
  Answer first = Demand("m");
  Answer second = Demand("m");
  TakeIn();
  release.set_value();
  for (Answer* answer : {&first, &second}) {
    EXPECT_EQ(answer->get().status, base::Unavailable("model 'm' version 1 could not be loaded: no such operator"));
  }
  const core::LoadOutcome early = Demand("m").get();
  EXPECT_EQ(early.status.code(), StatusCode::kUnavailable);
  EXPECT_THAT(early.status.message(), AllOf(HasSubstr("tried again in 1000 ms"), HasSubstr("no such operator")));
  EXPECT_EQ(early.retry_after_ms, 1000);
  const int loads = engine_.loads();
  now_.AdvanceMs(1000);
  EXPECT_EQ(FailureOf("m"), base::Unavailable("model 'm' version 1 could not be loaded: no such operator"));
  EXPECT_EQ(engine_.loads(), loads + 1);
  EXPECT_EQ(Demand("m").get().retry_after_ms, 2000) << "the wait doubles";
  engine_.SetScript("m", {});
  now_.AdvanceMs(2000);
  EXPECT_EQ(Serve("m").value(), "1");
}

TEST_F(LazyManagerTest, TheLeastRecentlyUsedMakesRoom) {
  options_.lazy.budget.versions_max = 2;
  for (const char* name : {"a", "b", "c"}) AddVersion(name, 1);
  Start();
  for (const char* name : {"a", "b", "a"}) {
    EXPECT_EQ(Serve(name).value(), "1");
    now_.AdvanceMs(10);
  }
  EXPECT_EQ(Metric("inferd_loaded_models"), "2");
  EXPECT_EQ(Serve("c").value(), "1");
  manager_->WaitIdle();
  EXPECT_EQ(IndexText(), "a:1:READY:|b:1:UNAVAILABLE:not loaded: waits for a request|c:1:READY:|");
  EXPECT_EQ(engine_.alive(), 2);
  EXPECT_EQ(Serve("b").value(), "1");
  EXPECT_EQ(Metric("inferd_model_evictions_total"), "2");
}

TEST_F(LazyManagerTest, WhatIsNeededWaitsUntilWhatIsInItsWayHasAnswered) {
  options_.lazy.budget.versions_max = 1;
  AddVersion("a", 1);
  AddVersion("b", 1);
  Start();
  core::LoadOutcome held = Demand("a").get();
  Answer answer = Demand("b");
  TakeIn();
  EXPECT_EQ(IndexText(), "a:1:UNLOADING:unloading|b:1:LOADING:waits for memory that other models hold|");
  EXPECT_EQ(engine_.loads(), 1);
  held = {};
  EXPECT_EQ(answer.get().model->version(), "1");
  manager_->WaitIdle();
  EXPECT_EQ(engine_.alive(), 1);
}

TEST_F(LazyManagerTest, PinnedModelsStay) {
  options_.lazy.budget.versions_max = 2;
  options_.lazy.pinned_models = {"listed"};
  for (const char* name : {"a", "b", "listed", "pinned"}) AddVersion(name, 1);
  dir_.Write("pinned/config.pbtxt", "inferd { pinned: true }");
  Start();
  EXPECT_EQ(Infer("pinned").value(), "1");
  EXPECT_EQ(Infer("listed").value(), "1");
  EXPECT_EQ(FailureOf("a"), base::ResourceExhausted("model 'a' version 1 could not be loaded: 2 model versions may be "
                                                    "loaded at a time, and 2 that stay loaded are"));
  EXPECT_EQ(Infer("pinned").value(), "1");
  EXPECT_EQ(engine_.loads(), 2);
}

TEST_F(LazyManagerTest, BytesAreThoseOfTheFilesOrWhatTheConfigurationSays) {
  options_.lazy.budget.bytes_max = 100;
  AddVersion("small", 1, std::string(60, 'x'));
  AddVersion("large", 1, std::string(101, 'x'));
  AddVersion("says", 1, "x");
  dir_.Write("says/config.pbtxt", "inferd { memory_bytes: 41 }");
  Start();
  EXPECT_EQ(Serve("small").value(), "1");
  EXPECT_EQ(Metric("inferd_loaded_models_bytes"), "60");
  EXPECT_EQ(FailureOf("large"),
            base::ResourceExhausted("model 'large' version 1 could not be loaded: it needs 101 bytes, "
                                    "and the memory for models is 100 bytes"));
  EXPECT_EQ(Infer("small").value(), "1") << "nothing goes for what does not fit";
  EXPECT_EQ(Serve("says").value(), "1");
  manager_->WaitIdle();
  EXPECT_EQ(Metric("inferd_loaded_models_bytes"), "41");
  EXPECT_EQ(Metric("inferd_load_refusals_total"), "1");
}

// A budget of 100 bytes on each of two GPUs, for all models together.
class GpuManagerTest : public LazyManagerTest {
 protected:
  GpuManagerTest() {
    engine_.SetGpus({.count = 2});
    options_.lazy.budget.gpu_bytes_max = 100;
  }
  // Adds a model whose file has `bytes` bytes, with one instance on each of `gpus`.
  void Add(const std::string& model, size_t bytes, const std::string& gpus, const std::string& more = "") {
    AddVersion(model, 1, std::string(bytes, 'x'));
    dir_.Write(model + "/config.pbtxt", "instance_group { kind: KIND_GPU gpus: [ " + gpus + " ] }" + more);
  }
  // Serves a little later than the last use.
  base::Result<std::string> ServeNext(const std::string& model) {
    now_.AdvanceMs(10);
    return Serve(model);
  }
  std::string Held() {
    manager_->WaitIdle();
    return Metric("inferd_loaded_models_gpu_bytes{gpu=\"0\"}") + " " +
           Metric("inferd_loaded_models_gpu_bytes{gpu=\"1\"}");
  }
};

TEST_F(GpuManagerTest, ModelsOfAGpuMakeRoomForEachOther) {
  Add("first", 60, "0");
  Add("second", 60, "1");
  Add("both", 40, "0, 1");
  Add("third", 30, "1");
  AddVersion("on_cpu", 1, std::string(1'000, 'x'));
  Start();
  for (const char* name : {"first", "second", "both", "on_cpu"}) EXPECT_EQ(ServeNext(name).value(), "1");
  EXPECT_EQ(Held(), "100 100");
  EXPECT_EQ(Metric("inferd_model_evictions_total"), "0");
  EXPECT_EQ(ServeNext("third").value(), "1");
  EXPECT_EQ(Held(), "100 70") << "the second has gone";
  EXPECT_EQ(Metric("inferd_loaded_models"), "4");
}

TEST_F(GpuManagerTest, WhatDoesNotFitOnAGpuIsRefusedWithFigures) {
  Add("large", 101, "1");
  Add("says", 1, "0", "inferd { gpu_memory_bytes: 102 }");
  Start();
  EXPECT_EQ(FailureOf("large"),
            base::ResourceExhausted("model 'large' version 1 could not be loaded: it needs 101 bytes of GPU 1, and the "
                                    "memory for models there is 100 bytes"));
  EXPECT_THAT(FailureOf("says").message(), HasSubstr("it needs 102 bytes of GPU 0"));
  EXPECT_EQ(engine_.loads(), 0);
}

TEST_F(LazyManagerTest, WhoDoesNotWaitAnyMoreIsAnswered) {
  AddVersion("m", 1);
  std::promise<void> release = HoldLoadsOf("m");
  Start();
  Answer patient = Demand("m");
  Answer hasty = Demand("m", "", now_.NowNs() + 5'000'000);
  cancel_ = std::make_shared<core::CancelFlag>();
  Answer cancelled = Demand("m");
  TakeIn();
  now_.AdvanceMs(5);
  cancel_->Cancel();
  manager_->ExpireDemands();
  EXPECT_EQ(hasty.get().status.code(), StatusCode::kDeadlineExceeded);
  EXPECT_EQ(cancelled.get().status.code(), StatusCode::kCancelled);
  now_.AdvanceMs(options_.lazy.wait_max_ms);
  manager_->ExpireDemands();
  const core::LoadOutcome late = patient.get();
  EXPECT_EQ(late.status, base::Unavailable("model 'm' version 1 was not loaded in time"));
  EXPECT_GT(late.retry_after_ms, 0);
  release.set_value();
}

TEST_F(LazyManagerTest, WhatNobodyWaitsForAnyMoreIsNotLoaded) {
  options_.lazy.budget.versions_max = 1;
  AddVersion("a", 1);
  AddVersion("b", 1);
  Start();
  core::LoadOutcome held = Demand("a").get();
  cancel_ = std::make_shared<core::CancelFlag>();
  Answer answer = Demand("b");
  TakeIn();
  cancel_->Cancel();
  EXPECT_EQ(answer.get().status.code(), StatusCode::kCancelled) << "found out by itself";
  held = {};
  manager_->WaitIdle();
  EXPECT_EQ(engine_.loads(), 1);
  EXPECT_EQ(IndexText(),
            "a:1:UNAVAILABLE:not loaded: waits for a request|b:1:UNAVAILABLE:not loaded: waits for a request|");
}

TEST_F(LazyManagerTest, SoManyMayWaitForAModel) {
  options_.lazy.waiters_max = 1;
  AddVersion("m", 1);
  std::promise<void> release = HoldLoadsOf("m");
  Start();
  Answer first = Demand("m");
  const core::LoadOutcome second = Demand("m").get();
  EXPECT_EQ(second.status, base::Unavailable("as many requests as may (1) wait for model 'm' to be loaded"));
  EXPECT_GT(second.retry_after_ms, 0);
  release.set_value();
  EXPECT_TRUE(first.get().status.ok());
}

TEST_F(LazyManagerTest, WhatIsInUseIsReplacedAtOnce) {
  AddVersion("used", 1);
  AddVersion("unused", 1);
  Start();
  EXPECT_EQ(Serve("used").value(), "1");
  AddVersion("used", 2);
  AddVersion("unused", 2);
  Look();
  EXPECT_EQ(Infer("used").value(), "2") << "the old one served until then";
  EXPECT_EQ(engine_.loads(), 2);
  EXPECT_EQ(Serve("unused").value(), "2");
}

TEST_F(LazyManagerTest, TheHighestVersionThatLoadsAnswers) {
  dir_.Write("m/config.pbtxt", "version_policy { all {} }");
  for (const int version : {1, 2, 3}) AddVersion("m", version);
  engine_.SetScript("m", {.signature = FakeEngine::DefaultSignature(),
                          .on_load =
                              [](const core::LoadSpec& spec) {
                                return spec.version == 3 ? base::InvalidArgument("broken") : base::OkStatus();
                              },
                          .on_execute = {}});
  Start();
  EXPECT_EQ(Serve("m", "1").value(), "1");
  EXPECT_EQ(FailureOf("m").code(), StatusCode::kUnavailable) << "the third is tried first, though another is ready";
  EXPECT_EQ(Serve("m").value(), "2");
  EXPECT_EQ(engine_.loads(), 3);
}

TEST_F(LazyManagerTest, CallsLoadAndUnloadAsWell) {
  options_.lazy.budget.versions_max = 1;
  AddVersion("a", 1);
  AddVersion("b", 1);
  Start();
  EXPECT_EQ(Serve("a").value(), "1");
  EXPECT_TRUE(Load("b").ok());
  EXPECT_EQ(Infer("b").value(), "1");
  manager_->WaitIdle();
  EXPECT_EQ(engine_.alive(), 1);
  EXPECT_TRUE(Unload("b").ok());
  EXPECT_EQ(FailureOf("b").code(), StatusCode::kUnavailable) << "a client that unloads a model does not want it loaded";
  EXPECT_EQ(Serve("a").value(), "1");
  EXPECT_TRUE(Load("b").ok());
  EXPECT_EQ(Serve("a").value(), "1");
  EXPECT_EQ(Serve("b").value(), "1") << "what a call has loaded comes back after it had to go";
}

TEST_F(LazyManagerTest, WhoWaitsIsToldOfTheEnd) {
  AddVersion("gone", 1);
  AddVersion("m", 1);
  std::promise<void> release = HoldLoadsOf("gone");
  std::promise<void> release_too = HoldLoadsOf("m");
  Start();
  Answer of_gone = Demand("gone");
  Answer of_m = Demand("m");
  TakeIn();
  manager_->Unload({.model = "gone", .repository = ""}, [](const base::Status& status) { EXPECT_TRUE(status.ok()); });
  EXPECT_EQ(of_gone.get().status, base::Unavailable("model 'gone' version 1 could not be loaded: unloaded"));
  release.set_value();
  std::thread end([this] { manager_->Shutdown(); });
  EXPECT_EQ(of_m.get().status, base::Unavailable("the server is shutting down"));
  release_too.set_value();
  end.join();
  EXPECT_EQ(FailureOf("m"), base::Unavailable("the server is shutting down"));
}

}  // namespace
}  // namespace inferd::repository
