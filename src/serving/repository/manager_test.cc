#include "serving/repository/manager.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "serving/repository/manager_fixture.h"

namespace inferd::repository {
namespace {

using base::StatusCode;
using core::ModelState;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(ManagerTest, ARepositoryThatVanishesUnloadsNothing) {
  const auto repository = dir_.path() / "models";
  options_.repositories = {{.name = "main", .path = repository}};
  AddVersion("models/m", 1);
  AddVersion("models/n", 1);
  Start();
  std::filesystem::rename(repository, dir_.path() / "elsewhere");
  for (int i = 0; i < 3; ++i) Look();
  EXPECT_EQ(Infer("m").value(), "1");
  std::filesystem::rename(dir_.path() / "elsewhere", repository);
  Look();
  EXPECT_EQ(Infer("m").value(), "1");
  EXPECT_EQ(engine_.loads(), 2);
  std::filesystem::remove_all(repository / "n");
  Look();
  EXPECT_FALSE(Infer("n").has_value()) << "a model whose folder goes alone is unloaded";
  EXPECT_EQ(Infer("m").value(), "1");
}

TEST_F(ManagerTest, ServesWhatIsThereWithoutAnyConfiguration) {
  AddVersion("m", 1);
  AddVersion("m", 3);
  Start();
  EXPECT_TRUE(manager_->ServerReady());
  EXPECT_EQ(Infer("m").value(), "3");
  EXPECT_EQ(Infer("m", "3").value(), "3");
  EXPECT_EQ(IndexText(), "m:3:READY:|");
  EXPECT_THAT(registry_.PrometheusText(), HasSubstr("nv_model_load_duration_secs{model=\"m\",version=\"3\"} "));
  const core::ModelMetadata metadata = manager_->Metadata("m", "").value();
  EXPECT_EQ(metadata.platform, "onnx_onnxv1");
  EXPECT_THAT(metadata.versions, ElementsAre("3"));
  ASSERT_EQ(metadata.inputs.size(), 1u);
  EXPECT_EQ(metadata.inputs[0].shape, (tensor::Shape{-1, -1}));
  EXPECT_THAT(manager_->ConfigJson("m", "").value(), HasSubstr("\"max_batch_size\":0"));
}

TEST_F(ManagerTest, LabelsAreThoseOfTheConfiguration) {
  AddVersion("m", 1);
  AddVersion("m", 2);
  const std::string policy = "version_policy { all { } }\ninferd { version_labels { key: \"stable\" value: ";
  dir_.Write("m/config.pbtxt", policy + "1 } }");
  Start();
  const auto stable = [this] { return snapshots_.Current()->FindLabel("m", "stable"); };
  EXPECT_EQ(stable().value(), 1);
  dir_.Write("m/config.pbtxt", policy + "2 } }\n");
  Look();
  EXPECT_EQ(stable().value(), 2);
  ASSERT_TRUE(Load({.model = "m",
                    .repository = "",
                    .config_json = R"({"inferd": {"version_labels": {"stable": 7}}})",
                    .files = {}})
                  .ok());
  EXPECT_EQ(stable().value(), 7);
  dir_.Remove("m/config.pbtxt");
  Look();
  EXPECT_EQ(stable().error().code(), StatusCode::kInvalidArgument);
}

TEST_F(ManagerTest, WhatIsNotThereIsNotFound) {
  AddVersion("m", 1);
  Start();
  EXPECT_EQ(Infer("n").error(), base::NotFound("Request for unknown model: 'n' is not found"));
  for (const char* version : {"2", "v1", "01", "-1", "+1", "1.0", " 1", "99999999999999999999"}) {
    EXPECT_EQ(Infer("m", version).error().code(), StatusCode::kNotFound) << version;
  }
  EXPECT_EQ(manager_->ModelReady("n", "").code(), StatusCode::kNotFound);
  EXPECT_EQ(manager_->Metadata("n", "").error().code(), StatusCode::kNotFound);
  EXPECT_EQ(manager_->Statistics("n", "").error().code(), StatusCode::kNotFound);
  EXPECT_EQ(manager_->Index("other", false).error().code(), StatusCode::kNotFound);
}

TEST_F(ManagerTest, AVersionWhoseRequestsFailForTheTimeBeingIsNotReady) {
  std::atomic<bool> paused = false;
  FakeEngine::Script script;
  script.availability = [&paused] { return paused ? base::Unavailable("it takes a break") : base::OkStatus(); };
  engine_.SetScript("m", script);
  AddVersion("m", 1);
  AddVersion("other", 1);
  Start();
  EXPECT_TRUE(manager_->ModelReady("m", "").ok());
  EXPECT_EQ(IndexText(), "m:1:READY:|other:1:READY:|");
  paused = true;
  EXPECT_EQ(manager_->ModelReady("m", ""), base::Unavailable("it takes a break"));
  EXPECT_EQ(manager_->ModelReady("m", "1"), base::Unavailable("it takes a break"));
  EXPECT_TRUE(manager_->ModelReady("other", "").ok());
  EXPECT_EQ(IndexText(), "m:1:READY:it takes a break|other:1:READY:|");
  EXPECT_TRUE(manager_->ServerReady());
  EXPECT_TRUE(manager_->Metadata("m", "").has_value());
  paused = false;
  EXPECT_TRUE(manager_->ModelReady("m", "").ok());
  EXPECT_EQ(IndexText(), "m:1:READY:|other:1:READY:|");
}

TEST_F(ManagerTest, VersionZeroCounts) {
  AddVersion("m", 0);
  Start();
  EXPECT_EQ(Infer("m", "0").value(), "0");
}

TEST_F(ManagerTest, ANewVersionReplacesTheOld) {
  AddVersion("m", 1);
  Start();
  AddVersion("m", 2);
  Look();
  EXPECT_EQ(Infer("m").value(), "2");
  EXPECT_EQ(Infer("m", "1").error().code(), StatusCode::kUnavailable);
  EXPECT_EQ(IndexText(), "m:1:UNAVAILABLE:unloaded|m:2:READY:|");
  const auto versions = manager_->Versions("m").value();
  ASSERT_EQ(versions.size(), 2u);
  EXPECT_EQ(versions[0].version + versions[0].reason, "1unloaded");
  EXPECT_EQ(versions[0].failed_code, StatusCode::kOk);
  EXPECT_EQ(versions[1].version, "2");
  EXPECT_EQ(versions[1].state, core::ModelState::kReady);
  EXPECT_EQ(manager_->Versions("n").error().code(), StatusCode::kNotFound);
}

TEST_F(ManagerTest, AReloadThatFailsLeavesTheOldOneServing) {
  AddVersion("m", 1);
  Start();
  FailLoadsOf("m", "bad magic");
  AddVersion("m", 1, "broken");
  Look();
  EXPECT_EQ(Infer("m").value(), "1");
  EXPECT_EQ(IndexText(), "m:1:READY:bad magic|");
  const int loads = engine_.loads();
  Look();
  EXPECT_EQ(engine_.loads(), loads) << "not tried again before it changes";
  engine_.SetScript("m", {});
  AddVersion("m", 1, "mended");
  Look();
  EXPECT_EQ(IndexText(), "m:1:READY:|");
  EXPECT_EQ(engine_.alive(), 1);
}

TEST_F(ManagerTest, ABrokenModelSaysWhyAndStopsNobody) {
  AddVersion("bad", 1);
  AddVersion("good", 1);
  FailLoadsOf("bad", "no such operator");
  Start();
  EXPECT_EQ(Infer("good").value(), "1");
  const base::Status status = Infer("bad").error();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_THAT(status.message(), HasSubstr("no such operator"));
  EXPECT_FALSE(manager_->ServerReady());
  EXPECT_EQ(IndexText(), "bad:1:UNAVAILABLE:no such operator|good:1:READY:|");
  EXPECT_EQ(manager_->Versions("bad")->at(0).failed_code, StatusCode::kInvalidArgument);
  EXPECT_EQ(manager_->Versions("good")->at(0).failed_code, StatusCode::kOk);
  EXPECT_EQ(manager_->Index("", false)->at(0).failed_code, StatusCode::kInvalidArgument);
  dir_.Remove("bad");
  Look();
  EXPECT_TRUE(manager_->ServerReady());
  EXPECT_EQ(IndexText(), "good:1:READY:|");
}

TEST_F(ManagerTest, ARemovedModelIsUnloaded) {
  AddVersion("m", 1);
  Start();
  EXPECT_EQ(engine_.alive(), 1);
  dir_.Remove("m");
  Look();
  EXPECT_EQ(engine_.alive(), 0);
  EXPECT_EQ(Infer("m").error().code(), StatusCode::kNotFound);
  EXPECT_EQ(IndexText(), "");
}

TEST_F(ManagerTest, ARemovedModelServesOnWhereModelsAreNotToGo) {
  options_.unload_removed = false;
  options_.new_models = false;
  AddVersion("m", 1);
  Start();
  dir_.Remove("m");
  Look();
  Look();
  EXPECT_EQ(Infer("m").value_or(""), "1");
  EXPECT_EQ(IndexText(), "m:1:READY:|");
  EXPECT_TRUE(manager_->Departed("").empty());
  AddVersion("m", 1, "y");
  AddVersion("m", 2);
  Look();
  EXPECT_EQ(Infer("m").value_or(""), "2") << "it is back, and its versions come and go again";
  dir_.Remove("m/1");
  dir_.Remove("m/2");
  Look();
  EXPECT_FALSE(Infer("m").has_value()) << "its versions went, and not its folder";
  EXPECT_TRUE(IndexText().starts_with("m::UNAVAILABLE:")) << IndexText();
  AddVersion("m", 3);
  Look();
  EXPECT_EQ(Infer("m").value_or(""), "3");
}

TEST_F(ManagerTest, AModelThatComesIsUnknownWhereNewOnesAreKeptOut) {
  options_.new_models = false;
  AddVersion("m", 1);
  Start();
  AddVersion("n", 1);
  Look();
  Look();
  EXPECT_EQ(IndexText(), "m:1:READY:|");
  EXPECT_EQ(manager_->ModelNames(), std::vector<std::string>{"m"});
  EXPECT_EQ(manager_->ModelReady("n", "").code(), StatusCode::kNotFound);
  EXPECT_TRUE(Load("n").ok()) << "a call may load it";
  EXPECT_EQ(Infer("n").value_or(""), "1");
  dir_.Remove("m");
  Look();
  AddVersion("m", 1);
  Look();
  EXPECT_EQ(IndexText(), "n:1:READY:|") << "a model that is back is a new one";
}

TEST_F(ManagerTest, ARemovedModelIsRemembered) {
  AddVersion("m", 1);
  AddVersion("failed", 2);
  AddVersion("stays", 1);
  FailLoadsOf("failed", "no such operator");
  Start();
  EXPECT_TRUE(Infer("m").has_value());
  EXPECT_TRUE(manager_->Departed("").empty());
  dir_.Remove("m");
  dir_.Remove("failed");
  Look();
  Look();
  const auto departed = manager_->Departed("");
  ASSERT_EQ(departed.size(), 2u);
  EXPECT_EQ(departed[0].name, "failed");
  ASSERT_EQ(departed[0].versions.size(), 1u);
  EXPECT_EQ(departed[0].versions[0].version, "2");
  EXPECT_EQ(departed[1].name, "m");
  EXPECT_NE(departed[1].config_json.find(R"("name":"m")"), std::string::npos) << departed[1].config_json;
  ASSERT_EQ(departed[1].statistics.size(), 1u);
  EXPECT_EQ(departed[1].statistics[0].inference_count, 1u);
  EXPECT_EQ(IndexText(), "stays:1:READY:|");
  EXPECT_EQ(manager_->ModelNames(), std::vector<std::string>{"stays"});
  AddVersion("m", 1);
  Look();
  EXPECT_EQ(manager_->Departed("").size(), 1u);
  EXPECT_EQ(manager_->Statistics("m", "").value()[0].inference_count, 0u);
}

TEST_F(ManagerTest, AVersionThatWentIsRememberedWithItsCounts) {
  dir_.Write("m/config.pbtxt", "version_policy { all { } }");
  AddVersion("m", 1);
  AddVersion("m", 3);
  Start();
  EXPECT_TRUE(manager_->DepartedVersions("m").name.empty());
  EXPECT_EQ(Infer("m").value_or(""), "3");
  for (const uint64_t counted : {1, 2}) {
    dir_.Remove("m/3");
    Look();
    EXPECT_EQ(IndexText(), "m:1:READY:|");
    const core::DepartedModel left = manager_->DepartedVersions("m");
    ASSERT_EQ(left.versions.size(), 1u);
    EXPECT_EQ(left.versions[0].version, "3");
    EXPECT_EQ(left.versions[0].state, core::ModelState::kUnavailable);
    ASSERT_EQ(left.statistics.size(), 1u);
    EXPECT_EQ(left.statistics[0].inference_count, counted) << "of all loads together";
    ASSERT_EQ(left.statistics[0].requests.size(), 1u);
    EXPECT_EQ(left.statistics[0].requests[0].success.count, counted);
    AddVersion("m", 3);
    Look();
    EXPECT_EQ(Infer("m").value_or(""), "3");
  }
  EXPECT_TRUE(manager_->Departed("").empty()) << "the model is there";
  dir_.Remove("m");
  Look();
  ASSERT_EQ(manager_->Departed("m").size(), 1u);
  EXPECT_EQ(manager_->Departed("m")[0].statistics.back().inference_count, 3u);
  AddVersion("m", 3);
  Look();
  EXPECT_TRUE(manager_->DepartedVersions("m").name.empty()) << "a model that is back counts anew";
}

TEST_F(ManagerTest, AVersionThatFailedAndWentIsRemembered) {
  AddVersion("m", 1);
  FailLoadsOf("m", "no such operator");
  Start();
  AddVersion("m", 2);
  dir_.Remove("m/1");
  Look();
  const core::DepartedModel left = manager_->DepartedVersions("m");
  ASSERT_EQ(left.versions.size(), 1u);
  EXPECT_EQ(left.versions[0].version, "1");
  EXPECT_TRUE(left.statistics.empty());
}

TEST_F(ManagerTest, AModelThatComesIsKnownOnceItsFolderWasRead) {
  options_.settle_ms = 1000;
  manager_clock_ = &now_;
  AddVersion("m", 1);
  Start();
  for (const bool is_back : {false, true}) {
    AddVersion("n", 1);
    Look();
    EXPECT_EQ(manager_->ModelReady("n", "").code(), StatusCode::kNotFound) << is_back;
    EXPECT_EQ(manager_->Departed("n").size(), is_back ? 1u : 0u) << "it is shown as it was";
    now_.AdvanceMs(1000);
    Look();
    EXPECT_TRUE(manager_->ModelReady("n", "").ok());
    EXPECT_TRUE(manager_->Departed("n").empty());
    dir_.Remove("n");
    Look();
    now_.AdvanceMs(1000);
    Look();
  }
}

TEST_F(ManagerTest, AModelWithoutVersionsHasItsConfiguration) {
  dir_.Write("m/config.pbtxt", "backend: 'onnxruntime' max_batch_size: 3");
  Start();
  EXPECT_NE(manager_->WrittenConfigJson("m").value_or("").find(R"("max_batch_size":3)"), std::string::npos);
  AddVersion("m", 1);
  Look();
  dir_.Remove("m/1");
  Look();
  EXPECT_NE(manager_->WrittenConfigJson("m").value_or("").find(R"("max_batch_size":3)"), std::string::npos);
}

// A load that fails does not make the configuration wrong.
TEST_F(ManagerTest, AConfigurationThatIsWrongMayFailTheStart) {
  options_.bad_configuration_fails_startup = true;
  AddVersion("m", 1);
  AddVersion("bad", 1);
  FailLoadsOf("bad", "no such operator");
  Start();
  EXPECT_FALSE(manager_->StartupFailed());
  EXPECT_TRUE(manager_->ServerLive());
  dir_.Write("bad/config.pbtxt", "nonsense: 1");
  MakeManager();
  EXPECT_FALSE(manager_->StartupFailed()) << "nothing was tried yet";
  ASSERT_TRUE(manager_->Start().ok());
  manager_->WaitIdle();
  EXPECT_TRUE(manager_->StartupFailed());
  EXPECT_FALSE(manager_->ServerLive());
  EXPECT_FALSE(manager_->ServerReady());
  dir_.Remove("bad");
  Look();
  EXPECT_TRUE(manager_->StartupFailed()) << "for good";
}

TEST_F(ManagerTest, WhereAWrongConfigurationEndsTheServerNothingIsLoaded) {
  options_.bad_configuration_ends_startup = true;
  AddVersion("good", 1);
  FailLoadsOf("good", "no such operator");
  Start();
  EXPECT_EQ(manager_->BadConfiguration(), "") << "a bad load is no bad configuration";
  engine_.SetScript("good", {.signature = FakeEngine::DefaultSignature(), .on_load = {}, .on_execute = {}});
  AddVersion("wrong", 1);
  dir_.Write("wrong/config.pbtxt", "nonsense: 1");
  Start();
  EXPECT_TRUE(manager_->StartupTried());
  EXPECT_THAT(manager_->BadConfiguration(), ::testing::StartsWith("model 'wrong': "));
  EXPECT_EQ(engine_.alive(), 0);
  dir_.Remove("wrong");
  Look();
  EXPECT_EQ(engine_.alive(), 0) << "the server is about to end";
}

TEST_F(ManagerTest, AnUnloadWaitsForRequestsInFlight) {
  AddVersion("m", 1);
  Start();
  auto pinned = snapshots_.Current()->Find("m", "").value();
  manager_->Unload({.model = "m", .repository = ""}, [](const base::Status& status) { EXPECT_TRUE(status.ok()); });
  EXPECT_EQ(IndexText(), "m:1:UNLOADING:unloading|");
  EXPECT_EQ(engine_.alive(), 1);
  EXPECT_EQ(Infer("m").error().code(), StatusCode::kUnavailable);
  pinned.reset();
  manager_->WaitIdle();
  EXPECT_EQ(engine_.alive(), 0);
  EXPECT_EQ(IndexText(), "m:1:UNAVAILABLE:unloaded|");
}

TEST_F(ManagerTest, ACallHoldsUntilTheFolderChanges) {
  AddVersion("m", 1);
  Start();
  EXPECT_TRUE(Unload("m").ok());
  Look();
  EXPECT_EQ(Infer("m").error().code(), StatusCode::kUnavailable);
  AddVersion("m", 2);
  Look();
  EXPECT_EQ(Infer("m").value(), "2");
}

TEST_F(ManagerTest, UnloadOfAnUnknownModelSucceeds) {
  Start();
  EXPECT_TRUE(Unload("none").ok());
}

TEST_F(ManagerTest, ExplicitModeLoadsWhatIsAskedFor) {
  AddVersion("a", 1);
  AddVersion("b", 1);
  options_.control = config::ControlMode::kExplicit;
  options_.startup_models = {"a"};
  Start();
  EXPECT_EQ(IndexText(), "a:1:READY:|b::UNKNOWN:|");
  AddVersion("c", 1);
  AddVersion("a", 2);
  Look();
  EXPECT_EQ(IndexText(), "a:1:READY:|b::UNKNOWN:|c::UNKNOWN:|") << "seen, and not loaded";
  EXPECT_TRUE(Load("b").ok());
  EXPECT_EQ(Infer("b").value(), "1");
  const int loads = engine_.loads();
  EXPECT_TRUE(Load("b").ok());
  EXPECT_EQ(engine_.loads(), loads) << "nothing has changed";
  AddVersion("b", 1, "changed");
  EXPECT_TRUE(Load("b").ok());
  EXPECT_EQ(engine_.loads(), loads + 1);
  EXPECT_TRUE(Unload("b").ok());
  EXPECT_EQ(IndexText(), "a:1:READY:|b:1:UNAVAILABLE:unloaded|c::UNKNOWN:|");
  EXPECT_TRUE(Load("b").ok());
  EXPECT_EQ(Load("none").code(), StatusCode::kNotFound);
}

TEST_F(ManagerTest, ALoadCallMayBringItsConfiguration) {
  AddVersion("m", 1);
  AddVersion("m", 2);
  Start();
  EXPECT_TRUE(Load({.model = "m",
                    .repository = "",
                    .config_json = R"({"max_batch_size": 8, "version_policy": {"specific": {"versions": [1]}}})",
                    .files = {}})
                  .ok());
  manager_->WaitIdle();
  EXPECT_EQ(Infer("m").value(), "1");
  EXPECT_THAT(manager_->ConfigJson("m", "").value(), HasSubstr("\"max_batch_size\":8"));
  EXPECT_TRUE(Load("m").ok()) << "and back to what the folder says";
  EXPECT_EQ(Infer("m").value(), "2");
}

TEST_F(ManagerTest, ALoadCallThatMayRunNoCodeBringsNone) {
  inferd::support::TempDir staging;
  options_.staging_dir = staging.path();
  Start();
  const auto load = [&](const std::string& config, bool may) {
    core::LoadCall call{.model = "m", .config_json = config, .files = {{"1/model.onnx", "x"}}};
    call.may_run_code = may;
    return Load(std::move(call)).code();
  };
  EXPECT_EQ(load(R"({"backend": "python", "default_model_filename": "model.onnx"})", false),
            StatusCode::kPermissionDenied);
  EXPECT_NE(load(R"({"backend": "python", "default_model_filename": "model.onnx"})", true),
            StatusCode::kPermissionDenied);
  EXPECT_EQ(load(R"({"backend": "fake", "model_operations": {"op_library_filename": ["a.so"]}})", false),
            StatusCode::kPermissionDenied);
}

TEST_F(ManagerTest, ABadConfigurationInALoadCallChangesNothing) {
  AddVersion("m", 1);
  Start();
  for (const char* config : {"{", "[]", R"({"nmae": "m"})", R"({"name": "other"})", R"({"max_batch_size": -1})"}) {
    EXPECT_EQ(Load({.model = "m", .repository = "", .config_json = config, .files = {}}).code(),
              StatusCode::kInvalidArgument)
        << config;
  }
  EXPECT_EQ(IndexText(), "m:1:READY:|");
  EXPECT_EQ(engine_.loads(), 1);
}

TEST_F(ManagerTest, ALoadCallMayBringItsFiles) {
  inferd::support::TempDir staging;
  options_.staging_dir = staging.path();
  Start();
  EXPECT_EQ(Load({.model = "m", .repository = "", .config_json = "", .files = {{"1/model.onnx", "x"}}}).code(),
            StatusCode::kInvalidArgument);
  for (const char* path : {"/etc/passwd", "../1/model.onnx", "1/../../x", "", "1//x"}) {
    EXPECT_EQ(Load({.model = "m", .repository = "", .config_json = "{}", .files = {{path, "x"}}}).code(),
              StatusCode::kInvalidArgument)
        << path;
  }
  EXPECT_TRUE(Load({.model = "m", .repository = "", .config_json = "{}", .files = {{"7/model.onnx", "x"}}}).ok());
  EXPECT_EQ(Infer("m").value(), "7");
  Look();
  EXPECT_EQ(Infer("m").value(), "7") << "a look at the folders leaves it alone";
  EXPECT_TRUE(Unload("m").ok());
  EXPECT_TRUE(std::filesystem::is_empty(staging.path()));
}

TEST_F(ManagerTest, BadModelNamesInLoadCalls) {
  Start();
  for (const char* name : {"", "..", "a/b", ".git"}) EXPECT_EQ(Load(name).code(), StatusCode::kInvalidArgument) << name;
}

TEST_F(ManagerTest, ConcurrentLoadsOfOneModelAreOneLoad) {
  options_.control = config::ControlMode::kExplicit;
  AddVersion("m", 1);
  std::promise<void> release;
  auto released = release.get_future().share();
  engine_.SetScript("m", {.signature = FakeEngine::DefaultSignature(),
                          .on_load = [released](const core::LoadSpec&) { return released.wait(), base::OkStatus(); },
                          .on_execute = {}});
  Start();
  std::atomic<int> answers{0};
  for (int i = 0; i < 3; ++i) {
    manager_->Load({.model = "m", .repository = "", .config_json = "", .files = {}}, [&](const base::Status& status) {
      EXPECT_TRUE(status.ok());
      ++answers;
    });
  }
  release.set_value();
  manager_->WaitIdle();
  EXPECT_EQ(answers.load(), 3);
  EXPECT_EQ(engine_.loads(), 1);
}

TEST_F(ManagerTest, AnyModelMayBeEnoughToBeReady) {
  AddVersion("bad", 1);
  AddVersion("good", 1);
  FailLoadsOf("bad", "no such operator");
  options_.readiness = config::ReadinessMode::kAny;
  Start();
  EXPECT_TRUE(manager_->ServerReady());
}

TEST_F(ManagerTest, ModelsThatWereTriedMayBeEnoughToBeReady) {
  AddVersion("bad", 1);
  AddVersion("good", 1);
  FailLoadsOf("bad", "no such operator");
  std::promise<void> release;
  auto released = release.get_future().share();
  engine_.SetScript("good", {.signature = FakeEngine::DefaultSignature(),
                             .on_load = [released](const core::LoadSpec&) { return released.wait(), base::OkStatus(); },
                             .on_execute = {}});
  options_.readiness = config::ReadinessMode::kTried;
  StartLoading();
  EXPECT_FALSE(manager_->ServerReady()) << "one is loading";
  release.set_value();
  manager_->WaitIdle();
  EXPECT_TRUE(manager_->ServerReady());
}

TEST_F(ManagerTest, WithNothingButBrokenModelsItIsNotReady) {
  AddVersion("bad", 1);
  FailLoadsOf("bad", "no such operator");
  options_.readiness = config::ReadinessMode::kTried;
  Start();
  EXPECT_FALSE(manager_->ServerReady());
}

TEST_F(ManagerTest, NamedModelsMayBeWhatReadyWaitsFor) {
  AddVersion("bad", 1);
  FailLoadsOf("bad", "no such operator");
  options_.readiness = config::ReadinessMode::kNamed;
  options_.ready_models = {"good"};
  Start();
  EXPECT_FALSE(manager_->ServerReady());
  AddVersion("good", 1);
  Look();
  EXPECT_TRUE(manager_->ServerReady());
  dir_.Remove("good");
  Look();
  EXPECT_TRUE(manager_->ServerReady()) << "once ready, a model that goes is the model's own readiness";
}

TEST_F(ManagerTest, WhatTheStartNamesMustBeThere) {
  AddVersion("m", 1);
  options_.checks_startup = true;
  options_.readiness = config::ReadinessMode::kNamed;
  options_.ready_models = {"m", "nosuch"};
  MakeManager();
  EXPECT_EQ(manager_->Start().message(),
            "--readiness takes tried, all, any, server or names of models: --readiness: model not found in any model "
            "repository: "
            "'nosuch' (there are: m)");
  options_.readiness = config::ReadinessMode::kAll;
  options_.control = config::ControlMode::kExplicit;
  options_.startup_models = {"*", "m", "nosuch"};
  MakeManager();
  EXPECT_EQ(manager_->Start().message(),
            "--load-model: model not found in any model repository: 'nosuch' (there are: m)");
  options_.startup_models = {"m"};
  options_.repositories.push_back({.name = "other", .path = dir_.path() / "nowhere"});
  MakeManager();
  const base::Status status = manager_->Start();
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_THAT(status.message(), AllOf(HasSubstr("model repository 'other'"), HasSubstr("nowhere: No such file")));
  options_.checks_startup = false;
  Start();
}

// A link to a missing file does not count as a file.
TEST_F(ManagerTest, APathOfOneModelThatHasNoneMayFailTheStart) {
  dir_.MakeDir("m");
  std::filesystem::create_symlink(dir_.path() / "gone.onnx", dir_.path() / "m" / "model.onnx");
  options_.repositories = {{.name = "model m", .path = dir_.path() / "m", .model = "m"}};
  for (const bool needed : {false, true}) {
    options_.needs_models = needed;
    Start();
    EXPECT_EQ(manager_->ServerReady(), !needed);
    EXPECT_EQ(manager_->StartupFailure(), needed ? "model 'm': there is no file of it that can be read" : "");
  }
}

TEST_F(ManagerTest, AnEmptyRepositoryIsReady) {
  Start();
  EXPECT_TRUE(manager_->ServerReady());
}

TEST_F(ManagerTest, TheSameModelInTwoRepositoriesIsNotServed) {
  inferd::support::TempDir other;
  other.Write("m/1/model.onnx", "x");
  AddVersion("m", 1);
  AddVersion("n", 1);
  options_.repositories.push_back({.name = "second", .path = other.path()});
  Start();
  EXPECT_THAT(IndexText(), HasSubstr("m::UNAVAILABLE:model appears in two or more repositories: 'm' is in"));
  EXPECT_EQ(Infer("m").error().code(), StatusCode::kUnavailable);
  EXPECT_EQ(Infer("n").value(), "1");
  EXPECT_THAT(manager_->Index("second", false).value(), IsEmpty());
}

TEST_F(ManagerTest, TwoRepositoriesOfOneNameAreRefused) {
  options_.repositories.push_back({.name = "main", .path = "/elsewhere"});
  Manager manager(options_, ManagerServices{.snapshots = snapshots_,
                                            .engines = engines_,
                                            .scheduler_factory = {},
                                            .clock = clock_,
                                            .logger = *logger_,
                                            .metrics = registry_});
  EXPECT_EQ(manager.Start().code(), StatusCode::kInvalidArgument);
}

TEST_F(ManagerTest, AMissingEngineIsNamed) {
  dir_.Write("m/1/model.pt", "x");
  Start();
  EXPECT_THAT(IndexText(), HasSubstr("engine for platform pytorch_torchscript is not installed"));
}

TEST_F(ManagerTest, ASingleFileIsAModel) {
  dir_.Write("digits.onnx", "x");
  options_.repositories = {{.name = "", .path = dir_.path() / "digits.onnx"}};
  Start();
  EXPECT_EQ(Infer("digits", "1").value(), "1");
}

TEST_F(ManagerTest, AfterShutdownCallsAreRefused) {
  AddVersion("m", 1);
  Start();
  manager_->BeginDrain();
  EXPECT_FALSE(manager_->ServerReady());
  EXPECT_EQ(Infer("m").value(), "1") << "draining serves on";
  manager_->Shutdown();
  EXPECT_EQ(Load("m").code(), StatusCode::kUnavailable);
  EXPECT_EQ(engine_.alive(), 0);
}

TEST_F(ManagerTest, StatisticsAreKeptPerVersion) {
  AddVersion("m", 1);
  AddVersion("n", 1);
  Start();
  EXPECT_TRUE(Infer("m").has_value());
  const auto all = manager_->Statistics("", "").value();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].name, "m");
  EXPECT_EQ(all[0].success.count, 1u);
  EXPECT_EQ(all[1].success.count, 0u);
  EXPECT_EQ(manager_->Statistics("m", "1").value()[0].inference_count, 1u);
}

