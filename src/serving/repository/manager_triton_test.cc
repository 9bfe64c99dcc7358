#include <gmock/gmock.h>

#include "serving/repository/manager_fixture.h"

// Models that come and go as in Triton: ManagerOptions::triton_exact.

namespace inferd::repository {
namespace {

using ::testing::HasSubstr;

class ManagerTritonTest : public ManagerTest {
 protected:
  ManagerTritonTest() { options_.triton_exact = true; }

  void Explicit() {
    options_.control = config::ControlMode::kExplicit;
    options_.startup_models = {"*"};
  }
  base::Status Load(const std::string& model, const std::string& config_json = {}) {
    return ManagerTest::Load({.model = model, .repository = "", .config_json = config_json, .files = {}});
  }
  // Makes the model's next `times` loads fail.
  void Fail(const std::string& model, int times, int64_t version = 0) {
    auto left = std::make_shared<std::atomic<int>>(times);
    FakeEngine::Script script;
    script.on_load = [left, version](const core::LoadSpec& spec) -> base::Status {
      if (version != 0 && spec.version != version) return base::OkStatus();
      return left->fetch_sub(1) > 0 ? base::Internal("no such operator") : base::OkStatus();
    };
    engine_.SetScript(model, std::move(script));
  }
};

TEST_F(ManagerTritonTest, CallsAreForExplicitControlAlone) {
  AddVersion("m", 1);
  const auto refused = base::Unavailable("explicit model load / unload is not allowed if polling is enabled");
  for (const auto control : {config::ControlMode::kNone, config::ControlMode::kPoll}) {
    options_.control = control;
    Start();
    EXPECT_EQ(Load("m"), refused);
    EXPECT_EQ(Unload("m"), refused);
    EXPECT_TRUE(Infer("m").has_value());
    manager_->Shutdown();
  }
  Explicit();
  Start();
  EXPECT_TRUE(Load("m").ok());
  EXPECT_TRUE(Unload("m").ok());
}

TEST_F(ManagerTritonTest, ALoadIsRepeatedAtOnce) {
  AddVersion("m", 1);
  AddVersion("n", 1);
  Fail("m", 2);
  Fail("n", 3);
  options_.load_repeats = 2;
  Start();
  EXPECT_TRUE(Infer("m").has_value());
  EXPECT_FALSE(Infer("n").has_value());
}

TEST_F(ManagerTritonTest, AVersionThatFailsKeepsANewModelFromServing) {
  AddVersion("m", 1);
  AddVersion("m", 2);
  dir_.Write("m/config.pbtxt", "version_policy { all { } }");
  Fail("m", 1, 2);
  Explicit();
  Start();
  EXPECT_THAT(Infer("m").error().message(), HasSubstr("Request for unknown model: 'm' has no available versions"));
  EXPECT_THAT(Infer("m", "1").error().message(), HasSubstr("version 1 is not at ready state"));
  EXPECT_TRUE(Load("m").ok());
  EXPECT_EQ(Infer("m", "1").value_or(""), "1");
  Fail("m", 1, 2);
  dir_.Write("m/2/model.onnx", "another");
  EXPECT_THAT(Load("m").message(), HasSubstr("load failed for model 'm': version 2 is at UNAVAILABLE state"));
  EXPECT_EQ(Infer("m", "1").value_or(""), "1") << "what served goes on";
}

TEST_F(ManagerTritonTest, AModelThatWentIsKnownAndUnavailable) {
  AddVersion("m", 1);
  Start();
  dir_.Remove("m");
  Look();
  EXPECT_EQ(Infer("m").error().code(), base::StatusCode::kUnavailable);
  EXPECT_THAT(Infer("m").error().message(), HasSubstr("Request for unknown model: 'm' has no available versions"));
  EXPECT_THAT(Infer("m", "1").error().message(), HasSubstr("'m' version 1 is not at ready state"));
  EXPECT_THAT(Infer("m", "2").error().message(), HasSubstr("'m' version 2 is not found"));
  AddVersion("m", 1);
  Look();
  EXPECT_TRUE(Infer("m").has_value());
}

TEST_F(ManagerTritonTest, AVersionThatWentIsKnownAndNotReady) {
  for (const int version : {1, 2}) AddVersion("m", version);
  dir_.Write("m/config.pbtxt", "version_policy { all { } }");
  options_.control = config::ControlMode::kPoll;
  Start();
  dir_.Remove("m/1");
  Look();
  EXPECT_EQ(Infer("m").value_or(""), "2");
  EXPECT_THAT(Infer("m", "1").error().message(), HasSubstr("'m' version 1 is not at ready state"));
  EXPECT_THAT(Infer("m", "3").error().message(), HasSubstr("'m' version 3 is not found"));
  EXPECT_THAT(IndexText(), HasSubstr("m:1:UNAVAILABLE:"));
  AddVersion("m", 1);
  Look();
  EXPECT_EQ(Infer("m", "1").value_or(""), "1");
}

TEST_F(ManagerTritonTest, SoManyVersionsThatWentAreKnown) {
  dir_.Write("m/config.pbtxt", "version_policy { all { } }");
  options_.control = config::ControlMode::kPoll;
  for (int version = 1; version <= 300; ++version) AddVersion("m", version);
  Start();
  for (int version = 1; version < 300; ++version) dir_.Remove("m/" + std::to_string(version));
  Look();
  EXPECT_THAT(Infer("m", "44").error().message(), HasSubstr("version 44 is not at ready state"));
  EXPECT_THAT(Infer("m", "43").error().message(), HasSubstr("version 43 is not found")) << "256 are kept";
}

TEST_F(ManagerTritonTest, OtherServersForgetVersionsThatWent) {
  options_.triton_exact = false;
  for (const int version : {1, 2}) AddVersion("m", version);
  dir_.Write("m/config.pbtxt", "version_policy { all { } }");
  options_.control = config::ControlMode::kPoll;
  Start();
  dir_.Remove("m/1");
  Look();
  EXPECT_THAT(Infer("m", "1").error().message(), HasSubstr("'m' version 1 is not found"));
}

TEST_F(ManagerTritonTest, AModelThatWasNeverLoadedIsUnknown) {
  AddVersion("m", 1);
  Explicit();
  options_.startup_models.clear();
  Start();
  EXPECT_THAT(IndexText(), HasSubstr("m:"));
  EXPECT_EQ(Infer("m").error(), base::NotFound("Request for unknown model: 'm' is not found"));
  EXPECT_TRUE(Load("m").ok());
  EXPECT_TRUE(Unload("m").ok());
  EXPECT_THAT(Infer("m").error().message(), HasSubstr("'m' has no available versions"));
}

TEST_F(ManagerTritonTest, AModelInASecondRepositoryIsUnloaded) {
  support::TempDir second;
  options_.repositories.push_back({.name = "second", .path = second.path()});
  AddVersion("m", 1);
  Start();
  EXPECT_TRUE(Infer("m").has_value());
  second.Write("m/1/model.onnx", "x");
  Look();
  EXPECT_THAT(Infer("m").error().message(), HasSubstr("'m' has no available versions"));
}

TEST_F(ManagerTritonTest, TheIndexSaysOfAModelInTwoRepositoriesWhatTritonSays) {
  support::TempDir second;
  options_.repositories.push_back({.name = "second", .path = second.path()});
  second.Write("m/1/model.onnx", "x");
  AddVersion("m", 1);
  Start();
  EXPECT_EQ(IndexText(), "m::UNAVAILABLE:model appears in two or more repositories|");
}

TEST_F(ManagerTritonTest, ALoadWithoutAConfigurationKeepsTheLastOnes) {
  AddVersion("m", 1);
  AddVersion("m", 2);
  Explicit();
  Start();
  EXPECT_EQ(Infer("m").value_or(""), "2");
  EXPECT_TRUE(Load("m", R"({"backend": "onnxruntime", "version_policy": {"specific": {"versions": [1]}}})").ok());
  EXPECT_EQ(Infer("m").value_or(""), "1");
  EXPECT_TRUE(Load("m").ok());
  EXPECT_EQ(Infer("m").value_or(""), "1");
  EXPECT_TRUE(Unload("m").ok());
  EXPECT_TRUE(Load("m").ok());
  EXPECT_EQ(Infer("m").value_or(""), "2");
}

TEST_F(ManagerTritonTest, AnEditedFileTakesThePlaceOfACallsConfiguration) {
  AddVersion("m", 1);
  AddVersion("m", 2);
  dir_.Write("m/config.pbtxt", "backend: \"onnxruntime\"");
  Explicit();
  Start();
  EXPECT_TRUE(Load("m", R"({"backend": "onnxruntime", "version_policy": {"specific": {"versions": [1]}}})").ok());
  EXPECT_TRUE(Load("m").ok());
  EXPECT_EQ(Infer("m").value_or(""), "1");
  dir_.Write("m/config.pbtxt", "backend: \"onnxruntime\"\nversion_policy { all { } }");
  EXPECT_TRUE(Load("m").ok());
  EXPECT_EQ(Infer("m").value_or(""), "2");
  EXPECT_TRUE(Load("m").ok());
  EXPECT_EQ(Infer("m").value_or(""), "2");
}

TEST_F(ManagerTritonTest, AnUnloadWaitsForALoad) {
  AddVersion("m", 1);
  Explicit();
  options_.startup_models.clear();
  Start();
  std::promise<void> began;
  std::promise<void> go_on;
  FakeEngine::Script script;
  script.on_load = [&](const core::LoadSpec&) {
    began.set_value();
    go_on.get_future().wait();
    return base::OkStatus();
  };
  engine_.SetScript("m", std::move(script));
  std::promise<base::Status> loaded;
  std::promise<base::Status> unloaded;
  manager_->Load({.model = "m", .repository = "", .config_json = "", .files = {}},
                 [&](base::Status status) { loaded.set_value(std::move(status)); });
  began.get_future().wait();
  manager_->Unload({.model = "m", .repository = "", .unload_dependents = false},
                   [&](base::Status status) { unloaded.set_value(std::move(status)); });
  go_on.set_value();
  EXPECT_TRUE(loaded.get_future().get().ok());
  EXPECT_TRUE(unloaded.get_future().get().ok());
  manager_->WaitIdle();
  EXPECT_FALSE(Infer("m").has_value());
}

TEST_F(ManagerTritonTest, WithoutARepositoryItIsNeitherLiveNorReady) {
  options_.repositories = {{.name = "main", .path = dir_.path() / "none"}};
  Start();
  EXPECT_FALSE(manager_->ServerLive());
  EXPECT_FALSE(manager_->ServerReady());
}

TEST_F(ManagerTritonTest, AConfigurationOfItsNameGoesBeforeTheOther) {
  AddVersion("m", 1);
  AddVersion("m", 2);
  AddVersion("n", 1);
  AddVersion("n", 2);
  dir_.Write("m/config.pbtxt", "version_policy { specific { versions: [2] } }");
  dir_.Write("m/configs/large.pbtxt", "version_policy { specific { versions: [1] } }");
  dir_.Write("n/config.pbtxt", "version_policy { specific { versions: [2] } }");
  dir_.Write("n/configs/small.pbtxt", "version_policy { specific { versions: [1] } }");
  options_.model_config_name = "large";
  Start();
  EXPECT_EQ(Infer("m").value_or(""), "1");
  EXPECT_EQ(Infer("n").value_or(""), "2");
}

TEST_F(ManagerTritonTest, AWrongConfigurationIsSaidBeforeThatVersionsAreMissing) {
  dir_.Write("m/config.pbtxt", "backend: \"onnxruntime\" max_batch_size: -1");
  dir_.Write("n/config.pbtxt", "backend: \"onnxruntime\"");
  Explicit();
  Start();
  EXPECT_THAT(Load("m").message(), HasSubstr("failed to load 'm', failed to poll from model repository: "));
  EXPECT_THAT(Load("m").message(), HasSubstr("'max_batch_size' must be non-negative value for m"));
  EXPECT_THAT(Infer("m").error().message(), HasSubstr("'max_batch_size' must be non-negative value for m"));
  EXPECT_THAT(Load("n").message(), HasSubstr("at least one version must be available"));
}

TEST_F(ManagerTritonTest, WhatTheConfigurationLacksIsSaidBeforeThatAFileIsMissing) {
  options_.completion.triton_exact = true;
  const std::string text = "backend: \"onnxruntime\" input { name: \"I\" dims: 1 }";
  for (const char* file : {"file/config.pbtxt", "version/config.pbtxt"}) dir_.Write(file, text);
  dir_.Write("file/1/other", "x");
  dir_.Write("typed/config.pbtxt", "backend: \"onnxruntime\" input { name: \"I\" data_type: TYPE_INT32 dims: 1 }");
  dir_.Write("typed/1/other", "x");
  Explicit();
  Start();
  EXPECT_THAT(Load("file").message(), HasSubstr("version 1 is at UNAVAILABLE state: model input 'I' must specify "
                                                "'data_type' for file ("));
  EXPECT_THAT(Load("file").message(), HasSubstr("; there is no "));
  EXPECT_THAT(
      Load("version").message(),
      HasSubstr("failed to poll from model repository: model input 'I' must specify 'data_type' for version ("));
  EXPECT_THAT(Load("typed").message(), HasSubstr("UNAVAILABLE state: there is no "));
}

TEST_F(ManagerTritonTest, ABackendThatIsNotThereIsNamedInTritonsWords) {
  options_.completion.triton_exact = true;
  dir_.Write("m/config.pbtxt", "backend: \"mine\"");
  dir_.Write("p/config.pbtxt", "platform: \"mine_v1\" backend: \"mine\"");
  for (const char* file : {"m/1/x", "p/1/x", "bare/1/x"}) dir_.Write(file, "x");
  Explicit();
  Start();
  for (const char* model : {"m", "p"}) {
    EXPECT_THAT(
        Load(model).message(),
        HasSubstr("UNAVAILABLE state: unable to find backend library for backend 'mine', try specifying runtime "
                  "on the model configuration: engine for platform mine"));
  }
  EXPECT_THAT(Load("bare").message(), HasSubstr("Invalid model name: Could not determine backend for model 'bare'"));
}

// Triton polls models first: what it cannot poll is not among those that readiness asks for.
TEST_F(ManagerTritonTest, ReadinessDoesNotAskForWhatCannotBePolled) {
  options_.readiness = config::ReadinessMode::kAll;
  AddVersion("good", 1);
  dir_.Write("bad/config.pbtxt", "max_batch_size: -1");
  dir_.Write("bad/1/model.onnx", "x");
  dir_.Write("unknown/1/x", "x");
  Start();
  EXPECT_TRUE(manager_->ServerReady());
  EXPECT_FALSE(manager_->StartupFailure().empty()) << "--exit-on-error ends the server all the same";
}

TEST_F(ManagerTritonTest, ReadinessAsksForAModelWithoutVersions) {
  options_.readiness = config::ReadinessMode::kAll;
  AddVersion("good", 1);
  dir_.Write("none/config.pbtxt", "backend: \"onnxruntime\"");
  Start();
  EXPECT_FALSE(manager_->ServerReady());
}

TEST_F(ManagerTritonTest, ReadinessDoesNotAskForStartupModelsThatNoRepositoryHas) {
  options_.readiness = config::ReadinessMode::kAll;
  AddVersion("good", 1);
  Explicit();
  options_.startup_models = {"good", "nowhere"};
  Start();
  EXPECT_TRUE(manager_->ServerReady());
}

TEST_F(ManagerTritonTest, AVersionThatNeverServedIsForgottenWithItsFolder) {
  for (const int version : {1, 2}) AddVersion("m", version);
  dir_.Write("m/config.pbtxt", "version_policy { all { } }");
  options_.control = config::ControlMode::kPoll;
  options_.lazy.enabled = true;
  Start();
  dir_.Remove("m/1");
  Look();
  EXPECT_THAT(Infer("m", "1").error().message(), HasSubstr("'m' version 1 is not found"));
}

TEST_F(ManagerTritonTest, ReadinessAsksForWhatFailsToLoad) {
  options_.readiness = config::ReadinessMode::kAll;
  AddVersion("good", 1);
  AddVersion("bad", 1);
  Fail("bad", 100);
  Start();
  EXPECT_FALSE(manager_->ServerReady());
}

TEST_F(ManagerTritonTest, OtherServersAskForWhatCannotBeRead) {
  options_.triton_exact = false;
  options_.readiness = config::ReadinessMode::kAll;
  AddVersion("good", 1);
  dir_.Write("bad/config.pbtxt", "max_batch_size: -1");
  dir_.Write("bad/1/model.onnx", "x");
  Start();
  EXPECT_FALSE(manager_->ServerReady());
}

}  // namespace
}  // namespace inferd::repository
