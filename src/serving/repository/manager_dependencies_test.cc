#include <gmock/gmock.h>

#include <thread>

#include "serving/repository/dependency_fixture.h"

namespace inferd::repository {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using PolledDependencyTest = DependencyTest;
using CalledDependencyTest = DependencyTest;

TEST_F(PolledDependencyTest, AModelIsLoadedAfterThoseThatItDependsOn) {
  Add("a_top", "b_middle");
  Add("b_middle", "c_base d_base");
  Add("c_base");
  auto release = Hold("d_base");
  dir_.Write("d_base/config.pbtxt", "");
  AddVersion("d_base", 1);
  StartLoading();
  while (!Ready("c_base")) std::this_thread::yield();
  EXPECT_THAT(IndexText(), HasSubstr("a_top:1:LOADING:waits for model 'b_middle', which it depends on|"
                                     "b_middle:1:LOADING:waits for model 'd_base', which it depends on|"));
  EXPECT_THAT(WhyNot("a_top"), HasSubstr("waits for model 'b_middle'"));
  EXPECT_FALSE(manager_->StartupTried());
  release.set_value();
  manager_->WaitIdle();
  EXPECT_EQ(IndexText(), "a_top:1:READY:|b_middle:1:READY:|c_base:1:READY:|d_base:1:READY:|");
  auto loads = TakeLoads();
  ASSERT_EQ(loads.size(), 4u);
  std::ranges::sort(loads.begin(), loads.begin() + 2);
  EXPECT_THAT(loads, ElementsAre("c_base", "d_base", "b_middle", "a_top"));
  EXPECT_TRUE(manager_->ServerReady());
}

TEST_F(PolledDependencyTest, WhatIsMissingIsNamedAndWaitedFor) {
  Add("a", "b");
  Add("top", "a");
  Start();
  EXPECT_EQ(
      IndexText(),
      "a:1:UNAVAILABLE:depends on model 'b', which is not loaded: no repository has it|"
      "top:1:UNAVAILABLE:depends on model 'a', which is not loaded: depends on model 'b', which is not loaded: no "
      "repository has it|");
  EXPECT_THAT(manager_->StartupFailure(), HasSubstr("model 'a': depends on model 'b'"));
  EXPECT_TRUE(manager_->StartupTried());
  Add("b");
  Look();
  EXPECT_THAT(TakeLoads(), ElementsAre("b", "a", "top"));
  EXPECT_TRUE(Ready("top"));
}

TEST_F(PolledDependencyTest, AFaultOfTheConfigurationComesBeforeWhatIsMissing) {
  Add("a", "b", "max_batch_size: -1");
  Add("top", "a");
  Start();
  EXPECT_THAT(WhyNot("a"), HasSubstr("'max_batch_size' must be non-negative value for a"));
  EXPECT_THAT(WhyNot("top"), HasSubstr("depends on model 'a', which is not loaded: "));
  EXPECT_THAT(manager_->StartupFailure(), HasSubstr("'max_batch_size' must be non-negative value for a"));
  Add("a", "b");
  Look();
  EXPECT_THAT(WhyNot("a"), HasSubstr("depends on model 'b', which is not loaded: no repository has it"));
  Add("b");
  Look();
  EXPECT_TRUE(Ready("a") && Ready("top"));
}

TEST_F(PolledDependencyTest, WhatFailsIsNamedAndTriedAgainWithWhatItFailedFor) {
  Add("a", "b");
  Add("b");
  Fail("b", "bad magic");
  Start();
  EXPECT_THAT(WhyNot("a"), HasSubstr("depends on model 'b', which is not loaded: bad magic"));
  EXPECT_THAT(TakeLoads(), ElementsAre("b"));
  Add("b");
  AddVersion("b", 1, "mended");
  Look();
  EXPECT_THAT(TakeLoads(), ElementsAre("b", "a"));
  EXPECT_TRUE(Ready("a"));
}

TEST_F(PolledDependencyTest, OfOneVersionOnlyThatWillDo) {
  Add("b");
  AddVersion("b", 2);
  Add("a", "", "inferd { depends_on { model: 'b' version: 1 } }");
  Start();
  EXPECT_THAT(WhyNot("a"),
              HasSubstr("depends on version 1 of model 'b', which is not loaded: that version is not one"));
  dir_.Write("b/config.pbtxt", "version_policy { all { } }");
  Look();
  EXPECT_TRUE(Ready("a"));
  dir_.Write("b/config.pbtxt", "version_policy { specific { versions: [2] } }");
  Look();
  EXPECT_FALSE(Ready("a"));
  EXPECT_EQ(Infer("b").value(), "2");
}

TEST_F(PolledDependencyTest, ModelsOfACircleNameIt) {
  Add("a", "b");
  Add("b", "c");
  Add("c", "a");
  Add("outside", "a");
  Start();
  EXPECT_THAT(WhyNot("a"), HasSubstr("circular dependency between models: a -> b -> c -> a"));
  EXPECT_THAT(WhyNot("b"), HasSubstr("circular dependency between models: b -> c -> a -> b"));
  EXPECT_THAT(WhyNot("c"), HasSubstr("circular dependency between models: c -> a -> b -> c"));
  EXPECT_THAT(WhyNot("outside"), HasSubstr("depends on model 'a', which is not loaded: circular dependency"));
  EXPECT_EQ(engine_.loads(), 0);
  Add("c");
  Look();
  EXPECT_THAT(TakeLoads(), ElementsAre("c", "b", "a", "outside"));
}

TEST_F(PolledDependencyTest, AModelThatGoesTakesTheOthersFirst) {
  Add("a", "b");
  Add("b");
  Start();
  Pinned request = Pin("a");
  ASSERT_NE(request, nullptr);
  dir_.Remove("b");
  manager_->LookNow();
  EXPECT_EQ(Pin("a"), nullptr);
  EXPECT_NE(Pin("b"), nullptr) << "a request to the model that calls it is not answered yet";
  request.reset();
  manager_->WaitIdle();
  EXPECT_EQ(Pin("b"), nullptr);
  EXPECT_THAT(WhyNot("a"), HasSubstr("depends on model 'b', which is not loaded: no repository has it"));
  Add("b");
  Look();
  EXPECT_TRUE(Ready("a"));
}

// "a" was made to fit the inputs and outputs of "b".
TEST_F(PolledDependencyTest, AReloadWithAnotherSignatureLoadsTheOthersAnew) {
  Add("a", "b");
  Add("top", "a");
  Add("b");
  Start();
  TakeLoads();
  core::ModelSignature decoupled = FakeEngine::DefaultSignature();
  decoupled.decoupled = true;
  SetScript("b", [](const core::LoadSpec&) { return base::OkStatus(); }, decoupled);
  AddVersion("b", 1, "it streams now");
  Look();
  EXPECT_THAT(TakeLoads(), ElementsAre("b", "a")) << "and what calls \"a\" finds it as it was";
  EXPECT_TRUE(Ready("a"));
  AddVersion("b", 1, "it streams faster");
  Look();
  EXPECT_THAT(TakeLoads(), ElementsAre("b"));
}

TEST_F(PolledDependencyTest, OneThatDoesNotFitAnyMoreServesAsItIsUntilItFitsAgain) {
  Add("a", "b");
  Add("b");
  Start();
  TakeLoads();
  const Pinned before = Pin("a");
  Fail("a", "the model 'b' gives any number of responses");
  core::ModelSignature decoupled = FakeEngine::DefaultSignature();
  decoupled.decoupled = true;
  const auto loads = [](const core::LoadSpec&) { return base::OkStatus(); };
  SetScript("b", loads, decoupled);
  AddVersion("b", 1, "it streams now");
  Look();
  Look();
  EXPECT_THAT(TakeLoads(), ElementsAre("b", "a")) << "it is tried once";
  EXPECT_EQ(Pin("a"), before);
  EXPECT_THAT(IndexText(), HasSubstr("a:1:READY:"));
  SetScript("b", loads);
  AddVersion("b", 1, "it does not stream any more");
  Look();
  EXPECT_THAT(TakeLoads(), ElementsAre("b"));
  EXPECT_EQ(Pin("a"), before) << "it is what fits";
}

TEST_F(PolledDependencyTest, AReloadLeavesTheOthersServing) {
  Add("a", "b");
  Add("b");
  Start();
  TakeLoads();
  const Pinned request = Pin("a");
  for (int version = 2; version <= 4; ++version) {
    auto release = Hold("b");
    AddVersion("b", version);
    manager_->LookNow();
    EXPECT_TRUE(Ready("a"));
    EXPECT_TRUE(Ready("b"));
    release.set_value();
    manager_->WaitIdle();
    EXPECT_EQ(Infer("b").value(), std::to_string(version));
    EXPECT_EQ(Pin("a"), request) << "it is the same load";
  }
  EXPECT_THAT(TakeLoads(), ElementsAre("b", "b", "b"));
}

TEST_F(PolledDependencyTest, AReloadThatNeedsMoreLeavesWhatServes) {
  Add("a", "b");
  Add("b");
  Start();
  Add("a", "b c");
  Look();
  EXPECT_TRUE(Ready("a"));
  EXPECT_THAT(IndexText(), HasSubstr("a:1:READY:depends on model 'c', which is not loaded: no repository has it"));
  TakeLoads();
  Add("c");
  Look();
  EXPECT_THAT(TakeLoads(), ElementsAre("c", "a"));
  // A model that is not needed any more may be unloaded.
  Add("a", "c");
  Look();
  UnloadNow("b");
  EXPECT_TRUE(Ready("a"));
  EXPECT_FALSE(Ready("b"));
}

TEST_F(PolledDependencyTest, ItsOwnConfigurationMayChangeWhatItNeeds) {
  Add("a", "missing");
  Start();
  EXPECT_FALSE(Ready("a"));
  Add("a");
  Look();
  EXPECT_TRUE(Ready("a"));
}

TEST_F(CalledDependencyTest, ALoadCallLoadsWhatTheModelDependsOn) {
  Explicit();
  Add("top", "middle base");
  Add("middle", "base");
  Add("base");
  Add("other");
  Start();
  EXPECT_TRUE(Load("top").ok());
  EXPECT_THAT(TakeLoads(), ElementsAre("base", "middle", "top"));
  EXPECT_FALSE(Ready("other"));
}

TEST_F(CalledDependencyTest, ALoadCallLoadsWhatHasChangedButNotWhatACallHasReplaced) {
  Explicit();
  Add("top", "changed replaced same");
  for (const char* model : {"changed", "replaced", "same"}) Add(model);
  Start();
  EXPECT_TRUE(Load("top").ok());
  EXPECT_TRUE(
      Load({.model = "replaced", .repository = "", .config_json = R"({"backend":"onnxruntime"})", .files = {}}).ok());
  manager_->WaitIdle();
  TakeLoads();
  AddVersion("changed", 2);
  AddVersion("replaced", 2);
  EXPECT_TRUE(Load("top").ok());
  manager_->WaitIdle();
  EXPECT_THAT(TakeLoads(), ElementsAre("changed"));
}

TEST_F(PolledDependencyTest, ALoadCallLoadsWhatACallHasUnloaded) {
  Add("top", "middle");
  Add("middle", "base");
  Add("base");
  Start();
  UnloadNow("base");
  UnloadNow("top");
  EXPECT_THAT(Load("top").message(), ::testing::IsEmpty());
  EXPECT_TRUE(Ready("base"));
  EXPECT_TRUE(Ready("middle"));
}

TEST_F(CalledDependencyTest, ALoadCallIsToldWhatItLacks) {
  Explicit();
  Add("top", "middle");
  Add("middle", "base");
  Start();
  EXPECT_EQ(Load("top").message(),
            "load failed for model 'top': version 1 is at UNAVAILABLE state: depends on model 'middle', which is not "
            "loaded: depends on model 'base', which is not loaded: no repository has it;\n");
  Add("base");
  Fail("base", "bad magic");
  EXPECT_THAT(Load("top").message(), HasSubstr("which is not loaded: bad magic"));
  Add("base");
  EXPECT_TRUE(Load("top").ok());
  EXPECT_TRUE(Ready("middle"));
}

TEST_F(CalledDependencyTest, StartupModelsBringWhatTheyDependOn) {
  Explicit();
  options_.startup_models = {"top"};
  Add("top", "middle");
  Add("middle", "base");
  Add("base");
  Add("other");
  Start();
  EXPECT_THAT(TakeLoads(), ElementsAre("base", "middle", "top"));
  EXPECT_TRUE(manager_->ServerReady());
  UnloadNow("top", /*dependents=*/true);
  EXPECT_THAT(IndexText(), HasSubstr("base:1:UNAVAILABLE:unloaded|middle:1:UNAVAILABLE:unloaded|"));
}

TEST_F(CalledDependencyTest, AnUnloadedModelComesBackWithItsDependents) {
  Explicit();
  Add("top", "base");
  Add("base");
  Start();
  EXPECT_TRUE(Load("top").ok());
  UnloadNow("base");
  EXPECT_FALSE(Ready("base"));
  EXPECT_THAT(WhyNot("top"), HasSubstr("depends on model 'base', which is not loaded: unloaded"));
  EXPECT_TRUE(Load("base").ok());
  manager_->WaitIdle();
  EXPECT_TRUE(Ready("top"));
}

TEST_F(CalledDependencyTest, AnUnloadWaitsForRequestsToItsDependents) {
  Explicit();
  Add("top", "base");
  Add("base");
  Start();
  EXPECT_TRUE(Load("top").ok());
  Pinned request = Pin("top");
  auto answer = UnloadLater("base");
  EXPECT_EQ(Pin("top"), nullptr);
  EXPECT_EQ(Infer("base").value(), "1") << "the request may yet call it";
  EXPECT_FALSE(IsReady(answer));
  request.reset();
  EXPECT_TRUE(answer.get().ok());
  EXPECT_FALSE(Ready("base"));
}

TEST_F(CalledDependencyTest, AnUnloadThatIsTakenBackIsAnswered) {
  Explicit();
  Add("top", "base");
  Add("base");
  Start();
  EXPECT_TRUE(Load("top").ok());
  Pinned request = Pin("top");
  auto answer = UnloadLater("base");
  EXPECT_TRUE(Load("base").ok());
  EXPECT_TRUE(answer.get().ok());
  request.reset();
  manager_->WaitIdle();
  EXPECT_TRUE(Ready("top"));
}

TEST_F(CalledDependencyTest, AnUnloadLeavesWhatWasLoadedAlong) {
  Explicit();
  Add("top", "base");
  Add("base");
  Start();
  EXPECT_TRUE(Load("top").ok());
  UnloadNow("top");
  EXPECT_TRUE(Ready("base"));
}

TEST_F(CalledDependencyTest, AnUnloadWithDependentsTakesWhatWasLoadedAlong) {
  Explicit();
  Add("top", "middle shared asked");
  Add("middle", "base");
  Add("base");
  Add("shared");
  Add("asked");
  Add("other", "shared");
  Start();
  EXPECT_TRUE(Load("asked").ok());
  EXPECT_TRUE(Load("top").ok());
  EXPECT_TRUE(Load("other").ok());
  UnloadNow("top", /*dependents=*/true);
  EXPECT_FALSE(Ready("top"));
  EXPECT_FALSE(Ready("middle"));
  EXPECT_FALSE(Ready("base"));
  EXPECT_TRUE(Ready("shared")) << "another model needs it";
  EXPECT_TRUE(Ready("asked")) << "a call of its own has loaded it";
  UnloadNow("other", /*dependents=*/true);
  EXPECT_FALSE(Ready("shared"));
  UnloadNow("nothing", /*dependents=*/true);
}

TEST_F(CalledDependencyTest, ACallsConfigurationNamesDependenciesToo) {
  Explicit();
  Add("top");
  Add("base");
  Start();
  EXPECT_TRUE(Load({.model = "top",
                    .repository = "",
                    .config_json = R"({"backend":"onnxruntime","inferd":{"depends_on":[{"model":"base"}]}})",
                    .files = {}})
                  .ok());
  EXPECT_THAT(TakeLoads(), ElementsAre("base", "top"));
}

TEST_F(CalledDependencyTest, AShutdownEndsWhatWaits) {
  Explicit();
  Add("top", "base");
  Add("base");
  auto release = Hold("base");
  Start();
  std::promise<base::Status> loaded;
  manager_->Load({.model = "top", .repository = "", .config_json = "", .files = {}},
                 [&loaded](base::Status status) { loaded.set_value(std::move(status)); });
  while (TakeLoads().empty()) std::this_thread::yield();
  std::thread stop([this] { manager_->Shutdown(); });
  EXPECT_EQ(loaded.get_future().get().code(), base::StatusCode::kUnavailable);
  release.set_value();
  stop.join();
}

TEST_F(CalledDependencyTest, AShutdownAnswersAnUnloadThatWaits) {
  Explicit();
  Add("top", "base");
  Add("base");
  Start();
  EXPECT_TRUE(Load("top").ok());
  Pinned request = Pin("top");
  auto answer = UnloadLater("base");
  std::thread stop([this] { manager_->Shutdown(); });
  EXPECT_TRUE(answer.get().ok());
  request.reset();
  stop.join();
}

TEST_F(PolledDependencyTest, ModelsThatAreNamedWaitForEachOther) {
  options_.repositories = {};
  options_.served_models = {{{.name = "a", .base_path = (dir_.path() / "a").string()},
                             {.name = "b", .base_path = (dir_.path() / "b").string()}}};
  Add("a", "b");
  Add("b");
  Start();
  EXPECT_THAT(TakeLoads(), ElementsAre("b", "a"));
  EXPECT_TRUE(Ready("a"));
}

// The cost of a step grows with the models that it changes.
TEST_F(PolledDependencyTest, AsManyRecordsAreTouchedBesideManyModels) {
  uint64_t touched[2] = {};
  for (const int beside : {3, 60}) {
    for (int i = 0; i < beside; ++i) {
      const std::string number = std::to_string(i);
      Add("other" + number);
      Add("top" + number, "other" + number);
    }
    Add("a", "b");
    Add("b");
    Start();
    Look();
    const uint64_t before = manager_->RecordsTouched();
    AddVersion("b", beside + 2);
    Look();
    touched[beside == 3 ? 0 : 1] = manager_->RecordsTouched() - before;
    manager_->Shutdown();
    EXPECT_EQ(manager_->RefusedTransitions(), 0);
  }
  EXPECT_EQ(touched[0], touched[1]);
}

}  // namespace
}  // namespace inferd::repository