TEST_F(ManagerTest, AVersionServesAllSignaturesOfItsModel) {
  core::ModelSignature other = FakeEngine::DefaultSignature();
  other.name = "other";
  other.outputs[0].name = "ANOTHER";
  other.outputs.push_back({.name = "fixed", .datatype = tensor::DataType::kInt32, .shape = {1, 1}});
  core::ModelSignature init;
  init.name = "init";
  init.only_shown = true;
  init.outputs = {{.name = "none", .shape = {}}};
  engine_.SetScript(
      "m", {.signature = FakeEngine::DefaultSignature(), .on_load = {}, .on_execute = {}, .others = {init, other}});
  AddVersion("m", 1);
  dir_.Write("m/config.pbtxt", "dynamic_batching { }");
  Start();
  core::LocalDispatcher dispatcher(snapshots_, inflight_, clock_);
  {
    const auto pinned = dispatcher.Find("m", "").value();
    ASSERT_EQ(pinned->signatures().size(), 2u);
    EXPECT_GT(pinned->signature().max_batch_size, 0);
    EXPECT_EQ(pinned->signatures()[1]->name, "other");
    EXPECT_EQ(pinned->signatures()[1]->max_batch_size, 0);
    ASSERT_EQ(pinned->shown_signatures().size(), 1u);
    EXPECT_EQ(pinned->shown_signatures()[0]->name, "init");
  }
  EXPECT_EQ(manager_->Metadata("m", "1")->outputs.size(), 1u) << "the first signature's";
  signature_ = 1;
  EXPECT_EQ(Infer("m").value(), "1");
  signature_ = 0;
  EXPECT_EQ(Infer("m").value(), "1");
  EXPECT_EQ(manager_->Statistics("m", "1").value()[0].success.count, 2u);
  EXPECT_EQ(engine_.executions(), 2);
}

TEST_F(ManagerTest, RecordedRequestsWarmAVersionUp) {
  AddVersion("m", 1);
  int rows = 1;
  std::filesystem::path asked;
  recorded_warmups_ = [&](const std::filesystem::path& version_dir, const core::PinnedModel&) {
    asked = version_dir;
    RecordedRequests recorded{.requests = {}, .records = 1};
    recorded.requests.push_back(std::make_unique<core::InferRequest>());
    core::InferTensor& input = recorded.requests[0]->inputs.emplace_back();
    input.name = "INPUT0";
    input.datatype = tensor::DataType::kInt32;
    input.shape = {rows, 1};
    input.data = base::BufferSlice(base::Buffer::CopyOf("1234"));
    return recorded;
  };
  options_.tensorflow_metrics = true;
  Start();
  const std::string path = "model_path=\"" + (dir_.path() / "m/1").string() + "\"";
  EXPECT_THAT(registry_.PrometheusText(), HasSubstr("inferd_model_warmup_duration_seconds_count{model=\"m\"} 1\n"));
  EXPECT_THAT(registry_.PrometheusText(),
              HasSubstr(":tensorflow:serving:model_warmup_records_read{" + path + ",status=\"OK\"} 1\n"));
  EXPECT_THAT(registry_.PrometheusText(),
              HasSubstr(":tensorflow:serving:model_warmup_latency_count{" + path + ",status=\"OK\"} 1\n"));
  EXPECT_EQ(asked, dir_.path() / "m/1");
  EXPECT_EQ(Infer("m").value(), "1");
  EXPECT_EQ(manager_->Statistics("m", "1").value()[0].inference_count, 1u) << "warm-ups do not count";
  rows = 2;
  AddVersion("m", 2);
  Look();
  EXPECT_EQ(Infer("m").value(), "1") << "a request that does not fit ends the load";
  EXPECT_THAT(IndexText(), HasSubstr("recorded warm-up 0: "));
  EXPECT_THAT(registry_.PrometheusText(), HasSubstr("m/2\",status=\"INVALID_ARGUMENT\"} 1\n"));
  EXPECT_THAT(registry_.PrometheusText(), HasSubstr("load_attempt_count{model_path=\"" +
                                                    (dir_.path() / "m/2").string() + "\",status=\"success\"} 1"))
      << "the model was loaded, and then not warmed up";
}

TEST_F(ManagerTest, WhatFailsIsTriedAgainAsOftenAsTheOptionSays) {
  options_.load_retries = 2;
  options_.load_retry_ms = 0;
  AddVersion("m", 1);
  FailLoadsOf("m", "broken");
  Start();
  for (int looks = 0; looks < 4; ++looks) Look();
  EXPECT_EQ(engine_.loads(), 3);
  AddVersion("m", 1, "changed");
  for (int looks = 0; looks < 4; ++looks) Look();
  EXPECT_EQ(engine_.loads(), 6);
}

TEST_F(ManagerTest, ARetryHasToWait) {
  options_.load_retries = 2;
  AddVersion("m", 1);
  FailLoadsOf("m", "broken");
  Start();
  for (int looks = 0; looks < 4; ++looks) Look();
  EXPECT_EQ(engine_.loads(), 1);
}

// A version is replaced again and again while clients infer: no request fails.
TEST_F(ManagerTest, AReloadUnderLoadLosesNothing) {
  AddVersion("m", 1, "0");
  Start();
  std::atomic<bool> stop{false};
  std::atomic<int> failures{0};
  std::atomic<int> answers{0};
  std::vector<std::thread> clients;
  for (int i = 0; i < 3; ++i) {
    clients.emplace_back([&] {
      while (!stop) {
        if (!Infer("m").has_value()) ++failures;
        ++answers;
      }
    });
  }
  for (int i = 1; i <= 20; ++i) {
    const int before = answers.load();
    AddVersion("m", 1, std::string(static_cast<size_t>(i) + 1, 'x'));
    Look();
    while (answers.load() < before + 10) std::this_thread::yield();
  }
  stop = true;
  for (auto& client : clients) client.join();
  manager_->WaitIdle();
  EXPECT_EQ(failures.load(), 0);
  EXPECT_EQ(engine_.loads(), 21);
  EXPECT_EQ(engine_.alive(), 1);
}

}  // namespace
}  // namespace inferd::repository
